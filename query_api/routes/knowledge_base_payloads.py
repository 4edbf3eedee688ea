"""The shape of knowledge bases in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from headwater.domain.corpus import KnowledgeBase


class KnowledgeBasePayload(BaseModel):
    """A knowledge base with its settings, including defaults, and the categories of its documents.

    `summary` is its summary, null if it has none. `managed_by` is the Dagster project that alone changes it.
    """

    slug: str
    name: str
    description: str
    settings: dict[str, Any]
    categories: dict[str, int]
    summary: str | None
    managed_by: str | None
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(
        cls, knowledge_base: KnowledgeBase, categories: Mapping[str, int], summary: str | None
    ) -> "KnowledgeBasePayload":
        """Make it from a knowledge base."""
        return cls(
            slug=knowledge_base.slug,
            name=knowledge_base.name,
            description=knowledge_base.description,
            settings=knowledge_base.settings.model_dump(),
            categories=dict(categories),
            summary=summary,
            managed_by=knowledge_base.managed_by,
            created_at=knowledge_base.created_at,
            updated_at=knowledge_base.updated_at,
        )


class KnowledgeBasePage(BaseModel):
    """Some knowledge bases by slug; if `next` is not null, request the next page with `after` set to it."""

    knowledge_bases: list[KnowledgeBasePayload]
    next: str | None
