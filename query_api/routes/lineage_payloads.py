"""The shape of lineage: the way from an answer or a chunk upstream, and the current state of what it leads to.

Belongs here: response models of lineage. Not here: documents and versions themselves (`document_payloads`). Guarantee:
as in `payloads`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, model_validator

from headwater.answering.staleness import stale_because
from headwater.domain.answers import StoredAnswer, StoredCitation
from headwater.domain.versions import ChunkOrigin, HoldingVersion, Publication, StoredVersion, is_current
from query_api.response_urls import asset_url, find_run_url, partition_url, run_url, version_url
from query_api.routes.citation_payloads import CitationKind, SummaryCitationPayload
from query_api.routes.place_payloads import PlacePayload, place_link
from query_api.routes.summary_payloads import MadeSummaryPayload


class Visible(BaseModel):
    """A period in which readers saw a version: until now if `withdrawn_at` is null, else until `replaced_by` came.

    `replaced_by` is null if no version replaced it.
    """

    published_at: datetime
    withdrawn_at: datetime | None
    replaced_by: UUID | None


class UpstreamAsset(BaseModel):
    """An asset of a Dagster project, as it was when a source was made of it: `run_id` made it last, if it was made.

    Of an asset that only the source's own field names, `asset` is all that is known.
    """

    asset: str
    asset_url: str | None = None
    run_id: str | None = None
    run_url: str | None = None
    partition: str | None = None
    data_version: str | None = None
    materialized_at: datetime | None = None

    @classmethod
    def of(cls, noted: Mapping[str, Any], dagster_url: str | None) -> "UpstreamAsset":
        """Make it from what the run noted, or from a name alone if no project's run fetched the source."""
        if dagster_url is None:
            return cls(asset=noted["asset"])
        run_id = noted.get("run_id")
        links = {"run_url": run_url(dagster_url, run_id) if run_id else None}
        return cls.model_validate({**noted, **links, "asset_url": asset_url(dagster_url, noted["asset"])})


class CitationLineage(BaseModel):
    """The lineage of one citation, and whether readers still see the version that it cites.

    `kind` and `node_id` are those of the citation.

    `state` is `current`, `replaced`, `withdrawn`, `deleted` (with its source) or `expired` (its retention period has
    passed), since `state_at` if that is known. `version_url` opens the version at the quote, and `link` the original at
    its `place`, if they are known. If `available` is false, `unavailable_reason` is `source_deleted` or
    `retention_passed`, and fields read from the version are null or empty.

    `upstream` are the assets of a Dagster project that its source was made of when `run_id` fetched it; then `run_url`
    and `dagster_url` lead to that project's Dagster. Else they are those that a source of kind `sql` names.
    """

    kind: CitationKind = "passage"
    node_id: UUID | None = None
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
    upstream: list[UpstreamAsset] = []

    @model_validator(mode="after")
    def _add_url(self) -> "CitationLineage":
        self.link = place_link(self.uri, self.place)
        return self

    @classmethod
    def of(cls, citation: StoredCitation, dagster_url: str) -> "CitationLineage":
        """Make it from a stored citation."""
        state, since = _find_citation_state(citation)
        reason = None if citation.is_available else "retention_passed" if citation.has_source else "source_deleted"
        key = f"{citation.knowledge_base}/{citation.source}"
        return cls.model_validate(
            {
                **asdict(citation),
                "kind": "passage" if citation.node_id is None else "summary",
                "available": citation.is_available,
                "unavailable_reason": reason,
                "visible": list(map(asdict, citation.visible)) if citation.is_available else [],
                "state": state,
                "state_at": since,
                "version_url": version_url(citation.document_version_id, citation.start, citation.end),
                "run_url": run_url(citation.outside_url or dagster_url, citation.run_id),
                "dagster_url": find_run_url(citation.outside_url, citation.run_id)
                or (partition_url(dagster_url, "documents", key) if citation.has_source else None),
                "upstream": [UpstreamAsset.of(asset, citation.outside_url) for asset in citation.upstream],
            }
        )


