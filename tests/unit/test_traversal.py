"""Following passages to their children and references (RET-5)."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import NAMESPACE_URL, UUID, uuid5

from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.search import Passage, Scores
from headwater.retrieval.traversal import traverse
from headwater.store.content.passage_links import PassageLink

NAMES = "abcdefgh"
Edges = dict[str, list[tuple[str, str]]]


def _id(name: str) -> UUID:
    return uuid5(NAMESPACE_URL, name)


def _passage(name: str, score: float = 0.0) -> Passage:
    return Passage(
        rank=1,
        score=score,
        scores=Scores(vector=0.5),
        chunk_id=_id(name),
        document_id=_id("document"),
        document_version_id=_id("version"),
        source="docs",
        uri="a.md",
        title="A",
        category="",
        breadcrumb=("A",),
        start=0,
        end=1,
        line=1,
        position=0,
        kind="markdown",
        text=name,
    )


class _Loader:
    """Follows given edges, from a name to (kind, name) pairs, and records its calls."""

    def __init__(self, edges: Edges) -> None:
        self.edges = edges
        self.calls: list[str] = []

    def __call__(self, passages: Sequence[Passage], /) -> list[PassageLink]:
        self.calls.append("".join(passage.text for passage in passages))
        return [
            PassageLink(origin=passage.chunk_id, kind="child" if kind == "child" else "reference", passage=_passage(to))
            for passage in passages
            for kind, to in self.edges.get(passage.text, ())
        ]


def _scored(passages: Sequence[Passage]) -> list[tuple[str, float]]:
    return [(passage.text, round(passage.score, 6)) for passage in passages]


def test_a_child_is_worth_three_quarters_and_a_reference_half() -> None:
    """Each says where it came from; what was found anyway comes first among equals (RET-5)."""
    load = _Loader({"a": [("child", "b"), ("reference", "c")]})
    found = traverse([_passage("a", 1.0), _passage("d", 0.75)], load)
    assert _scored(found) == [("a", 1.0), ("d", 0.75), ("b", 0.75), ("c", 0.5)]
    assert [passage.rank for passage in found] == [1, 2, 3, 4]
    assert [passage.scores.via for passage in found] == [None, None, f"child of {_id('a')}", f"reference of {_id('a')}"]
    assert load.calls == ["ad"]


def test_shares_are_multiplied_along_the_way() -> None:
    """As deep as is asked for, and no deeper than three links."""
    chain: Edges = {"a": [("child", "b")], "b": [("reference", "c")], "c": [("child", "d")], "d": [("child", "e")]}
    scores = [("a", 1.0), ("b", 0.75), ("c", 0.375), ("d", 0.28125)]
    for depth, length in ((0, 1), (1, 2), (2, 3), (3, 4), (9, 4)):
        load = _Loader(chain)
        assert _scored(traverse([_passage("a", 1.0)], load, depth=depth)) == scores[:length]
        assert len(load.calls) == length - 1


def test_circles_end() -> None:
    """A passage that leads back to where it came from, or to itself, changes nothing there."""
    load = _Loader({"a": [("reference", "b"), ("reference", "a")], "b": [("reference", "a")]})
    found = traverse([_passage("a", 1.0)], load, depth=3)
    assert _scored(found) == [("a", 1.0), ("b", 0.5)]
    assert found[0].scores.via is None
    assert load.calls == ["a", "b"]


def test_each_passage_keeps_its_best_score() -> None:
    """Its own where that is better, else that of the best way to it, with the scores it had."""
    load = _Loader({"a": [("child", "b"), ("child", "c")], "d": [("child", "c")]})
    found = traverse([_passage("a", 1.0), _passage("b", 0.9), _passage("d", 0.6), _passage("c", 0.2)], load)
    assert _scored(found) == [("a", 1.0), ("b", 0.9), ("c", 0.75), ("d", 0.6)]
    assert [passage.scores.via for passage in found] == [None, None, f"child of {_id('a')}", None]
    assert found[2].scores.vector == 0.5


def test_a_better_way_found_later_is_followed_again() -> None:
    """Two links from a strong passage outweigh one from a weak one, also for what lies beyond."""
    load = _Loader({"weak": [("child", "x")], "a": [("child", "b")], "b": [("child", "x")], "x": [("child", "y")]})
    found = traverse([_passage("a", 1.0), _passage("weak", 0.4)], load, depth=3)
    assert dict(_scored(found)) == {"a": 1.0, "weak": 0.4, "b": 0.75, "x": 0.5625, "y": 0.421875}
    assert load.calls == ["aweak", "bx", "y"]  # x is loaded once, though it is reached twice


def test_only_so_many_are_added() -> None:
    """The best of them; what was found before does not count."""
    load = _Loader({"a": [("reference", "b"), ("child", "c"), ("child", "d")]})
    found = traverse([_passage("a", 1.0), _passage("e", 0.1)], load, limit=2)
    assert [passage.text for passage in found] == ["a", "c", "d", "e"]
    many: Edges = {"a": [("child", str(number)) for number in range(500)]}
    assert len(traverse([_passage("a", 1.0)], _Loader(many))) == 101


def test_a_score_that_is_not_above_zero_leads_nowhere() -> None:
    """A share of a negative score would be more than the score."""
    load = _Loader({"a": [("child", "b")], "c": [("child", "d")]})
    assert _scored(traverse([_passage("a", 0.0), _passage("c", -1.0)], load)) == [("a", 0.0), ("c", -1.0)]
    assert load.calls == []


_edges = st.dictionaries(
    st.sampled_from(NAMES),
    st.lists(st.tuples(st.sampled_from(["child", "reference"]), st.sampled_from(NAMES)), max_size=4),
)
_starts = st.dictionaries(st.sampled_from(NAMES), st.floats(0.01, 1.0), min_size=1, max_size=3)


def _best_ways(edges: Edges, starts: dict[str, float], depth: int) -> dict[str, float]:
    """Every way of at most so many links, tried one by one."""
    best: dict[str, float] = {}

    def walk(name: str, score: float, left: int) -> None:
        best[name] = max(best.get(name, 0.0), score)
        if left:
            for kind, to in edges.get(name, ()):
                walk(to, score * (0.75 if kind == "child" else 0.5), left - 1)

    for name, score in starts.items():
        walk(name, score, depth)
    return best


@given(_edges, _starts, st.integers(0, 3))
def test_scores_are_those_of_the_best_way(edges: Edges, starts: dict[str, float], depth: int) -> None:
    """Whatever leads where, each passage is kept once, with the score of the best of all ways to it."""
    ranked = sorted((_passage(name, score) for name, score in starts.items()), key=lambda passage: -passage.score)
    found = traverse(ranked, _Loader(edges), depth=depth)
    expected = _best_ways(edges, starts, depth)
    assert len(found) == len(expected)
    assert {passage.text: round(passage.score, 9) for passage in found} == {n: round(s, 9) for n, s in expected.items()}
    assert [passage.score for passage in found] == sorted((passage.score for passage in found), reverse=True)
    again = traverse([replace(passage) for passage in ranked], _Loader(edges), depth=depth)
    assert again == found
