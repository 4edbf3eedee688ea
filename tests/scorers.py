"""An answer scorer that needs no model.

Belongs here: one fake. Not here: the real one (`headwater.models_gateway.answer_scorer`). Guarantee: the same texts get
the same scores.
"""

from collections.abc import Sequence

import numpy as np

from headwater.models_gateway.answer_scorer import Scores
from headwater.understanding.words import content_words


class WordScorer:
    """Scores a text by the share of the question's words that it has: 4 for all, -4 for none."""

    model = "toy/words"

    def score(self, question: str, texts: Sequence[str]) -> Scores:
        """Score texts."""
        asked = content_words(question)
        return np.array([8 * len(asked & content_words(text)) / (len(asked) or 1) - 4 for text in texts], np.float32)
