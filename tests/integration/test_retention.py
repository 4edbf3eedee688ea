"""How long each thing is kept: by its own setting, not by a neighbour's (DOC-1, OPS-5)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from headwater.administration import housekeeping
from headwater.administration.housekeeping import Tidied, tidy
from tests.support import Headwater

Make = Callable[..., Headwater]
NOTHING = Tidied(
    documents=0,
    document_versions=0,
    chunks=0,
    embeddings=0,
    summaries=0,
    question_sets=0,
    syncs=0,
    search_indexes=0,
    partitions=0,
    folders=0,
    kept_responses=0,
    sessions=0,
    audit_entries=0,
    bot_events=0,
    widget_questions=0,
    originals=0,
)


def test_each_thing_is_kept_by_its_own_setting(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """After fifteen days, a period of twenty keeps it and one of ten does not; the others are left alone."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water."})
    kb.sync()
    kb.store.knowledge_bases.update("kb", settings=kb.knowledge_base.settings.model_copy(update={"language": "german"}))
    kb.write("a.md", "# A\n\nThe pump lifts oil.")
    kb.sync()
    for table, columns in {
        "publications": ("withdrawn_at",),
        "document_versions": ("fetched_at",),
        "syncs": ("requested_at",),
        "sync_sources": ("finished_at",),
        "search_indexes": ("retained_at",),
    }.items():
        changes = ", ".join(f"{column} = {column} - interval '15 days'" for column in columns)
        kb.query(f"UPDATE {table} SET {changes} RETURNING 1")
    assert [index.state for index in kb.store.search_indexes.live(kb.knowledge_base)] == ["retained", "active"]

    def tidied(versions: int, history: int, indexes: int) -> Tidied:
        monkeypatch.setattr(housekeeping, "INDEX_RETENTION_DAYS", indexes)
        monkeypatch.setattr(housekeeping, "HISTORY_RETENTION_DAYS", history)
        return tidy(kb.store, replace(kb.settings, version_retention_days=versions))

    assert tidied(20, 20, 20) == NOTHING
    assert tidied(10, 20, 20) == replace(NOTHING, document_versions=1, chunks=1, embeddings=1)
    assert tidied(20, 10, 20) == replace(NOTHING, syncs=1)
    assert tidied(20, 20, 10) == replace(NOTHING, search_indexes=1)
    assert tidied(1, 1, 1) == NOTHING
