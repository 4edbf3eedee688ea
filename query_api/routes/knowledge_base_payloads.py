"""What the HTTP API returns, and the command line prints with `--json`, about knowledge bases.

Belongs here: response models and how they are made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from headwater.domain.corpus import KnowledgeBase


class KnowledgeBasePayload(BaseModel):
    """A knowledge base with its settings, defaults included, and the categories its documents have."""

    slug: str
    name: str
    description: str
    settings: dict[str, Any]
    categories: dict[str, int]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, knowledge_base: KnowledgeBase, categories: Mapping[str, int]) -> "KnowledgeBasePayload":
        """Make it from a knowledge base."""
        return cls(
            slug=knowledge_base.slug,
            name=knowledge_base.name,
            description=knowledge_base.description,
            settings=knowledge_base.settings.model_dump(),
            categories=dict(categories),
            created_at=knowledge_base.created_at,
            updated_at=knowledge_base.updated_at,
        )


class KnowledgeBasePage(BaseModel):
    """Some knowledge bases by slug; ask again with `after=next` while `next` is there."""

    knowledge_bases: list[KnowledgeBasePayload]
    next: str | None
