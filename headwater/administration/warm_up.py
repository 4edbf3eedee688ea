"""Loading early what the first question would otherwise wait for.

Belongs here: what is worth loading, by the knowledge bases that exist. Not here: when (`query_api`). Guarantee: what no
knowledge base uses is not loaded; no model is called.
"""

from headwater.administration.model_states import models_in_use
from headwater.models_gateway import litellm_client
from headwater.models_gateway.providers import is_called_by_litellm
from headwater.store.store import Store

_MANY = 100_000  # knowledge bases


def warm_up(store: Store) -> bool:
    """Load litellm if a knowledge base uses a provider's model; importing it takes seconds.

    Returns:
        Whether one does.

    Raises:
        DatabaseUnavailableError: Postgres cannot be reached.
    """
    used = models_in_use(knowledge_base.settings for knowledge_base in store.knowledge_bases.all(limit=_MANY))
    is_used = any(is_called_by_litellm(model) for _, model in used)
    if is_used:
        litellm_client.warm_up()
    return is_used
