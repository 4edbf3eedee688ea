"""Answers of a parser process: a file may have taken it over, so every field is checked."""

import json
from typing import Any

import pytest

from headwater.confinement.process import InvalidAnswerError
from headwater.domain.documents import Original, ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.errors import DocumentError
from headwater.parsing.parser import File
from headwater.parsing.sandbox.protocol import answer_frames, read_answer, read_request, request_header

FILE = File(content=b"content", uri="a.x", root="r", media_type="a/b", passwords=("p",))
DOCUMENT = ParsedDocument(
    uri="a.x", title="T", text="Text.", metadata={"a": 1}, places=Places.of(PlaceKind.PAGE, [(0, 1), (5, 2)]),
    original=Original(content=b"content", media_type="a/b"),
)  # fmt: skip


def changed(**fields: Any) -> ParsedDocument:
    """Read an answer with some fields changed."""
    header, text, original = answer_frames(DOCUMENT, FILE)
    return read_answer(json.dumps({**json.loads(header), **fields}).encode(), text, original, FILE)


def test_messages_come_back() -> None:
    """A request and an answer are what was sent."""
    assert read_request(request_header(FILE), FILE.content) == FILE
    assert changed() == DOCUMENT


@pytest.mark.parametrize(
    "fields",
    [
        {"title": 1}, {"title": None}, {"language": ["de"]}, {"category": {}}, {"media_type": "text/html"},
        {"media_type": []}, {"references": "abc"}, {"references": [1]}, {"notes": [None]}, {"metadata": [1]},
        {"places": 1}, {"places": {}}, {"places": {"kind": "house", "marks": []}},
        {"places": {"kind": "page", "marks": [[0, "1"]]}}, {"places": {"kind": "sheet", "marks": [[0, 1]]}},
        {"places": {"kind": "cell", "marks": [[0, "Prices"]]}}, {"places": {"kind": "cell", "marks": [[0, "A!A1", 3]]}},
        {"places": {"kind": "cell", "marks": [[0, "A!A:B", "1"]]}},
        {"places": {"kind": "cell", "marks": [[0, "A!A:B", True]]}},
        {"places": {"kind": "page", "marks": [[6, 1]]}}, {"places": {"kind": "page", "marks": [[-1, 1]]}},
        {"places": {"kind": "page", "marks": [[3, 1], [2, 2]]}}, {"places": {"kind": "page", "marks": [[0]]}},
        {"places": {"kind": "page", "marks": [[0, 1, 2, 3]]}}, {"places": {"kind": "page", "marks": [[0, 2**40]]}},
        {"places": {"kind": "page", "marks": [[0, True]]}},
        {"original": {"media_type": "text/html\r\nX: y", "is_file": True}}, {"original": {"media_type": "a/b"}},
        {"original": "a"}, {"error": {"code": "GONE", "message": ""}}, {"error": "a"}, {"error": {"code": 1}},
    ],
)  # fmt: skip
def test_a_field_of_another_type_is_refused(fields: dict[str, Any]) -> None:
    """Types, known media types, offsets within the text in order, codes of documents (SEC-1)."""
    with pytest.raises(InvalidAnswerError):
        changed(**fields)


@pytest.mark.parametrize("header", [b"", b"[]", b"1", b"\xff", b'"error"', b"{}", b"[" * 100_000])
def test_a_header_that_is_no_object_is_refused(header: bytes) -> None:
    """Whatever bytes it has."""
    with pytest.raises(InvalidAnswerError):
        read_answer(header, b"", b"", FILE)


def test_an_error_keeps_its_code_and_a_bounded_message() -> None:
    """It may be that of any error of documents."""
    with pytest.raises(DocumentError) as caught:
        changed(error={"code": "UNSAFE_FILE", "message": "x" * 10_000})
    assert caught.value.code == "UNSAFE_FILE"
    assert len(str(caught.value)) == 2_000
