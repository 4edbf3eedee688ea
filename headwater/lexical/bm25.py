"""BM25: the weight of a term in an entry and in a question.

Belongs here: term ids, counts with the boosts of title and headings, the saturated weights, idf. Not here: stems
(`headwater.store.search.lexemes`), statistics of an index (`headwater.store.search.term_weights`). Guarantee: pure; an
entry's score for a question is the inner product of both weights, so the idf is always current, and an entry's
weights depend only on the average length they were computed for.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf of Lucene, which
is never negative, and fields put together before saturation (BM25F).
"""

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

K1 = 1.2
B = 0.75
HEADING_BOOST = 2
"""How many words of the text one word of the title or of a heading counts for."""
TERM_SPACE = 2**29
"""Terms are numbered from 1 to this: pgvector's sparse vectors have at most a billion dimensions."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term occurs in an entry, boosts included, and how long it is in words."""

    counts: Mapping[int, int]
    length: int


@lru_cache(maxsize=1 << 17)
def term_id(lexeme: str) -> int:
    """The number of a term, from 1 to `TERM_SPACE`: it needs no dictionary, and is equal on every machine and version.

    The SQL function `term_id` computes the same. About ten of 100,000 terms share their number with another.
    """
    digest = hashlib.md5(lexeme.encode(), usedforsecurity=False).digest()
    return (int.from_bytes(digest[:4], "big") & (TERM_SPACE - 1)) + 1


def count_terms(
    text: Iterable[str], headings: Iterable[str], terms: Mapping[str, Iterable[int]], defined: Iterable[str] = ()
) -> TermCounts:
    """Count an entry's terms.

    Args:
        text: the runs of characters in its text, with repetitions.
        headings: the same for its title and headings; each occurrence counts `HEADING_BOOST` times.
        terms: the terms in each run.
        defined: the words of its definitions, which do not make it longer.
    """
    counts = Counter(chain.from_iterable(map(terms.__getitem__, text)))
    for term in chain.from_iterable(map(terms.__getitem__, headings)):
        counts[term] += HEADING_BOOST
    length = counts.total()
    counts.update(map(term_id, defined))
    return TermCounts(counts=counts, length=length)


def entry_weights(terms: TermCounts, average_length: float) -> dict[int, float]:
    """How much each term adds to an entry's score, before idf; between 0 and `K1` + 1.

    Args:
        terms: the entry's terms.
        average_length: the average length of the index's entries, in words.
    """
    norm = K1 * (1 - B + B * terms.length / max(average_length, 1.0))
    return {term: count * (K1 + 1) / (count + norm) for term, count in terms.counts.items()}


def counts_of_weights(weights: Mapping[int, float], length: int, average_length: float) -> TermCounts:
    """The inverse of `entry_weights`: the counts, which are whole numbers."""
    norm = K1 * (1 - B + B * length / max(average_length, 1.0))
    counts = {term: max(1, round(weight * norm / (K1 + 1 - weight))) for term, weight in weights.items()}
    return TermCounts(counts=counts, length=length)


def idf(entry_count: int, holding: int) -> float:
    """The weight of a term in a question, given how many entries of an index contain it; never negative.

    This is the only idf in Python. The statement `search_entries` computes the same in SQL (`passage_search.sql`).
    """
    return math.log(1 + (entry_count - holding + 0.5) / (holding + 0.5))


def mild_idf(words: Iterable[str], texts: Sequence[Collection[str]]) -> dict[str, float]:
    """The weight of words among the few texts of one search: 1, plus half of the idf.

    This differs from `idf` on purpose: a handful of passages says little about how rare a word is, so a rare word
    counts more than a common one, but never many times as much.

    Args:
        words: the words to weigh.
        texts: the words of each text.
    """
    holding = Counter(word for text in texts for word in text)
    return {word: 1 + idf(len(texts), holding[word]) / 2 for word in words}
