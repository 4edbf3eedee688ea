"""The form of server-sent events, and what a stream needs to stay open (API-2)."""

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Response

from headwater.errors import RateLimitedError
from query_api.sse import Comment, ServerEvent, Streams

FIRST = ServerEvent(name="progress", data='{"done":1}')


def _read(response: Response) -> list[str]:
    return list(response.response)  # type: ignore[arg-type]  # of strings


def test_events_and_comments_have_their_form() -> None:
    """A client is told when to come back, then each event by its name; a comment is no event."""
    response = Streams(1).respond([FIRST, Comment(text="waiting")])
    assert _read(response) == ["retry: 2000\n\n", 'event: progress\ndata: {"done":1}\n\n', ": waiting\n\n"]
    assert response.mimetype == "text/event-stream"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Accel-Buffering"] == "no"


def test_nothing_new_is_not_sent_before_a_proxy_would_hang_up() -> None:
    """After 4 seconds of silence a comment is; each thing that is sent begins a new silence."""
    clock = iter([0.0, 0.0, 3.0, 4.5, 5.0, 8.0, 9.0])
    written = _read(Streams(1, lambda: next(clock)).respond([FIRST, None, None, None, None, None]))
    assert written[1:] == [str(FIRST), ": ping\n\n", ": ping\n\n"]


def test_a_stream_ends_after_an_hour() -> None:
    """Its client connects again; what came last was sent."""
    clock = iter([0.0, 1.0, 3600.0, 3600.5])
    assert _read(Streams(1, lambda: next(clock)).respond([FIRST] * 9))[1:] == [str(FIRST)] * 3


def test_a_stream_that_was_left_frees_its_place() -> None:
    """Whatever it still had to say; and so does one whose events fail."""
    streams = Streams(1)

    def failing() -> Iterator[ServerEvent]:
        yield FIRST
        raise ValueError("broken")

    for steps in ([FIRST] * 9, failing(), [FIRST] * 9):
        stream: Any = streams.respond(steps).response
        assert [next(stream) for _ in range(2)][1] == str(FIRST)
        assert len(_read(streams.respond([FIRST] * 9))) == 2  # one too many ends with its first event
        stream.close()
    with pytest.raises(ValueError, match="broken"):
        _read(streams.respond(failing()))
    assert len(_read(streams.respond([FIRST] * 3))) == 4


def test_streams_within_others_leave_places_for_them() -> None:
    """One takes a place of both kinds, and is refused if either is full; then it keeps none."""
    others = Streams(2)
    inner = Streams(1, within=others)
    first = inner.place()
    with pytest.raises(RateLimitedError):
        inner.place()
    second = others.place()  # which the inner ones leave
    first.close()
    third = others.place()
    with pytest.raises(RateLimitedError):
        inner.place()
    second.close()
    inner.place().close()
    third.close()
    assert others._places._value == 2
