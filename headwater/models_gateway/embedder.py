"""The embedder's role.

Belongs here: the protocol, and the result of embedding. Not here: the models (`hash_embedder`, `minilm`, `minilm_128d`,
`remote_embedder`), and how a name becomes one (`embedder_registry`). Guarantee: a built-in model gives the same vector
for the same name and text, on every machine of one processor family.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedded:
    """Vectors of some texts beside each other, in order, with their tokens and cost."""

    start: int = 0
    """The place of the first of them among all texts that were passed."""
    vectors: Vectors
    token_counts: Sequence[int]
    """Tokens that the model saw in each text."""
    cost_usd: float | None
    """0 for a built-in model, None if the price is unknown."""


class Embedder(Protocol):
    """Turns texts into unit vectors, in order."""

    model: str
    """The model's full name, including its variant: an index holds only vectors of one name."""
    relevance_floor: float
    """The cosine similarity below which a passage has nothing to do with the question."""

    @property
    def dimensions(self) -> int:
        """The length of a vector; 0 until it is known, which is after the first vector."""
        ...

    def knows(self, language: str) -> bool:
        """Whether vectors are useful for a language, given by its ISO 639 code; true if it is unknown (empty)."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts for someone who waits, such as a question.

        Args:
            texts: any number, of any length; text beyond the model's window is ignored.

        Returns:
            Unit vectors, shape (len(texts), dimensions).

        Raises:
            ModelUnavailableError: the model is not installed, its file is damaged, or its server does not answer.
        """
        ...

    def embed_counted(self, texts: Sequence[str]) -> Iterator[Embedded]:
        """Embed texts for a sync; waits patiently for a remote model.

        Yields:
            One part after another, in any order: a yielded part is paid for and can be stored, even if a later part
            fails.

        Raises:
            ModelUnavailableError: as for `embed`.
        """
        ...
