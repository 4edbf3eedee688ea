"""Reranking models on a server: any that litellm supports (RET-6).

Belongs here: requests of a size that servers accept, and checking responses. Not here: errors and retries
(`litellm_client`), passages (`headwater.retrieval.reranking.reranker_registry`). Guarantee: each text gets one score
between 0 and 1, or there is an error.
"""

import math
from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any

from headwater.domain.plurals import pluralize
from headwater.errors import ModelUnavailableError
from headwater.models_gateway import litellm_client
from headwater.models_gateway.model_failures import RetryPolicy
from headwater.prompts.invisible import without_invisible

PATIENCE = RetryPolicy(attempts=2, timeout=5, longest_wait=1)
"""Someone waits, and there is a local order to fall back on."""

_TEXTS = 100  # per request: what Cohere bills as one search
_TEXTS_OF_HUGGING_FACE = 32  # its server takes no more by default
_EMPTY = "-"  # some servers refuse an empty text


class RemoteReranker:
    """Scores texts by requests to a server; litellm's own environment variables hold its address and key."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._size = _TEXTS_OF_HUGGING_FACE if model.startswith("huggingface/") else _TEXTS

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """Score texts by how well they answer a question.

        Returns:
            Numbers between 0 and 1, in the order of the texts.

        Raises:
            ModelUnavailableError: the server does not answer, refuses, or returns something other than scores.
        """
        sent = [readable(text) for text in texts]
        scores: list[float] = []
        for start in range(0, len(sent), self._size):
            batch = sent[start : start + self._size]
            response = litellm_client.call(self.model, PATIENCE, partial(self._request, readable(question), batch))
            scores += self._check_response(response, len(batch))
        # Some models return logits, which have no bounds: the sigmoid keeps their order.
        is_bounded = all(0 <= score <= 1 for score in scores)
        return scores if is_bounded else [sigmoid(score) for score in scores]

    def _request(self, question: str, texts: list[str], litellm: ModuleType, timeout: float) -> Any:
        return litellm.rerank(
            model=self.model,
            query=question,
            documents=texts,
            top_n=len(texts),
            return_documents=False,
            timeout=timeout,
        )

    def _check_response(self, response: Any, count: int) -> list[float]:
        """The scores of a response, in the order of the texts."""
        try:
            scores_by_place = {int(item["index"]): float(item["relevance_score"]) for item in response.results}
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
            raise self._wrong("something other than scores. Is it a reranking model?") from None
        if sorted(scores_by_place) != list(range(count)) or len(response.results) != count:
            raise self._wrong(f"{pluralize(len(response.results), 'score')} for {pluralize(count, 'text')}")
        if not all(math.isfinite(score) for score in scores_by_place.values()):
            raise self._wrong("a score that is not a number")
        return [scores_by_place[place] for place in range(count)]

    def _wrong(self, what: str) -> ModelUnavailableError:
        return ModelUnavailableError(f"The model {self.model} cannot be used: the server answered with {what}.")


def readable(text: str) -> str:
    """The text in a form that a server accepts: half of a surrogate pair is legal in a str but not in UTF-8."""
    return without_invisible(text).encode("utf-8", "replace").decode().strip() or _EMPTY


def sigmoid(score: float) -> float:
    """The logistic function, without an overflow at either end."""
    small = math.exp(-abs(score))
    return (1 if score >= 0 else small) / (1 + small)
