"""The positions of terms in some texts, as arrays.

Belongs here: what the lexical reranker counts in the passages of one search, all at once. Not here: the use of the
counts (`lexical_reranker`), splitting a text (`headwater.understanding.words`). Guarantee: pure; the same texts in the
same order give the same figures.

A term's rarity is its BM25 idf over these texts.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count, pairwise

import numpy as np
from numpy.typing import NDArray

from headwater.lexical.bm25 import idf

_BEST = 5  # texts that represent the answer


class TermTable:
    """The terms of some texts, numbered in order of appearance."""

    def __init__(self, bodies: Sequence[Sequence[str]], headings: Sequence[Sequence[str]]) -> None:
        """Take the terms of each text in order, and those of its headings."""
        self.bodies, self.headings = bodies, headings
        self._number: defaultdict[str, int] = defaultdict(count().__next__)
        self._rows, self._terms = self._places(bodies)
        heading_places = self._places(headings)
        self._width = max(1, len(self._number))
        self._held, self._counts = np.unique(self._codes(self._rows, self._terms), return_counts=True)
        anywhere, _ = np.unique(np.concatenate([self._held, self._codes(*heading_places)]), return_counts=True)
        df = np.bincount(anywhere % self._width, minlength=self._width)
        self._rarity = np.array([idf(len(bodies), holding) for holding in range(len(bodies) + 1)])[df]

    def _places(self, texts: Sequence[Sequence[str]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The text number and the term number of every term, in order."""
        numbers = np.fromiter(map(self._number.__getitem__, chain(*texts)), np.int64)
        return np.repeat(np.arange(len(texts)), [len(text) for text in texts]), numbers

    def _codes(self, rows: NDArray[np.int64], terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """One number for a text and a term, or for a pair of terms."""
        return rows * self._width + terms

    def rarity(self, term: str) -> float:
        """The weight of a term; 0 if no text contains it."""
        index = self._number.get(term)
        return 0.0 if index is None else float(self._rarity[index])

    def coverage(self, asked: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
        """The share of a question's terms that each text contains, by weight."""
        weights = {term: self.rarity(term) for term in asked}
        total = sum(weights.values()) or 1.0
        return [sum(weights[term] for term in weights.keys() & text) / total for text in map(set, texts)]

    def pairs(self, asked: Sequence[str]) -> list[float]:
        """The share of a question's neighbouring pairs that are neighbours in each text's body, by weight."""
        pair_weights = {pair: self.rarity(pair[0]) + self.rarity(pair[1]) for pair in pairwise(asked)}
        total = sum(pair_weights.values()) or 1.0
        is_pair = self._rows[:-1] == self._rows[1:]
        rows, codes = self._rows[:-1][is_pair], self._codes(self._terms[:-1], self._terms[1:])[is_pair]
        shares = np.zeros(len(self.bodies))
        for (first, second), weight in pair_weights.items():
            if first in self._number and second in self._number:
                code = self._number[first] * self._width + self._number[second]
                shares[rows[codes == code]] += weight / total  # once, however often it occurs
        return shares.tolist()

    def company(self, worth: Sequence[float]) -> list[float]:
        """How similar each body is to the best ones together: the cosine of their words.

        Args:
            worth: the value of each text; the best ones are chosen by it.
        """
        size = len(self.bodies)
        rows, terms = np.divmod(self._held, self._width)
        weights = (1 + np.log(self._counts)) * self._rarity[terms]
        lengths = np.sqrt(np.bincount(rows, weights * weights, size))
        weights /= np.where(lengths > 0, lengths, 1)[rows]
        share = np.zeros(size)
        for place in sorted(range(size), key=lambda place: -worth[place])[:_BEST]:
            share[place] = worth[place]
        middle = np.bincount(terms, weights * share[rows], self._width)
        likeness: list[float] = np.bincount(rows, weights * middle[terms], size).tolist()
        return likeness
