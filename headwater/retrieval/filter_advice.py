"""Notes about filter values that do not exist (RET-2).

Belongs here: naming these values, each with a similar value that exists. Not here: filtering. Guarantee: documents are
queried only if the filters leave none; comparing names takes little time, however many values a request has.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import accumulate

from headwater.domain.closed_model import did_you_mean
from headwater.domain.search import SearchFilters, SearchIndex
from headwater.store.search.filter_values import LabelKind
from headwater.store.store import Store

_MAX_ADVISED = 5  # values
_MAX_VALUE_CHARS = 200  # characters of a value in a note

_Unknown = tuple[str, str, Set[str]]  # the kind of value, the value, and those that there are


def filter_notes(store: Store, index: SearchIndex, filters: SearchFilters, *, is_nothing_left: bool) -> tuple[str, ...]:
    """Name the filter values that do not exist.

    If the filters leave documents, another value may still be wrong; this is said only of tags: finding all categories
    and languages may read every document. The labels of documents are read only if a tag is no source's.

    Args:
        store: the store of the index.
        index: the active index.
        filters: the filters of the search.
        is_nothing_left: whether no document matches the filters.
    """
    unknown: list[_Unknown] = []
    if is_nothing_left and (filters.categories or filters.languages):
        there = store.filter_values.of_documents(index)
        unknown += _unknown("category", filters.categories, _with_parents(there.categories))
        unknown += _unknown("language", filters.languages, _with_parents(there.languages, "-"))
    if filters.tags and (is_nothing_left or len(filters.tags) > 1):
        unknown += _unknown("tag", filters.tags, _find_tags(store, index, filters.tags))
    if is_nothing_left and filters.authors:
        unknown += _unknown("author", filters.authors, _find_labels(store, index, "author", filters.authors))
    return tuple(_notes(unknown))


def _find_tags(store: Store, index: SearchIndex, asked: Sequence[str]) -> Set[str]:
    tags = frozenset(store.filter_values.tags(index))
    return tags if tags.issuperset(asked) else tags | _find_labels(store, index, "tag", asked)


def _find_labels(store: Store, index: SearchIndex, kind: LabelKind, asked: Sequence[str]) -> Set[str]:
    """The labels of documents: the most frequent ones, and those asked for, however rare they are."""
    labels = frozenset(store.filter_values.labels(index, kind)[kind])
    missing = sorted(set(asked) - labels)
    return labels.union(store.filter_values.find_labels(index, kind, missing)) if missing else labels


def _unknown(kind: str, asked: Iterable[str], known: Set[str]) -> Iterator[_Unknown]:
    return ((kind, value, known) for value in dict.fromkeys(asked) if value not in known)


def _notes(unknown: Sequence[_Unknown]) -> Iterator[str]:
    """A note for each of the first values, and one note that counts the others."""
    for kind, value, known_values in unknown[:_MAX_ADVISED]:
        short_value = value if len(value) <= _MAX_VALUE_CHARS else f"{value[:_MAX_VALUE_CHARS]}…"
        yield f"There is no {kind} `{short_value}` here. {did_you_mean(short_value, known_values)}"
    if len(unknown) > _MAX_ADVISED:
        yield f"Further values of the filters that do not exist here: {len(unknown) - _MAX_ADVISED}."


def _with_parents(values: Iterable[str], between: str = "/") -> set[str]:
    """Values and all their parents, which a filter may name too."""
    return {parent for value in values for parent in accumulate(value.split(between), lambda a, b: f"{a}{between}{b}")}
