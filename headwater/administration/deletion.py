"""Deleting sources and knowledge bases with everything that came from them (KB-1, SRC-12).

Belongs here: deleting rows, stored files and partitions together. Not here: Dagster's partitions, which follow the rows
(`pipelines.sensors`). Guarantee: the deleted object is hidden when the first transaction ends; if the process is killed
after that, `finish_deletions` does the rest.
"""

from dataclasses import dataclass
from functools import partial

from headwater.administration.audit_trail import audit_transaction
from headwater.administration.management import refuse_managed
from headwater.administration.original_access import removal
from headwater.domain.corpus import Deletion
from headwater.files.file_store import open_files
from headwater.settings import Settings
from headwater.store.catalogue.deletions import Files
from headwater.store.store import Store
from headwater.syncing.source_folders import remove_folders, remove_orphan_folders


@dataclass(frozen=True, kw_only=True, slots=True)
class Doomed:
    """How much would be deleted with a source or a knowledge base."""

    sources: int
    documents: int


def would_delete(store: Store, knowledge_base: str, slug: str | None = None) -> Doomed:
    """Count what would be deleted with a source, or with a knowledge base if `slug` is None.

    Raises:
        NotFoundError: there is no such knowledge base or source.
    """
    sources = store.sources.all(knowledge_base) if slug is None else [store.sources.get(knowledge_base, slug)]
    return Doomed(sources=len(sources), documents=sum(source.document_count for source in sources))


def delete_source(settings: Settings, store: Store, knowledge_base: str, slug: str) -> Deletion:
    """Delete a source; returns the receipt.

    Raises:
        NotFoundError: there is no such knowledge base or source.
        ConflictError: a Dagster project manages it.
    """
    refuse_managed(store.sources.get(knowledge_base, slug))
    with audit_transaction(store) as note:
        deletion = store.deletions.hide_source(knowledge_base, slug)
        note("source.delete", f"{knowledge_base}/{slug}", deletion=deletion.id)
    return _finish(settings, store, deletion)


def delete_knowledge_base(settings: Settings, store: Store, slug: str) -> Deletion:
    """Delete a knowledge base with its sources and answers; returns the receipt.

    Raises:
        NotFoundError: no knowledge base has this slug.
        ConflictError: a Dagster project manages it, or one of its sources.
    """
    refuse_managed(store.knowledge_bases.get(slug))
    for source in store.sources.all(slug):
        refuse_managed(source)
    with audit_transaction(store) as note:
        hidden = store.deletions.hide_knowledge_base(slug)
        note("knowledge_base.delete", slug, deletion=hidden.id)
    deletion = _finish(settings, store, hidden)
    store.search_indexes.drop_orphan_partitions()
    return deletion


def finish_deletions(settings: Settings, store: Store) -> list[Deletion]:
    """Remove the rest of everything that is hidden; returns the receipts of the finished deletions.

    Several processes may do this at once, and any number of times.
    """
    finished = store.deletions.finish_all(_files(settings, store))
    if finished:
        store.search_indexes.drop_orphan_partitions()
    remove_orphan_folders(settings, store)
    return finished


def _finish(settings: Settings, store: Store, deletion: Deletion) -> Deletion:
    return store.deletions.finish(deletion, _files(settings, store))


def _files(settings: Settings, store: Store) -> Files:
    return Files(of_sources=partial(remove_folders, settings), original=removal(store, open_files(settings)))
