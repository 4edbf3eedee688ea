"""Whom switching, dropping and publishing wait for, what a rollback goes back to, what readers are noted to see."""

import threading
import time
from collections.abc import Callable

import psycopg
import pytest

from headwater.administration.indexes import roll_back
from headwater.chunking.chunker import chunk_settings, settings_hash
from headwater.domain.search import SearchIndex
from headwater.indexing.switch import hash_current_settings
from tests.support import Headwater

Make = Callable[..., Headwater]


def _index(kb: Headwater, **chosen: object) -> SearchIndex:
    """The index of other settings, which the knowledge base then has; made without a sync."""
    kb.store.knowledge_bases.update(kb.slug, settings=kb.knowledge_base.settings.model_copy(update=chosen))
    chunking = chunk_settings(kb.knowledge_base.settings)
    return kb.store.search_indexes.ensure(
        kb.knowledge_base, dimensions=384, chunk_settings=chunking, settings_hash=settings_hash(chunking)
    )[-1]


def _waits(kb: Headwater, index: SearchIndex, lock: str, work: Callable[[], object]) -> bool:
    """Whether some work waits while another connection has an index's lock; it is done when this returns."""
    name = f"search_index:{index.id}"
    waiting = (
        "SELECT count(*) AS n FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
        " WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted"
    )
    worker = threading.Thread(target=work)
    with psycopg.connect(kb.store.database.url, autocommit=True) as connection:
        connection.execute(f"SELECT {lock}(hashtextextended(%s, 0))".encode(), (name,))
        worker.start()
        while not (is_waiting := bool(kb.query(waiting)[0]["n"])) and worker.is_alive():
            time.sleep(0.01)
    worker.join(60)
    assert not worker.is_alive()
    return is_waiting


def test_publishing_waits_while_an_index_moves(headwater: Make) -> None:
    """And an index moves only while no sync publishes into it: otherwise the copy would lack entries (EMB-4)."""
    kb = headwater()
    index = _index(kb)
    with kb.store.workers.hold_source(kb.source(), None, "run-1") as work:
        assert _waits(kb, index, "pg_advisory_lock", lambda: kb.store.search_indexes.publish(work, index, [], "run-1"))
        # Others who publish are not in the way.
        assert not _waits(
            kb, index, "pg_advisory_lock_shared", lambda: kb.store.search_indexes.publish(work, index, [], "run-1")
        )


def test_switching_and_dropping_wait_for_whoever_publishes(headwater: Make) -> None:
    """Else what is published at that moment would be noted for the index that answered before, or be left behind."""
    kb = headwater()
    first = _index(kb)
    second = _index(kb, chunk_max=500, chunk_min=100)
    assert (first.state, second.state) == ("active", "building")
    owner = kb.knowledge_base
    assert _waits(
        kb,
        second,
        "pg_advisory_lock_shared",
        lambda: kb.store.search_indexes.activate(owner, second, owner.settings),
    )
    third = _index(kb, chunk_max=600)
    _index(kb, chunk_max=700)
    owner = kb.knowledge_base
    assert _waits(
        kb,
        third,
        "pg_advisory_lock_shared",
        lambda: kb.store.search_indexes.drop_unwanted(owner, hash_current_settings(owner)),
    )
    assert third.id not in {index.id for index in kb.store.search_indexes.live(owner)}


def test_a_rollback_goes_to_the_index_that_answered_last(headwater: Make) -> None:
    """Not to an older one, nor to one that is newer and never answered (EMB-2)."""
    kb = headwater()
    first = _index(kb)
    second = _index(kb, chunk_max=500, chunk_min=100)
    kb.store.search_indexes.activate(kb.knowledge_base, second, kb.knowledge_base.settings)
    third = _index(kb, chunk_max=600)
    kb.store.search_indexes.activate(kb.knowledge_base, third, kb.knowledge_base.settings)
    building = _index(kb, chunk_max=700)
    kb.query("UPDATE search_indexes SET retained_at = now() - interval '1 day' WHERE id = %s RETURNING 1", first.id)
    done = roll_back(kb.store, "kb")
    assert (done.index.id, done.previous) == (second.id, third.id)
    states = {index.id: index.state for index in kb.store.search_indexes.live(kb.knowledge_base)}
    assert states == {first.id: "retained", second.id: "active", third.id: "retained", building.id: "building"}
    assert roll_back(kb.store, "kb").index.id == third.id  # the last one that answered is that one now


