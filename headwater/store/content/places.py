"""The stored places of document versions in their originals.

Belongs here: storing the marks of a version, and places of versions that an older release wrote. Not here: places
themselves (`headwater.domain.places`). Guarantee: unchanged places are not written again; a version from an older
release has a place only if it is correct.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from headwater.domain.places import PlaceKind, PlaceRange, Places
from headwater.store.server.database import Database, Row, Session
from headwater.store.server.json_values import to_json

_FEW_BYTES = 2_000  # of JSON that is read completely
_PAGE = re.compile(r"#page=(-?\d+)\Z")


class PlaceStore:
    """The places of the document_versions table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_spans(self, spans: Sequence[tuple[UUID, int, int]]) -> list[Places | None]:
        """Return the places of spans of text, in order; None if unknown.

        Args:
            spans: the version, start and end of each span. Only the marks it needs are read.
        """
        if not spans:
            return []
        version_ids, starts, ends = (list(column) for column in zip(*spans, strict=True))
        with self._database.transaction() as session:
            rows = session.rows("list_places", version_ids=version_ids, starts=starts, ends=ends, few_bytes=_FEW_BYTES)
        found = {row["position"]: places_of(row, within=spans[row["position"] - 1][1:]) for row in rows}
        return [found.get(position) for position in range(1, len(spans) + 1)]


def put_places(session: Session, places: Mapping[UUID, Places | None]) -> int:
    """Store the places of existing versions; returns how many have changed."""
    values = [None if one is None else to_json(one.to_json()) for one in places.values()]
    return session.run("put_places", ids=list(places), places=values) if places else 0


def places_of(row: Mapping[str, Any], *, within: tuple[int, int] | None = None) -> Places | None:
    """The places of a version, or of a span of it, from a row with `places`, `parser_version`, `media_type` and `uri`.

    Versions from an older release have no marks. Then lines are those of the text, if the parser does not change the
    text.
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
    """The place that was stored with a citation."""
    return None if value is None else PlaceRange(**{**value, "kind": PlaceKind(value["kind"])})


def chunk_place(row: Row) -> PlaceRange | None:
    """The place of a chunk in its original, from a row as above with `text`, its offsets and `line`."""
    start, end = row["start"], row["end"]
    places = places_of(row, within=(start, end))
    if places is None:
        return None
    return places.between(start, end, text=row["text"], offset=start, line=row["line"])
