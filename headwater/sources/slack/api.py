"""Asking Slack: the workspace, people, channels, threads, files.

Belongs here: requests, and what a refusal means. Not here: which threads are read (`channel_reader`), their shape
(`message`). Guarantee: a list that could not be read to its end is an error; a thread counts as gone only if Slack says
so of this very thread.
"""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from headwater.errors import DocumentError, FetchError, FetchRefusedError, SourceError
from headwater.fetching.http_client import HttpClient, Response
from headwater.fetching.http_request import HttpRequest, RedirectedError
from headwater.sources.json_api import JsonApi, NotShownError, member, object_members, text_member
from headwater.sources.slack.config import SlackConfig
from headwater.sources.slack.message import Message, SharedFile, read_message

LIST_SIZE = 999
MAX_FILE_BYTES = 100_000_000
_PEOPLE_LIST_SIZE = 1_000
_MAX_LISTS = 2_000
_MAX_REPLY_LISTS = 20
_REFUSED_TOKEN_ERRORS = frozenset(
    {"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "org_login_required"}
)
_NOT_SHOWN_ERRORS = frozenset(
    {
        "channel_not_found",
        "not_in_channel",
        "missing_scope",
        "no_permission",
        "access_denied",
        "team_access_not_granted",
    }
)
_GONE_ERRORS = frozenset({"thread_not_found", "message_not_found"})


class SlackApi:
    """The interface, for one token."""

    def __init__(self, api: JsonApi, config: SlackConfig) -> None:
        self._api = api
        self._config = config

    def find_team_url(self) -> str:
        """The address of the workspace, without a slash at its end.

        Raises:
            SourceError: Slack does not accept the token.
        """
        url = urlsplit(text_member(self._call("auth.test", {}), "url"))
        base = url if url.scheme in ("http", "https") and url.netloc else urlsplit(self._config.url)
        return f"{base.scheme}://{base.netloc}"

    def list_people(self) -> dict[str, str]:
        """The names of people by their ids; none if the token may not read them.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        people: dict[str, str] = {}
        try:
            for page in self._pages("users.list", {"limit": str(_PEOPLE_LIST_SIZE)}, "members", _MAX_LISTS):
                for value in page:
                    profile = value.get("profile")
                    names = (text_member(profile, "display_name"), text_member(profile, "real_name"))
                    name = next(filter(None, (*names, text_member(value, "name"))), "")
                    people[text_member(value, "id")] = name
        except NotShownError:
            return {}
        return {identity: name for identity, name in people.items() if identity and name}

    def find_channel_name(self, channel: str) -> str:
        """The name of a channel.

        Raises:
            NotShownError: the token may not read it. SourceError: it cannot be had.
        """
        return text_member(self._require(self._call("conversations.info", {"channel": channel})), "channel", "name")

    def list_messages(self, channel: str, since: str) -> Iterator[list[Message]]:
        """The messages of a channel that answer no other, newest first; `since` is the time after which they begin.

        Raises:
            NotShownError: the token may not read it. SourceError: the list cannot be read to its end.
        """
        fields = {"channel": channel, "limit": str(LIST_SIZE), **({"oldest": since} if since else {})}
        for page in self._pages("conversations.history", fields, "messages", _MAX_LISTS):
            messages = (read_message(value) for value in page)
            yield [message for message in messages if message is not None and message.is_first]

    def read_thread(self, channel: str, time: str) -> list[Message] | None:
        """A message and those that answer it, in order; None if it is gone.

        Raises:
            SourceError: they cannot be had.
        """
        fields = {"channel": channel, "ts": time, "limit": str(LIST_SIZE)}
        messages: dict[str, Message] = {}
        try:
            for page in self._pages("conversations.replies", fields, "messages", _MAX_REPLY_LISTS):
                read = (read_message(value) for value in page)
                messages |= {message.time: message for message in read if message is not None}
        except _GoneError:
            return None
        if time not in messages:
            raise DocumentError("Slack answers something that is no such thread. Sync again later.")
        return [messages[time], *(messages[key] for key in sorted(messages) if key != time)]

    def _pages(
        self, method: str, fields: Mapping[str, str], name: str, max_pages: int
    ) -> Iterator[list[Mapping[str, Any]]]:
        cursor, seen = "", set[str]()
        for _ in range(max_pages):
            value = self._require(self._call(method, {**fields, **({"cursor": cursor} if cursor else {})}))
            if not isinstance(member(value, name), list):
                raise SourceError(f"{self._config.endpoint} answers something that is no list. Check `endpoint`.")
            yield list(object_members(value, name))
            cursor = text_member(value, "response_metadata", "next_cursor")
            if not cursor:
                return
            if cursor in seen:
                break
            seen.add(cursor)
        raise FetchError(f"A list of Slack ({method}) does not end. Sync again later.")

    def _require(self, value: Any) -> Any:
        if member(value, "ok") is True:
            return value
        raise _GoneError("It is gone.")

    def _call(self, method: str, fields: Mapping[str, str]) -> Any:
        """What a method answers; that of a thread which is gone is not ok.

        Raises:
            SourceError: the token is refused. NotShownError: the token may not do it. FetchError: another refusal.
        """
        value = self._api.get(f"/{method}", fields)
        if member(value, "ok") is True:
            return value
        code, name = text_member(value, "error")[:100] or "no answer", self._config.credential
        if code in _GONE_ERRORS:
            return value
        if code in _REFUSED_TOKEN_ERRORS:
            raise SourceError(
                f"Slack does not accept the credential {name} ({code}): it is wrong, or no longer valid. Renew it. What"
                " was read is kept, and nothing was removed."
            )
        if code in _NOT_SHOWN_ERRORS:
            needed = text_member(value, "needed")[:100]
            advice = f"Give the app the scope {needed}" if needed else "Invite the app to the channel with /invite"
            raise NotShownError(f"Slack does not show it to the credential {name} ({code}). {advice}, and sync again.")
        raise FetchError(f"Slack refuses {method} ({code}). What was read is kept, and nothing was removed.")


class _GoneError(FetchError):
    """What was asked for is gone."""


def download_file(client: HttpClient, file: SharedFile) -> Response | None:
    """The bytes of a file; None if it is gone.

    Raises:
        FetchError: it cannot be had now. DocumentError: the token may not read it. TooLargeError: it has more than
            100 MB.
    """
    try:
        response = client.send(file.download, HttpRequest(is_redirected=False), limit=MAX_FILE_BYTES)
    except FetchRefusedError:
        raise FetchRefusedError(f"The file {file.name} is at an address that may not be fetched.") from None
    except RedirectedError:  # to the page of a login
        raise _not_allowed(file, "it asks for a login") from None
    if response.status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        return None
    if response.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise _not_allowed(file, str(int(response.status)))
    if response.status != HTTPStatus.OK:
        raise FetchError(f"The file {file.name} could not be fetched ({response.status}). Sync again later.")
    return response


def _not_allowed(file: SharedFile, reason: str) -> DocumentError:
    return DocumentError(f"The file {file.name} may not be read ({reason}). Give the app the scope files:read.")
