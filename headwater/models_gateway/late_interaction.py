"""Comparing texts with a question, token by token.

Belongs here: comparing a question with texts by a local model's vectors, of whole texts and of their tokens. Not here:
the models (`minilm`, `e5`), what the closeness decides (`headwater.quote`). Guarantee: pure but for the model; the
closeness of a text depends on the other texts in the call only by how rare its tokens are among them.

One vector of a text says what it is about. Which of two neighbouring texts names what was asked for, tokens say better:
each token of the question looks for its nearest token of the text, and rare ones count more.

Sources: late interaction (https://arxiv.org/abs/2004.12832), without a model that was trained for it; tokens weighted
by their rarity (https://arxiv.org/abs/1904.09675).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from headwater.models_gateway.embedder import Embedder, Vectors

_LEAST_RARITY = 0.1  # what a token weighs that all texts have


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenEmbeddings:
    """The vector of a text, at unit length; its tokens, and their vectors (tokens × dimensions), of any length."""

    vector: Vectors
    ids: Sequence[int]
    tokens: Vectors


@dataclass(frozen=True, kw_only=True, slots=True)
class Closeness:
    """The cosine of a text to a question, and the mean of those of the question's tokens to their nearest ones."""

    similarity: float
    tokens: float


@runtime_checkable
class TokenEmbedder(Protocol):
    """A local model that also says what each token of a text means there."""

    def embed_tokens(self, question: str, texts: Sequence[str]) -> list[TokenEmbeddings]:
        """Embed a question, then texts, and each of their tokens."""
        ...


def compare_texts(
    embedder: Embedder, question: str, texts: Sequence[str], *, is_by_tokens: bool = True
) -> list[Closeness]:
    """Compare texts with a question.

    Args:
        embedder: a local model that knows their language; one that embeds no tokens compares whole texts only.
        question: as it was asked.
        texts: one or more.
        is_by_tokens: whether tokens are compared, too.

    Raises:
        ModelUnavailableError: the model cannot be loaded.
    """
    if not is_by_tokens or not isinstance(embedder, TokenEmbedder):
        asked_vector, *vectors = embedder.embed([question, *texts])
        return [Closeness(similarity=float(asked_vector @ vector), tokens=0.0) for vector in vectors]
    asked, *embedded = embedder.embed_tokens(question, texts)
    weights = _weigh_tokens(asked.ids, [text.ids for text in embedded])
    return [
        Closeness(
            similarity=float(asked.vector @ text.vector),
            tokens=float(weights @ _find_nearest(asked.tokens, text.tokens)),
        )
        for text in embedded
    ]


def _weigh_tokens(asked: Sequence[int], texts: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The weight of each token of a question, by how few of the texts have it; together 1."""
    counts = Counter(token for text in texts for token in set(text))
    rarity = np.array([np.log((len(texts) + 1) / (counts[token] + 0.5)) for token in asked])
    weights: NDArray[np.float64] = np.maximum(rarity, _LEAST_RARITY)
    return weights / (weights.sum() or 1.0)


def _find_nearest(asked: Vectors, text: Vectors) -> Vectors:
    """The cosine of each token of a question to the nearest one of a text; 0 if the text has none."""
    if not len(asked) or not len(text):
        return np.zeros(len(asked), np.float32)
    nearest: Vectors = (_to_units(asked) @ _to_units(text).T).max(axis=1)
    return nearest


def _to_units(vectors: Vectors) -> Vectors:
    units: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units
