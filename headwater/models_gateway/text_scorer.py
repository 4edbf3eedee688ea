"""The role of a model that scores how well texts answer a question.

Belongs here: the protocol, and how scores are added to other evidence. Not here: the models (`cross_encoder`,
`fastembed_reranker`, `remote_reranker`), what scores decide. Guarantee: none of a model is imported.
"""

import math
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


def log_odds(probability: float, *, least: float) -> float:
    """The log-odds of a score, which can be added to other evidence.

    Args:
        probability: from 0 to 1.
        least: what the score is held away from 0 and 1, so that one score alone never decides.
    """
    bounded = min(max(probability, least), 1 - least)
    return math.log(bounded / (1 - bounded))
