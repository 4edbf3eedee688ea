"""Asking a wiki: its state, its list of pages, and single pages.

Belongs here: requests to `api.php`, logging in, waiting. Not here: which pages are read (`connector`). Guarantee: an
answer of another form raises an error that says so; a password is sent in the body of a request to its own host, and
stands in no address and no message.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

from headwater.errors import DocumentError, FetchError, FetchRefusedError, SourceError
from headwater.fetching.credentials import Credential
from headwater.fetching.http_client import HttpClient, Response
from headwater.fetching.http_request import HttpRequest
from headwater.fetching.patience import Patience
from headwater.fetching.url_guard import UrlGuard
from headwater.sources.mediawiki.cookies import HostCookies
from headwater.sources.mediawiki.entries import Wiki, WikiFile, WikiPage, inner, read_file, read_page, read_readers

_LIMIT = 30_000_000  # bytes of an answer
_MAX_ANSWERS = 2_000
_PAGE_FIELDS = {
    "action": "query", "prop": "info|revisions", "inprop": "url|protection", "rvprop": "timestamp|user"
}  # fmt: skip
_MAX_IDS = 50
_BUSY = ("maxlag", "ratelimited", "readonly")
_UNSAID = 5.0  # seconds to wait if a busy wiki does not say how long
_LOGGED_OUT = ("assertuserfailed", "assertbotfailed", "mwoauth-invalid-authorization")
_GONE = ("missingtitle", "nosuchpageid", "pagecannotexist")


class WikiApi:
    """The interface of one wiki."""

    def __init__(self, client: HttpClient, url: str, *, patience: Patience, credential: Credential | None) -> None:
        self._client = client
        self._url = url
        self._patience = patience
        self._credential = credential
        self._cookies = HostCookies(url)
        self._is_logged_in = False

    def log_in(self, gate: UrlGuard) -> None:
        """Log in with a bot password, `User@bot:password`, for as long as this object is used.

        Raises:
            SourceError: the wiki does not accept it.
        """
        if self._credential is None:
            return
        user, _, password = self._credential.secret.partition(":")
        target = gate.check_url(self._url)
        if target.scheme != "https" and not gate.is_named(target.host, target.port):
            raise FetchRefusedError(
                f"{self._url} is refused: the credential {self._credential.name} would be sent without encryption. Use"
                " https, or add the host to HEADWATER_FETCH_ALLOW."
            )
        tokens = self._ask({"action": "query", "meta": "tokens", "type": "login"})
        token = inner(tokens, "query", "tokens").get("logintoken")
        form = {"action": "login", "lgname": user, "lgpassword": password, "lgtoken": str(token)}
        answer = inner(self._ask(form, is_sent_in_body=True), "login")
        if answer.get("result") != "Success":
            result = str(answer.get("result"))[:40]
            raise SourceError(
                f"{self._url} does not accept the credential {self._credential.name} ({result}). It must be a bot"
                " password, User@name:password, as Special:BotPasswords shows it."
            )
        self._is_logged_in = True

    def state(self) -> Wiki:
        """The wiki's state, with one request.

        Raises:
            SourceError: it cannot be read, or is no wiki.
        """
        change = {"list": "recentchanges", "rclimit": "1", "rcprop": "ids", "rctype": "edit|new|log"}
        answer = self._ask({"action": "query", "meta": "siteinfo", "siprop": "general|statistics|usergroups", **change})
        query = inner(answer, "query")
        general, changes = inner(query, "general"), query.get("recentchanges")
        if not isinstance(changes, list) or not general.get("generator"):
            raise SourceError(f"{self._url} answers something that is no wiki's state. Check `url`.")
        latest = changes[0] if changes and isinstance(changes[0], Mapping) else {}
        jobs = inner(query, "statistics").get("jobs")
        return Wiki(
            name=str(general.get("sitename", "")),
            language=str(general.get("lang", "")),
            change=str(latest.get("rcid", "")),
            jobs=jobs if isinstance(jobs, int) else 0,
            readers=read_readers(query.get("usergroups")),
        )

    def pages(self, namespace: int) -> Iterator[WikiPage]:
        """Every page of a namespace that is no redirect, up to 500 with one request.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        fixed = {
            "generator": "allpages", "gapnamespace": str(namespace), "gaplimit": "max",
            "gapfilterredir": "nonredirects", **_PAGE_FIELDS,
        }  # fmt: skip
        yield from (wiki_page for page in self._all(fixed, "pages") if (wiki_page := read_page(page)) is not None)

    def find_pages(self, ids: Sequence[str], namespaces: Collection[int]) -> Iterator[WikiPage]:
        """Those of some pages that are still there, in these namespaces and no redirects; fifty with one request.

        Raises:
            SourceError: the wiki does not say so.
        """
        for begin in range(0, len(ids), _MAX_IDS):
            for page in self._all({"pageids": "|".join(ids[begin : begin + _MAX_IDS]), **_PAGE_FIELDS}, "pages"):
                is_read = isinstance(page, Mapping) and page.get("ns") in namespaces and not page.get("redirect")
                if is_read and (wiki_page := read_page(page)) is not None:
                    yield wiki_page

    def files(self) -> Iterator[WikiFile]:
        """Every file that was uploaded, up to 500 with one request.

        Raises:
            SourceError: the list cannot be read to its end.
        """
        fixed = {
            "action": "query", "list": "allimages", "ailimit": "max", "aisort": "name",
            "aiprop": "timestamp|user|url|sha1|mime|size",
        }  # fmt: skip
        yield from (file for entry in self._all(fixed, "allimages") if (file := read_file(entry)) is not None)

    def content(self, file: WikiFile, *, limit: int) -> bytes | None:
        """The bytes of a file; None if it is gone.

        Raises:
            FetchError: it cannot be had.
        """
        response = self._client.send(file.url, HttpRequest(cookies=self._cookies), limit=limit)
        if response.status == HTTPStatus.NOT_FOUND:
            return None
        if response.status != HTTPStatus.OK:
            raise FetchError(f"{file.url} answers {response.status}. Sync again when it works.")
        return response.content

    def _all(self, fixed: Mapping[str, str], name: str) -> Iterator[Any]:
        """Every entry of a list."""
        continuation: dict[str, str] = {}
        seen: set[str] = set()
        for _ in range(_MAX_ANSWERS):
            answer = self._ask({**fixed, **continuation})
            entries = inner(answer, "query").get(name) if "query" in answer else []
            if not isinstance(entries, list):
                raise SourceError(f"{self._url} answers something that is no list of pages. Check `url`.")
            yield from entries
            following = answer.get("continue")
            if not isinstance(following, Mapping):
                return
            continuation = {str(name): str(value) for name, value in following.items()}
            key = json.dumps(continuation, sort_keys=True)
            if key in seen:
                break
            seen.add(key)
        raise FetchError(f"The list of pages of {self._url} does not end. Sync again later.")

    def html(self, page: WikiPage) -> tuple[str, tuple[str, ...]] | None:
        """The HTML of a page and its categories; None if it is gone.

        Raises:
            SourceError: it cannot be had.
        """
        options = {"prop": "text|categories", "disableeditsection": "1", "disablelimitreport": "1", "disabletoc": "1"}
        answer = self._ask({"action": "parse", "pageid": page.id, "wrapoutputclass": "", **options}, allows=_GONE)
        if "error" in answer:
            return None
        parsed = inner(answer, "parse")
        if not isinstance(parsed.get("text"), str):
            raise DocumentError(f"{self._url} answers something that is no page. Sync again later.")
        listed = parsed.get("categories")
        categories = (
            [category for category in listed if isinstance(category, Mapping)] if isinstance(listed, list) else []
        )
        names = tuple(
            str(category.get("category", "")).replace("_", " ") for category in categories if not category.get("hidden")
        )
        return str(parsed["text"]), names

    def _ask(
        self, fields: Mapping[str, str], *, is_sent_in_body: bool = False, allows: tuple[str, ...] = ()
    ) -> Mapping[str, Any]:
        """Send a request; returns its JSON, which may be an error only if its code is in `allows`.

        Raises:
            SourceError: no answer, or an error of the wiki.
        """
        common = {"format": "json", "formatversion": "2", **({"assert": "user"} if self._is_logged_in else {})}
        text = urlencode({**fields, **common, **({} if is_sent_in_body else {"maxlag": "5"})})
        if is_sent_in_body:
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            message = HttpRequest(
                method="POST", headers=headers, content=text.encode(), cookies=self._cookies, is_redirected=False
            )
            url = self._url
        else:
            message, url = HttpRequest(cookies=self._cookies), f"{self._url}?{text}"
        while True:
            response = self._client.send(url, message, limit=_LIMIT)
            value = self._load_json(response)
            code = str(inner(value, "error").get("code", "")) if "error" in value else ""
            if code not in _BUSY:
                break
            self._patience.wait(_seconds(response), urlsplit(self._url).netloc)
        if code and code not in allows:
            raise self._error(code)
        return value

    def _load_json(self, response: Response) -> Mapping[str, Any]:
        if response.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            raise SourceError(
                f"{self._url} answers {response.status}. Nothing was removed. Check `url` and `credential`."
            )
        if response.status != HTTPStatus.OK:
            raise FetchError(f"{self._url} answers {response.status}. Nothing was removed. Sync again when it works.")
        try:
            value = json.loads(response.content)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise SourceError(f"{self._url} answers something that is no interface of a wiki. Check `url`.")
        return value

    def _error(self, code: str) -> SourceError:
        plain_code = "".join(letter for letter in code[:60] if letter.isalnum() or letter in "-_")
        name = None if self._credential is None else self._credential.name
        if code in _LOGGED_OUT:
            return SourceError(
                f"{self._url} no longer accepts the credential {name} ({plain_code}). Renew it. What was read is kept,"
                " and nothing was removed."
            )
        if code in ("readapidenied", "permissiondenied") and name is None:
            return SourceError(f"{self._url} is private. Name a `credential` with a bot password that may read it.")
        return FetchError(f"{self._url} answers the error {plain_code}. Nothing was removed. Sync again when it works.")


def _seconds(response: Response) -> float:
    text = response.headers.get("retry-after", "").strip()
    return max(float(text), 1.0) if text.isascii() and text.isdecimal() and len(text) < 10 else _UNSAID
