"""The process that yt-dlp runs in: `python -m headwater.fetching.ytdlp_process`.

Belongs here: answering calls with yt-dlp, and passing its requests on to the parent, which has the network. Not here:
yt-dlp itself (`ytdlp`), the messages (`ytdlp_protocol`). Guarantee: every request of yt-dlp goes to the parent; an
error is an answer, not the end of the process; it ends when its parent does.
"""

import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.confinement.child import RETIRED, Pipes, enter, limit_time
from headwater.errors import DocumentError, HeadwaterError
from headwater.fetching.http_client import Response
from headwater.fetching.http_request import Cookies, HttpRequest
from headwater.fetching.ytdlp_protocol import (
    Fields,
    error_fields,
    message_fields,
    read_frame,
    read_response,
    response_fields,
    result,
    to_frame,
)

_IDLE_SECONDS = 60  # between two sources
_WAIT_SECONDS = 4 * 3600  # within a source: a polite one waits between its videos
_GRACE = 2.0  # times the limit: the parent ends a process that is late long before


class _Parent:
    """The gate and the client of the parent, as yt-dlp uses them."""

    def __init__(self, pipes: Pipes, seconds: float) -> None:
        self._pipes, self._seconds = pipes, seconds
        self._cookies: Cookies | None = None

    def check_url(self, url: str) -> None:
        """Ask the gate."""
        self._call({"call": "check_url", "url": url})

    def send(self, url: str, message: HttpRequest, *, limit: int) -> Response:
        """Have a request sent."""
        self._cookies = message.cookies
        call = {"call": "send", "url": url, "message": message_fields(message), "limit": limit}
        fields, content = self._call(call, message.content or b"")
        return read_response(fields, content)

    def _call(self, fields: Fields, content: bytes = b"") -> tuple[Any, bytes]:
        limit_time(0)  # the parent's time does not count
        self._write(fields, content)
        while True:
            answer, content = read_frame(self._pipes.read()), self._pipes.read()
            if "call" not in answer:
                limit_time(self._seconds * _GRACE)
                return result(answer), content
            self._write({"result": self._use_cookies(answer)})

    def _use_cookies(self, call: Fields) -> str:
        if self._cookies is None:
            return ""
        if call["call"] == "sent":
            return self._cookies.to_header(call["url"])
        self._cookies.note(call["url"], call["received"])
        return ""

    def _write(self, fields: Fields, content: bytes = b"") -> None:
        self._pipes.write(to_frame(fields))
        self._pipes.write(content)


class _Answers:
    """What yt-dlp answers, call by call."""

    def __init__(self, create: Callable[[], Any]) -> None:
        self._create = create
        self.finish()

    def finish(self) -> None:
        """Forget the source: its cookies and its lists."""
        self._library = self._create()
        self._lists: dict[str, Mapping[str, Any]] = {}
        self.is_in_use = False

    def look_up(self, url: str, extractor: str | None) -> Any:
        """What is at an address."""
        return self._plain(self._library.look_up(url, extractor))

    def entries(self, name: str, most: int) -> list[Any]:
        """The entries of a list that was found."""
        if name not in self._lists:
            raise DocumentError("The list is lost, because the process of yt-dlp was ended meanwhile. Sync again.")
        return [self._plain(entry) for entry in self._library.entries(self._lists[name], most)]

    def is_list(self, url: str, extractor: str | None) -> bool:
        """Whether it is surely a list."""
        return bool(self._library.is_list(url, extractor))

    def is_video(self, url: str, extractor: str | None) -> bool:
        """Whether it is surely a video."""
        return bool(self._library.is_video(url, extractor))

    def page_address(self, url: str) -> str:
        """The address without what yt-dlp hides in it."""
        return str(importlib.import_module("headwater.fetching.ytdlp").page_address(url))

    def download(self, url: str, headers: Mapping[str, Any], validator: str) -> Response:
        """Fetch subtitles."""
        response: Response = self._library.download(url, headers, validator)
        return response

    def _plain(self, page: Mapping[str, Any]) -> Fields:
        """A page without its entries, which may be a generator: they have a name, which no other process gives."""
        if "entries" not in page:
            return dict(page)
        name = f"{os.getpid()}-{len(self._lists)}"
        self._lists[name] = page
        return {**page, "entries": name}


def main(path: str, seconds: float, megabytes: int, *arguments: str) -> None:
    """Answer calls until the parent closes the pipe.

    Args:
        path: the class of yt-dlp with our requests, such as `package.module:Class`.
        seconds: the time that one call may take, without that of its requests.
        megabytes: the memory that the process may use.
        arguments: as `enter` takes them.
    """
    pipes = enter(megabytes, arguments)
    module, _, name = path.partition(":")
    parent = _Parent(pipes, seconds)
    library = getattr(importlib.import_module(module), name)
    answers = _Answers(lambda: library(parent, parent))
    pipes.ready()
    while pipes.is_asked(_WAIT_SECONDS if answers.is_in_use else _IDLE_SECONDS):
        call = read_frame(pipes.read())
        pipes.read()
        answers.is_in_use = True
        limit_time(seconds * _GRACE)
        fields, content = _answer(answers, call)
        limit_time(0)
        pipes.write(fields)
        pipes.write(content)
    os._exit(RETIRED)


def _answer(answers: _Answers, call: Fields) -> tuple[bytes, bytes]:
    arguments: Sequence[Any] = call["arguments"]
    try:
        outcome = getattr(answers, call["call"])(*arguments)
        if isinstance(outcome, Response):
            return to_frame({"result": response_fields(outcome)}), outcome.content
        return to_frame({"result": outcome}), b""
    except HeadwaterError as error:
        return to_frame(error_fields(error)), b""
    except Exception as error:  # noqa: BLE001 - whatever a page makes yt-dlp raise concerns that page only
        reason = f"{type(error).__name__}: {error}"[:300]
        return to_frame(error_fields(DocumentError(f"{arguments[:1]} cannot be read ({reason})."))), b""


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
