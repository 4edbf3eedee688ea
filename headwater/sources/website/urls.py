"""The addresses of a website: their one spelling, which belong to a source, which lead nowhere new.

Belongs here: pure rules about addresses. Not here: requests, robots.txt. Guarantee: pure; cleaning a clean address
changes nothing.
"""

import posixpath
import re
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from mimetypes import MimeTypes
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

_PORTS = {"http": ":80", "https": ":443"}
_MAX_URL_CHARS = 2_000
_MAX_SEGMENTS = 30
_MAX_REPEATED = 3  # times that a path may have one segment
_QUERIES = 50
"""Addresses of one path that differ in their query alone, such as the months of a calendar."""
_SAFE = "/%:@!$&'()*+,;=-._~"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|xhtml|aspx?|jsp)$", re.IGNORECASE)
_SESSION = re.compile(r";jsessionid=[^/?;]*", re.IGNORECASE)
_DROPPED = re.compile(
    r"utm_.*|(?:g|fb|ms|y|tw|d|ttc|li_fat_)cl?id|gclsrc|[gw]braid|_ga|_gl|_hs\w*|hsa_.*|mc_[ce]id|mkt_tok|igshid|ref_src|"
    r"(?:pk|piwik|mtm|matomo|vero|oly)_.*|s_cid|trk\w*|spm|"
    r"sid|phpsessid|jsessionid|aspsessionid\w*|session_?id|cfid|cftoken|_?csrf\w*",
    re.IGNORECASE,
)
_NO_CONTENT = re.compile(
    r"replytocom|share|sort(?:_?by)?|order(?:_?by)?|dir|direction|oldid|diff|printable|print|veaction|redlink|"
    r"add-to-cart|c|o",
    re.IGNORECASE,
)
_ACTIONS = re.compile(r"(?:action|do|cmd)=(?!view|show|display)", re.IGNORECASE)
_TYPES = MimeTypes(filenames=())
_PICTURES = ("image/", "audio/", "video/", "font/")
_DOWNLOADS = frozenset(
    {"application/zip", "application/gzip", "application/x-tar", "application/x-bzip2", "application/octet-stream",
     "application/x-7z-compressed", "application/vnd.rar", "application/java-archive",
     "application/vnd.android.package-archive"}
)  # fmt: skip
_PROGRAMS = frozenset({"text/css", "application/javascript", "text/javascript", "application/json", "application/wasm"})


def clean_url(url: str) -> str:
    """The one spelling of an http address; empty for anything else.

    Without fragment, usual port, parameters of sessions and tracking; with the other parameters in order.
    """
    try:
        url_parts = urlsplit(url.strip())
        host, port = (url_parts.hostname or "").rstrip("."), url_parts.port
    except ValueError:
        return ""
    if url_parts.scheme not in _PORTS or not host or "@" in url_parts.netloc or len(url) > _MAX_URL_CHARS:
        return ""
    host_text = f"[{host}]" if ":" in host else host
    netloc = host_text if port is None or f":{port}" == _PORTS[url_parts.scheme] else f"{host_text}:{port}"
    return urlunsplit((url_parts.scheme, netloc, _clean_path(url_parts.path), _clean_query(url_parts.query), ""))


def page_key(url: str) -> str:
    """What addresses of the same page share: without scheme, the name of an index page, and a last slash."""
    url_parts = urlsplit(url)
    path = _INDEX.sub("/", url_parts.path).rstrip("/")
    return f"{url_parts.netloc}{path}?{url_parts.query}" if url_parts.query else f"{url_parts.netloc}{path}"


def folder_of(url: str) -> str:
    """The folder that an address lies in."""
    url_parts = urlsplit(url)
    return urlunsplit((url_parts.scheme, url_parts.netloc, url_parts.path.rpartition("/")[0] + "/", "", ""))


def is_picture(media_type: str) -> bool:
    """Whether a type is of pictures, sound or fonts: those that a page links to decorate it."""
    return media_type.startswith(_PICTURES) or media_type.partition(";")[0].strip() in _PROGRAMS


def is_download(media_type: str) -> bool:
    """Whether a type is of archives and programs, which nobody reads as a page."""
    return media_type in _DOWNLOADS


def guess_type(url: str) -> str:
    """The media type that an address's ending stands for; empty if unknown, or if a program makes the page."""
    media_type, encoding = _TYPES.guess_type(urlsplit(url).path)
    return "application/gzip" if encoding else media_type or ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CrawlScope:
    """Which addresses a source may read: those below a prefix, if one pattern includes them and none excludes them."""

    prefix: str = ""
    """An address; empty for the whole web."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @property
    def host(self) -> str:
        """The host, with its port, that it is limited to."""
        return urlsplit(self.prefix).netloc

    def contains(self, url: str) -> bool:
        """Whether an address, in its one spelling, may be read; its scheme does not count."""
        return self._is_below(url) and self._is_chosen(url)

    def _is_below(self, url: str) -> bool:
        if not self.prefix:
            return True
        prefix_parts, url_parts = urlsplit(self.prefix), urlsplit(url)
        if url_parts.netloc != prefix_parts.netloc:
            return False
        root = prefix_parts.path.rstrip("/")
        return url_parts.path == root or url_parts.path.startswith(f"{root}/")

    def _is_chosen(self, url: str) -> bool:
        is_included = not self.include or any(fnmatchcase(url, _pattern(pattern)) for pattern in self.include)
        return is_included and not any(fnmatchcase(url, _pattern(pattern)) for pattern in self.exclude)


class Traps:
    """Recognizes addresses that a site makes without end: calendars, sorted lists, paths that repeat themselves."""

    def __init__(self) -> None:
        self._queries: Counter[str] = Counter()

    def catches(self, url: str) -> bool:
        """Whether an address should not be followed; it counts as one more of its path."""
        url_parts = urlsplit(url)
        segments = [segment for segment in url_parts.path.split("/") if segment]
        if len(segments) > _MAX_SEGMENTS or max(Counter(segments).values(), default=0) > _MAX_REPEATED:
            return True
        if not url_parts.query:
            return False
        names = [pair.partition("=")[0] for pair in re.split("[&;]", url_parts.query)]
        if any(_NO_CONTENT.fullmatch(name) for name in names) or _ACTIONS.search(url_parts.query):
            return True
        path = f"{url_parts.netloc}{url_parts.path}"
        self._queries[path] += 1
        return self._queries[path] > _QUERIES


def _clean_path(path: str) -> str:
    plain = quote(_ESCAPE.sub(_unescape, _SESSION.sub("", path)), safe=_SAFE)
    if not plain.startswith("/"):
        plain = f"/{plain}"
    if "/." in plain or "//" in plain:
        ends = plain.endswith(("/", "/.", "/.."))
        plain = posixpath.normpath("/" + plain.lstrip("/"))
        plain += "/" if ends and plain != "/" else ""
    return plain


def _clean_query(query: str) -> str:
    if not query:
        return ""
    pairs = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if not _DROPPED.fullmatch(name)]
    if len(pairs) == 1 and not pairs[0][1] and "=" not in query:
        return quote(pairs[0][0], safe="/:@-._~")  # a name alone, as some forums write their topics
    return "&".join(f"{quote(name, safe='[]:@-._~')}={quote(value, safe='/:@-._~,')}" for name, value in sorted(pairs))


def _unescape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _pattern(pattern: str) -> str:
    """A pattern of whole addresses; one that begins with a slash means a path on any host."""
    return f"*://*{pattern}" if pattern.startswith("/") else pattern
