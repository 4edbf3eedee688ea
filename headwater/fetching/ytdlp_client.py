"""yt-dlp in a process of its own, which can be killed (SEC-1).

Belongs here: calling it, sending its requests, its limits. Not here: its own side (`ytdlp_process`), the messages
(`ytdlp_protocol`), what becomes of videos (`headwater.sources.video`). Guarantee: a page that yt-dlp never comes to an
end with costs only itself; a request passes the gate, whatever the process asks for; a result has the type that it
should.

yt-dlp searches pages with regular expressions, which hold the interpreter: 3 MB of `<video ` take weeks.
"""

import atexit
import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.confinement.process import ConfinedProcess, EndedError, InvalidAnswerError, LateError
from headwater.errors import HeadwaterError, ParserCrashedError, ParserLimitError
from headwater.fetching.http_client import HttpClient, Response
from headwater.fetching.url_guard import UrlGuard
from headwater.fetching.ytdlp_protocol import (
    LIMIT,
    Fields,
    error_fields,
    read_frame,
    read_message,
    read_response,
    response_fields,
    result,
    to_frame,
)
from headwater.settings import parser_limits

LIBRARY = "headwater.fetching.ytdlp:Library"
_MODULE = "headwater.fetching.ytdlp_process"
_SECONDS = 60.0  # for one page, without the time of its requests
_MEGABYTES = 1_000
_MAX_RESPONSE_BYTES = 20_000_000  # bytes of a page, a list or subtitles


