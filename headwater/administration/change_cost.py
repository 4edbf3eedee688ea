"""What a change of settings will cost, before it is saved.

Belongs here: comparing the old settings with the new ones. Not here: counting the calls of summaries and questions
(`headwater.syncing.estimate`), changing settings (`knowledge_bases`). Guarantee: nothing is called or written; a
number that is not exact says so.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from headwater.chunking.chunker import chunk_settings, settings_hash
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import (
    EmbeddingSettings,
    KnowledgeBaseSettings,
    QuestionSettings,
    SummarySettings,
)
from headwater.domain.usage import Usage
from headwater.models_gateway.embedder_registry import is_local
from headwater.store.store import Store
from headwater.syncing.estimate import estimate_all

_CHARACTERS_PER_TOKEN = 4
_CHUNK_SIZES = ("chunk_max", "chunk_min", "chunk_overlap")
_OF_INDEX = ("embedding_model", "language", *_CHUNK_SIZES)
"""The settings that need another search index."""
_OF_TEXTS = ("prompts", *SummarySettings.model_fields, *QuestionSettings.model_fields)
"""The settings by which the next sync makes other summaries and questions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A setting with its old and its new value."""

    name: str
    old: Any
    new: Any


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeCost:
    """What the next sync does because of a change.

    The sync embeds `texts`, which have `tokens` in all. `is_exact` is false if it splits the documents anew: then the
    new texts are not known. `embedding_cost` and `calls_cost` are in US dollars, None if a price is unknown. `calls`
    are those of summaries and questions, at most; `unsplit` documents are not counted in them.
    """

    changes: tuple[Change, ...]
    rebuilds_index: bool = False
    texts: int = 0
    tokens: int = 0
    is_exact: bool = True
    embedding_cost: float | None = 0.0
    calls: int = 0
    call_tokens: int = 0
    calls_cost: float | None = 0.0
    unsplit: int = 0

    @property
    def needs_sync(self) -> bool:
        """Whether the change takes effect at the next sync; other changes do at the next question."""
        return self.rebuilds_index or any(change.name in _OF_TEXTS for change in self.changes)


def cost_of_change(store: Store, knowledge_base: KnowledgeBase, new: KnowledgeBaseSettings) -> ChangeCost:
    """Work out what other settings would cost a knowledge base.

    Args:
        store: has its documents.
        knowledge_base: with its present settings.
        new: valid settings.
    """
    old = knowledge_base.settings
    changes = tuple(
        Change(name=name, old=getattr(old, name), new=getattr(new, name))
        for name in KnowledgeBaseSettings.model_fields
        if getattr(old, name) != getattr(new, name)
    )
    cost = ChangeCost(changes=changes)
    names = {change.name for change in changes}
    if names.intersection(_OF_INDEX):
        cost = _of_index(store, knowledge_base, new, cost)
    if names.intersection(_OF_TEXTS):
        cost = _of_texts(store, replace(knowledge_base, settings=new), cost)
    return cost


def _of_index(store: Store, knowledge_base: KnowledgeBase, new: KnowledgeBaseSettings, cost: ChangeCost) -> ChangeCost:
    old = knowledge_base.settings
    chunks = settings_hash(chunk_settings(old))
    counted = store.documents.count_texts(knowledge_base, new.embedding_model, chunks)
    is_split_again = chunk_settings(old) != chunk_settings(new)
    texts, characters = counted.missing_count, counted.missing_character_count
    if is_split_again:
        texts, characters = math.ceil(counted.text_count * old.chunk_max / new.chunk_max), counted.character_count
    tokens = characters // _CHARACTERS_PER_TOKEN
    return replace(
        cost,
        rebuilds_index=True,
        texts=texts,
        tokens=tokens,
        is_exact=not is_split_again,
        embedding_cost=_embedding_cost(new, tokens),
    )


def _embedding_cost(new: EmbeddingSettings, tokens: int) -> float | None:
    if is_local(new.embedding_model) or not tokens:
        return 0.0
    from headwater.models_gateway.litellm_client import price_per_token  # takes seconds to load

    price = price_per_token(new.embedding_model)
    return None if price is None else price * tokens


def _of_texts(store: Store, changed: KnowledgeBase, cost: ChangeCost) -> ChangeCost:
    estimates = estimate_all(store, changed, store.sources.all(changed.slug))
    usage = sum((estimate.usage for estimate in estimates), Usage())
    return replace(
        cost,
        calls=sum(estimate.calls for estimate in estimates) if _calls_a_model(changed.settings) else 0,
        call_tokens=usage.prompt_tokens + usage.completion_tokens,
        calls_cost=usage.cost,
        unsplit=sum(estimate.unsplit for estimate in estimates),
    )


def _calls_a_model(settings: KnowledgeBaseSettings) -> bool:
    """Whether a chat model makes summaries or questions; rules and quotes cost nothing."""
    return settings.has_written_summaries or settings.question_model not in (None, "builtin/rules")
