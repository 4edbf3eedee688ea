"""Loading a reranker by its name.

Belongs here: the known names, and reranking passages with a model on a server. Not here: the rerankers themselves.
Guarantee: nothing heavy is imported before a reranker is first loaded.
"""

from collections.abc import Sequence
from functools import cache

from headwater.domain.search import Passage
from headwater.errors import UnknownModelError
from headwater.models_gateway.providers import RERANK_PROVIDERS, is_provider_model
from headwater.models_gateway.reranker_remote import RemoteReranker
from headwater.retrieval.reranking.lexical import LexicalReranker, Reranker, heading_of
from headwater.settings import Settings

NONE = "none"
"""Passages keep the order of the fusion."""
RERANKERS = ("builtin/lexical", "builtin/maxsim")
"""The built-in rerankers; others are `provider/model`, as litellm names them."""


def check_reranker(model: str) -> str:
    """Return the name if it can be loaded; only the first use shows whether the provider has that model.

    Raises:
        UnknownModelError: the reranker does not exist; the message lists those that do.
    """
    if model not in (*RERANKERS, NONE) and not is_provider_model(model, RERANK_PROVIDERS):
        raise UnknownModelError(
            f"There is no reranking model {model!r}. Use one of: {', '.join(RERANKERS)}, {NONE}; or provider/model, "
            f"with one of litellm's providers: {', '.join(RERANK_PROVIDERS)}."
        )
    return model


@cache
def load_reranker(model: str, settings: Settings) -> Reranker | None:
    """Load a reranker once per process; None for `none`.

    Raises:
        UnknownModelError: the reranker does not exist.
        ModelUnavailableError: the reranker exists but is not installed.
    """
    if check_reranker(model) == NONE:
        return None
    if model == "builtin/lexical":
        return LexicalReranker()
    if model == "builtin/maxsim":
        from headwater.models_gateway.minilm_tokens import MiniLmTokens
        from headwater.retrieval.reranking.maxsim import MaxSimReranker

        return MaxSimReranker(MiniLmTokens(cache=settings.cache, threads=settings.embedding_threads))
    return ServerReranker(RemoteReranker(model))


class ServerReranker:
    """Scores passages with a model on a server, which gets each passage below its headings."""

    def __init__(self, model: RemoteReranker) -> None:
        """Take the model that is asked."""
        self.name = model.model
        self._model = model

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Score passages.

        Raises:
            ModelUnavailableError: the server does not answer, refuses, or returns something other than scores.
        """
        return self._model.score(question, [f"{heading_of(passage)}\n\n{passage.text}" for passage in passages])
