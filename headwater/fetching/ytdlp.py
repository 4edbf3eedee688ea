"""yt-dlp with every request behind the gate.

Belongs here: how yt-dlp is set up, its requests, its errors in our words. Not here: what becomes of videos
(`headwater.sources.video`). Guarantee: yt-dlp sends nothing except through `HttpClient`, starts no program, loads no
plug-in and no configuration, and reads and writes no file; cookies last as long as the object.

Importing this module imports yt-dlp, which is slow.
"""

import io
import re
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from email.message import Message as HeaderFields
from functools import partial
from itertools import islice
from typing import Any, NoReturn, cast
from urllib.parse import urlsplit

from yt_dlp import YoutubeDL
from yt_dlp import globals as ytdlp_globals
from yt_dlp.cookies import YoutubeDLCookieJar
from yt_dlp.networking.common import Request, RequestHandler
from yt_dlp.networking.common import Response as ItsResponse
from yt_dlp.networking.exceptions import HTTPError, TransportError
from yt_dlp.utils import GeoRestrictedError, PagedList, Popen, UnsupportedError, YoutubeDLError, unsmuggle_url

from headwater.errors import DocumentError, FetchError, HeadwaterError, SourceError
from headwater.fetching.http_client import HttpClient, Response
from headwater.fetching.http_request import HttpRequest
from headwater.fetching.url_guard import UrlGuard
from headwater.fetching.validators import conditions

_LIMIT = 20_000_000  # bytes of a page, a list or subtitles
_UNREAD = ("video/", "audio/", "image/", "font/")
_MAX_NOTES = 20
_CAUSES = 10
_GONE = (404, 410)
_BUSY = (429, 503)
_OPTIONS: Mapping[str, Any] = {
    "quiet": True,
    "noprogress": True,
    "color": "no_color",
    "skip_download": True,
    "noplaylist": True,  # the address of one video of a playlist is that video
    "writesubtitles": True,  # many extractors find no subtitles otherwise
    "writeautomaticsub": True,
    "cachedir": False,
    "proxy": "",
    "geo_bypass": False,
    "js_runtimes": {},
    "extractor_retries": 0,  # the client retries
    "extractor_args": {"youtube": {"skip": ["translated_subs", "hls", "dash"]}},
}
_REASONS: Sequence[tuple[str, str]] = (
    (
        r"not a bot|rate.?limit|too many requests",
        "The site refuses requests from this machine for now. Sync again later, or raise `delay`.",
    ),
    (
        r"confirm your age|age.?restrict|inappropriate for some|adult content",
        "It is age-restricted, and Headwater does not sign in. Leave it out, or upload its subtitles as a file.",
    ),
    (
        r"\bprivate\b",
        "It is private. Ask its owner to publish it, leave it out, or upload its subtitles as a file.",
    ),
    (
        r"premieres? in|live event will begin|not currently live|is offline|starts? in|upcoming",
        "It has not been broadcast yet. Sync again when it is over.",
    ),
    (
        r"members.only|members on level|premium|purchase|rent|subscri|log.?in|sign in|logged|registered|cookies",
        "It can be seen only after signing in. Name a `credential` with a cookie for its site, or leave it out.",
    ),
    (
        r"not available in your country|geo.?restrict|your location|your region",
        "It is not available in the country of this machine. Leave it out, or upload its subtitles as a file.",
    ),
    (
        r"removed|unavailable|not available|does ?n.t exist|does not exist|terminated|deleted|not found|no longer",
        "It is not there any more, or not for everyone. Open its address; if it is gone, leave it out.",
    ),
    (r"\bdrm\b", "It is protected against copying (DRM), so it cannot be read. Leave it out."),
)
_TAIL = re.compile(
    r"(?:[;.,]?\s*(?:please report this|You might want to|Use --|See  ?http|Set --|Try ).*)\Z", re.DOTALL
)
_HEAD = re.compile(r"^(?:ERROR: )?(?:\[[^\]]{1,60}\] )?(?:[\w-]{1,60}: )?")


