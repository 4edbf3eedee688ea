"""Uploading files to a source of kind `files`, and deleting them.

Belongs here: the checks before an upload is visible, and the order of storing content and row. Not here: the row
(`headwater.store.content.uploads`), the content (`headwater.files`), reading it (`headwater.sources.files`). Guarantee:
an upload is visible as a whole or not at all, whatever is killed meanwhile; content that nothing refers to any more is
removed.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from headwater.administration.audit_trail import audit_transaction
from headwater.administration.management import refuse_managed
from headwater.administration.original_access import removal
from headwater.administration.sync_requests import request_sync
from headwater.domain.corpus import Source, SourceState
from headwater.domain.uploads import Upload, upload_name
from headwater.errors import (
    ConflictError,
    FilesUnavailableError,
    SourcePausedError,
    SyncAlreadyRunningError,
    TooLargeError,
)
from headwater.files.file_store import open_files
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.syncing.store_owner import claim_store

KIND = "files"
_MAX_TYPE_CHARS = 200  # characters of a media type; a longer one is no hint
MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Uploaded:
    """The result of an upload: whether its name is new, and whether its content is."""

    upload: Upload
    is_new: bool
    is_changed: bool


def upload(
    settings: Settings, store: Store, knowledge_base: str, slug: str, name: str, blocks: Iterable[bytes],
    *, media_type: str = "",
) -> Uploaded:  # fmt: skip
    """Add a file to a source, or replace the one with its name; the next sync reads it.

    Args:
        settings: the file store and the size limit.
        store: the store of the knowledge base.
        knowledge_base: its slug.
        slug: the source.
        name: the file's name, which may contain folders.
        blocks: its content.
        media_type: its type as the client names it, a hint.

    Raises:
        NotFoundError: there is no such knowledge base or source.
        ConflictError: the source is of another kind, or is being deleted.
        InvalidInputError: the name cannot be used.
        TooLargeError: the file is larger than HEADWATER_UPLOAD_LIMIT.
        StorageFullError: there is no room for it.
        FilesUnavailableError: the file store cannot be reached, or belongs to another database.
    """
    source, normal = upload_target(store, knowledge_base, slug, name)
    files = claim_store(store, open_files(settings))
    with store.originals.kept():  # until the row refers to it
        file_hash, size = files.put_blocks(_limit_blocks(blocks, settings.upload_limit * MEGABYTE))
        with audit_transaction(store) as note:
            old = store.uploads.put(source, name=normal, file_hash=file_hash, size=size, media_type=_plain(media_type))
            if old != file_hash:
                note("upload.put", f"{source.key}/{normal}", size=size)
    if old is not None and old != file_hash:
        _remove(settings, store, old)
    return Uploaded(upload=store.uploads.get(source, normal), is_new=old is None, is_changed=old != file_hash)


def delete_upload(settings: Settings, store: Store, knowledge_base: str, slug: str, name: str) -> str:
    """Delete an uploaded file; the next sync removes its document. Returns its name in normal form.

    Raises:
        NotFoundError: there is no such knowledge base, source or file.
        ConflictError: the source is of another kind, or is being deleted.
        InvalidInputError: no file can have this name.
    """
    source, normal = upload_target(store, knowledge_base, slug, name)
    with audit_transaction(store) as note:
        file_hash = store.uploads.delete(source, normal)
        note("upload.delete", f"{source.key}/{normal}")
    _remove(settings, store, file_hash)
    return normal


def upload_target(store: Store, knowledge_base: str, slug: str, name: str) -> tuple[Source, str]:
    """The source that takes a file, and the file's name in its normal form.

    Raises:
        NotFoundError: there is no such knowledge base or source.
        ConflictError: the source is of another kind, or is being deleted.
        InvalidInputError: the name cannot be used.
    """
    return source_of_files(store, knowledge_base, slug), upload_name(name)


def source_of_files(store: Store, knowledge_base: str, slug: str) -> Source:
    """A source that takes files.

    Raises:
        NotFoundError: there is no such knowledge base or source.
        ConflictError: the source is of another kind, is being deleted, or a Dagster project manages it.
    """
    source = store.sources.get(knowledge_base, slug)
    refuse_managed(source)
    if source.state == SourceState.DELETING:
        raise ConflictError(f"{source.key} is being deleted. To upload files, register it again.")
    if source.kind != KIND:
        raise ConflictError(
            f"{source.key} takes no uploads, because its kind is {source.kind}. Register a source of kind {KIND}."
        )
    return source


def sync_after_upload(store: Store, knowledge_base: str, slug: str) -> int | None:
    """Request the sync that makes changed uploads visible.

    Returns:
        The sync's id; None if a sync is running, after which Headwater starts another one, or if the source is paused.
    """
    try:
        return request_sync(store, knowledge_base, [slug], "api").id
    except SyncAlreadyRunningError:
        store.sources.await_sync(store.sources.get(knowledge_base, slug))
    except SourcePausedError:
        pass  # the files wait until somebody resumes it
    return None


def _limit_blocks(blocks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for block in blocks:
        size += len(block)
        if size > limit:
            raise TooLargeError(
                f"The file has more than {limit // MEGABYTE} MB. Upload a smaller one, or raise HEADWATER_UPLOAD_LIMIT."
            )
        yield block


def _plain(media_type: str) -> str:
    plain = media_type.strip()
    return plain if len(plain) <= _MAX_TYPE_CHARS and plain.isascii() and plain.isprintable() else ""


def _remove(settings: Settings, store: Store, file_hash: str) -> None:
    with suppress(FilesUnavailableError):  # then housekeeping removes it, because nothing refers to it
        if file_hash:
            store.uploads.remove_unheld(file_hash, removal(store, open_files(settings)))
