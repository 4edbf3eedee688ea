"""What is wrong with filters (RET-2).

Belongs here: naming the values that do not exist, each with the one that was perhaps meant. Not here: filtering.
Guarantee: the documents are looked at only where the filters leave none; comparing names takes little time, however
many are asked for.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import accumulate

from headwater.domain.closed_model import did_you_mean
from headwater.domain.search import SearchFilters, SearchIndex
from headwater.store.store import Store

_MOST_ADVISED = 5  # values
_LONGEST = 200  # characters of a value in a note

_Unknown = tuple[str, str, Set[str]]  # the kind of value, the value, and those that there are


def filter_notes(store: Store, index: SearchIndex, filters: SearchFilters, *, is_nothing_left: bool) -> tuple[str, ...]:
    """Say which values of filters do not exist.

    If the filters leave documents, a wrong value may still hide behind others; this is said of tags only, which belong
    to sources: to know all categories and languages, one must look at every document.

    Args:
        store: where the index is.
        index: what is searched, as of now.
        filters: of the search.
        is_nothing_left: whether they leave no document.
    """
    unknown: list[_Unknown] = []
    if is_nothing_left and (filters.categories or filters.languages):
        there = store.filter_values.of_documents(index)
        unknown += _unknown("category", filters.categories, _with_parents(there.categories))
        unknown += _unknown("language", filters.languages, _with_parents(there.languages, "-"))
    if filters.tags and (is_nothing_left or len(filters.tags) > 1):
        unknown += _unknown("tag", filters.tags, frozenset(store.filter_values.tags(index)))
    return tuple(_notes(unknown))


def _unknown(kind: str, asked: Iterable[str], known: Set[str]) -> Iterator[_Unknown]:
    return ((kind, value, known) for value in dict.fromkeys(asked) if value not in known)


def _notes(unknown: Sequence[_Unknown]) -> Iterator[str]:
    """A note on each of the first values, and one that counts the others."""
    for kind, value, known in unknown[:_MOST_ADVISED]:
        shown = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
        yield f"There is no {kind} `{shown}` here. {did_you_mean(shown, known)}"
    if len(unknown) > _MOST_ADVISED:
        yield f"Further values of the filters that do not exist here: {len(unknown) - _MOST_ADVISED}."


def _with_parents(values: Iterable[str], between: str = "/") -> set[str]:
    """Values and all above them, which a filter may name too."""
    return {parent for value in values for parent in accumulate(value.split(between), lambda a, b: f"{a}{between}{b}")}
