"""Files that a server gave, as documents of their source.

Belongs here: choosing the parser of a file's bytes, and its document with its original and its address. Not here:
fetching (the connectors), the formats (`headwater.parsing`). Guarantee: a file's type is told by its content; the
original of every document is kept.
"""

import posixpath
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote

from headwater.domain.documents import Original, ParsedDocument
from headwater.errors import DocumentError
from headwater.identity import bytes_fingerprint, content_hash
from headwater.parsing.dates import document_date
from headwater.parsing.file_types import media_type_of
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import parse_file, parser_for, parser_of_name, parser_of_type, parsers
from headwater.sources.connector import FetchedDocument
from headwater.sources.part_places import part_places

_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_PAGE_ENDINGS = (".html", ".htm", ".xhtml", ".xml", ".aspx")
_EXPORT_ENDINGS = (".doc", ".xls")
"""Programs export HTML under these names; unlike a page to sign in, it has neither forms nor scripts."""
_ACTIVE = re.compile(rb"<(?:form|script|meta[^>]{0,99}refresh)", re.IGNORECASE)


def from_file(file: File, *, address: str = "", metadata: Mapping[str, Any] | None = None) -> FetchedDocument:
    """A file as a document, to be parsed if it has changed; its title is its name if it has no other.

    Args:
        file: the file, with the type that its server says.
        address: where people open it, if that is not its URI.
        metadata: what its server says about it, for what it does not say itself.

    Raises:
        DocumentError: it is empty, or no parser reads it.
    """
    if not file.content:
        raise DocumentError("The file is empty.")
    parser = parser_for(file.content, file.uri, file.media_type)
    return FetchedDocument(
        uri=file.uri,
        fingerprint=bytes_fingerprint(file.content),
        parse=partial(_parse_named, parser, file, address, metadata or {}),
        parser_version=parser.version,
    )


def _parse_named(parser: Parser, file: File, address: str, metadata: Mapping[str, Any]) -> ParsedDocument:
    document = parse_fetched(parser, file, address, metadata)
    return replace(document, title=document.title or unquote(posixpath.basename(file.uri)))


def require_file(content: bytes, name: str, size: int = 0) -> None:
    """Refuse a page of the server that came instead of a file, such as one where people sign in.

    Args:
        content: what came.
        name: the file's name.
        size: how many bytes the file has, as its server says; 0 if it does not say so.

    Raises:
        DocumentError: it is a web page, which the name does not promise, and of another size.
    """
    ending = posixpath.splitext(name)[1].lower()
    is_export = ending in _EXPORT_ENDINGS and _ACTIVE.search(content) is None
    if not ending or ending in _PAGE_ENDINGS or len(content) == size or is_export:
        return
    if media_type_of(content, name) in _PAGE_TYPES:
        raise DocumentError(
            "The server gave a web page instead of the file, perhaps one to sign in. Check that the credential may read"
            " files. Nothing was changed."
        )


def is_read_by_name(name: str, media_type: str) -> bool:
    """Whether a parser reads files of this name or type, so that it is worth fetching one."""
    with suppress(DocumentError):
        return bool(parser_of_name(name))
    with suppress(DocumentError):
        return bool(parser_of_type(media_type))
    return False


def fingerprint_parsers() -> str:
    """A text that differs for another set of parsers, which may read what nobody read before."""
    return content_hash(sorted(parser.version for parser in parsers().values())).hex()


def parse_fetched(
    parser: Parser, file: File, address: str = "", metadata: Mapping[str, Any] | None = None
) -> ParsedDocument:
    """Parse a file, and keep it as the original even if its text would do: people want to open what was read."""
    document = parse_file(parser, file)
    if document.original is None:
        original = Original(content=file.content, media_type=media_type_of(file.content, file.uri))
        document = replace(document, original=original)
    if metadata:
        is_dated = document_date(document.metadata) is not None
        extra = {name: value for name, value in metadata.items() if not (is_dated and name == "last_modified")}
        document = replace(document, metadata={**extra, **document.metadata})
    return with_address(document, address) if address else document


def with_address(document: ParsedDocument, address: str) -> ParsedDocument:
    """A document whose citations open an address, at their place if the address has such places.

    The lines of a text that was made of something else are nobody's lines.
    """
    places = document.places or part_places([(0, "")], address)
    return replace(document, places=replace(places, address=address))
