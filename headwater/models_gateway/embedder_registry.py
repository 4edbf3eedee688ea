"""Loading a model by its name.

Belongs here: the known names. Not here: the models themselves. Guarantee: nothing heavy is imported before a
model is first loaded, and each is loaded once per process.
"""

from functools import cache
from pathlib import Path

from headwater.domain.closed_model import nearest
from headwater.errors import UnknownModelError
from headwater.models_gateway import fastembed_files
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.providers import PROVIDERS, is_provider_model
from headwater.settings import Settings

MODELS = ("builtin/minilm-int8", "builtin/minilm-int8-128d", "builtin/e5-multilingual-int8", "builtin/hash")
"""The built-in models; others are `fastembed/model`, or `provider/model` as litellm names them."""
MULTILINGUAL = ("builtin/e5-multilingual-int8", "ollama/bge-m3", "cohere/embed-multilingual-v3.0")
"""Some multilingual models; the first two run on your own machine."""


def check_model(model: str) -> str:
    """Return the name if it can be loaded; only the first use shows whether the provider has that model.

    Raises:
        UnknownModelError: the model does not exist; the message lists those that do.
    """
    if model.startswith(fastembed_files.PREFIX):
        return fastembed_files.check_fastembed(model, "embedding")
    if model not in MODELS and not is_provider_model(model):
        suggestion = nearest(model, MODELS)
        meant = f" Did you mean `{suggestion}`?" if suggestion else ""
        raise UnknownModelError(
            f"There is no embedding model {model!r}.{meant} Built-in models: {', '.join(MODELS)}. Others are "
            f"fastembed/model, or provider/model, with one of litellm's providers: {', '.join(PROVIDERS)}."
        )
    return model


def is_local(model: str) -> bool:
    """Whether a model runs on this machine within this process, so that a call costs nothing and waits for nobody."""
    return model in MODELS or model.startswith(fastembed_files.PREFIX)


def load_embedder(model: str, settings: Settings) -> Embedder:
    """Load a model once per process.

    Args:
        model: its name.
        settings: where its files are.

    Raises:
        UnknownModelError: the model does not exist.
        ModelUnavailableError: the model exists but is not installed.
    """
    if not is_local(check_model(model)):
        return _load_remote(model, settings.model_concurrency, settings.model_requests_per_minute)
    # The cached functions get these only: other settings that differ must not load the same weights again.
    return _load_local(model, settings.cache, settings.models_folder)


@cache
def _load_remote(model: str, concurrency: int, per_minute: int) -> Embedder:
    from headwater.models_gateway.call_limits import bounds_of
    from headwater.models_gateway.remote_embedder import RemoteEmbedder

    return RemoteEmbedder(model, bounds_of(model, concurrency, per_minute))


@cache
def _load_local(model: str, cache_folder: Path, models_folder: Path) -> Embedder:
    if model == "builtin/hash":
        from headwater.models_gateway.hash_embedder import HashEmbedder

        return HashEmbedder()
    if model.startswith(fastembed_files.PREFIX):
        from headwater.models_gateway.fastembed_embedder import FastembedEmbedder

        return FastembedEmbedder(model, folder=models_folder)
    if model == "builtin/minilm-int8-128d":
        from headwater.models_gateway.minilm_128d import TruncatedMiniLmEmbedder

        return TruncatedMiniLmEmbedder(_load_local("builtin/minilm-int8", cache_folder, models_folder))
    if model == "builtin/e5-multilingual-int8":
        from headwater.models_gateway.e5 import E5Embedder

        return E5Embedder(cache=cache_folder)
    from headwater.models_gateway.minilm import MiniLmEmbedder

    return MiniLmEmbedder(cache=cache_folder)
