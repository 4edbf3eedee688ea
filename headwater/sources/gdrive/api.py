"""Asking Drive: folders, changes, single files, contents.

Belongs here: requests, and what a refusal means. Not here: which files are read (`connector`), where they are
(`drive_tree`), their shape (`drive_file`). Guarantee: a list that could not be read to its end is an error; a file
counts as gone only if Drive says so of this very file; a limit is waited for.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from headwater.errors import DocumentError, FetchError, SourceError, TooLargeError
from headwater.fetching.http_client import Response
from headwater.fetching.http_request import HttpRequest
from headwater.fetching.patience import LimitReachedError, Patience
from headwater.fetching.politeness import BUSY_OR_FAILING, read_retry_after
from headwater.sources.access_tokens import TokenClient
from headwater.sources.gdrive.drive_file import FIELDS, DriveFile, read_file
from headwater.sources.json_api import JsonApi, NotShownError, member, object_members, read_json, text_member

MAX_FILE_BYTES = 100_000_000
REPEATED = tuple(status for status in BUSY_OR_FAILING if status != HTTPStatus.TOO_MANY_REQUESTS)
"""Statuses after which the client below `DriveClient` repeats a request, which itself waits for limits."""
_LIST_SIZE = "1000"
_MAX_LISTS = 10_000
_PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Seconds before a request is repeated, if Drive does not say when; that each is twice the last is its own advice."""
_ALL_DRIVES = {"supportsAllDrives": "true", "includeItemsFromAllDrives": "true"}
_THROTTLED = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_SPENT = frozenset({"dailyLimitExceeded", "dailyLimitExceededUnreg"})
_NO_SCOPE = frozenset({"insufficientPermissions", "accessNotConfigured", "domainPolicy"})


class StaleTokenError(FetchError):
    """Drive does not accept the place in its list of changes any more."""


class NotConvertedError(DocumentError):
    """Drive does not convert a document into this format."""


class DriveClient:
    """Sends requests, and repeats those that come too fast for Drive."""

    def __init__(self, client: TokenClient, patience: Patience, host: str) -> None:
        self._client = client
        self._patience = patience
        self._host = host

    def send(self, url: str, message: HttpRequest, *, limit: int) -> Response:
        """Send a request.

        Raises:
            LimitReachedError: Drive accepts no more for longer than a sync waits. FetchError: as `TokenClient` does.
        """
        for pause in (*_PAUSES, 0.0):
            response = self._client.send(url, message, limit=limit)
            if not _is_throttled(response):
                return response
            if pause:
                self._patience.wait(read_retry_after(response.headers.get("retry-after", "")) or pause, self._host)
        raise LimitReachedError(
            f"{self._host} accepts no more requests ({_reason(response) or response.status}), however long they are"
            " apart. What was read is kept, and the next sync goes on from there."
        )


