"""Removing the documents that a source no longer has, unless they are suspiciously many.

Belongs here: which of the missing documents count as removed, and when a sync asks first. Not here: reading the source
(`documents`), who confirms (`headwater.administration.sync_requests`). Guarantee: a sync never removes more than the
guarded share of a source's documents unless somebody has confirmed at least as many removals; what was read is kept
either way.
"""

from collections.abc import Sequence

from headwater.domain.plurals import pluralize
from headwater.errors import DeletionsHeldError
from headwater.store.content.known_documents import KnownDocument
from headwater.syncing.source_job import SourceJob

MIN_DOCUMENTS = 10
"""Fewer documents than these are removed without asking: people often empty a small folder."""


def remove_vanished(
    job: SourceJob, missing: Sequence[KnownDocument], *, known_count: int, unlisted: tuple[str, ...], is_guarded: bool
) -> None:
    """Record removed documents: the missing ones, except in folders that could not be listed.

    Args:
        job: the source being synced.
        missing: the stored documents that the source did not list.
        known_count: how many documents the source had before.
        unlisted: the folders that could not be listed.
        is_guarded: whether to ask before many are removed.

    Raises:
        DeletionsHeldError: they are too many, so none was removed.
    """
    vanished = [old.id for old in missing if not old.is_removed and not old.uri.startswith(unlisted)]
    source = job.source
    is_confirmed = len(vanished) <= (source.confirmed_deletions or 0)
    if is_guarded and not is_confirmed and _is_suspicious(len(vanished), known_count, source.deletion_guard):
        job.store.documents.hold_deletions(job.work, len(vanished))
        raise DeletionsHeldError(_question(job, len(vanished), known_count))
    if vanished:
        job.counts.rows_written += job.store.documents.remove(job.work, vanished)
        job.counts.removed = len(vanished)
    if source.held_deletions is not None or source.confirmed_deletions is not None:
        job.store.documents.hold_deletions(job.work, None)


def _is_suspicious(vanished_count: int, known_count: int, guard: float) -> bool:
    return vanished_count >= MIN_DOCUMENTS and vanished_count > guard * known_count


def _question(job: SourceJob, vanished_count: int, known_count: int) -> str:
    knowledge_base, _, slug = job.source.key.partition("/")
    return (
        f"{job.source.key} no longer lists {vanished_count:,} of its {pluralize(known_count, 'document')}, so nothing"
        " was removed; what is new or changed was read. If the source is right, run `headwater sync"
        f" {knowledge_base} {slug} --confirm-deletions`. If not, mend the source and sync again. `deletion_guard` sets"
        " the share of a source above which a sync asks."
    )
