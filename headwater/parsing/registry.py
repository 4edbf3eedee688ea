"""Which parser reads which files: bytes in, text with places out.

Belongs here: the protocol, and finding a parser by media type or by a file's name. Not here: any parser. Guarantee: a
document that no parser reads is a `DocumentError`; of two parsers of the same type, the first by name counts.

A parser is one class in one file, and one line of packaging, of this package or of another:

    [project.entry-points."headwater.parsers"]
    subtitles = "my_package.subtitles:Subtitles"
"""

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from typing import ClassVar, Protocol

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError

GROUP = "headwater.parsers"


class Parser(Protocol):
    """Reads one kind of file."""

    media_types: ClassVar[tuple[str, ...]]
    """Which files it reads, by what a server says of them: lower case, without parameters."""
    suffixes: ClassVar[tuple[str, ...]]
    """And by how their names end: lower case, with the dot."""
    version: ClassVar[str]
    """Raise it when the same bytes give another text: documents that an older version read are then read again."""
    keeps_original: ClassVar[bool]
    """Whether people want to open the file itself beside its text, as they want a PDF; text says what its file says."""

    def parse(self, content: bytes, *, uri: str, root: str = "") -> ParsedDocument:
        """Read a file.

        Args:
            content: the file.
            uri: its document's URI.
            root: the folder that its source begins at, as a part of `uri`.

        Returns:
            Its text, with `places` for as many of its offsets as it knows.

        Raises:
            DocumentError: it cannot be read; the message says why.
        """
        ...


@cache
def parsers() -> Mapping[str, Parser]:
    """Every installed parser, by its entry point's name, in order."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return {entry.name: entry.load()() for entry in found}


def parser_of_type(media_type: str) -> Parser:
    """Return the parser of a media type, such as `text/markdown; charset=utf-8`.

    Raises:
        DocumentError: there is none.
    """
    found = _of_type(media_type)
    if found is None:
        raise DocumentError(
            f"No parser reads {_plain(media_type) or 'a document without a media type'}. {_installed()}"
        )
    return found


def parser_of_name(name: str) -> Parser:
    """Return the parser of a file, by how its name ends.

    Raises:
        DocumentError: there is none.
    """
    found = _of_name(name)
    if found is None:
        raise DocumentError(f"No parser reads a file of this name. {_installed()}")
    return found


def is_read_by(version: str, *, media_type: str, uri: str, own_version: str = "") -> bool:
    """Whether a document would now be read by the version of the parser that has read it; in doubt it is not.

    The parsers of its media type and of its URI tell, where they have the own name of the one that has read it: what
    its version has up to the hyphen. Else its connector read it itself, or a parser that gives another type of text
    than its file's; then it is enough that the version is still there.

    Args:
        version: of the parser that has read it.
        media_type: the original's, or the text's where no original is kept.
        uri: its URI.
        own_version: of what its connector reads itself.
    """
    found = {parser.version for parser in (_of_type(media_type), _of_name(uri)) if parser is not None}
    if same := {one for one in found if _own_name(one) == _own_name(version)}:
        return same == {version}
    wanted = _plain(media_type)
    others = [parser.version for parser in parsers().values() if wanted not in parser.media_types]
    return version == own_version or version in others


def parse_file(parser: Parser, content: bytes, *, uri: str, root: str = "") -> ParsedDocument:
    """Read a file, and give the file itself with its text where the parser keeps it.

    Args:
        parser: its parser. One that reads several types says itself which type the original has.
        content: the file.
        uri: its document's URI.
        root: the folder that its source begins at, as a part of `uri`.

    Raises:
        DocumentError: it cannot be read; the message says why.
    """
    found = parser.parse(content, uri=uri, root=root)
    if not parser.keeps_original or found.original is not None:
        return found
    return replace(found, original=Original(content=content, media_type=parser.media_types[0]))


def folder_category(uri: str, root: str) -> str:
    """The category of a document that says none itself: its folder, below `root`."""
    return posixpath.dirname(posixpath.relpath(uri, root) if root else uri)


def _of_type(media_type: str) -> Parser | None:
    wanted = _plain(media_type)
    return next((parser for parser in parsers().values() if wanted in parser.media_types), None)


def _of_name(name: str) -> Parser | None:
    ending = name.lower()
    return next((parser for parser in parsers().values() if ending.endswith(parser.suffixes)), None)


def _plain(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _own_name(version: str) -> str:
    return version.partition("-")[0]


def _installed() -> str:
    types = sorted({media_type for parser in parsers().values() for media_type in parser.media_types})
    if not types:  # the packaging of an older release is still there
        return "No parser is installed at all: install Headwater again."
    return f"Those that are installed read {', '.join(types)}."
