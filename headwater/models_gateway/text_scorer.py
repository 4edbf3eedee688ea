"""The role of a model that scores how well texts answer a question.

Belongs here: the protocol. Not here: the models (`cross_encoder`, `fastembed_reranker`, `reranker_remote`), what scores
decide. Guarantee: none of a model is imported.
"""

from collections.abc import Sequence
from typing import Protocol


class TextScorer(Protocol):
    """A model that scores texts, on a server or on this machine."""

    @property
    def model(self) -> str:
        """The model's full name."""
        ...

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts between 0 and 1 by how well they answer a question; raises ModelUnavailableError."""
        ...
