"""Uploaded files in Postgres: which files a source has, and which originals they refer to.

Belongs here: their rows. Not here: their content (`headwater.files`), checks of names
(`headwater.domain.uploads`), reading them in a sync (`headwater.syncing`). Guarantee: a row refers to content that is
stored; of two uploads with one name, the one that was complete last wins as a whole.
"""

from collections.abc import Iterator

from headwater.domain.corpus import Source
from headwater.domain.uploads import Upload, UploadState
from headwater.errors import ConflictError, NotFoundError
from headwater.store.content.originals import RemoveOriginal, remove_unheld, share_originals
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row

_BATCH = 1_000


class UploadStore:
    """The source_files table."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, source: Source, *, name: str, file_hash: str, size: int, media_type: str) -> str | None:
        """Add or replace an upload whose content is stored, and kept from being removed.

        Returns:
            The hash of the content that it replaced, None if it is new.

        Raises:
            ConflictError: the source is being deleted.
        """
        with self._database.transaction() as session:
            share_originals(session)
            old = session.row("lock_upload", source_id=source.id, name=name)
            values = {"hash": bytes.fromhex(file_hash), "size": size, "media_type": media_type}
            if session.row("put_upload", source_id=source.id, name=name, **values) is None:
                raise ConflictError(f"{source.key} is being deleted. To upload files, register it again.")
        return None if old is None or old["hash"] is None else old["hash"].hex()

    def delete(self, source: Source, name: str) -> str:
        """Delete an upload; returns the hash of its content, which versions may still refer to.

        Raises:
            NotFoundError: there is no such upload.
        """
        row = self._database.row("delete_upload", source_id=source.id, name=name)
        if row is None:
            raise _unknown_file_error(source, name)
        return str(row["hash"].hex()) if row["hash"] else ""

    def remove_unheld(self, file_hash: str, remove: RemoveOriginal) -> None:
        """Remove a content that neither an upload nor a version refers to any more."""
        with self._database.transaction() as session:
            remove_unheld(session, [bytes.fromhex(file_hash)], remove)

    def get(self, source: Source, name: str) -> Upload:
        """Return an upload with its state.

        Raises:
            NotFoundError: there is no such upload.
        """
        row = self._database.row("list_uploads", source_id=source.id, name=name, after="", limit=1)
        if row is None:
            raise _unknown_file_error(source, name)
        return _upload(row)

    def all(self, source: Source, *, after: str = "", limit: int = _BATCH) -> list[Upload]:
        """Return uploads by name with their states, those after a given name."""
        rows = self._database.rows("list_uploads", source_id=source.id, name=None, after=after, limit=limit)
        return [_upload(row) for row in rows]

    def contents(self, source: Source) -> Iterator[tuple[str, str, str]]:
        """The name, hash and media type of every upload, by name."""
        last_name = ""
        while True:
            rows = self._database.rows("upload_contents", source_id=source.id, after=last_name, limit=_BATCH)
            for row in rows:
                yield row["name"], row["hash"].hex(), row["media_type"]
            if len(rows) < _BATCH:
                return
            last_name = rows[-1]["name"]


def _unknown_file_error(source: Source, name: str) -> NotFoundError:
    return NotFoundError(
        f"There is no uploaded file {name} in {source.key}. `headwater files {source.knowledge_base} {source.slug}`"
        " lists those that exist."
    )


def _upload(row: Row) -> Upload:
    return Upload(**{**row, "hash": row["hash"].hex() if row["hash"] else "", "state": UploadState(row["state"])})
