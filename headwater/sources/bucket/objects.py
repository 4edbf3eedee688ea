"""Asking a bucket: its whole list, and single objects.

Belongs here: requests, and what a refusal means. Not here: addresses and signatures (`s3`, `azure`), documents
(`connector`). Guarantee: a list that could not be read to its end is an error, so nothing counts as removed; no
redirect is followed, because a signature is for one address; no message holds a secret or a signature.
"""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Protocol

from headwater.errors import FetchError, SourceError, TooLargeError
from headwater.fetching.http_client import HttpClient, Response
from headwater.fetching.http_request import HttpRequest
from headwater.sources.bucket.object_urls import Object, error_code, read_page

_LIST_LIMIT = 50_000_000  # bytes of a page
_MAX_PAGES = 2_000
_INVALID_SECRET = frozenset(
    {"InvalidAccessKeyId", "SignatureDoesNotMatch", "AuthenticationFailed", "InvalidAuthenticationInfo"}
)
_EXPIRED = frozenset({"ExpiredToken", "InvalidToken", "TokenRefreshRequired", "RequestTimeTooSkewed"})
_ABSENT = frozenset({"NoSuchBucket", "ContainerNotFound", "ContainerBeingDeleted"})


class Bucket(Protocol):
    """The addresses and signatures of a bucket."""

    @property
    def base(self) -> str:
        """Its address."""
        ...

    def list_address(self, prefix: str, token: str) -> str:
        """The address of a page of the list."""
        ...

    def object_address(self, key: str) -> str:
        """The address of an object."""
        ...

    def sign(self, url: str, headers: dict[str, str]) -> dict[str, str]:
        """The headers of a request."""
        ...


class Objects:
    """The objects of one bucket; `credential` is the name of the secret, for messages."""

    def __init__(self, client: HttpClient, bucket: Bucket, credential: str | None) -> None:
        self._client = client
        self._bucket = bucket
        self._credential = credential

    def list_all(self, prefix: str, *, most: int) -> list[Object]:
        """Every object whose key begins with a prefix, without folders, by key.

        Raises:
            SourceError: the list cannot be read to its end. TooLargeError: it has more than `most` objects.
        """
        by_key: dict[str, Object] = {}
        for page in self._pages(prefix):
            by_key |= {
                listed_object.key: listed_object for listed_object in page if not listed_object.key.endswith("/")
            }
            if len(by_key) > most:
                raise TooLargeError(
                    f"{self._bucket.base} has more than {most:,} objects to read, which is max_objects. Nothing was"
                    " read. Name a folder in `url`, or raise max_objects."
                )
        return [by_key[key] for key in sorted(by_key)]

    def read(self, one: Object, *, limit: int, begin: int = 0) -> Response | None:
        """Fetch an object, or its first `begin` bytes; None if it is gone.

        Raises:
            SourceError: the bucket gives nothing more. FetchError: this object cannot be had now.
        """
        url = self._bucket.object_address(one.key)
        response = self._ask(url, {"Range": f"bytes=0-{begin - 1}"} if begin else {}, limit=limit)
        if response.status in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
            return response
        code = error_code(response.content)
        if response.status == HTTPStatus.NOT_FOUND and code not in _ABSENT:
            return None
        self._require_access(response.status, code)
        raise FetchError(f"{url} answers {_words(response.status, code)}. Sync again when it works.")

    def _pages(self, prefix: str) -> Iterator[tuple[Object, ...]]:
        token, seen = "", set[str]()
        while len(seen) < _MAX_PAGES:
            url = self._bucket.list_address(prefix, token)
            response = self._ask(url, {}, limit=_LIST_LIMIT)
            if response.status != HTTPStatus.OK:
                raise self._list_error(response)
            page = read_page(response.content, self._bucket.base)
            yield page.objects
            token = page.following
            if not token:
                return
            if token in seen:
                break
            seen.add(token)
        raise FetchError(f"The list of {self._bucket.base} does not end. Sync again later.")

    def _ask(self, url: str, headers: dict[str, str], *, limit: int) -> Response:
        message = HttpRequest(headers=self._bucket.sign(url, headers), is_redirected=False)
        return self._client.send(url, message, limit=limit)

    def _list_error(self, response: Response) -> SourceError:
        code = error_code(response.content)
        region = response.headers.get("x-amz-bucket-region", "")
        if response.status in (HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.BAD_REQUEST) and region.isascii() and region:
            return SourceError(f"{self._bucket.base} is in another region. Set `region: {region[:40]}` in the source.")
        if response.status == HTTPStatus.NOT_FOUND or code in _ABSENT:
            return SourceError(f"{self._bucket.base} does not exist. Check `url`, `region` and `endpoint`.")
        self._require_access(response.status, code, is_list=True)
        return FetchError(f"{self._bucket.base} answers {_words(response.status, code)}. Sync again when it works.")

    def _require_access(self, status: int, code: str, *, is_list: bool = False) -> None:
        """Refuse a status which says that no other request would succeed either.

        Raises:
            SourceError: it does.
        """
        name = self._credential
        if code in _EXPIRED:
            reason = f"no longer accepts the credential {name} ({code}). Renew it, and check this machine's clock"
        elif code in _INVALID_SECRET or status == HTTPStatus.UNAUTHORIZED:
            reason = f"does not accept the credential {name} ({code or status}). Check both parts of its secret"
        elif is_list and status == HTTPStatus.FORBIDDEN and name is None:
            reason = "is not public. Name a `credential` with keys that may list and read it"
        elif is_list and status == HTTPStatus.FORBIDDEN:
            reason = f"does not let the credential {name} list it ({code or status}). Allow it to list and to read"
        else:
            return
        raise SourceError(f"{self._bucket.base} {reason}. What was read is kept, and nothing was removed.")


def _words(status: int, code: str) -> str:
    return f"{status} ({code})" if code else str(status)
