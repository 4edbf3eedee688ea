"""The gate's criteria one by one, each at its exact bound (EMB-2)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import psycopg

from headwater.domain.search import SearchIndex
from headwater.indexing import gate
from tests.support import Headwater

Make = Callable[..., Headwater]
_TABLES = ("published_documents", "version_chunks", "search_entries")
_OF_A = "(SELECT id FROM documents WHERE uri = 'a.md')"
# Each damage, and all that the gate finds wrong then.
_DAMAGES = {
    f"DELETE FROM published_documents WHERE document_id = {_OF_A}": {"entries", "orphans"},
    f"DELETE FROM search_entries_chunk WHERE document_id = {_OF_A}": {"entries", "chunks_without_vectors"},
    f"UPDATE search_entries_chunk SET embedding_hash = '\\x00' WHERE document_id = {_OF_A}": {"vectors_without_chunks"},
    f"DELETE FROM search_entries_heading WHERE document_id = {_OF_A}": {"headings"},
    f"UPDATE search_entries_chunk SET vector = '[1,2,3]' WHERE document_id = {_OF_A}": {"dimension"},
}


def _index(kb: Headwater) -> SearchIndex:
    found = kb.store.search_indexes.active(kb.slug)
    assert found is not None
    return found


def _refused(kb: Headwater, index: SearchIndex) -> set[str]:
    """The criteria that an index does not meet."""
    report = gate.judge(kb.store, kb.settings, kb.knowledge_base, index)
    return {criterion.name for criterion in report.criteria if not criterion.passed}


@contextmanager
def _damaged(kb: Headwater, statement: str) -> Iterator[None]:
    """Something wrong in an index, for the length of a block."""
    with psycopg.connect(kb.store.database.url, autocommit=True) as connection:
        for table in _TABLES:
            connection.execute(f"CREATE TABLE kept_{table} AS TABLE {table}".encode())
        assert connection.execute(statement.encode()).rowcount > 0
        yield
        for table in _TABLES:
            connection.execute(f"DELETE FROM {table}".encode())
        for table in _TABLES:
            connection.execute(f"INSERT INTO {table} TABLE kept_{table}".encode())
            connection.execute(f"DROP TABLE kept_{table}".encode())


def test_each_kind_of_damage_is_refused(headwater: Make) -> None:
    """Whatever is wrong with an index that lacks no document keeps it from answering, and is named."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water.", "b.md": "# B\n\nThe wheel turns."})
    kb.sync()
    index = _index(kb)
    assert _refused(kb, index) == set()
    for statement, expected in _DAMAGES.items():
        with _damaged(kb, statement):
            assert _refused(kb, index) == expected, statement
    assert _refused(kb, index) == set()


def test_recall_has_an_exact_bound(headwater: Make) -> None:
    """Nine of ten are enough, and less is not."""
    kb = headwater(files={"a.md": "# A\n\nThe pump lifts water."})
    kb.sync()
    index = _index(kb)
    assert _refused(kb, replace(index, recall=0.9)) == set()
    assert _refused(kb, replace(index, recall=0.8999)) == {"recall_at_10"}
    assert _refused(kb, replace(index, recall=None)) == set()  # not measured: it is scanned exactly


def test_the_golden_set_has_an_exact_bound() -> None:
    """A fall of exactly .05 of nDCG@10 passes; a little more does not."""
    assert 0.8 - 0.05 == 0.75  # else this test would say nothing
    assert gate.quality_criterion(0.75, 0.8).passed
    assert not gate.quality_criterion(0.7499, 0.8).passed
    assert gate.quality_criterion(0.9, 0.8).passed
