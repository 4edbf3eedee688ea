"""Finding the parser for a file.

Belongs here: finding a parser by content, media type or file name, and running it. Not here: the base class
(`parser`), any parser. Guarantee: a document that no parser reads raises `DocumentError`; of two parsers for one type,
the first by name is used.

A parser is one class in one file, and one line of packaging, of this package or of another:

    [project.entry-points."headwater.parsers"]
    subtitles = "my_package.subtitles:Subtitles"
"""

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from urllib.parse import unquote

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.file_types import EMPTY, KEYS, MAILBOX, PLAIN_TEXT, PROSE, UNKNOWN, VAGUE, media_type_of
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.sandbox.pool import has_importable_class, parse_apart
from headwater.parsing.signatures import is_told_by_bytes

GROUP = "headwater.parsers"
_LARGE = 32_000  # bytes
_OLD_SLIDES = "application/vnd.ms-powerpoint"
_NEWER = {
    **dict.fromkeys((".ppt", ".pps", ".pot"), ".pptx"),
    **dict.fromkeys((".doc", ".dot", ".wpd", ".wps"), ".docx"),
}
_TEXT_LIMITS = Limits(seconds=120, megabytes=1_500)


@cache
def parsers() -> Mapping[str, Parser]:
    """Every installed parser, by its entry point's name, in order."""
    entries = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return {entry.name: entry.load()() for entry in entries}


def parser_of_type(media_type: str) -> Parser:
    """Return the parser for a media type, such as `text/markdown; charset=utf-8`.

    Raises:
        DocumentError: there is none.
    """
    parser = _of_type(media_type)
    if parser is None:
        raise _unsupported_error(_plain(media_type))
    return parser


def parser_of_name(name: str) -> Parser:
    """Return the parser for a file, by the ending of its name.

    Raises:
        DocumentError: there is none.
    """
    parser = _of_name(name)
    if parser is None:
        raise _unsupported_error()
    return parser


def parser_for(content: bytes, name: str, media_type: str = "") -> Parser:
    """Return the parser for a file: by its content, then by what its server says, then by its name.

    Args:
        content: the file.
        name: its name, path or address.
        media_type: the type that a server states; empty if there is none.

    Raises:
        DocumentError: no parser reads its type; the message names the type.
    """
    detected_type = media_type_of(content, name)
    if detected_type == EMPTY:
        raise DocumentError("The file is empty.")
    parser = find_parser(detected_type, name, media_type)
    if parser is None:
        raise _unsupported_error(detected_type, name)
    return parser


def find_parser(found: str, name: str, media_type: str = "") -> Parser | None:
    """The parser for a file whose content is of type `found`, as `media_type_of` tells; None if there is none.

    The server and the name are asked only if the content says little, or no parser reads its type; and never for a
    format whose files are recognised by their bytes, because this file is none.
    """
    if found == KEYS:
        return _of_type(found)
    candidates = [_of_type(media_type) if _plain(media_type) not in VAGUE else None, _of_name(name)]
    told = [parser for parser in candidates if parser is not None and _may_read(parser, found)]
    detected_parser = _of_type(found)
    plain = _of_type(PLAIN_TEXT) if found in PROSE else None
    ordered = [*told, detected_parser] if found in VAGUE else [detected_parser, *told, plain]
    return next((parser for parser in ordered if parser is not None), None)


def is_read_by(version: str, *, media_type: str, uri: str, own_version: str = "") -> bool:
    """Whether the parser version that read a document would read it now; if in doubt, no.

    The parsers for its media type and for its URI decide, if one of them has the same name (the part of the version
    before the hyphen) as the parser that read it. Otherwise its connector read it itself, or a parser that returns
    another type of text than its file's; then it is enough that the version still exists. What was read as plain text,
    because nothing else read it then, is read by a parser that has been installed for its name since.

    Args:
        version: the version of the parser that read it.
        media_type: the original's, or the text's if no original is stored.
        uri: the document's URI.
        own_version: the version of the connector's own parser.
    """
    by_name, plain = _of_name(uri), _of_type(PLAIN_TEXT)
    was_plain = plain is not None and _own_name(version) == _own_name(plain.version)
    is_another = by_name is not None and _own_name(by_name.version) != _own_name(version)
    if was_plain and by_name is not None and is_another and _may_read(by_name, PLAIN_TEXT):
        return version == own_version
    versions = {parser.version for parser in (_of_type(media_type), by_name) if parser is not None}
    if same := {candidate for candidate in versions if _own_name(candidate) == _own_name(version)}:
        return same == {version}
    plain_type = _plain(media_type)
    other_versions = [parser.version for parser in parsers().values() if plain_type not in parser.media_types]
    return version == own_version or version in other_versions


def parse_file(parser: Parser, file: File) -> ParsedDocument:
    """Parse a file; attach it if the parser keeps originals.

    It is parsed in a process of its own if the parser has limits or the file is large: a pattern that takes quadratic
    time needs seconds for 32 kB, and hours for 3 MB.

    Args:
        parser: its parser. A parser for several types sets the original's type itself.
        file: the file.

    Raises:
        DocumentError: it cannot be read; the message says why.
    """
    limits = parser.limits
    if limits is None and len(file.content) > _LARGE and has_importable_class(parser):
        limits = _TEXT_LIMITS
    document = parser.parse(file) if limits is None else parse_apart(parser, limits, file)
    if not parser.keeps_original or document.original is not None:
        return document
    return replace(document, original=Original(content=file.content, media_type=parser.media_types[0]))


def folder_category(uri: str, root: str) -> str:
    """The category of a document that names none: its folder below `root`, as people read it."""
    folder = posixpath.dirname(posixpath.relpath(uri, root) if root else uri)
    return unquote(folder) if root.startswith(("https://", "http://")) else folder


def _may_read(parser: Parser, detected_type: str) -> bool:
    if any(is_told_by_bytes(name) for name in parser.media_types):
        return False
    is_binary = detected_type == UNKNOWN or is_told_by_bytes(detected_type)
    return not (is_binary and any(name.startswith("text/") for name in parser.media_types))


def _of_type(media_type: str) -> Parser | None:
    plain_type = _plain(media_type)
    return next((parser for parser in parsers().values() if plain_type in parser.media_types), None)


def _of_name(name: str) -> Parser | None:
    """The parser with the longest of the suffixes that the name ends with: `.rst.txt` rather than `.txt`."""
    ending = name.lower()
    matching = [(len(suffix), parser) for parser in parsers().values() for suffix in parser.suffixes
                if ending.endswith(suffix)]  # fmt: skip
    return max(matching, key=lambda pair: pair[0])[1] if matching else None


def _plain(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _own_name(version: str) -> str:
    return version.partition("-")[0]


def _unsupported_error(media_type: str = "", name: str = "") -> DocumentError:
    """The error for a file that no parser reads; of older office programs and of mail, it says what to do."""
    if not parsers():  # the package metadata is from an older release
        return DocumentError("No parser is installed. Install Headwater again.")
    ending = ".ppt" if media_type == _OLD_SLIDES else posixpath.splitext(name.lower())[1]
    advice = f" Save it as {_NEWER[ending]} or PDF." if ending in _NEWER else ""
    if media_type == MAILBOX:
        advice = " A source of kind `imap` reads a mailbox, with this file as its `path`."
    return DocumentError(f"This file type isn't supported{f': {media_type}' if media_type else ''}.{advice}")
