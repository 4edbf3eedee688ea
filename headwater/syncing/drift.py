"""Documents whose chunks differ, after edits, from a fresh split.

Belongs here: which documents a full sync splits again. Not here: how borders are kept (`headwater.chunking.borders`),
splitting (`chunks`). Guarantee: nothing that readers see changes here; versions without a count are counted once.

A version keeps the borders of the previous one, so that an edit embeds one text. After many edits, borders may be
where nobody would put them now. Splitting again makes a new version of the same text, so that old citations still open.
"""

from collections.abc import Sequence
from uuid import UUID

from headwater.chunking.chunker import chunk_text, drift_count
from headwater.domain.search import SearchIndex
from headwater.syncing.publisher import WINDOW
from headwater.syncing.source_job import SourceJob

_LIMIT = 0.1  # of a document's chunks


def documents_to_recut(job: SourceJob) -> set[UUID]:
    """Find the documents in which the share of chunks that a fresh split would not make exceeds the limit.

    Raises:
        FencedError: a newer sync took over.
    """
    document_ids: set[UUID] = set()
    for index in job.index_by_settings:
        uncounted = job.store.drift.find_uncounted(job.source, index.settings_hash)
        for start in range(0, len(uncounted), WINDOW):
            _count(job, index, uncounted[start : start + WINDOW])
            job.watch.check()
        document_ids |= job.store.drift.find_drifted(job.source, index.settings_hash, _LIMIT)
    return document_ids


def _count(job: SourceJob, index: SearchIndex, document_ids: Sequence[UUID]) -> None:
    counts = {}
    for cut_version in job.store.drift.cut_versions(document_ids, index.settings_hash):
        version = cut_version.version
        fresh = chunk_text(
            version.text, title=version.title, media_type=version.media_type, settings=index.chunk_settings
        )
        counts[version.id] = drift_count(cut_version.ends, [chunk.end for chunk in fresh])
    job.store.drift.put_counts(job.work, counts, index.settings_hash)
