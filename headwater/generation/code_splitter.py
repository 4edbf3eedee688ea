"""Telling code from text in markdown that is still being written.

Belongs here: fences and inline code. Not here: what is done with either. Guarantee: the pieces, joined, are the input;
how the input was cut does not matter; no more than a line is held back.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})")
"""What opens a block of code, in a list or a quotation too."""
_LINE_START = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_RUN = re.compile("`+")
_MAX_INLINE_CODE_CHARS = 500  # characters of inline code; longer, a lone backtick would hold back too much


class Span(NamedTuple):
    """A part of the input; code is kept as it is."""

    text: str
    is_code: bool


class CodeSplitter:
    """Splits a text that comes in parts."""

    def __init__(self) -> None:
        self._line = ""  # what was given out of the current line
        self._held = ""  # begins with a backtick, and may become code
        self._fence = ""  # the marks that opened the block of code we are in

    def feed(self, text: str) -> Iterator[Span]:
        """Yield what is certain after more text."""
        waiting = list(reversed(text))
        while waiting:
            character = waiting.pop()
            if self._fence:
                yield self._give(character, is_code=True)
            elif not self._held and character != "`":
                yield self._give(character, is_code=False)
            else:
                self._held += character
                span, again = self._decide()
                if span:
                    yield span
                waiting += reversed(again)

    def end(self) -> Iterator[Span]:
        """Yield what is still held back: code that never closed is text."""
        while self._held:
            span, again = self._decide(is_end=True)
            if span:
                yield span
            yield from self.feed(again)

    def _decide(self, *, is_end: bool = False) -> tuple[Span | None, str]:
        """What the held text is, and what of it has to be read again; nothing while it may become either."""
        run, following = self._split_opening()
        if not following and not is_end:
            return None, ""
        is_over = is_end or self._held.endswith("\n") or len(following) > _MAX_INLINE_CODE_CHARS
        if len(run) >= 3 and _LINE_START.fullmatch(self._line):
            if not is_over:
                return None, ""
            if "`" not in following:
                return self._release(self._held, is_code=True), ""
        closing = next((match for match in _RUN.finditer(following) if len(match.group()) == len(run)), None)
        if closing and (is_over or closing.end() < len(following)):  # otherwise its run may be longer
            again = following[closing.end() :]
            return self._release(run + following[: closing.end()], is_code=True), again
        return (self._release(run, is_code=False), following) if is_over else (None, "")

    def _split_opening(self) -> tuple[str, str]:
        run = _RUN.match(self._held)
        length = run.end() if run else 0
        return self._held[:length], self._held[length:]

    def _release(self, text: str, *, is_code: bool) -> Span:
        self._held = ""
        return self._give(text, is_code=is_code)

    def _give(self, text: str, *, is_code: bool) -> Span:
        """Note the line that a text belongs to, and whether it opens or closes a fence."""
        self._line += text
        if text.endswith("\n"):
            fence = FENCE.match(self._line)
            if self._fence:
                marks = self._line.strip(" \t>\r\n")
                if fence and marks == marks[:1] * len(marks) and marks.startswith(self._fence):
                    self._fence = ""
            elif fence and (is_code or fence[1][0] == "~"):
                self._fence = fence[1]
            self._line = ""
        return Span(text, is_code)
