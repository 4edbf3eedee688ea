"""What people see at a glance: a knowledge base with its state, a source's running sync, documents, questions.

Belongs here: these classes. Not here: reading them (`headwater.store.catalogue.overviews`). Guarantee: pure.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class KnowledgeBaseOverview:
    """A knowledge base with counts of its sources and of the documents that searches find.

    `busy_count` counts the sources with waiting or running work, `paused_count` those that are paused. `synced_at` is
    the end of the newest sync of a source; None if there was none.
    """

    slug: str
    name: str
    description: str
    source_count: int
    busy_count: int
    failed_count: int
    paused_count: int
    document_count: int
    synced_at: datetime | None

    @property
    def state(self) -> str:
        """One word for all of it: empty, syncing, failed, paused, pending or ready."""
        if not self.source_count:
            return "empty"
        if self.busy_count:
            return "syncing"
        if self.failed_count:
            return "failed"
        if self.paused_count == self.source_count:
            return "paused"
        return "ready" if self.synced_at else "pending"


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenPart:
    """A source's part of a sync that is not over: `state` is pending, queued or syncing.

    `documents_total` is the number of its documents, None until the source was listed. `done_count` and `total_count`
    are those of the current stage. `to_embed_count` counts the texts that were embedded and those known to be left;
    `current_uri` is the document that is read now, empty between two. `batch` is that of its run, None until there is
    one, and `runs_first` the source that the run syncs before it.
    """

    source_id: int
    sync_id: int
    state: str
    batch: str | None
    runs_first: str | None
    stage: str | None
    done_count: int
    total_count: int
    documents_done: int
    documents_total: int | None
    failed_count: int
    embedded_count: int
    to_embed_count: int
    current_uri: str
    requested_at: datetime
    started_at: datetime | None
    stage_started_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceDocument:
    """A document of a source, or one that its last sync could not read.

    `state` is ready, waiting (read, but not found by searches yet) or failed; `error` says why it failed. `id` is that
    of the document, None if it never became one.
    """

    uri: str
    id: str | None
    title: str
    state: str
    error: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentOverview:
    """A document of a knowledge base as a list shows it.

    `state` is ready, waiting (read, but not found by searches yet) or removed (from its source). `chunk_count` is that
    of its newest version.
    """

    id: UUID
    uri: str
    title: str
    source: str
    state: str
    version_count: int
    chunk_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionOverview:
    """A stored question; `total_ms` is how long its answer took, in milliseconds."""

    id: UUID
    question: str
    is_refused: bool
    total_ms: float
    created_at: datetime