class _Idle:
    """The process that waits for the next source, because starting one takes a second; there may be none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: tuple[object, ConfinedProcess] | None = None

    def take(self, key: object) -> ConfinedProcess | None:
        """The process, if it runs the same with the same limits; another one is ended."""
        with self._lock:
            waiting, self._waiting = self._waiting, None
        if waiting is None:
            return None
        if waiting[0] == key and waiting[1].is_alive():
            return waiting[1]
        waiting[1].end()
        return None

    def keep(self, key: object, process: ConfinedProcess) -> None:
        """Let a process wait instead of the one before."""
        with self._lock:
            previous, self._waiting = self._waiting, (key, process)
        if previous is not None:
            previous[1].end()

    def end(self) -> None:
        """End the process."""
        self.take(None)

    def forget(self) -> None:
        """Leave the process to the process that this one is a fork of."""
        if self._waiting is not None:
            self._waiting[1].forget()
        self.__init__()  # type: ignore[misc]  # the lock may be held by a thread that the fork does not have


_IDLE = _Idle()
atexit.register(_IDLE.end)
os.register_at_fork(after_in_child=_IDLE.forget)


class ApartLibrary:
    """yt-dlp for one source; used by one thread, and to be closed."""

    def __init__(self, gate: UrlGuard, client: HttpClient) -> None:
        self._gate, self._client = gate, client
        self._process: ConfinedProcess | None = None
        seconds, megabytes = parser_limits()
        self._seconds, self._megabytes = seconds or _SECONDS, megabytes or _MEGABYTES
        self._key = (LIBRARY, self._seconds, self._megabytes)
        self._left = 0.0

    def close(self) -> None:
        """Let the process forget this source, and wait for the next one."""
        if self._process is not None:
            self._ask("finish", about="The process of yt-dlp")
        process, self._process = self._process, None
        if process is not None:
            _IDLE.keep(self._key, process)

    def look_up(self, url: str, extractor: str | None = None) -> dict[str, Any]:
        """Ask the site about an address; nothing that it refers to is asked for.

        Args:
            url: the address of a video or a list.
            extractor: the key of yt-dlp's extractor, if it is known.

        Returns:
            What yt-dlp's extractor returns: a video, a list, whose `entries` are for `entries`, or a reference.

        Raises:
            FetchError: there is no answer. TooLargeError: it is too large. DocumentError: it is no video, or one that
                cannot be had, or takes too long; the message says why.
        """
        if url.startswith(("http://", "https://")):
            self._gate.check_url(url)  # before a process is started for nothing
        reply, _ = self._ask("look_up", url, extractor, about=url)
        page: dict[str, Any] = self._check_kind(reply, dict)
        return page

    def entries(self, listed: Mapping[str, Any], most: int) -> list[dict[str, Any]]:
        """The entries of a list, at most so many.

        Raises:
            FetchError: as `look_up` does. TooLargeError: the same. DocumentError: the same.
        """
        if not isinstance(listed.get("entries"), str):
            return []
        reply, _ = self._ask("entries", listed["entries"], most, about=str(listed.get("webpage_url") or "The list"))
        return [self._check_kind(entry, dict) for entry in self._check_kind(reply, list)]

    def is_list(self, url: str, extractor: str | None) -> bool:
        """Whether an address is surely a list, as far as its form tells."""
        return bool(self._ask("is_list", url, extractor, about=url)[0])

    def is_video(self, url: str, extractor: str | None = None) -> bool:
        """Whether an address is surely one video, as far as its form tells."""
        return bool(self._ask("is_video", url, extractor, about=url)[0])

    def page_address(self, url: str) -> str:
        """The address itself, without what yt-dlp hides in it for its extractors."""
        return str(self._ask("page_address", url, about=url)[0]) if "#" in url else url

    def download(self, url: str, headers: Mapping[str, Any], validator: str) -> Response:
        """Fetch subtitles as a player would.

        Args:
            url: their address.
            headers: what yt-dlp says that the site wants.
            validator: that of an earlier response, empty for none.

        Raises:
            FetchError: there is no answer. TooLargeError: it is too large.
        """
        fields, content = self._ask("download", url, dict(headers), validator, about=url)
        try:
            return read_response(fields, content)
        except InvalidAnswerError as error:
            raise self._crash(url) from error

    def _ask(self, call: str, *arguments: Any, about: str) -> tuple[Any, bytes]:
        """Call the process, and send its requests meanwhile; it is ended unless it answers."""
        self._left = self._seconds
        is_answered = False
        try:
            self._send({"call": call, "arguments": arguments})
            while True:
                fields, content = self._receive()
                if "call" not in fields:
                    reply = result(fields)
                    is_answered = True
                    return reply, content
                self._serve(fields, content)
        except HeadwaterError:
            is_answered = True
            raise
        except LateError:
            raise ParserLimitError(
                f"{about} took yt-dlp longer than {self._seconds:g} s, the limit for one page, so it was left out."
                " Leave it out of the source, or raise HEADWATER_PARSER_SECONDS."
            ) from None
        except (EndedError, InvalidAnswerError) as error:
            raise self._crash(about) from error
        finally:  # an interruption of the sync comes here too
            if not is_answered:
                self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def _crash(self, about: str) -> ParserCrashedError:
        self._end()
        return ParserCrashedError(
            f"Reading {about} ended the process of yt-dlp, or its answer is not valid, so it was left out. It may need"
            f" more than {self._megabytes} MB of memory, or be an attack: raise HEADWATER_PARSER_MEMORY, or leave it"
            " out."
        )

    def _serve(self, call: Fields, content: bytes) -> None:
        """Do what the process asks for: check an address, or send a request."""
        answer, body = b"", b""
        try:
            if call["call"] == "check_url":
                self._gate.check_url(str(call["url"]))
                answer = to_frame({"result": None})
            else:
                message = read_message(call["message"], content, _Cookies(self))
                response = self._client.send(
                    str(call["url"]), message, limit=min(int(call["limit"]), _MAX_RESPONSE_BYTES)
                )
                answer, body = to_frame({"result": response_fields(response)}), response.content
        except HeadwaterError as error:
            answer = to_frame(error_fields(error))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidAnswerError("call") from error
        self._write(answer, body)

    def ask_cookies(self, call: Fields) -> str:
        """Ask the process for its cookies, or give it some, while one of its requests is sent."""
        self._send(call)
        fields, _ = self._receive()
        reply = result(fields) if "call" not in fields else None
        if not isinstance(reply, str):
            raise InvalidAnswerError("cookies")
        return reply

    def _send(self, fields: Fields) -> None:
        self._write(to_frame(fields), b"")

    def _write(self, *frames: bytes) -> None:
        if self._process is None:
            self._process = _IDLE.take(self._key) or ConfinedProcess(
                _MODULE, LIBRARY, seconds=self._seconds, megabytes=self._megabytes
            )
        began = time.monotonic()
        for frame in frames:
            self._process.send(frame, began + self._left)
        self._left -= time.monotonic() - began

    def _receive(self) -> tuple[Fields, bytes]:
        if self._process is None:
            raise EndedError
        began = time.monotonic()
        frames = [self._process.receive(began + self._left, LIMIT) for _ in range(2)]
        self._left -= time.monotonic() - began
        return read_frame(frames[0]), frames[1]

    def _check_kind(self, value: Any, kind: type[Any]) -> Any:
        if not isinstance(value, kind):
            raise self._crash("A page")
        return value


class _Cookies:
    """The cookies that yt-dlp keeps, for `HttpClient`."""

    def __init__(self, library: ApartLibrary) -> None:
        self._library = library

    def to_header(self, url: str) -> str:
        """The `Cookie` header."""
        return self._library.ask_cookies({"call": "sent", "url": url})

    def note(self, url: str, received: Sequence[str]) -> None:
        """Have cookies kept."""
        if received:
            self._library.ask_cookies({"call": "note", "url": url, "received": list(received)})
