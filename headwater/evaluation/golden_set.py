"""Golden sets: questions with the documents that answer them (EVL-1).

Belongs here: reading and checking a set, its hash, and which documents of a ranking are right. Not here: storing it
(`headwater.store.work.evaluations`). Guarantee: a set with any error is refused completely, and the message says
where the error is.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
from headwater.domain.wrong_fields import MISSING, UNKNOWN, path_of, wrong_fields
from headwater.errors import InvalidInputError
from headwater.identity import content_hash
from headwater.retrieval.query import check_query

EXAMPLE = (
    '{"question": "Which oil?", "relevant": [{"uri": "pump.md"}]}, where `relevant` lists the documents that answer the'
    " question."
)
"""A line of a golden set, and its meaning."""


def read_golden_set(path: Path) -> tuple[GoldenQuestion, ...]:
    """Read a JSONL file of golden questions, one object per line.

    Raises:
        InvalidInputError: it cannot be read, a line is wrong, or it has no question; the message names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidInputError(f"{path}: cannot be read: {reason}.") from error
    questions = _check_items(_parse_items(path, text))
    if not questions:
        raise InvalidInputError(f"{path}: the file has no question.")
    return questions


def check_golden_set(questions: Sequence[GoldenQuestion]) -> tuple[GoldenQuestion, ...]:
    """Return the questions in stored form: trimmed, each once, with all its right documents.

    Raises:
        InvalidInputError: a question is empty or too long; the message names its position in the list.
    """
    return _check_items((f"questions[{place}]", question) for place, question in enumerate(questions))


def golden_hash(questions: Iterable[GoldenQuestion]) -> bytes:
    """Hash a set, independent of its order; figures for different hashes cannot be compared."""
    return content_hash("golden", sorted((_identity(question) for question in questions), key=str))


def judge(found: Sequence[str], relevant: Sequence[RelevantDocument]) -> tuple[list[bool], int]:
    """Judge a ranking of documents.

    Args:
        found: URIs of distinct documents, best rank first.
        relevant: the right documents; a document that is not divided into pages is right for each of its pages, once.

    Returns:
        For each rank whether its document is right, and the number of right documents, found or not.
    """
    unmatched = list(relevant)
    ranking = []
    for uri in found:
        still_unmatched = [document for document in unmatched if not _is_same(uri, document)]
        ranking.append(len(still_unmatched) < len(unmatched))
        unmatched = still_unmatched
    return ranking, sum(ranking) + len(unmatched)


def _identity(question: GoldenQuestion) -> list[Any]:
    """What a question's figures depend on; of one with documents alone, as in sets from before there were answers."""
    documents = [[document.uri, document.page] for document in question.relevant]
    quotes = [document.quote for document in question.relevant if document.quote]
    optional_fields = [question.answer, quotes, question.unanswerable]
    return [question.question, documents, *(optional_fields if any(optional_fields) else ())]


def _is_same(uri: str, relevant: RelevantDocument) -> bool:
    """Whether a document is the right one; the URI of a page ends in #page=N."""
    if relevant.page is None:
        return uri == relevant.uri or uri.startswith(f"{relevant.uri}#page=")
    return uri in (relevant.uri, f"{relevant.uri}#page={relevant.page}")


def _parse_items(path: Path, text: str) -> Iterator[tuple[str, GoldenQuestion]]:
    for line_number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield f"{path}:{line_number}", GoldenQuestion.model_validate_json(line)
        except ValidationError as error:
            first = wrong_fields(error)[0]
            field = f"{path_of(first.place)}: " if first.place else ""
            form = f" A line looks like this: {EXAMPLE}" if first.kind in (UNKNOWN, MISSING) else ""
            raise InvalidInputError(f"{path}:{line_number}: {field}{first.message}{form}") from error


def _check_items(items: Iterable[tuple[str, GoldenQuestion]]) -> tuple[GoldenQuestion, ...]:
    """Check each question; a question that occurs twice gets the documents of both."""
    questions: dict[str, GoldenQuestion] = {}
    for place, item in items:
        try:
            question = check_query(item.question)
        except InvalidInputError as error:
            raise InvalidInputError(f"{place}: question: {error}") from error
        earlier = questions.get(question, item)
        if earlier.unanswerable is not item.unanswerable:
            raise InvalidInputError(f"{place}: unanswerable: the same question has documents elsewhere. Remove one.")
        questions[question] = item.model_copy(
            update={
                "question": question,
                "relevant": tuple(dict.fromkeys((*earlier.relevant, *item.relevant))),
                "answer": earlier.answer or item.answer,
            }
        )
    return tuple(questions.values())
