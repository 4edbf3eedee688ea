"""Choosing what makes an answer.

Belongs here: the choice by the knowledge base's settings. Not here: the answerers. Guarantee: without a chat model,
nothing of one is imported.
"""

from headwater.answering.answerer import Answerer
from headwater.answering.extractive import ExtractiveAnswerer
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.settings import Settings


def choose_answerer(chosen: KnowledgeBaseSettings, settings: Settings) -> Answerer:  # noqa: ARG001 - where models are
    """The answerer that a knowledge base's settings name.

    Args:
        chosen: the knowledge base's settings.
        settings: says where the models are.

    Raises:
        UnknownModelError: there is no such model.
    """
    return ExtractiveAnswerer()
