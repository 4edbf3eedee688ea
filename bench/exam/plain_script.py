"""The reference with a model: a plain script that gives it a short prompt and the five best passages.

Belongs here: the prompt, the call, and whether a reply is a refusal. Not here: our own answer (`answers`), the
reference without a model (`plain_quotes`). Guarantee: the prompt and the phrases of a refusal stay as they are, so that
figures of different days can be compared.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing

from bench.exam.attempts import Attempt, Cited, Stopwatch
from bench.exam.questions import Question
from cli.environment import Environment
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import Passage
from headwater.domain.usage import Usage
from headwater.models_gateway.chat_model import Ended, Message
from headwater.models_gateway.chat_registry import load_chat_model
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.retrieval.search_result import SearchResult

PASSAGE_COUNT = 5
SYSTEM = (
    "You answer questions from numbered sources. Use only the sources. Answer first, in one to three sentences, then "
    "stop. After each sentence put the number of its source, like [1]. If the sources do not contain the answer, say: "
    "I don't know."
)
_MAX_REPLY_TOKENS = 400
_MARKER_PATTERN = re.compile(r"\[(\d{1,2})\]")
_UNKNOWN_PATTERN = re.compile(
    r"\b(?:do|does|did)(?: not|n['’]t) (?:\w+ ){0,2}?(?:know|contain|mention|specify)\b"
    r"|\b(?:is|are|was|were) ?(?:not|n['’]t) (?:\w+ ){0,2}?(?:mentioned|specified|provided|stated|given)\b"
    r"|\bnot (?:mentioned|specified|stated)\b"
    r"|\bno (?:\w+ ){0,2}?(?:information|mention)\b"
    r"|\b(?:can ?not|can['’]t|unable to|could not) (?:\w+ ){0,2}?(?:answer|find|determine)\b",
    re.IGNORECASE,
)


def ask_plain_script(env: Environment, model: str, knowledge_base: KnowledgeBase, question: Question) -> Attempt:
    """Search, and let the model answer from what was found.

    Raises:
        HeadwaterError: the search or the model failed.
    """
    stopwatch, text, usage = Stopwatch(), "", Usage()
    passages = find_passages(env, knowledge_base, question).passages
    reply = load_chat_model((model,), env.settings).stream(
        messages(question, passages), max_tokens=_MAX_REPLY_TOKENS, temperature=0.0
    )
    with closing(reply):
        for item in reply:
            if isinstance(item, Ended):
                usage = item.usage
            else:
                text += item.text
                stopwatch.hear(item.text)
    return Attempt(
        text=text.strip(),
        says_unknown=says_unknown(text),
        cited=tuple(_cited(text, passages)),
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        first_text_seconds=stopwatch.first_text_seconds,
        seconds=stopwatch.seconds,
    )


def find_passages(env: Environment, knowledge_base: KnowledgeBase, question: Question) -> SearchResult:
    """The passages that both references get: those of our own search."""
    options = SearchOptions(top_k=PASSAGE_COUNT, group_by="passage")
    return search(env.store, env.settings, knowledge_base, question.question, options)


def messages(question: Question, passages: Sequence[Passage]) -> list[Message]:
    """The prompt: the numbered sources, and the question last."""
    sources = [f"[{number}] {_heading(passage)}\n{passage.text}" for number, passage in enumerate(passages, start=1)]
    content = "\n\n".join([*sources, f"Question: {question.question}"])
    return [Message(role="system", content=SYSTEM), Message(role="user", content=content)]


def says_unknown(text: str) -> bool:
    """Whether the words of a reply say that the sources do not hold the answer."""
    return _UNKNOWN_PATTERN.search(" ".join(text.split())) is not None


def _heading(passage: Passage) -> str:
    """The title and the headings; a breadcrumb usually begins with the title."""
    headings = passage.breadcrumb[1:] if passage.breadcrumb[:1] == (passage.title,) else passage.breadcrumb
    return " > ".join([passage.title, *headings])


def _cited(text: str, passages: Sequence[Passage]) -> Iterator[Cited]:
    """The passage of each number in a reply, once; a number without a passage leads nowhere."""
    for number in dict.fromkeys(map(int, _MARKER_PATTERN.findall(text))):
        passage = passages[number - 1] if 1 <= number <= len(passages) else None
        yield Cited(uri=passage.uri, texts=(passage.text,)) if passage else Cited(uri=f"[{number}]", texts=())
