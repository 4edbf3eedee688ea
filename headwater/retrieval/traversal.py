"""Following what was found: to the chunks under it, and to those it links to (RET-5).

Belongs here: what a passage is worth that others lead to, and how far to go. Not here: which passages lead where
(`headwater.store.content.passage_links`). Guarantee: pure but for the loader; cycles end; each chunk is kept once,
with the best score that any way to it gives; equal input gives equal order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol
from uuid import UUID

from headwater.domain.search import Passage
from headwater.retrieval.fusion import ranked
from headwater.store.content.passage_links import PassageLink

MOST_DEPTH = 3
MOST_REACHED = 100
"""How many passages traversal adds at most."""
SHARES: Mapping[str, float] = {"child": 0.75, "reference": 0.5}
"""What a passage is worth that another leads to, as a share of that one's score."""


class LinkLoader(Protocol):
    """Knows where passages lead."""

    def __call__(self, passages: Sequence[Passage], /) -> Sequence[PassageLink]:
        """Load where each of some passages leads, all at once, passage by passage in a stable order."""
        ...


@dataclass(kw_only=True)
class _Walk:
    """What was found so far, by chunk, in the order in which it was found; and where each chunk leads."""

    load: LinkLoader
    room: int
    found: dict[UUID, Passage] = field(default_factory=dict)
    links: dict[UUID, list[PassageLink]] = field(default_factory=dict)

    def step(self, frontier: Sequence[Passage]) -> list[Passage]:
        """Follow passages one link further; returns those that were reached for the first time, or by a better way."""
        unknown = [passage for passage in frontier if passage.chunk_id not in self.links]
        self.links.update({passage.chunk_id: [] for passage in unknown})
        for link in self.load(unknown) if unknown else ():
            self.links[link.origin].append(link)
        better: dict[UUID, Passage] = {}
        for passage in frontier:
            for link in self.links[passage.chunk_id]:
                reached = self._reached(passage, link)
                best = better.get(reached.chunk_id) or self.found.get(reached.chunk_id)
                if best is None or reached.score > best.score:
                    better[reached.chunk_id] = reached
        return self._kept(sorted(better.values(), key=_worst_last))

    def _reached(self, passage: Passage, link: PassageLink) -> Passage:
        known = self.found.get(link.passage.chunk_id, link.passage)
        scores = replace(known.scores, via=f"{link.kind} of {passage.chunk_id}")
        return replace(known, score=passage.score * SHARES[link.kind], scores=scores)

    def _kept(self, reached: Sequence[Passage]) -> list[Passage]:
        kept = []
        for passage in reached:
            if passage.chunk_id not in self.found:
                if not self.room:
                    continue
                self.room -= 1
            self.found[passage.chunk_id] = passage
            kept.append(passage)
        return kept


def traverse(
    passages: Sequence[Passage], load: LinkLoader, *, depth: int = 1, limit: int = MOST_REACHED
) -> list[Passage]:
    """Add the passages that ranked ones lead to.

    A child is worth 75 % of what leads to it and a reference 50 %, multiplied along the way. A passage that was found
    anyway keeps its own score where that is better. A score that is not above 0 leads nowhere: a share of it would be
    more.

    Args:
        passages: ranked ones.
        load: says where passages lead; it is called at most once for each level.
        depth: how many links to follow in a row: 0 to `MOST_DEPTH`; more counts as that.
        limit: how many passages to add at most, the best ones.

    Returns:
        Passages, best first, numbered again; `scores.via` says which passage led to one, and how.
    """
    walk = _Walk(load=load, room=limit, found={passage.chunk_id: passage for passage in passages})
    frontier = [passage for passage in passages if passage.score > 0]
    for _ in range(min(depth, MOST_DEPTH)):
        if not frontier:
            break
        frontier = walk.step(frontier)
    return ranked(walk.found.values())


def _worst_last(passage: Passage) -> float:
    return -passage.score
