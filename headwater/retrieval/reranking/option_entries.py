"""Passages with the entry of an option that the question names.

Belongs here: what an entry of an option looks like in a passage. Not here: how much it counts (`lexical_reranker`),
names (`headwater.understanding.entry_names`), which part of a passage is quoted (`headwater.quote`). Guarantee: pure;
the work is linear in the text of the passages.
"""

import re
from collections.abc import Iterator, Sequence

from headwater.domain.search import Passage
from headwater.understanding.entities import EntityKind
from headwater.understanding.entry_names import find_names, split_names

# An item, a heading or a line that begins with words in bold, italics or code, or with an option.
_LABEL = re.compile(r"^(?:[-*+•][ \t]+|#{1,6}[ \t]+)?(?P<label>(?:[*_`]|-(?=[-\w]))[^\n]{1,120})", re.MULTILINE)
_LABEL_END = re.compile(r"[:—–](?=\s|[*_`]|$)| - ")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")


def score_entries(question: str, passages: Sequence[Passage]) -> list[float]:
    """Score the passages that explain an option of the question.

    Args:
        question: the question as it was asked.
        passages: the search results.

    Returns:
        1 for each passage that has such an entry, or stands below its heading, else 0; empty if none does.
    """
    options = {name for name, kind in find_names(question).items() if kind is EntityKind.IDENTIFIER}
    if not options:
        return []
    scores = [
        float(any(not options.isdisjoint(split_names(label)) for label in _labels(passage))) for passage in passages
    ]
    return scores if any(scores) else []


def _labels(passage: Passage) -> Iterator[str]:
    yield from passage.breadcrumb[-1:]
    for line in _LABEL.finditer(passage.text):
        yield _MARKS.sub("", _LABEL_END.split(line["label"], maxsplit=1)[0]).strip()
