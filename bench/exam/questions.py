"""Questions with machine-checkable truth.

Belongs here: the form of a question file, loading it, and whether a text holds the truth. Not here: asking. Guarantee:
a file that loads has patterns that compile, a truth for each question with an answer, and none for the others.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import ConfigDict, Field, field_validator, model_validator

from headwater.domain.closed_model import ClosedModel

FOLDER = Path(__file__).parent
LOOKED_AT = FOLDER / "looked_at.json"
"""The half whose answers developers read."""
MEASURED = FOLDER / "measured.json"
"""The half that only measures: nobody reads its questions or answers while the code changes."""

_IMAGE_PATTERN = re.compile(r"!\[[^\]]*\]\([^)]*\)|<[^>\n]+>")
_LINK_PATTERN = re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKER_PATTERN = re.compile(r"\[\d{1,2}\]")
_LINE_MARK_PATTERN = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)", re.MULTILINE)
_INLINE_MARK_PATTERN = re.compile(r"[*`|]|(?<!\w)_+|_+(?!\w)|\\(?!\w)")


class Question(ClosedModel):
    """A question about the documents of one knowledge base.

    `truth` is the answer in words, `where` the files and lines that hold it (`leave.md:224-226`). A right answer
    matches all patterns of `must` and none of `must_not`. If `is_answerable` is false, the right answer is a refusal.
    `half` is the name of the file that the question stands in.
    """

    model_config = ConfigDict(frozen=True)

    kb: str
    kind: str
    question: str
    is_answerable: bool = Field(alias="answerable")
    truth: str
    where: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    half: str = Field(default="", exclude=True)

    @field_validator("must", "must_not")
    @classmethod
    def _compile(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern, re.IGNORECASE)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no pattern: {error}") from error
        return patterns

    @model_validator(mode="after")
    def _has_a_truth_if_it_is_answerable(self) -> "Question":
        if self.is_answerable != bool(self.must):
            raise ValueError("a question with an answer needs patterns in must, and one without has none")
        return self

    @property
    def pages(self) -> frozenset[str]:
        """The files that hold the answer."""
        return frozenset(place.rpartition(":")[0] for place in self.where)


class QuestionFile(ClosedModel):
    """A file of questions; `sources` says which folder of which repository and commit each knowledge base is."""

    sources: Mapping[str, str]
    questions: tuple[Question, ...]


def load_questions(path: Path) -> QuestionFile:
    """Load a file of questions; the name of the file becomes the half of each question.

    Raises:
        ValidationError: a field is missing, unknown or wrong.
    """
    loaded = QuestionFile.model_validate_json(path.read_text(encoding="utf-8"))
    questions = tuple(question.model_copy(update={"half": path.stem}) for question in loaded.questions)
    return loaded.model_copy(update={"questions": questions})


def holds(question: Question, text: str) -> bool:
    """Whether a text holds the truth: every pattern of `must` matches it, and no pattern of `must_not`."""
    return len(held_patterns(question, text)) == len(question.must) and not any(
        _matches(pattern, text) for pattern in question.must_not
    )


def held_patterns(question: Question, text: str) -> tuple[str, ...]:
    """The patterns of `must` that match a text."""
    return tuple(pattern for pattern in question.must if _matches(pattern, text))


def _matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches the text as it is, or as a reader sees it; in upper or lower case."""
    return any(re.search(pattern, form, re.IGNORECASE) for form in (text, plain_text(text)))


def plain_text(markdown: str) -> str:
    """The text that a reader sees: without markdown's marks, targets of links, images, tags and citation markers."""
    text = _LINK_PATTERN.sub(r"\1", _IMAGE_PATTERN.sub(" ", markdown))
    text = _INLINE_MARK_PATTERN.sub("", _LINE_MARK_PATTERN.sub("", _MARKER_PATTERN.sub("", text)))
    return " ".join(text.split())


def count_words(markdown: str) -> int:
    """How many words a reader sees."""
    return len(plain_text(markdown).split())