class DriveApi:
    """The interface, for one account; `drive` is the id of the shared drive that is read, empty for none."""

    def __init__(self, client: DriveClient, base: str, credential: str, drive: str = "") -> None:
        self._client, self._base, self._credential = client, base, credential
        self._api = JsonApi(client, base, credential=credential, advice="", explain=self._explain)
        self._corpora = {"corpora": "drive", "driveId": drive} if drive else {"corpora": "user"}
        self._log = {"driveId": drive} if drive else {}

    def of_drive(self, drive: str) -> "DriveApi":
        """The same for a shared drive."""
        return DriveApi(self._client, self._base, self._credential, drive)

    def is_member(self, drive: str) -> bool:
        """Whether the account belongs to a shared drive: otherwise it can neither list it nor read its changes.

        Raises:
            SourceError: Drive does not say so.
        """
        try:
            return self._api.get(f"/drives/{drive}", {"fields": "id"}) is not None
        except NotShownError:
            return False

    def read(self, identity: str) -> DriveFile | None:
        """A file by its id; None if it is gone, or not shown to the account.

        Raises:
            SourceError: Drive does not say so.
        """
        value = self._api.get(f"/files/{identity}", {"supportsAllDrives": "true", "fields": FIELDS})
        file = None if value is None else read_file(value)
        if value is not None and file is None:
            raise DocumentError(f"{self._base}/files/{identity} answers something that is no file.")
        return file

    def list_files(self, query: str) -> Iterator[list[DriveFile]]:
        """The files and folders that a query finds, a page at a time.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        fields = {"q": query, "fields": f"nextPageToken,incompleteSearch,files({FIELDS})", **self._corpora}
        for value in self._pages("/files", fields, "files"):
            if member(value, "incompleteSearch") is True:
                raise FetchError("Drive did not search everything. Nothing was removed. Sync again later.")
            yield [file for entry in object_members(value, "files") if (file := read_file(entry)) is not None]

    def find_cursor(self) -> str:
        """The place in the list of changes where it goes on from now.

        Raises:
            SourceError: it cannot be had.
        """
        value = self._api.get("/changes/startPageToken", {"supportsAllDrives": "true", **self._log})
        cursor = text_member(value, "startPageToken")
        if not cursor:
            raise FetchError("Drive says no place in its list of changes. Nothing was removed. Sync again later.")
        return cursor

    def list_changes(self, cursor: str) -> Iterator[tuple[dict[str, DriveFile | None], str]]:
        """What changed since a place in the list of the account, page by page; None stands for what went away.

        The last page says where the list goes on.

        Raises:
            StaleTokenError: the place is not known any more. SourceError: the list cannot be read to its end.
        """
        entries = f"changes(fileId,removed,changeType,file({FIELDS}))"
        fields = {"pageToken": cursor, "fields": f"nextPageToken,newStartPageToken,{entries}", **self._log}
        following = ""
        for value in self._pages("/changes", fields, "changes"):
            changes: dict[str, DriveFile | None] = {}
            for change in object_members(value, "changes"):
                file = read_file(member(change, "file"))
                if file is not None or member(change, "removed") is True:
                    changes[text_member(change, "fileId")] = file
            following = text_member(value, "newStartPageToken")
            yield changes, following
        if not following:
            raise FetchError("Drive's list of changes has no end. Nothing was removed. Sync again later.")

    def download(self, identity: str, media_type: str = "") -> Response | None:
        """The bytes of a file, converted into another type if it is named; None if it is gone.

        Raises:
            SourceError: they cannot be had. NotConvertedError: not in this type. TooLargeError: they exceed the limit.
        """
        path = f"/files/{identity}/export" if media_type else f"/files/{identity}"
        fields = {"mimeType": media_type} if media_type else {"alt": "media", "supportsAllDrives": "true"}
        try:
            return self._api.download(f"{path}?{urlencode(fields)}", limit=MAX_FILE_BYTES, is_redirected=False)
        except NotShownError as error:  # it may show everything else
            raise DocumentError(str(error)) from None

    def _pages(self, path: str, fields: Mapping[str, str], name: str) -> Iterator[Any]:
        paging, seen = {"pageSize": _LIST_SIZE, **_ALL_DRIVES}, set[str]()
        for _ in range(_MAX_LISTS):
            value = self._api.get(path, {**fields, **paging})
            if value is None and name == "changes":
                raise StaleTokenError("Drive does not know this place in its list of changes any more.")
            if not isinstance(member(value, name), list):
                raise SourceError(f"{self._base}{path} answers something that is no list. Nothing was removed.")
            yield value
            following = text_member(value, "nextPageToken")
            if not following:
                return
            if following in seen:
                break
            seen.add(following)
            paging["pageToken"] = following
        raise FetchError(f"The list {self._base}{path} does not end. Nothing was removed. Sync again later.")

    def _explain(self, response: Response) -> SourceError | None:
        """What a refusal means, by the reason that Drive gives."""
        reason, name = _reason(response), self._credential
        if response.status == HTTPStatus.BAD_REQUEST and "pageToken=" in response.url:
            return StaleTokenError(f"Drive does not accept a place in its list ({reason}). Sync again later.")
        if response.status == HTTPStatus.BAD_REQUEST and "/export?" in response.url:
            return NotConvertedError(f"Drive does not convert the document ({reason}).")
        if response.status != HTTPStatus.FORBIDDEN:
            return None
        if reason in _SPENT:
            return LimitReachedError(
                f"Google accepts no more requests of this project today ({reason}). What was read is kept, and nothing"
                " was removed. Sync again tomorrow, or raise the project's quota."
            )
        if reason == "exportSizeLimitExceeded":
            return TooLargeError(f"The converted form of the document is larger than 10 MB ({reason}).")
        if reason in _NO_SCOPE:
            return SourceError(
                f"Google does not let the credential {name} read Drive ({reason}). Enable the Drive API in its project,"
                " allow it the scope drive.readonly, and let your domain allow it. Nothing was removed."
            )
        return NotShownError(f"Drive does not show it to the credential {name} ({reason or 403}).")


def _is_throttled(response: Response) -> bool:
    is_refused = response.status == HTTPStatus.FORBIDDEN and _reason(response) in _THROTTLED
    return is_refused or response.status == HTTPStatus.TOO_MANY_REQUESTS


def _reason(response: Response) -> str:
    """The reason of a refusal, such as rateLimitExceeded; empty if there is none."""
    errors = object_members(read_json(response), "error", "errors")
    reason = text_member(errors[0], "reason") if errors else ""
    return reason if reason.isascii() and reason.isidentifier() and len(reason) < 60 else ""
