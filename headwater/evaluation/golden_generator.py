"""Making golden questions from the documents themselves.

Belongs here: choosing chunks, asking by rules or by a chat model, and checking each question. Not here: the rules
(`headwater.questions.question_rules`), storing the questions (`headwater.administration.golden_sets`). Guarantee: a
question is returned only if search finds its own document in the first ten, and its quote, if it has one, stands in
that document; without a model, the same index gives the same questions.

Such questions use the words of their documents, so search finds them more easily than those of real readers. Use them
to notice that something broke, and to compare settings, rather than to say how good search is.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
from headwater.domain.places import PlaceKind
from headwater.errors import GenerationFailedError, InvalidInputError
from headwater.evaluation.evaluator import active_index
from headwater.evaluation.measurement import DEPTH, Progress
from headwater.generation.plain_words import leads_elsewhere, without_links
from headwater.models_gateway.chat_model import ChatModel, Message
from headwater.models_gateway.chat_registry import load_chat_model
from headwater.prompts.prompt import data_blocks, fill
from headwater.questions.question_rules import HeadingPart, ask_by_rules
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.query import check_query
from headwater.retrieval.search import search
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.store.work.evaluations import AskableChunk

_PER_QUESTION = 30  # chunks to look at for each question that is wanted
_REPLY_TOKENS = 500
_TEXT = 6_000  # characters of a chunk that a model gets
_ANSWER = 400  # characters
_TRIED = 10  # questions of a chunk
_NOUN_AS_VERB = re.compile(r"How do I (?:access to|\w+ of)\b")
"""A heading such as `Access to secrets` or `Control of access`, which says nothing to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Generated:
    """The questions that passed, and how many were dropped because search did not find their own document."""

    questions: tuple[GoldenQuestion, ...]
    not_found: int


class WrittenQuestion(BaseModel):
    """A question about a passage, empty if there is nothing to ask; without answer and quote if a heading asks it."""

    question: str = Field(max_length=1_000)
    answer: str = Field(max_length=4_000)
    quote: str = Field(max_length=4_000)


_Ask = Callable[[AskableChunk], Iterator[WrittenQuestion]]


def generate(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    count: int,
    *,
    progress: Progress | None = None,
) -> Generated:
    """Make golden questions: with the judge model or the cheap model if there is one, otherwise by rules.

    The rules are those of `headwater.questions.question_rules`.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        knowledge_base: the knowledge base.
        count: how many questions are wanted; fewer are returned if the documents do not give so many.
        progress: is told after every question that passed.

    Raises:
        ConflictError: no index is active yet.
        ModelUnavailableError, RateLimitedError: a model does not answer.
    """
    index = active_index(store, knowledge_base)
    model = knowledge_base.settings.judge_model or knowledge_base.settings.cheap_model
    ask: _Ask = _by_rules
    if model is not None:
        ask = _make_asker(load_chat_model([model], settings), knowledge_base)
    known_questions = {golden.question.casefold() for golden in store.evaluations.golden_questions(knowledge_base)}
    questions: list[GoldenQuestion] = []
    not_found = 0
    for chunk in store.evaluations.chunks_to_ask_about(index, count * _PER_QUESTION):
        candidates = (_golden(store, chunk, question) for question in ask(chunk))
        golden = next(
            (
                candidate
                for candidate in candidates
                if candidate is not None and candidate.question.casefold() not in known_questions
            ),
            None,
        )
        if golden is None:
            continue
        if not _finds(store, settings, knowledge_base, golden):
            not_found += 1
            continue
        known_questions.add(golden.question.casefold())
        questions.append(golden)
        if progress is not None:
            progress(len(questions), count)
        if len(questions) == count:
            break
    return Generated(questions=tuple(questions), not_found=not_found)


def _by_rules(chunk: AskableChunk) -> Iterator[WrittenQuestion]:
    """The questions that a chunk's headings ask, and those that its sentences answer."""
    heading_part = HeadingPart(text=chunk.text, breadcrumb=chunk.breadcrumb)
    for ruled in ask_by_rules(chunk.title, [heading_part], chunk.language, most=_TRIED):
        if _NOUN_AS_VERB.match(ruled.question):
            continue
        yield WrittenQuestion(question=ruled.question, answer=ruled.answer, quote=ruled.quote)


def _make_asker(chat: ChatModel, knowledge_base: KnowledgeBase) -> _Ask:
    """Ask a chat model; a reply without use is skipped."""

    def ask(chunk: AskableChunk) -> Iterator[WrittenQuestion]:
        passage_text = "\n".join((" > ".join((chunk.title, *chunk.breadcrumb)), chunk.text[:_TEXT]))
        prompt = fill("golden", knowledge_base.settings, passage=data_blocks({"passage": passage_text})["passage"])
        try:
            reply, _ = chat.complete_as(
                [Message(role="user", content=prompt.text)],
                WrittenQuestion,
                max_tokens=_REPLY_TOKENS,
                is_awaited=False,
            )
        except GenerationFailedError:
            return
        yield reply

    return ask


def _golden(store: Store, chunk: AskableChunk, written: WrittenQuestion) -> GoldenQuestion | None:
    """The golden question; None if there is no question, or the quote is not in the chunk."""
    quote = written.quote.strip()
    start = chunk.text.find(quote)
    try:
        question = check_query(written.question)
    except InvalidInputError:
        return None
    if start < 0 or bool(quote) is not bool(written.answer.strip()) or leads_elsewhere(question):
        return None
    begin = chunk.start + start
    end = begin + len(quote) if quote else chunk.end
    (places,) = store.places.of_spans([(chunk.document_version_id, begin, end)])
    place = places.between(begin, end, text=chunk.text, offset=chunk.start) if places else None
    page = int(place.first) if place is not None and place.kind is PlaceKind.PAGE else None
    relevant = RelevantDocument(uri=chunk.uri, page=page, quote=quote or None)
    return GoldenQuestion(question=question, relevant=(relevant,), answer=without_links(written.answer).strip() or None)


def _finds(store: Store, settings: Settings, knowledge_base: KnowledgeBase, golden: GoldenQuestion) -> bool:
    """Whether search has the question's own document in the first ten."""
    options = SearchOptions(top_k=DEPTH, group_by="document")
    passages = search(store, settings, knowledge_base, golden.question, options).passages
    uris: Sequence[str] = list(dict.fromkeys(passage.uri for passage in passages))[:DEPTH]
    return golden.relevant[0].uri in uris
