"""What of a version's marks a search reads: those that its passages need, however many there are."""

import json
import random
from uuid import UUID

import pytest

from headwater.domain.places import Mark, PlaceKind, Places
from headwater.retrieval.search import search
from tests.support import Headwater

pytestmark = pytest.mark.synced(files={"a.md": "The pump.", "b.md": "The mill.", "c.txt": "The lamp."})


def keep(kb: Headwater, uri: str, places: Places | None) -> UUID:
    """Keep other places with a document's version; returns the version."""
    (row,) = kb.query(
        "UPDATE document_versions v SET places = %s FROM documents d WHERE d.head_version_id = v.id AND d.uri = %s"
        " RETURNING v.id",
        None if places is None else json.dumps(places.to_json()),
        uri,
    )
    found: UUID = row["id"]
    return found


@pytest.mark.parametrize("count", [0, 1, 2, 3, 500])
def test_only_the_marks_that_a_span_needs_are_read(kb: Headwater, count: int) -> None:
    """From the last at or before its start to the last at or before its end, as `Places` itself says."""
    chance = random.Random(count)
    offsets = sorted(chance.sample(range(2 * count + 10), count))
    marks = tuple(Mark(offset, at, at + chance.randrange(2)) for at, offset in enumerate(offsets))
    places = Places(kind=PlaceKind.LINE, marks=marks)
    version = keep(kb, "a.md", places)
    starts = [chance.randrange(2 * count + 12) for _ in range(30)]
    spans = [(version, start, start + chance.randrange(20)) for start in starts]
    found = kb.store.places.of_spans(spans)
    assert found == [Places.from_json(places.to_json(), within=(start, end)) for _, start, end in spans]
    assert max(len(one.marks) for one in found if one is not None) <= 22


def test_spans_keep_their_order_and_their_versions(kb: Headwater) -> None:
    """Sheets have names; a span without a known place has none, and does not shift the others."""
    sheets = Places.of(PlaceKind.SHEET, [(0, "Costs"), (10, "Sums"), (20, "Notes")])
    a, b, c = keep(kb, "a.md", sheets), keep(kb, "b.md", None), keep(kb, "c.txt", None)
    found = kb.store.places.of_spans([(c, 0, 5), (a, 12, 15), (b, 0, 3), (a, 0, 10), (UUID(int=0), 0, 1)])
    assert found == [
        None,
        Places.of(PlaceKind.SHEET, [(10, "Sums")]),
        None,
        Places.of(PlaceKind.SHEET, [(0, "Costs"), (10, "Sums")]),
        None,
    ]
    assert kb.store.places.of_spans([]) == []


def test_a_search_shows_places_however_many_a_version_has(kb: Headwater) -> None:
    """Few come with the passage, many are read for what is shown, and an older version has the lines of its text."""
    lines = [Mark(10 * at, 40 + at, 40 + at) for at in range(200)]
    keep(kb, "a.md", Places(kind=PlaceKind.LINE, marks=tuple(lines)))
    keep(kb, "b.md", Places.of(PlaceKind.PAGE, [(0, 7)]))
    version = keep(kb, "c.txt", None)
    kb.query("UPDATE document_versions SET parser_version = 'markdown-1' WHERE id = %s RETURNING id", version)
    found = search(kb.store, kb.settings, kb.knowledge_base, "pump mill lamp").passages
    labels = {passage.uri: passage.place and passage.place.label for passage in found}
    assert labels == {"a.md": "L41", "b.md": "p. 7", "c.txt": "L1"}
