"""The messages between Headwater and a parser process.

Belongs here: requests and answers as bytes, and checking an answer. Not here: sending them (`pool`), the process
(`child`). Guarantee: reading an answer runs no code of it, whatever bytes it has; every field of the result
has its type, and every offset lies within the text.

A message is a few frames. The first one is JSON.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from headwater.confinement.process import InvalidAnswerError
from headwater.domain.cells import is_cell_mark
from headwater.domain.documents import Original, ParsedDocument
from headwater.domain.media_types import CodeMediaType, MediaType
from headwater.domain.places import Mark, PlaceKind, Places
from headwater.errors import DocumentError
from headwater.parsing.parser import File

HEADER_LIMIT = 8 * 2**20
"""Bytes of an answer's JSON: parsed, it takes about 20 times as many."""
Frames = tuple[bytes, bytes, bytes]
"""An answer: its header, the text, and an original that is not the file itself."""
_MESSAGE_LIMIT = 2_000  # characters of an error's message
_MEDIA_TYPES = frozenset({*get_args(CodeMediaType), "text/markdown", "text/plain"})
_MEDIA_TYPE = re.compile(r"[\w.+-]{1,80}/[\w.+-]{1,80}", re.ASCII)
_FIELDS = ("title", "media_type", "category", "language", "references", "notes")


def request_header(file: File) -> bytes:
    """The first frame of a request; the second is the file's content."""
    fields = {"uri": file.uri, "root": file.root, "media_type": file.media_type, "passwords": file.passwords}
    return json.dumps(fields).encode()


def read_request(header: bytes, content: bytes) -> File:
    """The file that a request asks to read."""
    fields = json.loads(header)
    return File(**{**fields, "passwords": tuple(fields["passwords"])}, content=content)


def answer_frames(document: ParsedDocument, file: File) -> Frames:
    """The frames of an answer: a header, the text, and the original if that is not the file itself.

    Raises:
        DocumentError: what the document says about itself is no JSON, or too long.
    """
    original = document.original
    is_file = original is not None and original.content == file.content
    fields = {
        **{name: getattr(document, name) for name in _FIELDS},
        "metadata": dict(document.metadata),
        "places": document.places.to_json() if document.places else None,
        "original": {"media_type": original.media_type, "is_file": is_file} if original else None,
    }
    try:
        header = json.dumps(fields).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise DocumentError(f"What the file says about itself cannot be stored ({error}).") from error
    if len(header) > HEADER_LIMIT:
        raise DocumentError("The file has too many places, references or properties. Divide it into smaller files.")
    return header, document.text.encode("utf-8", "surrogatepass"), original.content if original and not is_file else b""


def error_frames(code: str, message: str) -> Frames:
    """The frames of an answer that says why a file cannot be read."""
    return json.dumps({"error": {"code": code, "message": message[:_MESSAGE_LIMIT]}}).encode(), b"", b""


def read_answer(header: bytes, text: bytes, original: bytes, file: File) -> ParsedDocument:
    """Check an answer and return its document; the URI is that of the request.

    Raises:
        DocumentError: the parser could not read the file.
        InvalidAnswerError: the answer is not valid.
    """
    try:
        fields = json.loads(header)
        if "error" in fields:
            raise _error(fields["error"])
        document = _document(fields, text.decode("utf-8", "surrogatepass"), file)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
        raise InvalidAnswerError(str(error)) from error
    return replace(document, original=_original(fields.get("original"), original, file))


def _error(fields: Any) -> DocumentError:
    code, message = _text(fields["code"]), _text(fields["message"])[:_MESSAGE_LIMIT]
    kinds: list[type[DocumentError]] = [DocumentError, *DocumentError.__subclasses__()]
    return {kind.code: kind for kind in kinds}[code](message)


def _document(fields: Mapping[str, Any], text: str, file: File) -> ParsedDocument:
    if not isinstance(fields["metadata"], dict):
        raise TypeError("metadata")
    return ParsedDocument(
        uri=file.uri,
        title=_text(fields["title"]),
        text=text,
        category=_text(fields["category"]),
        language=_text(fields["language"]),
        references=tuple(map(_text, _list(fields["references"]))),
        notes=tuple(map(_text, _list(fields["notes"]))),
        media_type=_media_type(fields["media_type"]),
        metadata=fields["metadata"],
        places=_places(fields["places"], len(text)),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("list")
    return value


def _media_type(value: Any) -> MediaType:
    if value not in _MEDIA_TYPES:
        raise ValueError("media type")
    media_type: MediaType = value
    return media_type


def _places(value: Any, length: int) -> Places | None:
    if value is None:
        return None
    places = Places.from_json({"kind": value["kind"], "marks": _list(value["marks"])})
    if not all(_is_number(mark.offset) and _is_place(places.kind, mark) for mark in places.marks):
        raise TypeError("places")
    if not _is_ordered(places.marks, length):
        raise ValueError("places")
    return places


def _is_place(kind: PlaceKind, mark: Mark) -> bool:
    if kind == PlaceKind.CELL:
        return is_cell_mark(mark.first, mark.last)
    is_value: Callable[[Any], bool] = _is_name if kind == PlaceKind.SHEET else _is_number
    return is_value(mark.first) and is_value(mark.last)


def _is_number(value: Any) -> bool:
    return type(value) is int and -(2**31) <= value < 2**31


def _is_name(value: Any) -> bool:
    return isinstance(value, str)


def _is_ordered(marks: Sequence[Mark], length: int) -> bool:
    offsets = [mark.offset for mark in marks]
    return offsets == sorted(offsets) and (not offsets or (offsets[0] >= 0 and offsets[-1] <= length))


def _original(value: Any, content: bytes, file: File) -> Original | None:
    if value is None:
        return None
    try:
        media_type, is_file = _text(value["media_type"]), value["is_file"]
    except (TypeError, KeyError) as error:
        raise InvalidAnswerError("original") from error
    if not _MEDIA_TYPE.fullmatch(media_type) or not isinstance(is_file, bool):
        raise InvalidAnswerError("original")
    return Original(content=file.content if is_file else content, media_type=media_type)
