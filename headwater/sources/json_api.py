"""Asking a server's JSON interface for a connector, with one secret that is bound to its host.

Belongs here: requests, and what a refusal means. Not here: what the answers say (the connectors), waiting
(`headwater.fetching.politeness`). Guarantee: every request is below one address, whatever a server says where its next
page is; an answer that is no JSON is an error; no message holds a secret.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from headwater.domain.documents import DocumentProblem
from headwater.errors import DocumentError, FetchError, SourceError, TooLargeError
from headwater.fetching.http_client import Response
from headwater.fetching.http_request import HttpRequest
from headwater.fetching.patience import LimitReachedError
from headwater.sources.connector import FetchedDocument, Found, UnchangedDocument

_MAX_ANSWER_BYTES = 50_000_000
_ABSENT_STATUSES = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_NEXT_PATTERN = re.compile(r'<([^<>]*)>\s*;\s*rel="?next"?')
_QUERY_PATTERN = re.compile(r"\?[^\s?]+")
_MAX_LINK_CHARS = 20_000
_MAX_REFUSALS = 3
"""Items in a row that cannot be fetched, after which a server is left alone."""


class NotShownError(FetchError):
    """A server does not show one thing to this credential; it may show everything else."""


class RefusedRequestError(FetchError):
    """A server does not accept a request as it stands."""


class Client(Protocol):
    """What sends requests, such as `HttpClient`."""

    def send(self, url: str, message: HttpRequest, *, limit: int) -> Response:
        """Send a request."""
        ...


class JsonApi:
    """The interface of one server; `credential` is the name of the secret, for messages."""

    def __init__(
        self,
        client: Client,
        base: str,
        *,
        credential: str | None,
        advice: str,
        headers: Mapping[str, str] | None = None,
        explain: Callable[[Response], SourceError | None] = lambda _: None,
    ) -> None:
        """Create it.

        Args:
            client: the client, which sends the secret to its own host.
            base: the address that every request is below.
            credential: the secret's name in the source's config.
            advice: what to do if the server is private and the source names no secret.
            headers: those of every request.
            explain: what a refusal means at this server; None if it means what it means anywhere.
        """
        self._client = client
        self._base = base
        self._credential = credential
        self._advice = advice
        self._headers = dict(headers or {})
        self._explain = explain

    def get(self, path: str, fields: Mapping[str, str] | None = None) -> Any:
        """The JSON at a path; None if nothing is there.

        Raises:
            SourceError: the server gives nothing more to this secret. FetchError: no answer, or none that makes sense.
        """
        return self._value(path, HttpRequest(headers=self._headers, is_redirected=False), fields or {})

    def list_page(
        self, path: str, fields: Mapping[str, str] | None = None
    ) -> tuple[Sequence[Mapping[str, Any]], str] | None:
        """The objects of a list at a path, and the address of its next page; None if nothing is there.

        Raises:
            SourceError: as `get` does. FetchError: the same.
        """
        message = HttpRequest(headers=self._headers, is_redirected=False)
        response = self._ask(path, message, fields or {})
        if response is None:
            return None
        values = read_json(response)
        if not isinstance(values, list):
            raise SourceError(f"{self._base}{path} answers something that is no list. Check `url`.")
        next_page = _NEXT_PATTERN.search(response.headers.get("link", "")[:_MAX_LINK_CHARS])
        return [value for value in values if isinstance(value, Mapping)], next_page[1] if next_page else ""

    def post(self, path: str, content: Mapping[str, Any]) -> Any:
        """Ask with JSON, which changes nothing at the server; None if nothing is there.

        Raises:
            SourceError: as `get` does. FetchError: the same.
        """
        headers = {**self._headers, "Content-Type": "application/json"}
        encoded = json.dumps(content).encode()
        return self._value(path, HttpRequest(method="POST", headers=headers, content=encoded, is_redirected=False), {})

    def download(self, path: str, *, limit: int, is_redirected: bool = True) -> Response | None:
        """The bytes at a path, or where it redirects to if that is allowed; None if nothing is there.

        Raises:
            SourceError: as `get` does. FetchError: the same. TooLargeError: they exceed the limit.
        """
        message = HttpRequest(headers=self._headers, is_redirected=is_redirected)
        try:
            response = self._client.send(f"{self._base}{path}", message, limit=limit)
        except (FetchError, TooLargeError) as error:  # a redirect may lead to an address that lets anybody read
            raise type(error)(_QUERY_PATTERN.sub("?…", str(error))) from None
        if response.status != HTTPStatus.OK and urlsplit(response.url).hostname != urlsplit(self._base).hostname:
            raise FetchError(f"{self._base}{path} leads to another host, which answers {response.status}.")
        return None if response.status in _ABSENT_STATUSES else self._require_success(response, path)

    def _value(self, path: str, message: HttpRequest, fields: Mapping[str, str]) -> Any:
        response = self._ask(path, message, fields)
        value = None if response is None else read_json(response)
        if response is not None and not isinstance(value, dict):
            raise SourceError(f"{self._base}{path} answers something that is no JSON of this kind. Check `url`.")
        return value

    def _ask(self, path: str, message: HttpRequest, fields: Mapping[str, str]) -> Response | None:
        url = f"{self._base}{path}?{urlencode(fields)}" if fields else f"{self._base}{path}"
        response = self._client.send(url, message, limit=_MAX_ANSWER_BYTES)
        return None if response.status in _ABSENT_STATUSES else self._require_success(response, path)

    def _require_success(self, response: Response, path: str) -> Response:
        status, name = response.status, self._credential
        if status == HTTPStatus.OK:
            return response
        if (error := self._explain(response)) is not None:
            raise error
        advice = "What was read is kept, and nothing was removed."
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) and name is None:
            raise SourceError(f"{self._base} answers {status}: it is private. {self._advice}")
        if status == HTTPStatus.UNAUTHORIZED:
            raise SourceError(
                f"{self._base} does not accept the credential {name} ({status}): it is wrong, or no longer valid. Renew"
                f" it. {advice}"
            )
        if status == HTTPStatus.FORBIDDEN:
            raise NotShownError(f"{self._base}{path} is not shown to the credential {name} ({status}). {advice}")
        if status == HTTPStatus.BAD_REQUEST:
            raise RefusedRequestError(
                f"{self._base}{path} refuses the request (400). Check the names in the source's fields. {advice}"
            )
        raise FetchError(f"{self._base}{path} answers {status}. {advice} Sync again when it works.")


def read_json(response: Response) -> Any:
    """The JSON of an answer; None if it is none."""
    try:
        return json.loads(response.content)
    except (ValueError, RecursionError):
        return None


class RefusalCount:
    """Counts the items in a row that could not be fetched."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._count = 0

    def reset(self) -> None:
        """Note that an item could be fetched."""
        self._count = 0

    def try_document(
        self, uri: str, fetch: Callable[[], FetchedDocument | None], *, previous_uri: str = ""
    ) -> Iterator[Found]:
        """Yield the document that a call fetches, nothing if it is gone, or the problem that the call met.

        Args:
            uri: the document's URI.
            fetch: fetches it.
            previous_uri: another URI that it had before, where it stays until it can be fetched.

        Raises:
            LimitReachedError: the server accepts no more requests. FetchError: too many in a row failed.
        """
        try:
            document = fetch()
        except LimitReachedError:
            raise
        except (FetchError, DocumentError) as error:
            self.add(error)
            yield DocumentProblem(uri=uri, code=error.code, message=str(error))
            if previous_uri:
                yield UnchangedDocument(uri=previous_uri)
            return
        self.reset()
        if document is not None:
            yield replace(document, renamed_from=previous_uri) if previous_uri else document

    def add(self, error: SourceError | DocumentError) -> None:
        """Note that an item could not be fetched.

        Raises:
            FetchError: too many in a row could not.
        """
        self._count += isinstance(error, FetchError)
        if self._count == _MAX_REFUSALS:
            raise FetchError(
                f"{self._count} items of {self._server} in a row could not be fetched, so no others were asked for."
                " Nothing was removed. Sync again later."
            )


def next_fields(link: object) -> dict[str, str]:
    """The query of the address of a next page, whose host and path count for nothing; empty if there is none."""
    try:
        return dict(parse_qsl(urlsplit(link).query)) if isinstance(link, str) else {}
    except ValueError:
        return {}


def member(value: Any, *names: str) -> Any:
    """A member of nested objects; None if one of them is missing, or is no object."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def text_member(value: Any, *names: str) -> str:
    """A text within nested objects; empty if there is none. Numbers count as texts, because ids may be either."""
    content = member(value, *names)
    is_text = isinstance(content, str | int) and not isinstance(content, bool)
    return " ".join(str(content).split()) if is_text else ""


def object_members(value: Any, *names: str) -> Sequence[Mapping[str, Any]]:
    """The objects of a list within nested objects; empty if there is none."""
    content = member(value, *names)
    return [item for item in content if isinstance(item, Mapping)] if isinstance(content, list) else []