class GuardedRH(RequestHandler):  # type: ignore[misc]
    """Sends requests through Headwater's client; yt-dlp wants the name to end with `RH`."""

    _SUPPORTED_URL_SCHEMES = ("http", "https")
    _SUPPORTED_PROXY_SCHEMES = None  # proxies of the environment are not used
    _SUPPORTED_FEATURES = None

    def __init__(self, client: HttpClient, **options: Any) -> None:
        super().__init__(**options)
        self._client = client

    def _check_extensions(self, extensions: dict[str, Any]) -> None:
        super()._check_extensions(extensions)
        for name in ("cookiejar", "timeout", "legacy_ssl", "keep_header_casing"):
            extensions.pop(name, None)

    def _send(self, request: Any) -> Any:
        message = HttpRequest(
            method=request.method,
            headers=self._get_headers(request),
            content=_content(request.data),
            cookies=_Jar(self._get_cookiejar(request)),
            unread=_UNREAD,
        )
        try:
            fetched = self._client.send(request.url, message, limit=_LIMIT)
        except HeadwaterError as error:
            raise TransportError(str(error), cause=error) from error
        headers = {name: value for name, value in fetched.headers.items() if not name.startswith("content-encod")}
        response = ItsResponse(io.BytesIO(fetched.content), fetched.url, headers, fetched.status)
        if fetched.status >= 400:
            raise HTTPError(response)
        return response


class Library(YoutubeDL):  # type: ignore[misc]
    """yt-dlp for one source; used by one thread."""

    def __init__(self, gate: UrlGuard, client: HttpClient) -> None:
        self._gate = gate
        self._client = client
        self._notes = _Notes()
        ytdlp_globals.plugin_dirs.value = []
        ytdlp_globals.all_plugins_loaded.value = True
        Popen.__init__ = _refuse_program
        super().__init__({**_OPTIONS, "logger": self._notes})

    def build_request_director(self, handlers: Any, preferences: Any = None) -> Any:  # noqa: ARG002 - its signature
        """Use no way of sending requests but ours."""
        return super().build_request_director([partial(GuardedRH, self._client)])

    def urlopen(self, req: Any) -> Any:
        """Send a request, unless its address is refused: yt-dlp would turn a password in it into a header."""
        request = Request(req) if isinstance(req, str) else req
        url = request.full_url if isinstance(request, urllib.request.Request) else request.url
        if urlsplit(url).scheme in ("http", "https"):
            try:
                self._gate.check_url(url)
            except HeadwaterError as error:
                raise TransportError(str(error), cause=error) from error
        return super().urlopen(request)

    def look_up(self, url: str, extractor: str | None = None) -> dict[str, Any]:
        """Ask the site about an address; nothing that it refers to is asked for.

        Args:
            url: the address of a video or a list.
            extractor: the key of yt-dlp's extractor, if it is known.

        Returns:
            What yt-dlp's extractor returns: a video, a list of `entries`, or a reference.

        Raises:
            FetchError: there is no answer. TooLargeError: it is too large. DocumentError: it is no video, or one that
                cannot be had; the message says why.
        """
        self._notes.warnings.clear()
        try:
            page = self.extract_info(url, download=False, process=False, ie_key=extractor)
        except Exception as error:  # noqa: BLE001 - an extractor fails in any way on a page that it does not know
            raise self._failure(url, error) from None
        if not isinstance(page, dict):
            raise self._failure(url, YoutubeDLError("nothing was found"))
        return page

    def entries(self, listed: Mapping[str, Any], most: int) -> Iterator[dict[str, Any]]:
        """The entries of a list, at most so many; pages of the list are asked for as they are needed.

        Raises:
            FetchError: as `look_up` does. TooLargeError: the same. DocumentError: the same.
        """
        entries = listed.get("entries") or ()
        try:
            pieces = entries.getslice(0, most) if isinstance(entries, PagedList) else islice(entries, most)
            for entry in pieces:
                if isinstance(entry, dict):
                    yield entry
        except Exception as error:  # noqa: BLE001 - as above
            raise self._failure(str(listed.get("webpage_url") or ""), error) from None

    def is_list(self, url: str, extractor: str | None) -> bool:
        """Whether an address is surely a list, as far as its form tells."""
        return self._is_single(url, extractor) is False

    def is_video(self, url: str, extractor: str | None = None) -> bool:
        """Whether an address is surely one video, as far as its form tells."""
        return self._is_single(url, extractor) is True

    def download(self, url: str, headers: Mapping[str, Any], validator: str) -> Response:
        """Fetch subtitles as a player would.

        Args:
            url: their address.
            headers: what yt-dlp says that the site wants.
            validator: that of an earlier response, empty for none.

        Raises:
            FetchError: there is no answer. TooLargeError: it is too large.
        """
        request_headers = {name: value for name, value in headers.items() if isinstance(value, str)}
        default_headers = {name: str(value) for name, value in self.params["http_headers"].items()}
        sent = {**default_headers, **request_headers, **conditions(validator)}
        message = HttpRequest(headers=sent, cookies=_Jar(self.cookiejar), unread=_UNREAD)
        return self._client.send(url, message, limit=_LIMIT)

    def _is_single(self, url: str, extractor: str | None) -> bool | None:
        try:
            for key in [extractor] if extractor in self._ies else self._ies:
                if self._ies[key].suitable(url):
                    return cast("bool | None", self.get_info_extractor(key).is_single_video(url))
        except (YoutubeDLError, ValueError, re.error):
            pass  # then nobody knows, and the page itself is read
        return None

    def _failure(self, url: str, error: Exception) -> HeadwaterError:
        for cause in _causes(error):
            if isinstance(cause, HeadwaterError):
                return cause
            if isinstance(cause, HTTPError) and cause.status not in _GONE:
                later = "Sync again later." if cause.status in _BUSY or cause.status >= 500 else "Check its address."
                return FetchError(f"{url} answers {cause.status}. {later}")
            if isinstance(cause, UnsupportedError):
                return SourceError(f"{url} is no page with a video that yt-dlp knows. Check its address.")
        return _document_error(url, error, self._notes.warnings)


