"""The embedder's role.

Belongs here: the protocol. Not here: the models (`hashing`, `minilm`, `truncated`), and how a name becomes one
(`registry`). Guarantee: the same name and text give the same vector, on every machine of one processor family.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors, in order."""

    model: str
    """The model's whole name, variant included: vectors of two names never meet in one index."""
    dimensions: int
    relevance_floor: float
    """Cosine similarity under which a passage of this model has nothing to do with the question."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts.

        Args:
            texts: any number of them, of any length; what is beyond the model's window is not seen.

        Returns:
            Unit vectors, shape (len(texts), dimensions).

        Raises:
            ModelUnavailableError: the model is not installed or its file is damaged.
        """
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens that the model sees of each text."""
        ...
