"""How originals of documents are sent: with which type, name and policy.

Belongs here: what a browser may do with a file from outside. Not here: its bytes (`routes.originals`). Guarantee: only
types that cannot run a script in a page are shown; anything else is saved; text is never taken for HTML.
"""

import codecs
import posixpath
import re
import unicodedata
from urllib.parse import quote, unquote, urlsplit

PDF = "application/pdf"
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp")
_SHOWN = (*IMAGES, PDF)
_RUNS = re.compile(r"html|svg|[/+]xml|/xsl|/css|javascript|ecmascript|mathml|flash|java-archive|multipart/|message/")
"""Types that a browser may run, or that may contain parts which it may run."""
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,99}/[a-z0-9][a-z0-9!#$&^_.+-]{0,99}")
_UNSAFE = re.compile(r'[\\/:*?"<>|%;]')
_MAX_FILE_NAME_CHARS = 150  # characters of a file name
# Chromium shows no PDF under a sandbox; its viewer is a page of its own, and needs styles and the object.
_PDF_POLICY = "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'; frame-ancestors 'none'"
_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'"


def choose_media_type(media_type: str | None, beginning: bytes) -> tuple[str, bool]:
    """The type to send a file with, and whether a browser may show it instead of saving it.

    Args:
        media_type: the stored type.
        beginning: the first bytes of the file.
    """
    plain = (media_type or "").partition(";")[0].strip().lower()
    if not _TYPE.fullmatch(plain):
        return "application/octet-stream", False
    if _RUNS.search(plain):
        return _text(beginning), False
    if plain.startswith("text/") or plain in ("application/json", "application/yaml", "application/toml"):
        return _text(beginning), True
    return plain, plain in _SHOWN


def disposition(uri: str, *, is_shown: bool) -> str:
    """The header Content-Disposition (RFC 6266) for a document: its file name, in ASCII and in full."""
    name = _file_name(uri)
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().strip() or "document"
    kind = "inline" if is_shown else "attachment"
    full = "" if ascii_name == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return f'{kind}; filename="{ascii_name}"{full}'


def policy(media_type: str) -> str:
    """The header Content-Security-Policy: nothing in a file may run, load or be framed."""
    return _PDF_POLICY if media_type == PDF else _POLICY


def _text(beginning: bytes) -> str:
    """Plain text; without a charset if the bytes are not UTF-8, so that the browser guesses one."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError:
        return "text/plain"
    return "text/plain; charset=utf-8"


def _file_name(uri: str) -> str:
    """The last part of a URI, without characters that a header or a file system could misread."""
    try:
        address = urlsplit(uri)
        path = unquote(address.path) if address.scheme in ("http", "https") else uri
    except ValueError:
        path = uri
    name = "".join(
        " " if unicodedata.category(character)[0] in "CZ" else character for character in posixpath.basename(path)
    )
    return _truncate(_UNSAFE.sub("_", name).strip(" .")) or "document"


def _truncate(name: str) -> str:
    stem, ending = posixpath.splitext(name)
    return name if len(name) <= _MAX_FILE_NAME_CHARS else stem[: _MAX_FILE_NAME_CHARS - len(ending[:20])] + ending[:20]