class _Notes:
    """yt-dlp's logger: the latest warnings, which say why a video has nothing."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def debug(self, message: str) -> None:
        """Ignore it."""

    info = debug
    error = debug  # raised as well

    def warning(self, message: str, *_: Any, **__: Any) -> None:
        """Keep it."""
        self.warnings = [*self.warnings, str(message)][-_MAX_NOTES:]


class _Jar:
    """The cookies of yt-dlp for `HttpClient`."""

    def __init__(self, jar: YoutubeDLCookieJar) -> None:
        self._jar = jar

    def to_header(self, url: str) -> str:
        """The `Cookie` header."""
        return self._jar.get_cookie_header(url) or ""

    def note(self, url: str, received: Sequence[str]) -> None:
        """Keep cookies, if they are those of their site."""
        if received:
            self._jar.extract_cookies(_Answer(received), urllib.request.Request(url))  # noqa: S310 - it was checked


class _Answer:
    """The part of a response that a cookie jar of Python reads."""

    def __init__(self, received: Sequence[str]) -> None:
        self._fields = HeaderFields()
        for value in received:
            self._fields["Set-Cookie"] = " ".join(value.splitlines())

    def info(self) -> HeaderFields:
        """The header fields."""
        return self._fields


def page_address(url: str) -> str:
    """The address itself, without what yt-dlp hides in it for its extractors."""
    return str(unsmuggle_url(url)[0])


def _refuse_program(*_: Any, **__: Any) -> NoReturn:
    raise OSError("Headwater lets yt-dlp start no program")


def _content(data: Any) -> bytes | None:
    if data is None or isinstance(data, bytes):
        return data
    return bytes(data.read()) if hasattr(data, "read") else b"".join(data)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it, as yt-dlp and Python chain them."""
    for _ in range(_CAUSES):
        if error is None:
            return
        yield error
        info = getattr(error, "exc_info", None) or (None, None)
        following = getattr(error, "cause", None) or (info[1] if info[1] is not error else None)
        error = following if isinstance(following, BaseException) else error.__cause__


def _document_error(url: str, error: Exception, warnings: Sequence[str]) -> DocumentError:
    texts = [*(str(cause) for cause in _causes(error)), *reversed(warnings)]
    if any(isinstance(cause, GeoRestrictedError) for cause in _causes(error)):
        texts.insert(0, "not available in your country")
    for pattern, reason in _REASONS:
        if any(re.search(pattern, text[:1_000], re.IGNORECASE) for text in texts[:1]):
            return DocumentError(f"{url} cannot be read. {reason}")
    cause = " ".join(_TAIL.sub("", _HEAD.sub("", texts[0][:1_000])).split())[:200].rstrip(".")
    return DocumentError(
        f"{url} cannot be read: {cause or type(error).__name__}. Open its address to see what is wrong."
    )
