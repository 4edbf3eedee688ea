"""Loading a chat model by its name.

Belongs here: names of chat models, and the chain of fallbacks. Not here: calling them (`remote_chat`). Guarantee:
checking a name imports nothing heavy.
"""

from collections.abc import Sequence

from headwater.errors import UnknownModelError
from headwater.models_gateway.chat import ChatModel
from headwater.settings import Settings

EXTRACTIVE = "builtin/extractive"
"""The answerer that quotes; it is no chat model, but stands where one can be named."""


def check_chat_model(model: str) -> str:
    """Return the name if it can be called; only the first call shows whether the provider has that model.

    Raises:
        UnknownModelError: the name has no provider that is known.
    """
    raise UnknownModelError(model)


def load_chat_model(models: Sequence[str], settings: Settings) -> ChatModel:  # noqa: ARG001 - soon
    """Return the first model, with the others as fallbacks.

    Args:
        models: names, the preferred one first; at least one.
        settings: the bounds of concurrent and frequent calls.

    Raises:
        UnknownModelError: a name has no provider that is known.
    """
    raise UnknownModelError(models[0])
