"""Loading a reranker by its name.

Belongs here: the known names, and reranking passages with a model that scores texts. Not here: the rerankers
themselves. Guarantee: nothing heavy is imported before a reranker is first loaded.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from headwater.domain.search import Passage
from headwater.errors import UnknownModelError
from headwater.models_gateway import fastembed_files
from headwater.models_gateway.cross_encoder import CrossEncoder
from headwater.models_gateway.cross_encoder_adapter import ANSWER_READER
from headwater.models_gateway.providers import RERANK_PROVIDERS, is_provider_model
from headwater.models_gateway.remote_reranker import RemoteReranker
from headwater.models_gateway.text_scorer import TextScorer
from headwater.retrieval.reranking.lexical_reranker import LexicalReranker, Reranker, heading_text
from headwater.settings import Settings

NONE = "none"
"""Passages keep the order of the fusion."""
LEXICAL, CROSS_ENCODER = "builtin/lexical", "builtin/cross-encoder"
RERANKERS = (LEXICAL, CROSS_ENCODER)
"""The built-in rerankers; others are `fastembed/model`, or `provider/model` as litellm names them."""


def check_reranker(model: str) -> str:
    """Return the name if it can be loaded; only the first use shows whether the provider has that model.

    Raises:
        UnknownModelError: the reranker does not exist; the message lists those that do.
    """
    if model.startswith(fastembed_files.PREFIX):
        return fastembed_files.check_fastembed(model, "reranking")
    if model not in (*RERANKERS, NONE) and not is_provider_model(model, RERANK_PROVIDERS):
        raise UnknownModelError(
            f"There is no reranking model {model!r}. Use one of: {', '.join(RERANKERS)}, {NONE}; fastembed/model; or "
            f"provider/model, with one of litellm's providers: {', '.join(RERANK_PROVIDERS)}."
        )
    return model


def load_reranker(model: str, settings: Settings) -> Reranker | None:
    """Load a reranker once per process; None for `none`.

    Args:
        model: its name.
        settings: where its files are.

    Raises:
        UnknownModelError: the reranker does not exist.
        ModelUnavailableError: the reranker exists but is not installed.
    """
    if check_reranker(model) == NONE:
        return None
    # The cached functions get these only: other settings that differ must not load the same weights again.
    return _load(model, settings.models_folder)


@cache
def _load(model: str, models_folder: Path) -> Reranker:
    if model == LEXICAL:
        return LexicalReranker()
    if model == CROSS_ENCODER:
        return ScoringReranker(load_cross_encoder())
    if model.startswith(fastembed_files.PREFIX):
        from headwater.models_gateway.fastembed_reranker import FastembedReranker

        return ScoringReranker(FastembedReranker(model, folder=models_folder))
    return ScoringReranker(RemoteReranker(model))


@cache
def load_cross_encoder() -> CrossEncoder:
    """Load the built-in cross-encoder once per process.

    Raises:
        ModelUnavailableError: its weights are not installed.
    """
    return CrossEncoder()


@cache
def load_answer_reader() -> CrossEncoder:
    """Load the cross-encoder with the adapter that makes it say whether a window answers, once per process.

    It shares no memory with `load_cross_encoder`; the changed weights take some 30 MB more.

    Raises:
        ModelUnavailableError: its weights are not installed.
    """
    return CrossEncoder(ANSWER_READER)


class ScoringReranker:
    """Scores passages with a model that scores texts, which gets each passage below its headings."""

    def __init__(self, model: TextScorer) -> None:
        """Take the model that is asked."""
        self.name = model.model
        self._model = model

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Score passages.

        Raises:
            ModelUnavailableError: the model is not there, or returns something other than scores.
        """
        return self._model.score(question, [f"{heading_text(passage)}\n\n{passage.text}" for passage in passages])
