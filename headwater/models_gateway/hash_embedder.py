"""An embedder without a model: it hashes words into 384 dimensions.

Belongs here: feature hashing. Not here: anything learned (`minilm`). Guarantee: a vector depends only on its text, and
is the same on every machine; only numpy is imported.

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
"""The weight of a pair of words: an equal pair means equal word order, but a question seldom repeats one."""

FUNCTION_WORD_WEIGHT = 0.1
"""The weight of function words: not 0, so that a text of nothing else still has a direction of its own."""

FUNCTION_WORDS = frozenset(
    WORD.findall("""
    a about after all also an and any are as at be because been before but by can could did do does each for from had
    has have how i if in into is it its may me more most must my no not of on only or other our out over s should so
    some such t than that the their them then there these they this those to under up use used using was we were what
    when where which while who why will with would you your
    """)
)
"""Without this list, two English texts would be similar because both say "the"."""


_TOGETHER = 64  # texts whose features are added up at once
_NO_WORD = "".join(chr(code) if WORD.match(chr(code)) else " " for code in range(128))  # ASCII takes half the time
_blake2b = hashlib.blake2b


class HashEmbedder:
    """Embeds words and pairs of neighbouring words by their hashes: fast, deterministic, always installed."""

    model: str = "builtin/hash"
    dimensions: int = 384
    relevance_floor: float = 0.15
    """Three standard deviations (1 / √384 each) of the similarity that hash collisions alone give.

    On a documentation site of 738 chunks, 0.1–5 % reach it for a question on another subject, and 4–36 % for one on the
    site's subject, where the best chunks have 0.3–0.5.
    """

    def knows(self, language: str) -> bool:
        """English only: it knows only English function words, and has no stems for inflected languages."""
        return language in ("", "en")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; a text without a word gets a fixed unit vector."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TOGETHER):
            vectors[start : start + _TOGETHER] = self._embed_some(texts[start : start + _TOGETHER])
        return vectors

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed texts, all in one part."""
        yield Embedded(vectors=self.embed(texts), token_counts=self.count_tokens(texts), cost_usd=0.0)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count words: the model sees all of them."""
        return [len(_words(text)) for text in texts]

    def _embed_some(self, texts: Sequence[str]) -> Vectors:
        digests: list[bytes] = []
        weights: list[float] = []
        counts = []
        for text in texts:
            of_text = _features(text, digests)
            weights += of_text
            counts.append(len(of_text))
        numbers = np.frombuffer(b"".join(digests), "<u8")
        signs = np.where(numbers & 1, 1.0, -1.0)  # collisions cancel out on average instead of adding up
        places = ((numbers >> 1) % self.dimensions).astype(np.int64)
        places += np.repeat(np.arange(len(texts)) * self.dimensions, counts)
        sums = np.bincount(places, signs * weights, len(texts) * self.dimensions).reshape(len(texts), self.dimensions)
        sums[~sums.any(axis=1), 0] = 1  # no words, or all of them cancelled out
        lengths = np.array([math.sqrt(row.dot(row)) for row in sums])
        vectors: Vectors = (sums / lengths[:, np.newaxis]).astype(np.float32)
        return vectors


def _words(text: str) -> list[str]:
    return text.translate(_NO_WORD).split() if text.isascii() else WORD.findall(text)


def _features(text: str, digests: list[bytes]) -> list[float]:
    """Add the digests of a text's words and pairs, eight bytes each; returns the weight of each.

    A tenth occurrence counts less than the first.
    """
    words = _words(text.lower())
    counts = Counter(words)
    digests += map(_word_digest, counts)
    weights = [
        (1 if count == 1 else 1 + math.log(count)) * (FUNCTION_WORD_WEIGHT if word in FUNCTION_WORDS else 1.0)
        for word, count in counts.items()
    ]
    has_content = [word not in FUNCTION_WORDS for word in words]
    pairs = Counter(
        [
            f"{first} {second}"
            for first, second, is_pair in zip(words, words[1:], map(and_, has_content, has_content[1:]), strict=False)
            if is_pair
        ]
    )
    # Each pair hardly ever occurs again, so none is cached; no word contains a newline.
    encoded = "\n".join(pairs).encode("utf-8", "surrogatepass").split(b"\n") if pairs else []
    digests += [_blake2b(pair, digest_size=8).digest() for pair in encoded]
    return weights + [PAIR_WEIGHT if count == 1 else (1 + math.log(count)) * PAIR_WEIGHT for count in pairs.values()]


@lru_cache(maxsize=1 << 16)
def _word_digest(word: str) -> bytes:
    return _blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
