"""The arrays of a term table count what plain loops would count."""

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.retrieval.reranking.term_table import TermTable

TERMS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


@given(st.lists(st.tuples(TERMS, TERMS), min_size=1, max_size=7), TERMS)
def test_figures_are_those_of_plain_loops(texts: list[tuple[list[str], list[str]]], asked: list[str]) -> None:
    """Rarity, coverage, pairs and company, of any texts and any question."""
    bodies, headings = [body for body, _ in texts], [heading for _, heading in texts]
    held = Counter(term for body, heading in texts for term in {*body, *heading})
    rarity = {term: math.log(1 + (len(texts) - df + 0.5) / (df + 0.5)) for term, df in held.items()}
    table = TermTable(bodies, headings)
    assert {term: table.rarity(term) for term in held} == pytest.approx(rarity)
    assert table.rarity("z") == 0
    assert table.coverage(asked, headings) == pytest.approx([_coverage(asked, one, rarity) for one in headings])
    assert table.pairs(asked) == pytest.approx([_pairs(asked, body, rarity) for body in bodies])
    worth = [1 / (1 + place) for place in range(len(texts))]
    assert table.company(worth) == pytest.approx(_company(worth, bodies, rarity))


def _coverage(asked: list[str], text: list[str], rarity: dict[str, float]) -> float:
    weights = {term: rarity.get(term, 0.0) for term in asked}
    return sum(weight for term, weight in weights.items() if term in text) / (sum(weights.values()) or 1)


def _pairs(asked: list[str], body: list[str], rarity: dict[str, float]) -> float:
    wanted = {pair: rarity.get(pair[0], 0.0) + rarity.get(pair[1], 0.0) for pair in pairwise(asked)}
    return sum(weight for pair, weight in wanted.items() if pair in set(pairwise(body))) / (sum(wanted.values()) or 1)


def _company(worth: list[float], bodies: list[list[str]], rarity: dict[str, float]) -> list[float]:
    vectors = []
    for body in bodies:
        weights = {term: (1 + math.log(count)) * rarity[term] for term, count in Counter(body).items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors.append({term: weight / length for term, weight in weights.items()})
    middle: dict[str, float] = {}
    for place in range(len(bodies))[:5]:
        for term, weight in vectors[place].items():
            middle[term] = middle.get(term, 0.0) + weight * worth[place]
    return [sum(weight * middle.get(term, 0.0) for term, weight in vector.items()) for vector in vectors]