def test_only_the_index_that_answers_says_what_readers_see(headwater: Make) -> None:
    """Removed documents are withdrawn from each index separately; readers lose them with the active one."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water."})
    kb.sync()
    active = kb.store.search_indexes.active("kb")
    assert active is not None
    other = _index(kb, language="german")
    identity = kb.query("SELECT id FROM documents")[0]["id"]
    seen = "SELECT count(*) AS n FROM publications WHERE withdrawn_at IS NULL"
    with kb.store.workers.hold_source(kb.source(), None, "run-1") as work:
        kb.store.documents.remove(work, [identity])
        kb.store.search_indexes.publish(work, other, [identity], "run-1")
        assert kb.query(seen) == [{"n": 1}]
        kb.store.search_indexes.publish(work, active, [identity], "run-1")
        assert kb.query(seen) == [{"n": 0}]
    assert kb.query("SELECT 1 FROM published_documents") == []


def test_a_title_that_changed_alone_is_published(headwater: Make) -> None:
    """Though text and headings are the same: the title is among what an entry is found by and shows."""
    kb = headwater(files={"a.md": "---\ntitle: Pump\n---\n# Pump\n\nIt lifts water."})
    kb.sync()
    kb.write("a.md", "---\ntitle: PUMP\n---\n# Pump\n\nIt lifts water.")
    assert kb.sync()["docs"].embedded == 0
    assert kb.query("SELECT title FROM search_entries_chunk") == [{"title": "PUMP"}]


def test_what_went_counts_as_a_change_of_an_index(headwater: Make) -> None:
    """An index that has lost half its documents is measured again, however they were removed."""
    kb = headwater("docs", "more", files={**{f"docs/{n}.md": f"Pump {n}." for n in range(4)}, "more/a.md": "A wheel."})
    kb.sync()
    index = kb.store.search_indexes.active(kb.slug)
    assert index is not None
    kb.store.search_indexes.record_recall(index, ef_search=80, recall=0.98)
    (then,) = kb.query("SELECT measured_at, measured_documents FROM search_indexes")

    def share(of: SearchIndex) -> float:
        """As if no refresh had measured it since."""
        kb.query("UPDATE search_indexes SET (measured_at, measured_documents) = (%s, %s) RETURNING 1", *then.values())
        return kb.store.index_health.measure_change(of)

    assert share(index) == 0
    kb.remove("0.md")
    kb.write("1.md", "Pump of another kind.")
    kb.sync()
    assert share(index) == pytest.approx(2 / 5)
    kb.delete("more")
    assert share(index) == pytest.approx(3 / 5)
    for n in range(4, 9):
        kb.write(f"{n}.md", f"Pump {n}.")
    kb.sync()
    assert share(index) == pytest.approx(6 / 8)


def test_what_is_measured_again_as_before_writes_nothing(headwater: Make) -> None:
    """A refresh leaves the row of an index alone that is scanned exactly; of another it notes when it was measured."""
    kb = headwater()
    index = _index(kb)
    row = "SELECT ctid::text, xmin::text FROM search_indexes"
    kb.store.search_indexes.record_recall(index, ef_search=None, recall=1.0)
    before = kb.query(row)
    kb.store.search_indexes.record_recall(index, ef_search=None, recall=1.0)
    assert kb.query(row) == before
    kb.store.search_indexes.record_recall(index, ef_search=80, recall=0.98)
    assert kb.query(row) != before
