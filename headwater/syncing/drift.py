"""Documents whose chunks, after edits, are not those of a fresh cut.

Belongs here: which documents a full sync cuts again. Not here: how borders are kept (`headwater.chunking.keeping`), the
cutting (`chunks`). Guarantee: nothing that readers see changes here; what was never counted is counted once.

A version takes over the borders of the one before, so that an edit embeds one text. After many edits, borders may lie
where nobody would put them now. What is cut again becomes a new version of the same text, so that old citations open.
"""

from collections.abc import Sequence
from uuid import UUID

from headwater.chunking.chunker import chunk_text, drift_count
from headwater.domain.search import SearchIndex
from headwater.syncing.publishing import WINDOW
from headwater.syncing.source_job import SourceJob


def documents_to_recut(job: SourceJob) -> set[UUID]:
    """Find the documents where the share of chunks that a fresh cut would not produce exceeds `drift_limit`.

    Raises:
        FencedError: a newer sync took over.
    """
    found: set[UUID] = set()
    limit = job.knowledge_base.settings.drift_limit
    for index in job.index_by_settings:
        uncounted = job.store.drift.uncounted(job.source, index.settings_hash)
        for start in range(0, len(uncounted), WINDOW):
            _count(job, index, uncounted[start : start + WINDOW])
            job.watch.check()
        found |= job.store.drift.drifted(job.source, index.settings_hash, limit)
    return found


def _count(job: SourceJob, index: SearchIndex, document_ids: Sequence[UUID]) -> None:
    counts = {}
    for one in job.store.drift.cut_versions(document_ids, index.settings_hash):
        version = one.version
        fresh = chunk_text(
            version.text, title=version.title, media_type=version.media_type, settings=index.chunk_settings
        )
        counts[version.id] = drift_count(one.ends, [chunk.end for chunk in fresh])
    job.store.drift.put_counts(job.work, counts, index.settings_hash)
