"""A document as a line of JSON, and back (SRC-8).

Belongs here: the fields of a line, in both directions. Not here: files (`json_lines`, `jsonl`), the database.
Guarantee: reading a written line and writing the document again gives the same bytes.

A line has `uri` and `text`, and may have `title`, `page` (a whole number: then each page is a separate document, and
its URI ends in `#page=N`), `metadata` (an object), `media_type`, `category`, `language`, `references` and `places`. A
written line has only what differs from what a reader would take without it.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, get_args

from headwater.domain.cells import is_cell_mark
from headwater.domain.documents import ParsedDocument
from headwater.domain.media_types import MediaType
from headwater.domain.places import Mark, PlaceKind, Places
from headwater.errors import DocumentError
from headwater.parsing.plain_values import plain_value

LINES = Places(kind=PlaceKind.LINE)
"""Lines of the text in the JSON, if nothing else of the original is known."""
_UNKNOWN = Places(kind=PlaceKind.PAGE)  # no mark covers any text
_OUTER = re.compile(r"\A[\s/]+|[\s/]+\Z")
_BREAKS = re.compile("[\u0085\u2028\u2029]")  # some programs end a line there
_MAX_NUMBER = 10**12  # of a page, a line, a second
_MAX_PART_CHARS = 2_000
_MAX_TEXT_CHARS = {PlaceKind.SHEET: 500, PlaceKind.PART: _MAX_PART_CHARS}


def read_document(values: Mapping[str, Any], media_type: MediaType) -> ParsedDocument:
    """Make a document of a line's values.

    Args:
        values: the values.
        media_type: that of the text, unless the line says another.

    Raises:
        DocumentError: a field is missing or wrong; the message names it.
    """
    uri, text, page = values.get("uri"), values.get("text"), values.get("page")
    if not isinstance(uri, str) or not uri.strip():
        raise DocumentError("uri must be a string that is not empty")
    if "\x00" in uri or not _is_utf8(uri):
        raise DocumentError("uri must contain neither NUL nor half a surrogate pair, which cannot be stored")
    if not isinstance(text, str):
        raise DocumentError("text must be a string")
    if page is not None and (isinstance(page, bool) or not isinstance(page, int)):
        raise DocumentError("page must be a whole number")
    metadata, title = values.get("metadata") or {}, values.get("title") or ""
    if not isinstance(metadata, dict):
        raise DocumentError("metadata must be an object")
    if not isinstance(title, str):
        raise DocumentError("title must be a string")
    text = _with_newlines(text)
    return ParsedDocument(
        uri=uri if page is None else f"{uri}#page={page}",
        title=title.strip(),
        text=text,
        media_type=_media_type(values.get("media_type", media_type)),
        category=_category(values.get("category", metadata.get("category"))),
        language=_word(values.get("language", metadata.get("language"))),
        metadata=plain_value(metadata if page is None else {**metadata, "page": page}),
        references=_references(values.get("references", [])),
        places=_places(values, text, page),
    )


def write_line(document: ParsedDocument) -> bytes:
    """Write a document as a line, with its newline."""
    text, places = _with_newlines(document.text), document.places
    if places is not None and len(text) != len(document.text):
        places = places.moved(lambda offset: len(_with_newlines(document.text[:offset])))
    metadata = plain_value(document.metadata)
    category, language = _category(document.category), _word(document.language)
    fields: dict[str, Any] = {"uri": document.uri, "media_type": document.media_type}
    if title := document.title.strip():
        fields["title"] = title
    if category != _category(metadata.get("category")):
        fields["category"] = category
    if language != _word(metadata.get("language")):
        fields["language"] = language
    if metadata:
        fields["metadata"] = metadata
    if document.references:
        fields["references"] = list(document.references)
    if places != LINES:
        fields["places"] = None if places is None or _is_unknown(places) else places.to_json()
    fields["text"] = text
    line = json.dumps(fields, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)
    return _BREAKS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", line).encode() + b"\n"


def _is_unknown(places: Places) -> bool:
    return not places.marks and places.kind != PlaceKind.LINE


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _media_type(value: Any) -> MediaType:
    if value not in get_args(MediaType):
        raise DocumentError(f"media_type must be one of {', '.join(get_args(MediaType))}")
    media_type: MediaType = value
    return media_type


def _references(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise DocumentError("references must be a list of strings")
    return tuple(value)


def _places(values: Mapping[str, Any], text: str, page: int | None) -> Places | None:
    if page is not None:
        return Places.of(PlaceKind.PAGE, [(0, page)])
    if "places" not in values:
        return LINES
    value = values["places"]
    if value is None:
        return _UNKNOWN
    if not isinstance(value, dict) or value.get("kind") not in list(PlaceKind):
        raise DocumentError(f"places must be an object whose kind is one of {', '.join(PlaceKind)}")
    marks = value.get("marks")
    if not isinstance(marks, list) or not all(isinstance(mark, list) and len(mark) in (2, 3) for mark in marks):
        raise DocumentError("places must have marks: a list of lists with an offset, a place and perhaps a last place")
    kind = PlaceKind(value["kind"])
    place_marks = tuple(Mark(mark[0], mark[1], mark[-1]) for mark in marks)
    offsets = [mark.offset for mark in place_marks]
    if not all(_is_whole(offset) and 0 <= offset <= len(text) for offset in offsets) or offsets != sorted(offsets):
        raise DocumentError("the offsets in places must be whole numbers within the text, in order")
    if not all(_is_place(kind, mark) for mark in place_marks):
        raise DocumentError(f"a place in places is not a {kind}")
    address = value.get("address", "")
    if not isinstance(address, str) or len(address) > _MAX_PART_CHARS:
        raise DocumentError("address in places must be a string, the address of the original")
    is_known = place_marks or kind == PlaceKind.LINE
    return Places(kind=kind, marks=place_marks, address=address) if is_known else _UNKNOWN


def _is_place(kind: PlaceKind, mark: Mark) -> bool:
    if kind == PlaceKind.CELL:
        return is_cell_mark(mark.first, mark.last)
    limit = _MAX_TEXT_CHARS.get(kind)
    if limit is not None:
        return all(isinstance(value, str) and len(value) <= limit for value in (mark.first, mark.last))
    return all(_is_whole(value) and abs(int(value)) <= _MAX_NUMBER for value in (mark.first, mark.last))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _category(value: Any) -> str:
    return _OUTER.sub("", value) if isinstance(value, str) else ""


def _word(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
