"""The embedder's role, and how a model's name becomes one.

Belongs here: the protocol and the registry of built-in models. Not here: their arithmetic (`hashing`, `minilm`).
Guarantee: the same name and text give the same vector, on every machine of one processor family.
"""

from collections.abc import Sequence
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from headwater.errors import UnknownModelError
from headwater.settings import Settings

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


MODELS = ("builtin/minilm-int8", "builtin/hash")
"""Names that `load_embedder` knows."""


def check_model(model: str) -> str:
    """Return the name if it can be loaded.

    Raises:
        UnknownModelError: no such model; the message lists those that exist.
    """
    if model not in MODELS:
        raise UnknownModelError(f"There is no embedding model {model!r}. Use one of: {', '.join(MODELS)}.")
    return model


@cache
def load_embedder(model: str, settings: Settings) -> Embedder:
    """Load a model once per process.

    Raises:
        UnknownModelError: no such model.
        ModelUnavailableError: it is known but not installed.
    """
    if check_model(model) == "builtin/hash":
        from headwater.models_gateway.hashing import HashEmbedder

        return HashEmbedder()
    from headwater.models_gateway.minilm import MiniLmEmbedder

    return MiniLmEmbedder(cache=settings.cache, threads=settings.embedding_threads)
