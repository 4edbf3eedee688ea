"""The embedder's role.

Belongs here: the protocol, and what embedding gives. Not here: the models (`hashing`, `minilm`, `truncated`, `remote`),
and how a name becomes one (`registry`). Guarantee: of a built-in model, the same name and text give the same vector,
on every machine of one processor family.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedded:
    """Vectors of some texts, in order, and what they took."""

    vectors: Vectors
    token_counts: Sequence[int]
    """Tokens that the model saw of each text."""
    cost_usd: float | None
    """0 for a built-in model, None when the price is not known."""


class Embedder(Protocol):
    """Turns texts into unit vectors, in order."""

    model: str
    """The model's whole name, variant included: vectors of two names never meet in one index."""
    relevance_floor: float
    """Cosine similarity under which a passage of this model has nothing to do with the question."""

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 while that is not known, which it is from the first vector on."""
        ...

    def knows(self, language: str) -> bool:
        """Whether vectors of a language, by its ISO 639 code, say something; true of one that nobody knows (empty)."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts for someone who waits, such as a question.

        Args:
            texts: any number of them, of any length; what is beyond the model's window is not seen.

        Returns:
            Unit vectors, shape (len(texts), dimensions).

        Raises:
            ModelUnavailableError: the model is not installed, its file is damaged, or its server does not answer.
        """
        ...

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed texts for a sync; with patience, where the model is another's.

        Yields:
            One part after another, all texts in order: what was yielded is paid for and can be kept, whatever becomes
            of the rest.

        Raises:
            ModelUnavailableError: as for `embed`.
        """
        ...
