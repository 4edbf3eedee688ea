"""The values that filters can name.

Belongs here: the values that there are. Not here: what a filter leaves (`passage_search`), which value was meant
(`headwater.retrieval.filter_advice`). Guarantee: those of the present; of an index with many documents, all of which
must be read for them, those of a minute ago at most. `find_labels` reads them in any case.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from headwater.domain.search import SearchIndex
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session
from headwater.store.server.typed_rows import from_row

_MAX_LABELS = 10_000  # of one kind
_MAX_REMEMBERED = 20  # indexes; 10,000 tags and as many authors take a megabyte
_MANY_CHUNKS = 20_000  # in an index, from which on reading its documents' metadata takes a quarter of a second
_REMEMBERED_SECONDS = 60.0

LabelKind = Literal["tag", "author"]


@dataclass(frozen=True, kw_only=True, slots=True)
class FilterValues:
    """The categories and languages of the documents in a search index."""

    categories: list[str]
    languages: list[str]


@dataclass(kw_only=True, slots=True)
class _Remembered:
    """What was read of an index in one state of it."""

    state: str
    read_at: float
    values: FilterValues | None = None
    labels: dict[LabelKind, list[str]] = field(default_factory=dict)


class FilterValueStore:
    """Reads the values that filters can name; remembers them until the index changes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._remembered: dict[tuple[int, datetime], _Remembered] = {}
        self._lock = threading.Lock()

    def of_documents(self, index: SearchIndex) -> FilterValues:
        """The categories and languages that a filter of this index can name."""
        with self._database.transaction() as session:
            remembered = self._recall(session, index)
            if remembered.values is None:
                values = {"search_index_id": index.id, "knowledge_base_id": index.knowledge_base_id}
                remembered.values = from_row(FilterValues, session.one("filter_values", **values))
        return remembered.values

    def labels(self, index: SearchIndex, *kinds: LabelKind) -> dict[LabelKind, list[str]]:
        """The tags and authors that documents of this index have, by kind, the most frequent first."""
        with self._database.transaction() as session:
            remembered = self._recall(session, index)
            missing = [kind for kind in kinds if kind not in remembered.labels]
            if missing:
                remembered.labels |= _read_labels(session, index, missing, None)
        return {kind: remembered.labels[kind] for kind in kinds}

    def find_labels(self, index: SearchIndex, kind: LabelKind, names: Sequence[str]) -> list[str]:
        """Those of some tags or authors that documents of this index have at present, however rare they are."""
        with self._database.transaction() as session:
            return _read_labels(session, index, [kind], list(names))[kind]

    def tags(self, index: SearchIndex) -> list[str]:
        """The tags of sources that a filter of this index can name."""
        return [row["tag"] for row in self._database.rows("source_tags", knowledge_base_id=index.knowledge_base_id)]

    def _recall(self, session: Session, index: SearchIndex) -> _Remembered:
        """What is remembered of an index, and where to note the rest."""
        values = {"search_index_id": index.id, "knowledge_base_id": index.knowledge_base_id}
        row, now, key = session.one("filter_values_state", **values), time.monotonic(), (index.id, index.created_at)
        with self._lock:
            remembered = self._remembered.pop(key, None)
            is_young = remembered is not None and now - remembered.read_at < _REMEMBERED_SECONDS
            is_kept = is_young and row["entry_count"] > _MANY_CHUNKS
            if remembered is None or not (remembered.state == row["state"] or is_kept):
                remembered = _Remembered(state=row["state"], read_at=now)
            self._remembered[key] = remembered  # the last ones were asked for last
            while len(self._remembered) > _MAX_REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
        return remembered


def _read_labels(
    session: Session, index: SearchIndex, kinds: Sequence[LabelKind], names: Sequence[str] | None
) -> dict[LabelKind, list[str]]:
    values: dict[LabelKind, list[str]] = {kind: [] for kind in kinds}
    parameters = {"search_index_id": index.id, "kinds": list(kinds), "names": names, "limit": _MAX_LABELS}
    for row in session.rows("document_labels", **parameters):
        values[row["kind"]].append(row["value"])
    return values
