"""Shapes of lineage: an answer's or a chunk's way upstream.

Belongs here: response models of lineage. Not here: other responses (`payloads`). Guarantee: as there.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel


class CitationLineage(BaseModel):
    """Where one citation came from; `available` is false once its document is deleted."""

    marker: str
    source: str
    uri: str
    title: str
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    start: int
    end: int
    fetched_at: datetime
    run_id: str
    run_url: str
    code_version: str
    embedding_model: str
    available: bool


class AnswerLineage(BaseModel):
    """An answer's way upstream: citation → chunk → document version → source → the run that made it."""

    answer_id: UUID
    knowledge_base: str
    question: str
    citations: list[CitationLineage]

    @classmethod
    def of(cls, row: Mapping[str, Any], citations: Sequence[Mapping[str, Any]], dagster_url: str) -> "AnswerLineage":
        """Make it from the store's rows."""
        return cls(
            answer_id=row["id"],
            knowledge_base=row["knowledge_base"],
            question=row["question"],
            citations=[
                CitationLineage.model_validate(
                    {
                        **citation,
                        "start": citation["start_offset"],
                        "end": citation["end_offset"],
                        "available": citation["is_available"],
                        "run_url": run_url(dagster_url, citation["run_id"]),
                    }
                )
                for citation in citations
            ],
        )


class ChunkVersion(BaseModel):
    """A document version that holds a chunk, and the run that fetched it."""

    document_version_id: UUID
    sequence: int
    current: bool
    fetched_at: datetime
    run_id: str
    run_url: str
    code_version: str
    parser_version: str
    breadcrumb: list[str]
    start: int
    end: int
    line: int
    embedding_models: list[str]


class ChunkLineage(BaseModel):
    """Where a chunk came from, newest version first; `run_id` is the run that cut it."""

    chunk_id: UUID
    text: str
    knowledge_base: str
    source: str
    uri: str
    document_id: UUID
    run_id: str
    run_url: str
    code_version: str
    versions: list[ChunkVersion]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]], dagster_url: str) -> "ChunkLineage":
        """Make it from the store's rows, of which there is at least one."""
        first = rows[0]
        versions = [
            ChunkVersion.model_validate(
                {
                    **row,
                    "current": row["is_current"],
                    "start": row["start_offset"],
                    "end": row["end_offset"],
                    "embedding_models": row["embedding_models"] or [],
                    "run_url": run_url(dagster_url, row["run_id"]),
                }
            )
            for row in rows
        ]
        return cls.model_validate(
            {
                **first,
                "run_id": first["chunk_run_id"],
                "run_url": run_url(dagster_url, first["chunk_run_id"]),
                "code_version": first["chunk_code_version"],
                "versions": versions,
            }
        )


def run_url(dagster_url: str, run_id: str) -> str:
    """Where people see a run in the Dagster UI."""
    return f"{dagster_url}/runs/{run_id}"
