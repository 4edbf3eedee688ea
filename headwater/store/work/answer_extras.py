"""What an answer has beside its text and its citations, as JSON: its statements and the passages below it.

Belongs here: both as columns of the answers table. Not here: the rows (`answers`). Guarantee: of a document that is no
longer kept, no passage comes out.
"""

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from headwater.domain.answers import FurtherPassage, Statement
from headwater.store.content.places import to_range
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Session

_IDS = ("chunk_id", "document_id", "document_version_id")


def statement_values(statements: Iterable[Statement]) -> Any:
    """The value of the column `statements`."""
    return to_json([dataclasses.asdict(statement) for statement in statements])


def further_values(passages: Iterable[FurtherPassage]) -> Any:
    """The value of the column `further`."""
    return to_json(
        [
            {**dataclasses.asdict(passage), **{name: str(getattr(passage, name)) for name in _IDS}}
            for passage in passages
        ]
    )


def read_statements(kept: Sequence[Mapping[str, Any]]) -> tuple[Statement, ...]:
    """The statements of a row."""
    return tuple(Statement(**{**statement, "markers": tuple(statement["markers"])}) for statement in kept)


def find_stored_versions(session: Session, kept: Iterable[Mapping[str, Any]]) -> set[UUID]:
    """The document versions of passages that are still kept, and whose source is not being deleted."""
    ids = {UUID(item["document_version_id"]) for item in kept}
    return {row["id"] for row in session.rows("kept_versions", version_ids=list(ids))} if ids else set()


def read_further(kept: Iterable[Mapping[str, Any]], available: Collection[UUID]) -> tuple[FurtherPassage, ...]:
    """The passages of a row whose document version is among the available ones."""
    return tuple(
        FurtherPassage(
            **{
                **item,
                **{name: UUID(item[name]) for name in _IDS},
                "breadcrumb": tuple(item["breadcrumb"]),
                "place": to_range(item["place"]),
            }
        )
        for item in kept
        if UUID(item["document_version_id"]) in available
    )
