"""Lineage as the result of a tool.

Belongs here: the shape, and making it of the API's lineage. Not here: lineage itself (`query_api.lineage_lookup`).
Guarantee: as for every result (`results`).
"""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from query_api.lineage_lookup import Lineage
from query_api.mcp.results import ListResult, format_link, one_line
from query_api.response_urls import address_of, readable_at
from query_api.routes.document_payloads import VersionPayload
from query_api.routes.lineage_payloads import AnswerLineage, ChunkLineage
from query_api.routes.place_payloads import place_link
from query_api.routes.summary_payloads import NodeLineage


class Origin(BaseModel):
    """Where something came from: the document version, its state for readers, and the run that fetched it."""

    marker: str | None
    title: str
    uri: str
    link: str
    source: str
    document_version_id: UUID
    start: int
    end: int
    state: str
    fetched_at: datetime
    run_id: str
    run_url: str

    def shown(self) -> str:
        """It as text."""
        head = f"{self.marker or '-'} {format_link(self.title, self)}"
        return f"{head}\nsource {self.source}, {self.state}, fetched {self.fetched_at:%Y-%m-%d %H:%M} by {self.run_url}"


class TraceResult(ListResult):
    """The way upstream of an answer, a chunk, a version or a summary; `stale_because` is for answers."""

    LIST = "origins"
    MORE = "The HTTP API lists all of them."

    id: UUID
    kind: str
    knowledge_base: str
    question: str | None
    stale_because: list[str]
    origins: list[Origin]

    def text(self) -> str:
        """A paragraph for each origin."""
        question_text = f": {one_line(self.question)}" if self.question else ""
        stale = [f"Stale: {reason}" for reason in self.stale_because]
        origins = [origin.shown() for origin in self.origins]
        what = f"{self.kind.replace('_', ' ')} {self.id} of {self.knowledge_base}{question_text}"
        return "\n\n".join([what, *stale, *origins, *self.ending()])


def trace_result(lineage: Lineage, root: str) -> TraceResult:
    """The result for a lineage.

    Args:
        lineage: of an answer, a chunk, a document version or a summary.
        root: the address of this API.
    """
    if isinstance(lineage, AnswerLineage):
        return _of_answer(lineage, root)
    if isinstance(lineage, NodeLineage):
        return _of_summary(lineage, root)
    return _of_chunk(lineage, root) if isinstance(lineage, ChunkLineage) else _of_version(lineage, root)


def _of_answer(answer: AnswerLineage, root: str) -> TraceResult:
    origins = [
        Origin.model_validate({**dict(citation), "link": address_of(citation, root)}) for citation in answer.citations
    ]
    return TraceResult(
        id=answer.answer_id,
        kind="answer",
        knowledge_base=answer.knowledge_base,
        question=answer.question or None,
        stale_because=answer.stale_because,
        origins=origins,
    )


def _of_chunk(chunk: ChunkLineage, root: str) -> TraceResult:
    shared = {"marker": None, "title": chunk.uri, "uri": chunk.uri, "source": chunk.source}
    origins = [
        Origin.model_validate(
            {
                **dict(version),
                **shared,
                "link": readable_at(
                    version.document_version_id, version.start, version.end, place_link(chunk.uri, version.place), root
                ),
            }
        )
        for version in chunk.versions
    ]
    return TraceResult(
        id=chunk.chunk_id,
        kind="chunk",
        knowledge_base=chunk.knowledge_base,
        question=None,
        stale_because=[],
        origins=origins,
    )


def _of_version(version: VersionPayload, root: str) -> TraceResult:
    end = version.characters
    link = readable_at(version.id, 0, end, place_link(version.uri, None), root)
    span = {"marker": None, "document_version_id": version.id, "start": 0, "end": end, "link": link}
    return TraceResult(
        id=version.id,
        kind="document_version",
        knowledge_base=version.knowledge_base,
        question=None,
        stale_because=[],
        origins=[Origin.model_validate({**dict(version), **span})],
    )


def _of_summary(node: NodeLineage, root: str) -> TraceResult:
    origins = [
        Origin.model_validate(
            {
                **dict(version),
                "marker": None,
                "start": 0,
                "end": 0,
                "state": "current" if version.current else "replaced",
                "link": readable_at(version.document_version_id, 0, 0, place_link(version.uri, None), root),
            }
        )
        for version in node.versions
    ]
    return TraceResult(
        id=node.node_id,
        kind="summary",
        knowledge_base=node.knowledge_base,
        question=None,
        stale_because=[],
        origins=origins,
    )
