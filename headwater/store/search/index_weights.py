"""Keeping the weights of keyword search correct.

Belongs here: weighing entries that were published without weights, and all entries when the average length has changed.
Not here: what publishing does (`term_weights`). Guarantee: searches continue meanwhile, and see all of it or nothing.
"""

from uuid import UUID

from headwater.domain.search import SearchIndex
from headwater.store.search.entry_kinds import CHUNK, ENTRY_KINDS
from headwater.store.search.main_words import publish_main_words
from headwater.store.search.term_weights import DRIFT, IndexShard, add_entries, weigh_anew
from headwater.store.server.database import Database
from headwater.store.server.query_session import Session

_BATCH = 2_000  # entries at once


class IndexWeightStore:
    """The weights and statistics of search indexes."""

    _database: Database

    def weigh(self, index: SearchIndex) -> int:
        """Weigh entries without weights, and all entries if the average length has changed by `DRIFT`.

        Syncs that publish into this index wait meanwhile. If every entry has weights, nothing is counted or searched.
        Recently published entries are also sorted into the index of terms; until then every search reads all of them.

        Returns:
            How many entries were weighed.
        """
        with self._database.transaction() as session:
            session.run("own_index_lock", id=index.id)
            row = session.row("get_search_index", id=index.id)
            if row is None:
                return 0
            places = [
                IndexShard(index=index, kind=kind, shard=kind.shard(row["shard"]))
                for kind in ENTRY_KINDS
                if kind.has_words
            ]
            count = sum(_weigh_missing(session, place) + _follow_average(session, place) for place in places)
        self._database.rows("merge_pending_terms")
        return count

    def forget_languages(self, index: SearchIndex) -> None:
        """Stop stemming questions in languages that no published document has; checks all documents."""
        with self._database.transaction() as session:
            session.run("own_index_lock", id=index.id)
            statistics = session.row("get_statistics", search_index_id=index.id, kind=CHUNK.name)
            if statistics is not None and statistics["languages"]:
                session.run("forget_languages", search_index_id=index.id, language=index.language)


def _weigh_missing(session: Session, place: IndexShard) -> int:
    """Weigh entries that were published without weights, as older releases did."""
    statistics = session.row("get_statistics", **place.counted)
    if statistics is not None and statistics["is_complete"]:
        return 0
    counts = session.one("counted_entries", **place.values)
    is_lacking = counts["entry_count"] != counts["counted"]
    missing = [row["target_id"] for row in session.rows("entries_to_weigh", **place.values)] if is_lacking else []
    values = {**place.values, "settings_hash": place.index.settings_hash, "language": place.index.language}
    count, documents = 0, set[UUID]()
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        rows = session.rows("texts_to_weigh", **values, target_ids=batch)
        add_entries(session, place, rows)
        documents.update(row["document_id"] for row in rows)
        count += len(rows)
    publish_main_words(session, place.index, place.shard, list(documents))
    session.run("note_complete", **place.counted)
    return count


def _follow_average(session: Session, place: IndexShard) -> int:
    statistics = session.row("get_statistics", **place.counted)
    if statistics is None or not statistics["entry_count"]:
        return 0
    old = statistics["weighed_length"]
    new = max(statistics["length_sum"] / statistics["entry_count"], 1.0)  # all words of an index may be stop words
    if abs(new / old - 1) < DRIFT:
        return 0
    count, last_id = 0, None
    while rows := session.rows("weights_after", **place.values, after=last_id, limit=_BATCH):
        weigh_anew(session, place, rows, old=old, new=new)
        last_id = rows[-1]["target_id"]
        count += len(rows)
    session.run("set_weighed_length", **place.counted, average=new)
    return count
