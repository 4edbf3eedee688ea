"""The values that filters can name.

Belongs here: the values that there are. Not here: what a filter leaves (`passage_search`), which value was meant
(`headwater.retrieval.filter_advice`). Guarantee: those of the present. `of_documents` looks at every document, so
it is asked only where filters leave none.
"""

from dataclasses import dataclass

from headwater.domain.search import SearchIndex
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row


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

    def tags(self, index: SearchIndex) -> list[str]:
        """The tags that a filter of this index can name."""
        with self._database.transaction() as session:
            return [row["tag"] for row in session.rows("source_tags", knowledge_base_id=index.knowledge_base_id)]
