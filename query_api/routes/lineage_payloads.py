"""Shapes of lineage: an answer's or a chunk's way upstream, and how what it leads to stands today.

Belongs here: response models of lineage. Not here: documents and versions themselves (`document_payloads`). Guarantee:
as in `payloads`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, model_validator

from query_api.links import partition_url, run_url, version_url
from query_api.routes.place_payloads import PlacePayload, place_link


class Visible(BaseModel):
    """A time in which readers saw a version: until now when `withdrawn_at` is null, else until `replaced_by` came.

    `replaced_by` is null when nothing took its place.
    """

    published_at: datetime
    withdrawn_at: datetime | None
    replaced_by: UUID | None


class CitationLineage(BaseModel):
    """Where one citation came from, and whether what it cites is still what readers see.

    `state` is `current`, `replaced`, `withdrawn`, `deleted` (with its source) or `expired` (its retention has passed),
    since `state_at` as far as that is known. `version_url` opens the version at the quote, and `link` the original at
    its `place`, as far as they are known. Once `available` is false,
    `unavailable_reason` is `source_deleted` or `retention_passed`, and what was read from the version is null or empty.
    """

    marker: str
    source: str
    uri: str
    title: str
    chunk_id: UUID
    chunk_settings: dict[str, Any] | None
    chunk_run_id: str | None
    document_id: UUID
    document_version_id: UUID
    sequence: int | None
    start: int
    end: int
    version_url: str
    fetched_at: datetime
    run_id: str
    run_url: str
    dagster_url: str | None
    code_version: str
    parser_version: str | None
    embedding_model: str
    available: bool
    unavailable_reason: str | None
    state: str
    state_at: datetime | None
    visible: list[Visible]
    place: PlacePayload | None = None
    link: str | None = None

    @model_validator(mode="after")
    def _opened(self) -> "CitationLineage":
        self.link = place_link(self.uri, self.place)
        return self

    @classmethod
    def of(cls, row: Mapping[str, Any], dagster_url: str) -> "CitationLineage":
        """Make it from the store's row."""
        state, since = _standing_of_citation(row)
        reason = None if row["is_available"] else "retention_passed" if row["has_source"] else "source_deleted"
        key = f"{row['knowledge_base']}/{row['source']}"
        return cls.model_validate(
            {
                **row,
                "start": row["start_offset"],
                "end": row["end_offset"],
                "available": row["is_available"],
                "unavailable_reason": reason,
                "visible": row["visible"] if row["is_available"] else [],
                "state": state,
                "state_at": since,
                "version_url": version_url(row["document_version_id"], row["start_offset"], row["end_offset"]),
                "run_url": run_url(dagster_url, row["run_id"]),
                "dagster_url": partition_url(dagster_url, "documents", key) if row["has_source"] else None,
            }
        )


class AnswerLineage(BaseModel):
    """An answer's way upstream: citation → chunk → document version → source → the run that made it.

    `as_of` is the past time that it was asked as of, null for the present.
    """

    answer_id: UUID
    knowledge_base: str
    question: str
    created_at: datetime
    as_of: datetime | None
    citations: list[CitationLineage]

    @classmethod
    def of(cls, row: Mapping[str, Any], citations: Sequence[Mapping[str, Any]], dagster_url: str) -> "AnswerLineage":
        """Make it from the store's rows."""
        return cls(
            answer_id=row["id"],
            knowledge_base=row["knowledge_base"],
            question=row["question"],
            created_at=row["created_at"],
            as_of=row["as_of"],
            citations=[CitationLineage.of(citation, dagster_url) for citation in citations],
        )


class KeptVersion(BaseModel):
    """What is said of every version that is kept: which it is, how it stands, and the run that fetched it.

    `state` is `current`, `replaced`, `withdrawn` or `unpublished`, since `state_at` as far as that is known.
    """

    sequence: int
    current: bool
    state: str
    state_at: datetime | None
    visible: list[Visible]
    fetched_at: datetime
    run_id: str
    run_url: str
    code_version: str
    parser_version: str

    @staticmethod
    def values(row: Mapping[str, Any], dagster_url: str) -> dict[str, Any]:
        """The store's row, and what these fields make of it."""
        state, since = standing(row)
        links = {"run_url": run_url(dagster_url, row["run_id"])}
        return {**row, **links, "current": row["is_current"], "state": state, "state_at": since}


class ChunkVersion(KeptVersion):
    """A document version that holds a chunk, and where; `place` says where in the original, null when nobody knows."""

    document_version_id: UUID
    breadcrumb: list[str]
    start: int
    end: int
    line: int
    place: PlacePayload | None = None
    embedding_models: list[str]

    @classmethod
    def of(cls, row: Mapping[str, Any], dagster_url: str) -> "ChunkVersion":
        """Make it from the store's row."""
        place = {"start": row["start_offset"], "end": row["end_offset"]}
        models = row["embedding_models"] or []
        return cls.model_validate({**cls.values(row, dagster_url), **place, "embedding_models": models})


class ChunkLineage(BaseModel):
    """Where a chunk came from, newest version first; `run_id` is the run that cut it.

    `chunk_settings` are those it was cut by, null once no index has them.
    """

    chunk_id: UUID
    text: str
    knowledge_base: str
    source: str
    uri: str
    document_id: UUID
    chunk_settings: dict[str, Any] | None
    run_id: str
    run_url: str
    dagster_url: str
    code_version: str
    versions: list[ChunkVersion]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]], dagster_url: str) -> "ChunkLineage":
        """Make it from the store's rows, of which there is at least one."""
        first = rows[0]
        return cls.model_validate(
            {
                **first,
                "run_id": first["chunk_run_id"],
                "run_url": run_url(dagster_url, first["chunk_run_id"]),
                "dagster_url": partition_url(dagster_url, "chunks", f"{first['knowledge_base']}/{first['source']}"),
                "code_version": first["chunk_code_version"],
                "versions": [ChunkVersion.of(row, dagster_url) for row in rows],
            }
        )


def standing(row: Mapping[str, Any]) -> tuple[str, datetime | None]:
    """How a version that is kept stands for readers, and since when, as far as that was noted.

    Args:
        row: the store's, with `visible`, in order of time, and `is_newest`.

    Returns:
        `current`; `replaced` by another version; `withdrawn` with nothing in its place; or `unpublished` while it waits
        for the end of its sync.
    """
    if not row["visible"]:  # one that a newer one overtook was never seen
        return ("unpublished" if row["is_newest"] else "replaced"), None
    last = row["visible"][-1]
    if last["withdrawn_at"] is None:
        return "current", last["published_at"]
    return ("replaced" if last["replaced_by"] else "withdrawn"), last["withdrawn_at"]


def _standing_of_citation(row: Mapping[str, Any]) -> tuple[str, datetime | None]:
    if row["is_available"]:
        return standing(row)
    return ("expired", None) if row["has_source"] else ("deleted", row["source_deleted_at"])
