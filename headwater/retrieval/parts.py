"""The parts of everything there is: sources or folders, with some of their documents.

Belongs here: from names of documents to parts. Not here: what an answer says about them
(`headwater.answering.broad_answers`). Guarantee: pure; every document is counted in one part; the largest parts come
first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath
from uuid import UUID

from headwater.domain.summaries import DocumentName

MOST_PARTS, SHOWN = 6, 18
"""How many parts an overview has, and how many documents all of them name together."""
_FLAT = 8  # documents that are named where there are no parts
_MIN_PARTS = 2


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
    common = len(list(takewhile(lambda folder_names: len(set(folder_names)) == 1, zip(*paths, strict=False))))
    groups: dict[str, list[UUID]] = {}
    for name, path in zip(names, paths, strict=True):
        label = name.source if is_by_source else next(iter(path[common : common + 1]), "")
        groups.setdefault(label, []).append(name.document_id)
    if len(groups) < _MIN_PARTS:
        ids = [name.document_id for name in names]
        return (Part(label="", count=len(ids), shown=_spread(ids, _FLAT)),) if ids else ()
    return _largest(groups)


def _largest(groups: Mapping[str, Sequence[UUID]]) -> tuple[Part, ...]:
    """The largest groups as parts, and all others as one."""
    order = sorted(groups, key=lambda label: (not label, -len(groups[label]), label))
    largest, further_labels = order[:MOST_PARTS], order[MOST_PARTS:]
    ids_each = SHOWN // min(len(order), MOST_PARTS)
    labelled = [
        Part(label=label, count=len(groups[label]), shown=_spread(groups[label], ids_each))
        for label in largest
        if label
    ]
    remaining_ids = [
        id_
        for label in (*(candidate for candidate in largest if not candidate), *further_labels)
        for id_ in groups[label]
    ]
    smaller = tuple(label for label in further_labels if label)
    return (
        (*labelled, Part(label="", count=len(remaining_ids), shown=_spread(remaining_ids, ids_each), smaller=smaller))
        if remaining_ids
        else (*labelled,)
    )


def _spread(ids: Sequence[UUID], most: int) -> tuple[UUID, ...]:
    """Some of a sequence, from all over it."""
    count = max(1, min(most, len(ids)))
    return tuple(ids[place * len(ids) // count] for place in range(count))
