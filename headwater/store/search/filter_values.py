"""What filters can name.

Belongs here: the values that there are. Not here: what a filter leaves (`searching`), which value was meant
(`headwater.retrieval.filter_advice`). Guarantee: those of the present; it looks at every document, so it is asked only
where a filter may be wrong.
"""

from dataclasses import dataclass

from headwater.domain.search import SearchIndex
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import typed


@dataclass(frozen=True, kw_only=True, slots=True)
class FilterValues:
    """The categories, tags and languages that a search index holds."""

    categories: list[str]
    tags: list[str]
    languages: list[str]


class FilterValueStore:
    """Reads what filters can name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, index: SearchIndex) -> FilterValues:
        """What a filter of this index can name."""
        with self._database.transaction() as session:
            row = session.one("filter_values", search_index_id=index.id, knowledge_base_id=index.knowledge_base_id)
        return typed(FilterValues, row)
