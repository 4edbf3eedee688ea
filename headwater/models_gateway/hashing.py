"""An embedder without a model: words, hashed into 384 places.

Belongs here: feature hashing. Not here: anything learned (`minilm`). Guarantee: a vector depends on its text alone, the
same on every machine; nothing but numpy is imported.

It finds passages that share words with the question, never those that say the same in other words. Source: Weinberger
et al., Feature Hashing for Large Scale Multitask Learning (https://arxiv.org/abs/0902.2206).
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from headwater.models_gateway.embedder import Embedded, Vectors

WORD = re.compile(r"\w+")

PAIR_WEIGHT = 0.4
"""A shared pair of neighbours says that word order agrees, but a question seldom repeats one."""

FUNCTION_WORD_WEIGHT = 0.1
"""Not 0, so that a text of nothing else still has a direction of its own."""

FUNCTION_WORDS = frozenset(
    WORD.findall("""
    a about after all also an and any are as at be because been before but by can could did do does each for from had
    has have how i if in into is it its may me more most must my no not of on only or other our out over s should so
    some such t than that the their them then there these they this those to under up use used using was we were what
    when where which while who why will with would you your
    """)
)
"""Without this, two English texts are alike because both say "the"."""


class HashEmbedder:
    """Embeds words and pairs of neighbouring words by their hashes: quick, deterministic, always installed."""

    model: str = "builtin/hash"
    dimensions: int = 384
    relevance_floor: float = 0.15
    """Three standard deviations (1 / √384 each) of the similarity that hash collisions alone give.

    Over a documentation site of 738 chunks, 0.1–5 % reach it for a question about something else, 4–36 % for one about
    the site, whose best chunks have 0.3–0.5.
    """

    def knows(self, language: str) -> bool:
        """English only, of which it knows the function words; inflected forms of others are other words to it."""
        return language in ("", "en")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; one without a word gets a fixed unit vector."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed_one(text)
        return vectors

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed texts, all in one part."""
        yield Embedded(vectors=self.embed(texts), token_counts=self.count_tokens(texts), cost_usd=0.0)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count words: the model sees all of them."""
        return [len(WORD.findall(text)) for text in texts]

    def _embed_one(self, text: str) -> Vectors:
        places, values = [], []
        for feature, weight in _features(text):
            place, sign = _hash_feature(feature, self.dimensions)
            places.append(place)
            values.append(sign * weight)
        vector = np.bincount(np.array(places, np.int64), values, self.dimensions)
        if not vector.any():  # no words, or every one met another of the opposite sign
            vector[0] = 1
        length = np.linalg.norm(vector)
        return (vector / length).astype(np.float32)


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Words and pairs with their weights; a feature's tenth appearance says less than its first."""
    words = WORD.findall(text.lower())
    for word, count in Counter(words).items():
        yield word, (1 + math.log(count)) * (FUNCTION_WORD_WEIGHT if word in FUNCTION_WORDS else 1)
    pairs = Counter(pair for pair in pairwise(words) if FUNCTION_WORDS.isdisjoint(pair))
    for (first, second), count in pairs.items():
        yield f"{first} {second}", (1 + math.log(count)) * PAIR_WEIGHT


@lru_cache(maxsize=1 << 16)
def _hash_feature(feature: str, dimensions: int) -> tuple[int, int]:
    """A place and a sign. The sign makes collisions cancel out on average instead of adding up."""
    digest = hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return (number >> 1) % dimensions, 1 if number & 1 else -1
