"""An attempt at a question, and its marks.

Belongs here: the form of an attempt, and whether it is right, wrong or refused. Not here: attempting (`answers`,
`plain_script`, `plain_quotes`), sums over questions (`report`). Guarantee: pure, but for the clock.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bench.exam.questions import Question, count_words, held_patterns, holds

Outcome = Literal["right", "wrong", "refused", "error"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Cited:
    """What a citation leads to: the URI of its document, and the texts that a reader sees there."""

    uri: str
    texts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """What a variant says to a question.

    `quote` is the part of `text` that is judged, None for the whole; a variant without a model is judged by its first
    quote. `is_refusal` means that the variant knows that it refuses; `says_unknown` that its words say so.
    `first_text_seconds` is None if no text came, `error` the code of an error.
    """

    text: str = ""
    quote: str | None = None
    is_refusal: bool = False
    says_unknown: bool = False
    cited: tuple[Cited, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    first_text_seconds: float | None = None
    seconds: float = 0.0
    error: str = ""

    @property
    def judged(self) -> str:
        """The text that is judged; empty if it is a refusal, which may name documents that hold the truth."""
        if self.is_refusal or self.error:
            return ""
        return self.text if self.quote is None else self.quote


class Stopwatch:
    """Measures the time to the first text of an attempt, and to its end."""

    def __init__(self) -> None:
        self.first_text_seconds: float | None = None
        self._started = time.perf_counter()

    def hear(self, text: str) -> None:
        """Take the next piece of text."""
        if self.first_text_seconds is None and text.strip():
            self.first_text_seconds = self.seconds

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return round(time.perf_counter() - self._started, 3)


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """A marked attempt, as one line of JSON; the fields of the question come first, so that a person can read it.

    `is_right_in_all` is whether the whole text holds the truth, though its first quote may not. `right_citations` lead
    to at least one pattern that the text holds; `has_right_page` is whether a citation is of a file that holds the
    answer. `words` are those of the judged text.
    """

    half: str
    kb: str
    kind: str
    question: str
    is_answerable: bool
    truth: str
    where: tuple[str, ...]
    variant: str
    model: str
    outcome: Outcome
    is_right_in_all: bool
    text: str
    quote: str | None
    cited: tuple[str, ...]
    citations: int
    right_citations: int
    has_right_page: bool
    words: int
    words_in_all: int
    prompt_tokens: int
    completion_tokens: int
    first_text_seconds: float | None
    seconds: float
    is_refusal: bool
    says_unknown: bool
    error: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What a later run does not ask again."""
        return self.variant, self.model, self.kb, self.question

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> "Result":
        """Read a line that `to_json` wrote."""
        row: dict[str, Any] = json.loads(line)
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
        }
        return cls(**values)


def mark(question: Question, attempt: Attempt, *, variant: str, model: str) -> Result:
    """Give an attempt its marks."""
    whole = "" if attempt.is_refusal or attempt.error else attempt.text
    held = held_patterns(question, whole)
    return Result(
        half=question.half,
        kb=question.kb,
        kind=question.kind,
        question=question.question,
        is_answerable=question.is_answerable,
        truth=question.truth,
        where=question.where,
        variant=variant,
        model=model,
        outcome=outcome_of(question, attempt),
        is_right_in_all=question.is_answerable and holds(question, whole),
        text=attempt.text,
        quote=attempt.quote,
        cited=tuple(cited.uri for cited in attempt.cited),
        citations=len(attempt.cited),
        right_citations=sum(_shows(question, cited, held) for cited in attempt.cited),
        has_right_page=any(_is_of(cited.uri, page) for cited in attempt.cited for page in question.pages),
        words=count_words(attempt.judged),
        words_in_all=count_words(whole),
        prompt_tokens=attempt.prompt_tokens,
        completion_tokens=attempt.completion_tokens,
        first_text_seconds=attempt.first_text_seconds,
        seconds=attempt.seconds,
        is_refusal=attempt.is_refusal,
        says_unknown=attempt.says_unknown,
        error=attempt.error,
    )


def outcome_of(question: Question, attempt: Attempt) -> Outcome:
    """Whether an attempt is right, wrong, a refusal or an error.

    A text that holds the truth is right, even if it also says that the documents leave something open. A question
    without an answer has no right text: its attempt is refused, as it should be, or wrong.
    """
    if attempt.error:
        return "error"
    if question.is_answerable and holds(question, attempt.judged):
        return "right"
    return "refused" if attempt.is_refusal or attempt.says_unknown else "wrong"


def _shows(question: Question, cited: Cited, patterns: Sequence[str]) -> bool:
    """Whether a citation leads to one of the patterns that the answer holds."""
    return any(set(held_patterns(question, text)) & set(patterns) for text in cited.texts)


def _is_of(uri: str, page: str) -> bool:
    """Whether a URI names a file; the folder that was synced may begin above or below that of the question file."""
    return f"/{uri}".endswith(f"/{page}") or f"/{page}".endswith(f"/{uri}")
