"""Where in their originals the texts of document versions stand.

Belongs here: keeping the marks of a version, and knowing those of versions that an older release wrote. Not here: what
places are (`headwater.domain.places`). Guarantee: what is so already is not written again; of an old version a place is
only said where it is right.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from headwater.domain.places import PlaceKind, PlaceRange, Places
from headwater.store.server.database import Database, Row, Session
from headwater.store.server.json_values import to_json

_FEW_BYTES = 2_000  # of JSON that is read whole
_PAGE = re.compile(r"#page=(-?\d+)\Z")


class PlaceStore:
    """The places of the document_versions table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_spans(self, spans: Sequence[tuple[UUID, int, int]]) -> list[Places | None]:
        """Return the places of spans of text, in order; None where nobody knows any.

        Args:
            spans: of each its version, its offset and the one behind it. Only the marks that it needs are read.
        """
        if not spans:
            return []
        version_ids, starts, ends = (list(column) for column in zip(*spans, strict=True))
        with self._database.transaction() as session:
            rows = session.rows("list_places", version_ids=version_ids, starts=starts, ends=ends, few_bytes=_FEW_BYTES)
        found = {row["position"]: places_of(row, within=spans[row["position"] - 1][1:]) for row in rows}
        return [found.get(position) for position in range(1, len(spans) + 1)]


def put_places(session: Session, places: Mapping[UUID, Places | None]) -> int:
    """Keep the places of versions whose text is kept already; returns how many have changed."""
    values = [None if one is None else to_json(one.to_json()) for one in places.values()]
    return session.run("put_places", ids=list(places), places=values) if places else 0


def places_of(row: Mapping[str, Any], *, within: tuple[int, int] | None = None) -> Places | None:
    """The places of a version, or of a span of it, from a row with `places`, `parser_version`, `media_type` and `uri`.

    What an older release read has no marks. Then its lines are the text's where the parser leaves the text as it is.
    """
    if row["places"] is not None:
        return Places.from_json(row["places"], within=within)
    parser = row["parser_version"].rpartition("-")[0]
    page = _PAGE.search(row["uri"])
    if parser == "jsonl" and page:
        return Places.of(PlaceKind.PAGE, [(0, int(page[1]))])
    is_whole = parser == "jsonl" or (parser == "markdown" and row["media_type"] == "text/plain")
    return Places(kind=PlaceKind.LINE) if is_whole else None


def to_range(value: Mapping[str, Any] | None) -> PlaceRange | None:
    """The place that was kept with a citation."""
    return None if value is None else PlaceRange(**{**value, "kind": PlaceKind(value["kind"])})


def chunk_place(row: Row) -> PlaceRange | None:
    """Where a chunk stands in its original, from a row as above with `text`, its offsets and `line`."""
    start, end = row["start"], row["end"]
    places = places_of(row, within=(start, end))
    if places is None:
        return None
    return places.between(start, end, text=row["text"], offset=start, line=row["line"])
