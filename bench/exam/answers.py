"""Headwater's own answers, with a model and without.

Belongs here: making an answer as the product does, and reading what it cites. Not here: the references
(`plain_script`, `plain_quotes`), marks (`attempts`). Guarantee: each answer is made anew, and none is stored.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bench.exam.attempts import Attempt, Cited, Stopwatch
from bench.exam.plain_script import says_unknown
from bench.exam.questions import Question
from cli.environment import Environment
from headwater.answering.answer_assembly import AssembledAnswer
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerers import choose_answerer
from headwater.answering.events import Delta
from headwater.answering.record import answer_of
from headwater.domain.answers import Answer, Citation
from headwater.domain.corpus import KnowledgeBase
from headwater.models_gateway.chat_registry import EXTRACTIVE
from headwater.store.store import Store


def answer_with_model(
    env: Environment, model: str, knowledge_base: KnowledgeBase, question: Question, *, cheap_model: str | None = None
) -> Attempt:
    """Answer as a knowledge base does whose `answer_model` is a chat model.

    Args:
        env: the home's settings and store.
        model: the chat model.
        knowledge_base: the one that is asked.
        question: the question.
        cheap_model: the chat model of the small tasks, if there is one.

    Raises:
        HeadwaterError: a step failed.
    """
    attempt, answer = _attempt(env, {"answer_model": model, "cheap_model": cheap_model}, knowledge_base, question)
    return replace(attempt, says_unknown=says_unknown(answer.answer))


def answer_with_quotes(env: Environment, knowledge_base: KnowledgeBase, question: Question) -> Attempt:
    """Answer as a knowledge base does that has no model; the first quote is judged.

    Raises:
        HeadwaterError: a step failed.
    """
    attempt, answer = _attempt(env, {"answer_model": EXTRACTIVE}, knowledge_base, question)
    markers = [citation.marker for citation in answer.citations]
    return replace(attempt, quote=first_quote(answer.answer, markers))


def first_quote(text: str, markers: list[str]) -> str:
    """The part of an answer that its first citation stands for: up to the last of its markers before another one.

    Without a citation it is the whole answer.

    Args:
        text: the answer.
        markers: those of its citations, in order.
    """
    others = [text.find(marker) for marker in markers if marker != markers[0]]
    end = min((position for position in others if position >= 0), default=len(text))
    last = text.rfind(markers[0], 0, end) if markers else -1
    return text[: last + len(markers[0])] if last >= 0 else text


def _attempt(
    env: Environment, models: Mapping[str, str | None], knowledge_base: KnowledgeBase, question: Question
) -> tuple[Attempt, Answer]:
    asked = replace(knowledge_base, settings=knowledge_base.settings.model_copy(update=models))
    request = AnswerRequest(knowledge_base=asked, question=question.question, is_fresh=True)
    stopwatch, folded = Stopwatch(), AssembledAnswer()
    making = AnswerMaker(env.store, env.settings, request, choose_answerer(env.store, env.settings, asked.settings))
    for event in making.events():
        if isinstance(event, Delta):
            stopwatch.hear(event.text)
        folded.add(event)
    seconds = stopwatch.seconds
    answer = answer_of(making, folded)
    attempt = Attempt(
        text=answer.answer,
        is_refusal=answer.refused,
        cited=tuple(_cited(env.store, answer)),
        prompt_tokens=answer.usage["prompt_tokens"],
        completion_tokens=answer.usage["completion_tokens"],
        first_text_seconds=stopwatch.first_text_seconds,
        seconds=seconds,
    )
    return attempt, answer


def _cited(store: Store, answer: Answer) -> Iterator[Cited]:
    for citation in answer.citations:
        yield Cited(uri=citation.uri, texts=(_span(store, citation), store.versions.chunk(citation.chunk_id).text))


def _span(store: Store, citation: Citation) -> str:
    """The cited text, as the document version has it."""
    part = store.versions.text_part(citation.document_version_id, citation.start, citation.end - citation.start)
    return part.text
