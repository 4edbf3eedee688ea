"""Answers of processes that a page may have taken over: every field is checked (SEC-1)."""

from typing import Any

import pytest

from headwater.confinement.process import InvalidAnswerError
from headwater.errors import DocumentError, FetchRefusedError, HeadwaterError, ParserCrashedError
from headwater.fetching.http_client import Response
from headwater.fetching.http_request import HttpRequest
from headwater.fetching.ytdlp_protocol import (
    error_fields,
    message_fields,
    read_frame,
    read_message,
    read_response,
    response_fields,
    result,
    to_frame,
)
from headwater.parsing.html.page import read_page
from headwater.parsing.html.page_client import PageReader, feeds_apart, page_apart
from headwater.parsing.reader import Reader
from headwater.sources.website.page_lists import list_apart

_PAGE = (
    b"<html lang=en><head><title>Pump</title><meta name=robots content=noindex><link rel=canonical href=/p></head>"
    b"<body><h1>Pump</h1><p>It lifts <a href=/oil>oil</a>.</p><pre>a = 1</pre></body></html>"
)
_URL = "https://a.test/"


def test_a_page_is_the_same_apart() -> None:
    """Every field of it comes back."""
    assert page_apart(_PAGE, _URL) == read_page(_PAGE, _URL)


@pytest.mark.parametrize(
    "change",
    [{"head": 1}, {"links": "a"}, {"links": [1]}, {"blocks": [{"kind": "script", "text": "a", "level": 0}]},
     {"blocks": [{"kind": "text", "text": "a", "level": "1"}]}, {"blocks": 3}],
)  # fmt: skip
def test_a_page_of_another_form_is_refused(change: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs that page."""
    fields = PageReader.read(_PAGE, _URL)
    monkeypatch.setattr(Reader, "read", lambda *_: {**fields, **change})
    with pytest.raises(ParserCrashedError, match="not valid"):
        page_apart(_PAGE, _URL)


@pytest.mark.parametrize("answer", [3, [3], {"a": "b"}])
def test_lists_of_another_form_are_refused(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of feeds and of pages."""
    monkeypatch.setattr(Reader, "read", lambda *_: answer)
    with pytest.raises(ParserCrashedError, match="not valid"):
        feeds_apart(_PAGE, _URL)
    with pytest.raises(ParserCrashedError, match="not valid"):
        list_apart(b"{}", _URL)


def test_requests_and_responses_come_back() -> None:
    """With what matters of them."""
    message = HttpRequest(method="POST", headers={"a": "b"}, content=b"c", unread=("video/",), is_redirected=False)
    assert read_message(message_fields(message), b"c", None) == message  # type: ignore[arg-type]
    response = Response(url=_URL, status=200, headers={"a": "b"}, content=b"c", media_type="text/vtt", validator="v")
    assert read_response(read_frame(to_frame(response_fields(response))), b"c") == response


@pytest.mark.parametrize("error", [FetchRefusedError("no"), DocumentError("no")])
def test_an_error_keeps_its_kind(error: HeadwaterError) -> None:
    """And its words."""
    with pytest.raises(type(error), match=r"^no$"):
        result(read_frame(to_frame(error_fields(error))))


@pytest.mark.parametrize(
    "frame", [b"", b"[" * 100_000, b"[]", b"{}", b'{"error": 1}', b'{"error": {"code": "FENCED", "message": ""}}']
)
def test_an_answer_of_another_form_is_refused(frame: bytes) -> None:
    """Whatever bytes it has."""
    with pytest.raises(InvalidAnswerError):
        result(read_frame(frame))


@pytest.mark.parametrize("fields", [None, {}, {"url": 1}, {"method": "GET", "headers": {"a": 1}}])
def test_a_request_or_response_of_another_form_is_refused(fields: Any) -> None:
    """Nothing of it is sent."""
    with pytest.raises(InvalidAnswerError):
        read_message(fields, b"", None)  # type: ignore[arg-type]
    with pytest.raises(InvalidAnswerError):
        read_response(fields, b"")
