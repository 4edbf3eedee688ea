"""The kinds of entries that search reads (RET-1, EMB-3).

Belongs here: what a kind is, and which there are. Not here: what a version gives each to find (the view
`version_entries` in `schema.sql`), publishing and asking (`entries`). Guarantee: publishing, the gate, deleting and
filters go through this list; a kind that is added here is known to all of them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class EntryKind:
    """What an entry's target is.

    `name` is also the end of its tables' names. An entry that `has_words` is found by them, too. One that
    `has_partitions` lies, of a large index, in a partition of the index's own, with HNSW; others are compared with one
    and all. `chunks` names the query that finds the chunks which targets lead to, where they are none themselves.
    """

    name: str
    plural: str
    has_words: bool = False
    has_partitions: bool = False
    chunks: str = ""

    @property
    def entries(self) -> str:
        """The table of its entries."""
        return f"search_entries_{self.name}"

    @property
    def weights(self) -> str:
        """The table of its entries' words, if they have any."""
        return f"search_weights_{self.name}"

    def shard(self, index_shard: int) -> int:
        """Where its entries lie of an index that lies in a shard."""
        return index_shard if self.has_partitions else 0


CHUNK = EntryKind(name="chunk", plural="chunks", has_words=True, has_partitions=True)
HEADING = EntryKind(name="heading", plural="headings", chunks="chunks_of_headings")
ENTRY_KINDS = (CHUNK, HEADING)
