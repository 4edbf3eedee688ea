"""The shape of uploaded files in the HTTP API and in `--json`.

Belongs here: response models, made from the kernel's objects. Not here: Flask. Guarantee: a field's
name and meaning do not change within `/api/v1`.
"""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel

from headwater.domain.uploads import Upload, UploadState


class UploadPayload(BaseModel):
    """An uploaded file: `hash` is the SHA-256 of its content, `media_type` what the client named.

    `state` is waiting, syncing, ready or failed; `error` says why it failed.
    """

    name: str
    size: int
    media_type: str
    hash: str
    uploaded_at: datetime
    state: UploadState
    error: str | None

    @classmethod
    def of(cls, upload: Upload) -> "UploadPayload":
        """Make it from an upload."""
        return cls.model_validate(upload, from_attributes=True)


class StoredUploadPayload(UploadPayload):
    """An upload that was just stored; `changed` is false if the source already had this content under this name.

    `sync` is the sync that was requested, null if none was, or if one is running, after which another one starts.
    """

    changed: bool
    sync: int | None


class UploadPage(BaseModel):
    """Some uploads, by name; if `next` is not null, request the next page with `after` set to it."""

    files: list[UploadPayload]
    next: str | None

    @classmethod
    def of(cls, found: Sequence[Upload], limit: int) -> "UploadPage":
        """Make it from at least one upload more than it shows, if there are more."""
        page = found[:limit]
        following = page[-1].name if len(found) > limit else None
        return cls(files=[UploadPayload.of(upload) for upload in page], next=following)


class DeletedUploadPayload(BaseModel):
    """A deleted upload; `sync` is the sync that was requested, null as in an upload."""

    name: str
    sync: int | None
