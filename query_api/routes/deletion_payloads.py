"""The shape of deletion receipts in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel

from headwater.domain.corpus import Deletion


class DeletionPayload(BaseModel):
    """The receipt of a deletion: `removed` counts rows by table, and grows until `finished_at`.

    `kind` is source or knowledge_base, `key` the slug, or both slugs.
    """

    id: int
    kind: str
    key: str
    removed: dict[str, int]
    files_removed: int
    requested_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, deletion: Deletion) -> "DeletionPayload":
        """Make it from a deletion."""
        return cls.model_validate(deletion, from_attributes=True)


class DeletionPage(BaseModel):
    """Some deletions, newest first; if `next` is not null, request the next page with `after` set to it."""

    deletions: list[DeletionPayload]
    next: int | None

    @classmethod
    def of(cls, found: Sequence[Deletion], limit: int) -> "DeletionPage":
        """Make it from receipts, one more than there may be on a page if there are more."""
        page = found[:limit]
        following = page[-1].id if len(found) > limit else None
        return cls(deletions=[DeletionPayload.of(deletion) for deletion in page], next=following)
