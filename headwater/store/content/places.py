"""The stored places of document versions in their originals.

Belongs here: storing the marks of a version, and places of versions that an older release wrote. Not here: places
themselves (`headwater.domain.places`). Guarantee: unchanged places are not written again; a version from an older
release has a place only if it is correct.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from headwater.domain.places import UNREAD_PLACES, PlaceKind, PlaceRange, Places
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.query_session import Row, Session

_PAGE = re.compile(r"#page=(-?\d+)\Z")


class PlaceStore:
    """The places of the document_versions table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_spans(self, spans: Sequence[tuple[UUID, int, int]]) -> list[Places | None]:
        """Return the places of spans of text, in order; None where none are kept.

        Args:
            spans: the version, the first offset and the offset behind the last of each. Only the marks that it needs
                are read.
        """
        if not spans:
            return []
        version_ids, starts, ends = (list(column) for column in zip(*spans, strict=True))
        rows = self._database.rows("list_places", version_ids=version_ids, starts=starts, ends=ends)
        places_by_position = {row["position"]: Places.from_json(row["places"]) for row in rows}
        return [places_by_position.get(position) for position in range(1, len(spans) + 1)]


def put_places(session: Session, places: Mapping[UUID, Places | None]) -> int:
    """Store the places of existing versions; returns how many have changed."""
    values = [None if place is None else to_json(place.to_json()) for place in places.values()]
    return session.run("put_places", ids=list(places), places=values) if places else 0


def places_beside(row: Row) -> Places | None:
    """The places of a passage's version, from a row of a statement that returns passages.

    The column `places` is JSON text, empty where there are too many to read with each passage: `UNREAD_PLACES`.
    """
    stored_places = row["places"]
    if stored_places is None:
        return _of_old_version(row)
    return _from_text(stored_places) if stored_places else UNREAD_PLACES


@lru_cache(maxsize=4096)
def _from_text(text: str) -> Places:
    return Places.from_json(json.loads(text))


def _of_old_version(row: Row) -> Places | None:
    """A version from an older release has no places; its lines are those of the text if the parser keeps the text."""
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
    """Where a chunk stands in its original.

    Args:
        row: with `places`, `parser_version`, `media_type` and `uri` of its version, and the chunk's `text`, `start`,
            `end` and `line`.
    """
    start, end, stored_places = row["start"], row["end"], row["places"]
    places = _of_old_version(row) if stored_places is None else Places.from_json(stored_places, within=(start, end))
    if places is None:
        return None
    return places.between(start, end, text=row["text"], offset=start, line=row["line"])
