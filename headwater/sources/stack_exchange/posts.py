"""Which posts of a dump belong together.

Belongs here: what the attributes of a row mean, the index of posts on disk, which answers are chosen. Not here: reading
the file (`rows`), texts (`document`). Guarantee: the index holds numbers and hashes only, on disk, so that memory does
not grow with the dump; the same posts in another order give the same result.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from headwater.errors import DocumentError
from headwater.sources.stack_exchange.rows import Row

_QUESTION, _ANSWER = "1", "2"
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
USED = ("Id", "PostTypeId", "ParentId", "AcceptedAnswerId", "Score", "Title", "Tags", "Body", "CreationDate",
        "LastEditDate", "ClosedDate", "OwnerDisplayName", "ContentLicense")  # fmt: skip
"""The attributes that make a document. Others, such as the number of views, change with every dump."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """Where a post is in the dump, and the hash of what is used of it."""

    start: int
    size: int
    hash: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Thread:
    """A question and the answers that were chosen, in order."""

    id: int
    question: Span
    answers: tuple[Span, ...]


def used_hash(values: Mapping[str, str]) -> bytes:
    """The hash of what is used of a post."""
    encoded_values = (f"{len(value)}:{value}" for value in (values.get(name, "") for name in USED))
    return hashlib.blake2b("".join(encoded_values).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Posts:
    """The index of one dump; see `open_posts`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, row: Row) -> bool:
        """Add a post; returns whether the row is one: a question or an answer.

        Raises:
            DocumentError: a number in it is wrong, or another post has its id.
        """
        kind = row.values.get("PostTypeId", "")
        if kind not in (_QUESTION, _ANSWER):
            return False
        values: dict[str, Any] = {
            "id": _number(row.values, "Id"),
            "parent": _number(row.values, "ParentId") if kind == _ANSWER else 0,
            "accepted": _number(row.values, "AcceptedAnswerId", "0") if kind == _QUESTION else 0,
            "score": _number(row.values, "Score", "0"),
            "start": row.start,
            "size": row.size,
            "hash": used_hash(row.values),
        }
        if not self._connection.execute(_statements()["add"], values).rowcount:
            raise DocumentError(f"there is another post with the Id {values['id']}")
        return True

    def finish(self) -> None:
        """Prepare the index for reading, once every post is there."""
        self._connection.execute(_statements()["index"])

    def threads(self) -> Iterator[Thread]:
        """Each question that has an answer to read, by id."""
        rows = self._connection.execute(_statements()["chosen"])
        for question_id, group in groupby(rows, key=lambda row: int(row["question"])):
            answers = list(group)
            first = answers[0]
            yield Thread(
                id=question_id,
                question=Span(start=first["question_start"], size=first["question_size"], hash=first["question_hash"]),
                answers=tuple(Span(start=row["start"], size=row["size"], hash=row["hash"]) for row in answers),
            )

    def question_count(self) -> int:
        """How many questions there are."""
        return int(self._connection.execute(_statements()["count_questions"]).fetchone()[0])

    def list_unanswered(self) -> Iterator[int]:
        """The questions that have no answer to read."""
        return (int(row["id"]) for row in self._connection.execute(_statements()["unanswered"]))

    def orphans(self) -> Iterator[int]:
        """The answers whose question is missing."""
        return (int(row["id"]) for row in self._connection.execute(_statements()["orphans"]))


@contextmanager
def open_posts(path: Path) -> Iterator[Posts]:
    """Make an index at a path for the length of a block; one that is there is replaced."""
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.row_factory = sqlite3.Row
        connection.executescript(_statements()["create"])
        connection.execute("BEGIN")
        yield Posts(connection)
    finally:
        connection.close()
        path.unlink(missing_ok=True)


def _number(values: Mapping[str, str], name: str, default: str = "") -> int:
    text = values.get(name, default)
    if not _NUMBER.fullmatch(text):
        raise DocumentError(f"its {name} is {text[:20]!r}, which is not a number")
    return int(text)


@cache
def _statements() -> Mapping[str, str]:
    """Every statement of `posts.sql`, by name."""
    statements = _NAME.split(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))
    return {name: text.strip() for name, text in zip(statements[1::2], statements[2::2], strict=True)}
