"""The local model with shorter vectors: the first 128 numbers of MiniLM's 384, at unit length again.

Belongs here: cutting vectors. Not here: the model they are cut from (`minilm`). Guarantee: as of that model, a vector
depends on its text alone; both names share one model in memory and one file on disk.

A third of the space, for less precise answers: MiniLM was not trained to be cut, as Matryoshka models are
(https://arxiv.org/abs/2205.13147). In hybrid search nDCG@10 falls from .9531 to .9455 on 1,185 questions of XQuAD.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from headwater.models_gateway.embedder import Embedded, Embedder, Vectors


class TruncatedMiniLmEmbedder:
    """Embeds with another embedder and keeps the first 128 numbers."""

    model: str = "builtin/minilm-int8-128d"
    dimensions: int = 128
    relevance_floor: float = 0.32
    """Chosen as the whole vectors' .3 is: of the tuning half of `bench/refusals.py`, 4 % of the questions are refused
    though a passage found holds the answer. Of the held-out half, 4.6 % are, and 1.6 % of the questions about something
    else are answered (the whole vectors: 6.5 % and 1.6 %).
    """

    def __init__(self, whole: Embedder) -> None:
        """Take the model whose vectors are cut."""
        self._whole = whole

    def knows(self, language: str) -> bool:
        """What the whole model knows."""
        return self._whole.knows(language)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; what is beyond 256 tokens is not seen.

        Raises:
            ModelUnavailableError: the model's files are missing or damaged.
        """
        return self._shortened(self._whole.embed(texts))

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed texts, in the parts that the whole model makes.

        Raises:
            ModelUnavailableError: the model's files are missing or damaged.
        """
        for part in self._whole.embed_counted(texts):
            yield replace(part, vectors=self._shortened(part.vectors))

    def _shortened(self, vectors: Vectors) -> Vectors:
        first = vectors[:, : self.dimensions]
        shortened: Vectors = first / np.linalg.norm(first, axis=1, keepdims=True)
        return shortened
