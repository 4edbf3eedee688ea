"""No statement of a sync goes through many rows that its plan did not expect: that is how work becomes quadratic."""

from collections.abc import Callable

import pytest

from bench.plans import watched
from headwater.store.server.database import Database
from headwater.syncing import batches, chunks, embeddings, flow, publisher
from tests.support import Headwater

pytestmark = pytest.mark.usefixtures("checks")
DOCUMENTS, SECTIONS = 200, 10
PORTION = 20  # documents: far fewer than the corpus has, as in a large sync
FEWEST = 3 * PORTION * SECTIONS  # rows: a portion's chunks and their headings may be gone through


def test_no_nested_loop_meets_a_hundred_times_the_rows_it_was_planned_for(
    headwater: Callable[..., Headwater], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first sync, into tables that were never analysed, to an unchanged one and to an edit."""
    for module in (flow, chunks, embeddings, publisher):
        monkeypatch.setattr(module, "WINDOW", PORTION)
    monkeypatch.setattr(batches, "_BATCH", PORTION)
    with watched(FEWEST) as found:
        kb = headwater(files={f"{number}.md": _text(number) for number in range(DOCUMENTS)}, chunk_min=20)
        assert kb.sync()["docs"].chunks == DOCUMENTS * SECTIONS
        kb.sync()
        kb.write("7.md", _text(7) + "\n## More\n\nA pump lifts oil.\n")
        assert kb.sync()["docs"].embedded
        assert [str(one) for one in found] == []


def test_one_large_document_in_a_fresh_database_costs_its_length(headwater: Callable[..., Headwater]) -> None:
    """The planner has never seen a document with more than a chunk; also when it is edited (EMB-1)."""
    parts = [f"## Part {n}\n\nItem {n} lifts {n} litres of water a day." for n in range(1_000)]
    with watched(20 * len(parts)) as found:  # each chunk and its heading may be looked up by every statement
        kb = headwater(files={"a.md": "\n\n".join(["# Pump", *parts]) + "\n"}, chunk_min=20)
        assert kb.sync()["docs"].chunks == 1_000
        kb.write("a.md", "\n\n".join(["# Pump", *parts, "## More\n\nA pump lifts oil."]) + "\n")
        assert kb.sync()["docs"].embedded
        assert [str(one) for one in found] == []


def test_the_watch_sees_a_bad_plan(database_url: str) -> None:
    """A nested loop over rows that were not expected is found, so silence means something."""
    with watched(FEWEST) as found:
        database = Database(database_url, size=1)
        with database.transaction() as session:
            for way in ("hashjoin", "mergejoin"):
                session.connection.execute(f"SET LOCAL enable_{way} = off".encode())
            session.connection.execute(
                "SELECT count(*) FROM generate_series(1, 2000) AS a, generate_series(1, 2000) AS b "
                "WHERE a = b AND a > 0 AND a % 1 = 0 AND a / 1 = a"
            )
        database.close()
    assert found


def _text(number: int) -> str:
    parts = [f"## Part {n}\n\nItem {number} lifts {number * n} litres of water a day." for n in range(SECTIONS)]
    return "\n\n".join([f"# Pump {number}", *parts]) + "\n"
