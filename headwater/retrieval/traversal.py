"""Following search results to the chunks under them, and to those they link to (RET-5).

Belongs here: the score of a passage that was reached from others, and how far to go. Not here: which passages lead
where (`headwater.store.content.passage_links`). Guarantee: pure except for the loader; cycles end; each chunk is kept
once, with the best score of any path to it; equal input gives equal order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol
from uuid import UUID

from headwater.domain.search import Passage
from headwater.retrieval.fusion import rank_passages
from headwater.store.content.passage_links import LeadKind, PassageLink

MAX_DEPTH = 3
MAX_REACHED = 100
"""The most passages that traversal adds."""
SHARES: Mapping[LeadKind, float] = {"child": 0.75, "reference": 0.5, "call": 0.5, "import": 0.25}
"""The score of a passage that another leads to, as a share of that one's score."""


class LinkLoader(Protocol):
    """Loads where passages lead."""

    def __call__(self, passages: Sequence[Passage], /) -> Sequence[PassageLink]:
        """Load the links of several passages at once, passage by passage in a stable order."""
        ...


@dataclass(kw_only=True)
class _Walk:
    """The passages found so far, by chunk, in order; and where each chunk leads."""

    load: LinkLoader
    room: int
    found: dict[UUID, Passage] = field(default_factory=dict)
    links: dict[UUID, list[PassageLink]] = field(default_factory=dict)

    def step(self, frontier: Sequence[Passage]) -> list[Passage]:
        """Follow passages one link further; returns those reached for the first time, or with a better score."""
        unknown = [passage for passage in frontier if passage.chunk_id not in self.links]
        self.links.update({passage.chunk_id: [] for passage in unknown})
        for link in self.load(unknown) if unknown else ():
            self.links[link.origin].append(link)
        better: dict[UUID, Passage] = {}
        for passage in frontier:
            for link in self.links[passage.chunk_id]:
                reached = self._to_passage(passage, link)
                best = better.get(reached.chunk_id) or self.found.get(reached.chunk_id)
                if best is None or reached.score > best.score:
                    better[reached.chunk_id] = reached
        return self._filter_reached(sorted(better.values(), key=_worst_last))

    def _to_passage(self, passage: Passage, link: PassageLink) -> Passage:
        earlier = self.found.get(link.passage.chunk_id, link.passage)
        scores = replace(earlier.scores, via=f"{link.kind} of {passage.chunk_id}")
        return replace(earlier, score=passage.score * SHARES[link.kind], scores=scores)

    def _filter_reached(self, reached: Sequence[Passage]) -> list[Passage]:
        new_passages = []
        for passage in reached:
            if passage.chunk_id not in self.found:
                if not self.room:
                    continue
                self.room -= 1
            self.found[passage.chunk_id] = passage
            new_passages.append(passage)
        return new_passages


def traverse(
    passages: Sequence[Passage], load: LinkLoader, *, depth: int = 1, limit: int = MAX_REACHED
) -> list[Passage]:
    """Add the passages that ranked ones lead to.

    A child gets 75 % of the score of the passage that leads to it and a reference 50 %, multiplied along the path. A
    passage that was found directly keeps its own score if that is better. A score of 0 or less leads nowhere: a share
    of a negative score would be higher.

    Args:
        passages: ranked passages.
        load: returns where passages lead; it is called at most once per level.
        depth: how many links to follow in a row: 0 to `MAX_DEPTH`; higher values count as that.
        limit: the most passages to add, the best ones.

    Returns:
        Passages, best first, numbered again; `scores.via` says which passage led to one, and how.
    """
    walk = _Walk(load=load, room=limit, found={passage.chunk_id: passage for passage in passages})
    frontier = [passage for passage in passages if passage.score > 0]
    for _ in range(min(depth, MAX_DEPTH)):
        if not frontier:
            break
        frontier = walk.step(frontier)
    return rank_passages(walk.found.values())


def _worst_last(passage: Passage) -> float:
    return -passage.score
