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
from operator import and_

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
        digests, weights = _features(text)
        numbers = np.frombuffer(digests, "<u8")
        signs = np.where(numbers & 1, 1.0, -1.0)  # collisions cancel out on average instead of adding up
        places = ((numbers >> 1) % self.dimensions).astype(np.int64)
        vector = np.bincount(places, signs * weights, self.dimensions)
        if not vector.any():  # no words, or every one met another of the opposite sign
            vector[0] = 1
        length = np.linalg.norm(vector)
        return (vector / length).astype(np.float32)


def _features(text: str) -> tuple[bytes, list[float]]:
    """Digests of words and pairs, eight bytes each, and their weights: a tenth appearance says less than the first."""
    words = WORD.findall(text.lower())
    counts = Counter(words)
    digests = list(map(_word_digest, counts))
    weights = [
        (1 + math.log(count)) * (FUNCTION_WORD_WEIGHT if word in FUNCTION_WORDS else 1)
        for word, count in counts.items()
    ]
    said = [word not in FUNCTION_WORDS for word in words]
    pairs = Counter(
        [
            f"{first} {second}"
            for first, second, is_pair in zip(words, words[1:], map(and_, said, said[1:]), strict=False)
            if is_pair
        ]
    )
    digests += map(_digest, pairs)  # each is hardly ever met again, so none is remembered
    weights += [(1 + math.log(count)) * PAIR_WEIGHT for count in pairs.values()]
    return b"".join(digests), weights


def _digest(feature: str) -> bytes:
    return hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()


_word_digest = lru_cache(maxsize=1 << 16)(_digest)
