"""The local model with shorter vectors: the first 128 numbers of MiniLM's 384, at unit length again.

Belongs here: cutting vectors. Not here: the model they come from (`minilm`). Guarantee: as with that model, a vector
depends only on its text; both names share one model in memory and one file on disk.

They take a third of the space, for less precise answers: MiniLM was not trained to be cut, unlike Matryoshka models
(https://arxiv.org/abs/2205.13147). In hybrid search nDCG@10 falls from .9531 to .9455 on 1,185 questions of XQuAD.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from headwater.models_gateway.embedder import Embedded, Embedder, Vectors


class TruncatedMiniLmEmbedder:
    """Embeds with another embedder and keeps the first 128 numbers of each vector."""

    model: str = "builtin/minilm-int8-128d"
    dimensions: int = 128
    relevance_floor: float = 0.32
    """Chosen like the full vectors' .3: in one half of `bench/trust_questions.py`, 4 % of the questions are refused
    although a passage holds the answer. In the other half, 4.6 % are, and 1.6 % of the questions on another subject
    are answered (with full vectors: 6.5 % and 1.6 %).
    """

    def __init__(self, whole: Embedder) -> None:
        """Take the model whose vectors are cut."""
        self._whole = whole

    def knows(self, language: str) -> bool:
        """The same languages as the full model."""
        return self._whole.knows(language)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; text beyond 256 tokens is ignored.

        Raises:
            ModelUnavailableError: the model's files are missing or damaged.
        """
        return self._truncate(self._whole.embed(texts))

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed texts, in the parts that the full model makes.

        Raises:
            ModelUnavailableError: the model's files are missing or damaged.
        """
        for embedded in self._whole.embed_counted(texts):
            yield replace(embedded, vectors=self._truncate(embedded.vectors))

    def _truncate(self, vectors: Vectors) -> Vectors:
        first = vectors[:, : self.dimensions]
        shortened: Vectors = first / np.linalg.norm(first, axis=1, keepdims=True)
        return shortened
