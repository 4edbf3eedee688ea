"""Which documents an answer compares (ANS-5).

Belongs here: whether an answer is grouped by document, and the passages of each. Not here: writing it
(`quote_answerer`, `generative_answerer`). Guarantee: pure; the documents come in the order in which they were selected,
otherwise the best first; every passage of a compared document is in its group.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.answering.answer_evidence import Evidence
from headwater.answering.question_reader import ReadQuestion
from headwater.domain.search import Passage
from headwater.retrieval.context import by_document
from headwater.understanding.intents import Intent


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """The documents that an answer treats one after the other.

    `groups` are their passages, the best of each first, at least two groups; without, the answer is not grouped.
    `silent` are documents that were selected but have no passage to answer from, as the filters name them.
    """

    groups: tuple[tuple[Passage, ...], ...] = ()
    silent: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What a reader must know about selected documents; empty if all are in the answer."""
        return f"No passage with enough trust was found in {', '.join(self.silent)}." if self.silent else ""


def compare(evidence: Evidence, read: ReadQuestion) -> Compared:
    """Find the documents to compare: those that were selected, if several; or those that a comparison is about.

    A question for one thing is not grouped although its passages are of several documents.
    """
    groups = [tuple(group) for group in by_document(evidence.passages)]
    selected = evidence.filters.documents
    if len(selected) > 1:
        order = {name: place for place, name in reversed(list(enumerate(selected)))}
        groups.sort(key=lambda group: _place(group, order))
        compared_names = {name for group in groups for name in _names(group)}
        silent = tuple(name for name in dict.fromkeys(selected) if name not in compared_names)
        return Compared(groups=_several(groups), silent=silent)
    return Compared(groups=_several(groups) if read.intent is Intent.COMPARISON else ())


def heading(group: Sequence[Passage]) -> str:
    """The name of a compared document: its title, or its URI if it has none."""
    return " ".join(group[0].title.split()) or group[0].uri


def _several(groups: Sequence[tuple[Passage, ...]]) -> tuple[tuple[Passage, ...], ...]:
    return tuple(groups) if len(groups) > 1 else ()


def _names(group: Sequence[Passage]) -> tuple[str, str]:
    return str(group[0].document_id), group[0].uri


def _place(group: Sequence[Passage], order: dict[str, int]) -> int:
    return min((order[name] for name in _names(group) if name in order), default=len(order))
