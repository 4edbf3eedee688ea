"""The values that filters can name.

Belongs here: the values that there are. Not here: what a filter leaves (`passage_search`), which value was meant
(`headwater.retrieval.filter_advice`). Guarantee: those of the present. `of_documents` and `labels` look at every
document, so they are asked only where a page offers them, or a filter names a value that nothing else has.
"""

from dataclasses import dataclass
from typing import Literal

from headwater.domain.search import SearchIndex
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row

_MAX_LABELS = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class FilterValues:
    """The categories and languages of the documents in a search index."""

    categories: list[str]
    languages: list[str]


class FilterValueStore:
    """Reads the values that filters can name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_documents(self, index: SearchIndex) -> FilterValues:
        """The categories and languages that a filter of this index can name."""
        with self._database.transaction() as session:
            row = session.one("filter_values", search_index_id=index.id, knowledge_base_id=index.knowledge_base_id)
        return from_row(FilterValues, row)

    def labels(self, index: SearchIndex, *kinds: Literal["tag", "author"]) -> dict[str, list[str]]:
        """The tags and authors that documents of this index have, by kind, the most frequent first."""
        values: dict[str, list[str]] = {kind: [] for kind in kinds}
        with self._database.transaction() as session:
            parameters = {"search_index_id": index.id, "kinds": list(kinds), "limit": _MAX_LABELS}
            for row in session.rows("document_labels", **parameters):
                values[row["kind"]].append(row["value"])
        return values

    def tags(self, index: SearchIndex) -> list[str]:
        """The tags of sources that a filter of this index can name."""
        with self._database.transaction() as session:
            return [row["tag"] for row in session.rows("source_tags", knowledge_base_id=index.knowledge_base_id)]
