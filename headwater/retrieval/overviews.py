"""The summaries that answer a broad question (SUM-4).

Belongs here: which nodes of summary trees a question is about, and the chunks that they lead to. Not here: whether it
is broad (`understanding.breadth`), SQL (`headwater.store.search.summary_entries`). Guarantee: a question that is not
broad finds no summary, and its passages are the same with and without summaries.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from uuid import UUID

from headwater.domain.search import Passage
from headwater.domain.summaries import FoundSummary, NodeKind
from headwater.models_gateway.embedder import Vectors
from headwater.retrieval.finding import Finder
from headwater.retrieval.traversal import SHARES
from headwater.understanding.breadth import Breadth, breadth_of
from headwater.understanding.question import Understanding
from headwater.understanding.words import content_words

MOST = 12
"""How many summaries a broad question gets at most."""
_CANDIDATES = 40  # summaries that are compared with the question's words
_ABOUT = 4  # summaries of one subject
LEAST_SIMILARITY = 0.3
"""The cosine that a summary and a subject need."""
AHEAD = 0.2
"""How far a summary may be behind the nearest one."""
_COMPARISON = re.compile(
    r"compar|differen|versus|\bvs\b|\bor\b|vergleich|unterschied|différence|diferencia", re.IGNORECASE
)
_PER_NODE = 5  # chunks that a node leads to
NO_SUMMARIES = (
    "The question asks for an overview, which is best answered from summaries, and {} has none. Set `summary_model`, "
    "such as to builtin/extractive, and sync it."
)
_PAST = "A search as of a past time finds no summaries, because only their present state is kept."


@dataclass(frozen=True, kw_only=True, slots=True)
class Overview:
    """The summaries for a question, best first, and notes for its reader."""

    summaries: tuple[FoundSummary, ...] = ()
    notes: tuple[str, ...] = ()
    sides: tuple[str, ...] = ()

    def but_for(self, passages: Sequence[Passage], floor: float) -> "Overview":
        """Without summaries, if a trusted passage compares the two sides by itself: that is the better answer."""
        sides = [content_words(side) for side in self.sides]
        if sides and any((one.scores.trust or 0.0) >= floor and _compares(one, sides) for one in passages):
            return replace(self, summaries=())
        return self


def find_overview(finder: Finder, understanding: Understanding) -> Overview:
    """Find the summaries that a question asks for; none if it is not broad.

    Args:
        finder: of the search.
        understanding: of the question.

    Raises:
        InvalidInputError: a filter names an unknown source.
    """
    breadth = breadth_of(understanding.language_text)
    if breadth is None:
        return Overview()
    if not finder.store.summary_entries.has_any(finder.index):
        advice = NO_SUMMARIES.format(finder.knowledge_base.slug)
        return Overview(notes=() if breadth.sides or finder.options.as_of else (advice,))
    if finder.options.as_of is not None:
        return Overview(notes=(_PAST,))
    found = _found(finder, breadth)
    finder.clock.lap("summaries")
    return Overview(summaries=tuple(found), sides=breadth.sides)


def chunks_of(finder: Finder, summaries: Sequence[FoundSummary], vector: Vectors | None, best: float) -> list[Passage]:
    """The chunks below summaries that are nearest to a question, as passages that traversal reached.

    Args:
        finder: of the search.
        summaries: where to begin.
        vector: the question's; without one, nothing is reached.
        best: the score of the best passage.
    """
    if vector is None or not summaries:
        return []
    found = finder.store.summary_entries.chunks_below(
        finder.index, [one.id for one in summaries], vector, filters=finder.options.filters, limit=_PER_NODE
    )
    reached: dict[UUID, Passage] = {}
    for node_id, passages in found.items():
        for passage in passages:
            scores = replace(passage.scores, via=f"child of {node_id}")
            reached.setdefault(passage.chunk_id, replace(passage, score=best * SHARES["child"], scores=scores))
    return list(reached.values())


def _compares(passage: Passage, sides: Sequence[set[str]]) -> bool:
    """Whether a passage stands below a heading that promises a comparison, and names both sides."""
    if not _COMPARISON.search(" ".join(passage.breadcrumb[-2:])):
        return False
    said = content_words(passage.text)
    return all(side <= said for side in sides)


def _found(finder: Finder, breadth: Breadth) -> list[FoundSummary]:
    store, filters = finder.store.summary_entries, finder.options.filters
    if breadth.is_whole:
        return store.highest(finder.index, filters=filters, limit=MOST)
    if breadth.sides:
        sides = [_named(side, _near(finder, side)) for side in breadth.sides]
        chosen = {side.id: side for side in sides if side is not None}
        return list(chosen.values()) if len(chosen) == len(breadth.sides) else []
    near = _near(finder, breadth.subject)
    named = _named(breadth.subject, near)
    return [named] if named else _about(breadth.subject, near)


def _near(finder: Finder, text: str) -> list[FoundSummary]:
    """The summaries nearest to a text; none in a keyword search."""
    if finder.embedder is None:
        return []
    vector = finder.fitting(finder.embedder.embed([text])[0])
    return finder.store.summary_entries.near(finder.index, vector, filters=finder.options.filters, limit=_CANDIDATES)


def _named(subject: str, found: Sequence[FoundSummary]) -> FoundSummary | None:
    """The source or document that a subject names: all its words are in the name, and least is left of that."""
    wanted = _naming(subject)
    names = {one.id: name for one in found if one.kind is not NodeKind.GROUP and wanted <= (name := _name(one))}
    fitting = [one for one in found if one.id in names]
    return min(fitting, key=lambda one: (one.kind is not NodeKind.SOURCE, len(names[one.id])), default=None)


def _naming(subject: str) -> set[str]:
    """The words of a name, without the kind of thing that it names."""
    found = content_words(subject)
    return found - content_words("document documentation file source page guide") or found


def _name(one: FoundSummary) -> set[str]:
    if one.kind is NodeKind.SOURCE:
        return content_words(one.source.replace("-", " "))
    uri = PurePosixPath(one.documents[0].uri).stem.replace("_", " ").replace("-", " ") if one.documents else ""
    return content_words(f"{one.title} {uri}")


def _about(subject: str, found: Sequence[FoundSummary]) -> list[FoundSummary]:
    """The documents and groups whose summaries are about a subject: near to it, and with most of its words."""
    wanted = content_words(subject)
    fitting = [
        one
        for one in found
        if one.kind is not NodeKind.SOURCE
        and (one.similarity or 0.0) >= max(LEAST_SIMILARITY, (found[0].similarity or 0.0) - AHEAD)
        and 2 * len(wanted & (content_words(one.text) | _name(one))) >= len(wanted) + 1
    ]
    return _apart(fitting)[:_ABOUT]


def _apart(found: Sequence[FoundSummary]) -> list[FoundSummary]:
    """Those of which none is above another: the nearer one counts."""
    kept: list[FoundSummary] = []
    for one in found:
        own = {below.document_id for below in one.documents}
        if not any(own & {below.document_id for below in other.documents} for other in kept):
            kept.append(one)
    return kept
