"""A file of Drive as a document.

Belongs here: its text, title, place and metadata, and what Google's markdown holds that no reader wants. Not here:
asking (`api`), the formats (`headwater.parsing`). Guarantee: the URI stays when a file is renamed or moved; links to
files are references to their documents; embedded pictures are left out.
"""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind
from headwater.identity import bytes_fingerprint, content_hash
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import parser_for
from headwater.sources.connector import FetchedDocument
from headwater.sources.fetched_files import parse_fetched, require_file
from headwater.sources.gdrive.config import WEB
from headwater.sources.gdrive.drive_file import DriveFile
from headwater.sources.part_places import part_places

_OFFICE = "application/vnd.openxmlformats-officedocument"
_PLAIN = (".txt", "text/plain")  # without pictures, which make the other forms too large
EXPORTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "application/vnd.google-apps.document": (
        (".md", "text/markdown"),
        (".html", "text/html"),
        _PLAIN,
    ),
    "application/vnd.google-apps.spreadsheet": ((".xlsx", f"{_OFFICE}.spreadsheetml.sheet"),),
    "application/vnd.google-apps.presentation": (
        (".pptx", f"{_OFFICE}.presentationml.presentation"),
        (".pdf", "application/pdf"),
        _PLAIN,
    ),
}
"""What Google's own documents are converted into: endings and types, the next one if that cannot be had."""
GOOGLE_TYPES = "application/vnd.google-apps."
_LINK_PATTERN = re.compile(
    r"https://(?:docs|drive)\.google\.com/(?:[\w.-]{1,40}/){0,5}(?:d/|open\?id=)([\w-]{10,200})"
    r"(?:/(?:edit|view|preview))?(?:\?[\w=&.%-]*)?",
    re.ASCII,
)
_PICTURE_PATTERN = re.compile(r"^\[image\d+\]: <data:[^>\n]*>[ \t]*$", re.MULTILINE)
_PICTURE_MARK_PATTERN = re.compile(r"!\[([^\[\]\n]{0,1000})\]\[image\d+\]")
_ESCAPE_PATTERN = re.compile(r"(?<=[\w,;:)]) ?\\[-+=.!#&~]")
"""Signs within a line that Google's markdown escapes, and that mean nothing there: in 7 of 10 public exports."""
_HEADING_PATTERN = re.compile(r"^#[^\n]*", re.MULTILINE)
_ANCHOR_PATTERN = re.compile(r" ?\{#[\w.-]{1,200}\} ?\Z")


def file_uri(identity: str) -> str:
    """The URI of a file, which stays when it is renamed or moved."""
    return f"{WEB}/open?id={identity}"


def drive_document(file: DriveFile, path: str, content: bytes, ending: str, media_type: str) -> FetchedDocument:
    """A file as a document, to be parsed if it has changed.

    Args:
        file: what Drive says of it.
        path: where it is below the source's folder.
        content: its bytes, as downloaded or converted.
        ending: that of the type into which it was converted; empty if it was downloaded.
        media_type: the type of the bytes.

    Raises:
        DocumentError: it is empty, no parser reads it, or a page came instead of it.
    """
    require_file(content, f"{path}{ending}", 0 if ending else file.size)
    if ending == ".md":
        content = clean_markdown(content)
    copy = File(content=content, uri=f"{path}{ending}", media_type=media_type)
    parser = parser_for(content, copy.uri, media_type)
    return FetchedDocument(
        uri=file_uri(file.id),
        fingerprint=content_hash(bytes_fingerprint(content), path, repr(replace(file, access=""))).hex(),
        parse=partial(_parse, parser, copy, file, path),
        parser_version=parser.version,
        validator=validator_of(file.to_item().version, path),
        access=file.access,
    )


def validator_of(version: str, path: str) -> str:
    """A text that is another one when a file has changed, was renamed, or moved within the source's folder."""
    return content_hash(version, path).hex()[:32]


def clean_markdown(content: bytes) -> bytes:
    """Google's markdown with links to URIs, and without pictures, anchors, and escapes that mean nothing."""
    text = _PICTURE_PATTERN.sub("", content.decode("utf-8", "replace").replace("\r\n", "\n"))
    text = _PICTURE_MARK_PATTERN.sub(r"\1", text)
    text = _ESCAPE_PATTERN.sub(lambda match: match[0].replace("\\", ""), text)
    text = _LINK_PATTERN.sub(lambda match: file_uri(match[1]), text)
    return _HEADING_PATTERN.sub(lambda match: _ANCHOR_PATTERN.sub("", match[0]), text).strip().encode()


def _parse(parser: Parser, copy: File, file: DriveFile, path: str) -> ParsedDocument:
    document = parse_fetched(parser, copy, file.page or file_uri(file.id), _metadata(file, path))
    is_google = file.media_type.startswith(GOOGLE_TYPES)
    name = file.name if is_google else posixpath.splitext(file.name)[0]
    places = document.places
    if is_google and places is not None and places.kind == PlaceKind.LINE:  # the lines of a copy are nobody's lines
        places = part_places([(0, "")], places.address)
    links = (file_uri(identity) for identity in _LINK_PATTERN.findall(document.text))
    return replace(
        document,
        uri=file_uri(file.id),
        title=name if is_google else document.title or name,
        category=document.category or posixpath.dirname(path),
        references=tuple(dict.fromkeys(links)),
        places=places,
    )


def _metadata(file: DriveFile, path: str) -> dict[str, Any]:
    values = {
        "authors": list(file.authors), "description": file.description, "created": file.created,
        "last_modified": file.modified, "path": path,
    }  # fmt: skip
    return {name: value for name, value in values.items() if value not in ("", [])}
