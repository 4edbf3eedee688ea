"""The kinds of entries that search reads (RET-1, EMB-3).

Belongs here: what a kind is, and the list of kinds. Not here: the entries of a version and of a tree (the views
`version_entries` and `tree_entries` in `schema.sql`), publishing and querying (`entries`, `summary_entries`).
Guarantee: publishing, the gate, deleting and filters use this list, so they support a kind that is added here.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class EntryKind:
    """The target of an entry.

    `name` is also the suffix of its tables' names. Keyword search finds entries with `has_words`. In a large index,
    entries with `has_partitions` are in a partition for that index with HNSW; all others are scanned exactly. `chunks`
    names the query that finds the chunks for targets that are not chunks. Entries belong to the versions of documents,
    or else, with `is_of_trees`, to the summary trees of sources.
    """

    name: str
    plural: str
    has_words: bool = False
    has_partitions: bool = False
    chunks: str = ""
    is_of_trees: bool = False

    @property
    def entries(self) -> str:
        """The table of these entries."""
        return f"search_entries_{self.name}"

    @property
    def weights(self) -> str:
        """The table of these entries' words, if they have any."""
        return f"search_weights_{self.name}"

    def shard(self, index_shard: int) -> int:
        """The shard of these entries in an index with a given shard."""
        return index_shard if self.has_partitions else 0


CHUNK = EntryKind(name="chunk", plural="chunks", has_words=True, has_partitions=True)
HEADING = EntryKind(name="heading", plural="headings", chunks="chunks_of_headings")
SUMMARY = EntryKind(name="summary", plural="summaries", is_of_trees=True)
DOCUMENT = EntryKind(name="document", plural="documents", has_words=True)
"""Only words, made of those of its chunks (`main_words`); search finds no entry of it, so it is not in the list."""
ENTRY_KINDS = (CHUNK, HEADING, SUMMARY)