class AnswerLineage(BaseModel):
    """The lineage of an answer: citation → chunk → document version → source → the run that made it.

    `question` is empty if the knowledge base stores no questions. `as_of` is the past time of the question, null for
    the present. `stale_because` says why the answer is `stale`. `summaries` are copies of the summaries that it cites,
    with how they were made; the documents that they were made of are `citations` of the kind `summary`.
    """

    answer_id: UUID
    knowledge_base: str
    question: str
    created_at: datetime
    as_of: datetime | None
    stale: bool = False
    stale_because: list[str] = []
    citations: list[CitationLineage]
    summaries: list[SummaryCitationPayload] = []

    @classmethod
    def of(cls, answer: StoredAnswer, dagster_url: str) -> "AnswerLineage":
        """Make it from a stored answer."""
        because = list(stale_because(answer))
        return cls(
            answer_id=answer.id,
            knowledge_base=answer.knowledge_base,
            question=answer.question,
            created_at=answer.created_at,
            as_of=answer.as_of,
            stale=bool(because),
            stale_because=because,
            citations=[CitationLineage.of(citation, dagster_url) for citation in answer.citations],
            summaries=[SummaryCitationPayload.made(summary).below(answer.citations) for summary in answer.summaries],
        )


class KeptVersion(BaseModel):
    """The common fields of stored versions: its id, its state, and the run that fetched it.

    `state` is `current`, `replaced`, `withdrawn` or `unpublished`, since `state_at` if that is known.
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
    def values(version: StoredVersion | HoldingVersion, dagster_url: str) -> dict[str, Any]:
        """A version's fields, and the fields computed from them."""
        state, since = find_state(version.visible, is_newest=version.is_newest)
        links = {"run_url": run_url(version.outside_url or dagster_url, version.run_id)}
        return {**asdict(version), **links, "current": is_current(version.visible), "state": state, "state_at": since}


class ChunkVersion(KeptVersion):
    """A document version that contains a chunk, and the chunk's offsets; `place` is null if unknown."""

    document_version_id: UUID
    breadcrumb: list[str]
    start: int
    end: int
    line: int
    place: PlacePayload | None = None
    embedding_models: list[str]

    @classmethod
    def of(cls, version: HoldingVersion, dagster_url: str) -> "ChunkVersion":
        """Make it from a version that contains the chunk."""
        return cls.model_validate(
            {**cls.values(version, dagster_url), "embedding_models": version.embedding_models or ()}
        )


class ChunkLineage(BaseModel):
    """The lineage of a chunk, newest version first; `run_id` is the run that made it.

    `chunk_settings` are the settings that made it, null if no index has them any more; `summary` is null if it has
    none.
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
    summary: MadeSummaryPayload | None
    versions: list[ChunkVersion]

    @classmethod
    def of(cls, origin: ChunkOrigin, dagster_url: str) -> "ChunkLineage":
        """Make it from the origin of a chunk."""
        summary = origin.summary and MadeSummaryPayload.of(origin.summary, dagster_url)
        return cls.model_validate(
            {
                **asdict(origin),
                "run_id": origin.chunk_run_id,
                "run_url": run_url(origin.chunk_outside_url or dagster_url, origin.chunk_run_id),
                "dagster_url": find_run_url(origin.chunk_outside_url, origin.chunk_run_id)
                or partition_url(dagster_url, "chunks", f"{origin.knowledge_base}/{origin.source}"),
                "code_version": origin.chunk_code_version,
                "summary": summary,
                "versions": [ChunkVersion.of(version, dagster_url) for version in origin.versions],
            }
        )


def find_state(visible: Sequence[Publication], *, is_newest: bool) -> tuple[str, datetime | None]:
    """The state of a stored version for readers, and since when, if that was recorded.

    Args:
        visible: the periods in which readers saw it, in order.
        is_newest: whether it is its document's newest.

    Returns:
        `current`; `replaced` by another version; `withdrawn` without a replacement; or `unpublished` before the end of
        its sync.
    """
    if not visible:  # a version that was overtaken by a newer one was never seen
        return ("unpublished" if is_newest else "replaced"), None
    last = visible[-1]
    if last.withdrawn_at is None:
        return "current", last.published_at
    return ("replaced" if last.replaced_by else "withdrawn"), last.withdrawn_at


def _find_citation_state(citation: StoredCitation) -> tuple[str, datetime | None]:
    if citation.is_available:
        return find_state(citation.visible, is_newest=bool(citation.is_newest))
    return ("expired", None) if citation.has_source else ("deleted", citation.source_deleted_at)
