"""The parts of everything there is: sources or folders, with some of their documents.

Belongs here: from names of documents to parts. Not here: what an answer says about them
(`headwater.answering.broad_answers`). Guarantee: pure; every document is counted in one part; the largest parts come
first.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from uuid import UUID

from headwater.domain.summaries import DocumentName

MOST_PARTS, SHOWN = 6, 18
"""How many parts an overview has, and how many documents all of them name together."""
_FLAT = 8  # documents that are named where there are no parts
_MIN_PARTS = 2
_MOST_OF = 0.8  # of all documents: a folder with so many is no part beside others


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A source or a folder; `shown` are some of its `count` documents.

    Without a label, it is the rest: the documents of the smaller parts, whose labels are in `smaller`, and others.
    """

    label: str
    count: int
    shown: tuple[UUID, ...]
    smaller: tuple[str, ...] = ()


def find_parts(names: Sequence[DocumentName]) -> tuple[Part, ...]:
    """Divide documents into parts: by source if there are several, else by folder; else some documents of all.

    Args:
        names: of the documents, by source and URI.
    """
    is_by_source = len({name.source for name in names}) > 1
    paths = [PurePosixPath(name.uri).parts[:-1] for name in names]
    root = () if is_by_source else _find_root(paths)
    groups: dict[str, list[DocumentName]] = {}
    for name, path in zip(names, paths, strict=True):
        folder = path[len(root) : len(root) + 1] if path[: len(root)] == root else ()
        groups.setdefault(name.source if is_by_source else next(iter(folder), ""), []).append(name)
    if len(groups) < _MIN_PARTS:
        return (Part(label="", count=len(names), shown=_spread(names, _FLAT)),) if names else ()
    return _largest(groups)


def _find_root(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The deepest folder that holds most of the documents and has folders of its own."""
    root: tuple[str, ...] = ()
    inside = paths
    while True:
        counts = Counter(path[len(root)] for path in inside if len(path) > len(root))
        folder, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
        if not counts or count < _MOST_OF * len(paths):
            return root
        inside = [path for path in inside if path[len(root) : len(root) + 1] == (folder,)]
        is_flat = all(len(path) == len(root) + 1 for path in inside)
        if is_flat and len(counts) > 1:
            return root
        root = (*root, folder)


def _largest(groups: Mapping[str, Sequence[DocumentName]]) -> tuple[Part, ...]:
    """The largest groups as parts, and all others as one."""
    order = sorted(groups, key=lambda label: (not label, -len(groups[label]), label))
    largest, further_labels = order[:MOST_PARTS], order[MOST_PARTS:]
    ids_each = SHOWN // min(len(order), MOST_PARTS)
    labelled = [
        Part(label=label, count=len(groups[label]), shown=_spread(groups[label], ids_each))
        for label in largest
        if label
    ]
    remaining = [
        name
        for label in (*(candidate for candidate in largest if not candidate), *further_labels)
        for name in groups[label]
    ]
    smaller = tuple(label for label in further_labels if label)
    return (
        (*labelled, Part(label="", count=len(remaining), shown=_spread(remaining, ids_each), smaller=smaller))
        if remaining
        else (*labelled,)
    )


def _spread(names: Sequence[DocumentName], most: int) -> tuple[UUID, ...]:
    """Some documents, from all over a sequence; those without a title and files of data only if there are no others."""
    titled = [name for name in names if not name.is_data and name.title not in ("", name.uri)] or names
    count = max(1, min(most, len(titled)))
    return tuple(titled[place * len(titled) // count].document_id for place in range(count))
