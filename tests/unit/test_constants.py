"""Constants that decide an order or an identity, against values worked out by hand from the formulas of the literature.

Belongs here: BM25, reciprocal rank fusion, the quality score, content hashes. Guarantee: no expected value is computed
from a constant of the module under test.
"""

import math
import re
from typing import Any

import bm25s
import pytest

from headwater.chunking.quality import quality
from headwater.domain.documents import ChunkKind
from headwater.domain.search import Passage
from headwater.identity import content_hash
from headwater.lexical.bm25 import count_terms, entry_weights, idf, mild_idf
from headwater.retrieval.fusion import RANK_OFFSET, fuse
from headwater.retrieval.heading_leg import add_heading_leg
from headwater.settings import REPOSITORY
from tests.passages import passage

# Robertson and Zaragoza 2009, with k1 = 1.2 and b = .75: tf (k1 + 1) / (tf + k1 (1 - b + b dl / avdl)).
_BY_HAND = [
    (1, 10, 10.0, 1.0),  # 2.2 / (1 + 1.2)
    (3, 20, 10.0, 6.6 / 5.1),  # k1 (.25 + .75 · 2) = 2.1
    (2, 5, 10.0, 1.6),  # k1 (.25 + .75 / 2) = .75; 4.4 / 2.75
]


@pytest.mark.parametrize(("count", "length", "average", "expected"), _BY_HAND)
def test_an_entrys_weight_is_bm25s(count: int, length: int, average: float, expected: float) -> None:
    """Saturation and length as Robertson and Zaragoza have them, with k1 = 1.2 and b = .75 (RET-1)."""
    counted = count_terms(["pump"] * count + ["x"] * (length - count), [], {"pump": [7], "x": [8]})
    assert counted.length == length
    assert entry_weights(counted, average)[7] == pytest.approx(expected, rel=1e-12)


def test_idf_is_lucenes() -> None:
    """ln(1 + (N - n + .5) / (n + .5)), which is never negative."""
    assert idf(10, 3) == pytest.approx(1.1451323, abs=1e-7)  # ln(22 / 7)
    assert idf(1, 1) == pytest.approx(math.log(4 / 3), rel=1e-12)


def test_among_few_texts_half_of_the_idf_counts() -> None:
    """1 + ln(1 + (N - n + .5) / (n + .5)) / 2: the rarest of three texts' words counts 1.4 times what all hold."""
    weights = mild_idf(["rare", "common"], [{"rare", "common"}, {"common"}, {"common", "other"}])
    assert weights == pytest.approx({"rare": 1 + math.log(8 / 3) / 2, "common": 1 + math.log(8 / 7) / 2}, rel=1e-12)


def test_scores_are_those_of_another_implementation() -> None:
    """bm25s, told the same k1 and b, gives the same scores; it leaves out the factor k1 + 1, as Lucene does."""
    texts = [["pump", "pump", "oil"], ["oil", "wheel"], ["pump", "wheel", "wheel", "wheel", "shed"], ["shed"]]
    words = sorted({word for text in texts for word in text})
    terms = {word: [number] for number, word in enumerate(words, start=1)}
    reference = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    reference.index(texts, show_progress=False)
    average = sum(map(len, texts)) / len(texts)
    for word in words:
        held = sum(word in text for text in texts)
        scores = [
            idf(len(texts), held) * entry_weights(count_terms(text, [], terms), average).get(terms[word][0], 0.0)
            for text in texts
        ]
        assert scores == pytest.approx([2.2 * float(score) for score in reference.get_scores([word])], rel=1e-5)


def test_a_word_of_a_heading_counts_twice() -> None:
    """Title and headings are put together with the text before saturation, with a weight of 2."""
    counted = count_terms(["pump", "oil"], ["pump"], {"pump": [7], "oil": [8]})
    assert dict(counted.counts) == {7: 3, 8: 1}
    assert counted.length == 4


def _at(uri: str, **values: Any) -> Passage:
    return passage(uri=uri, **values)


def test_concepts_are_fused_with_k_60() -> None:
    """By reciprocal ranks (Cormack, Clarke, Buettcher 2009), 1 / (60 + rank); the best one of a passage counts."""
    a, b, c = (_at(name) for name in "abc")
    found = {one.uri: one.score for one in fuse([[a, b, c], [c, a]])}
    assert found == pytest.approx({"a": 1 / 61, "b": 1 / 62, "c": 1 / 61}, rel=1e-12)


@pytest.mark.parametrize("file", ["passage_search.sql", "past_search.sql"])
def test_the_statements_fuse_with_the_same_k(file: str) -> None:
    """Words and vectors are fused in SQL; its k has its home in `headwater.retrieval.fusion`."""
    sql = (REPOSITORY / "headwater" / "store" / "search" / file).read_text(encoding="utf-8")
    assert re.findall(r"1 / \((\d+) \+ \w\.place\)", sql) == [str(RANK_OFFSET)] * 2


def test_a_heading_counts_by_its_rank_with_k_60() -> None:
    """The header index is one more leg of the same fusion, at its own weight."""
    known = _at("a", score=1 / 61, scores={"fused": 1 / 61})
    leg = [_at("a", scores={"heading": 0.9, "heading_rank": 1}), _at("b", scores={"heading": 0.8, "heading_rank": 2})]
    found = {one.uri: one.score for one in add_heading_leg([known], leg, weight=0.5, limit=5)}
    assert found == pytest.approx({"a": 1 / 61 + 0.5 / 61, "b": 0.5 / 62}, rel=1e-12)


def test_quality_has_its_weights() -> None:
    """.3 diversity, .4 density and .3 completeness, of texts in which the three are far apart (CHK-3)."""
    # One word four times: diversity 4^-.9 = .28717, density 1/3 of the pairs times 4/5 of a line, nothing complete.
    assert quality("pump pump pump pump", ChunkKind.PROSE) == pytest.approx(0.3 * 0.287175 + 0.4 * 4 / 15, abs=1e-4)
    # One word: all different; a fifth of a line; it begins, it ends, and is one sentence of two: .75.
    assert quality("Pump.", ChunkKind.PROSE) == pytest.approx(0.3 + 0.4 / 5 + 0.3 * 0.75, abs=1e-4)


def test_hashes_of_content_stay_what_they_are() -> None:
    """Ids of stored rows are made of them: another digest would be a migration; borders of parts count."""
    assert content_hash("chunk", 1).hex() == "436a63f47c8cd72ecf47a68ec8adb65a"
    assert content_hash(1, 23) != content_hash(12, 3)
    assert content_hash("ab", "c") != content_hash("a", "bc")
