"""Choosing what makes an answer.

Belongs here: the choice by the knowledge base's settings. Not here: the answerers. Guarantee: without a chat model,
nothing of one is imported.
"""

from headwater.answering.answerer import Answerer
from headwater.answering.quote_answerer import QuoteAnswerer
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.models_gateway.chat_registry import EXTRACTIVE, load_chat_model
from headwater.settings import Settings
from headwater.store.store import Store


def choose_answerer(store: Store, settings: Settings, chosen: KnowledgeBaseSettings) -> Answerer:
    """The answerer that a knowledge base's settings name.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        chosen: the knowledge base's settings.

    Raises:
        UnknownModelError: there is no such model.
    """
    if chosen.answer_model == EXTRACTIVE:
        return QuoteAnswerer(settings)
    from headwater.answering.generative_answerer import GenerativeAnswerer

    model = load_chat_model((chosen.answer_model, *chosen.answer_fallbacks), settings)
    return GenerativeAnswerer(store, settings, model)
