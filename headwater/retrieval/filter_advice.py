"""Notes about filter values that do not exist (RET-2).

Belongs here: naming these values, each with a similar value that exists. Not here: filtering. Guarantee: the database
is queried only if a filter may be wrong.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from headwater.domain.closed_model import did_you_mean
from headwater.domain.search import SearchFilters, SearchIndex
from headwater.store.store import Store


def filter_notes(store: Store, index: SearchIndex, filters: SearchFilters, *, is_nothing_left: bool) -> tuple[str, ...]:
    """Name the filter values that do not exist, if no document is left or a filter has several values.

    Args:
        store: the store of the index.
        index: the active index.
        filters: the filters of the search.
        is_nothing_left: whether no document matches the filters.
    """
    is_one_of_several = max(len(filters.categories), len(filters.tags), len(filters.languages)) > 1
    if not is_nothing_left and not is_one_of_several:
        return ()
    there = store.filter_values.of(index)
    return (
        *_unknown("category", filters.categories, _with_parents(there.categories)),
        *_unknown("tag", filters.tags, there.tags),
        *_unknown("language", filters.languages, _with_parents(there.languages, "-")),
    )


def _unknown(kind: str, asked: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    names = set(known)
    for value in asked:
        if value not in names:
            yield f"There is no {kind} `{value}` here. {did_you_mean(value, names)}"


def _with_parents(values: Iterable[str], between: str = "/") -> set[str]:
    """Values and all their parents, which a filter may name too."""
    return {parent for value in values for parent in accumulate(value.split(between), lambda a, b: f"{a}{between}{b}")}
