"""Reading statements in a reply that is still being written.

Belongs here: where a statement ends, where its markers belong, which numbers the model wrote for it. Not here: finding
markers (`markers`), what supports a statement (`support`). Guarantee: pure; the texts, joined, are the input without
its markers; only the end of a statement is held back; how the input was cut does not matter; nothing is put into a
block of code or a table.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from headwater.chunking.sentences import sentence_spans
from headwater.generation.code_splitter import FENCE
from headwater.generation.markers import Marks

Kind = Literal["text", "code", "table"]

_ROW = re.compile(r"[ \t]*\|")
_ENDERS = ".!?…。！？"
_BRACKETS = ("(", "（")
_CLOSERS = "*_\"'”’»)]”」』）"
_BETWEEN = " \t,;"
_WIDE = "。！？"
_PAUSES = ",;:.!?)]}”’»"
_END_MARKS = re.compile(rf"[{_ENDERS}]*")


@dataclass(frozen=True, slots=True)
class StatementEnd:
    """Where the markers of a statement belong; `numbers` are those that the model wrote for it."""

    text: str
    numbers: tuple[int, ...]
    kind: Kind = "text"


@dataclass(slots=True)
class _Open:
    """The statement that is being read."""

    text: str = ""
    numbers: dict[int, None] = field(default_factory=dict)
    kind: Kind = "text"
    line: str = ""
    """Its current line."""
    fence: str = ""
    """What closes its block of code."""


class StatementStream:
    """Splits what a `MarkerScanner` gives into texts and the ends of statements."""

    def __init__(self) -> None:
        self._open = _Open()
        self._held = ""  # marks, closing signs and blanks at the end, until it is known whether a statement ends there
        self._is_after_marks = False
        self._is_in_brackets = False  # the bracket before the markers was left out, so is the one behind them
        self._out: list[str | StatementEnd] = []

    def feed(self, item: str | Marks) -> Iterator[str | StatementEnd]:
        """Yield what is certain after more of the reply."""
        if isinstance(item, Marks):
            self._mark(item)
        else:
            for character in item:
                self._take(character)
        yield from self._take_ready()

    def end(self) -> Iterator[str | StatementEnd]:
        """Yield the rest."""
        if self._open.text.strip():
            self._close("")
        self._held = ""
        yield from self._take_ready()

    def _take_ready(self) -> list[str | StatementEnd]:
        out, self._out = self._out, []
        joined: list[str | StatementEnd] = []
        for item in out:
            if isinstance(item, str) and joined and isinstance(joined[-1], str):
                joined[-1] += item
            elif item:
                joined.append(item)
        return joined

    def _mark(self, marks: Marks) -> None:
        self._open.numbers.update(dict.fromkeys(marks.numbers))
        if self._is_after_marks:
            self._held = self._held.rstrip(_BETWEEN)
        self._is_after_marks = True
        if self._held.endswith(_BRACKETS):
            self._held = self._held[:-1].rstrip(" \t")
            self._is_in_brackets = True

    def _take(self, character: str) -> None:
        if self._open.fence:
            self._take_code(character)
            return
        if self._is_in_brackets:
            self._is_in_brackets = False
            if character in ")）":
                return
        if character.isspace():
            self._take_space(character)
            return
        if self._is_after_marks and character in _PAUSES:
            self._held = self._held.rstrip(" \t")
            if character in _BETWEEN:  # more markers may follow
                self._held += character
                return
        self._is_after_marks = False
        if character in _BRACKETS and not self._held.endswith(_BRACKETS):
            self._held += character  # markers may follow in it
            return
        self._end_before(character)
        if character in _ENDERS or (character in _CLOSERS and self._is_behind_end()):
            if self._held and character not in _CLOSERS and not _END_MARKS.fullmatch(self._held):
                self._release()
            self._held += character
            return
        self._release()
        self._write(character)

    def _take_space(self, character: str) -> None:
        if self._is_after_marks and character == "\n":
            self._held = self._held.rstrip(" \t")
        if self._is_after_marks and (self._held.endswith("\n\n") or (character != "\n" and self._held[-1:].isspace())):
            return  # the blanks before the markers are enough
        self._held += character

    def _take_code(self, character: str) -> None:
        if character == "\n":
            marks = self._open.line.strip(" \t>\r")
            is_closed = (
                marks == marks[:1] * len(marks) and marks.startswith(self._open.fence) and "\n" in self._open.text
            )
            if is_closed:
                self._open.fence = ""
                self._held = "\n"
                return
        self._write(character)

    def _is_behind_end(self) -> bool:
        text = self._held.rstrip(_CLOSERS)
        return bool(text) and text[-1] in _ENDERS

    def _end_before(self, character: str) -> None:
        """End the statement if it ends before a character that is no blank, or before the bracket in front of that."""
        bracket = self._held[-1:] if self._held.endswith(_BRACKETS) else ""
        self._held = self._held.removesuffix(bracket) if bracket else self._held
        if self._ends_before(bracket or character):
            self._close(character)
        self._held += bracket

    def _ends_before(self, character: str) -> bool:
        """Whether a statement ends before a character that is no blank."""
        statement, pending = self._open, self._held
        if not statement.text.strip():
            return False
        if "\n" in pending:
            return not (statement.kind == "table" and character == "|")
        is_gap = pending[-1:].isspace() or pending.rstrip(_CLOSERS)[-1:] in tuple(_WIDE)
        if statement.kind != "text" or not pending.strip() or not is_gap or statement.text.count("`") % 2:
            return False
        text = statement.text + pending + character
        return any(start == len(text) - 1 for start, _ in sentence_spans(text))

    def _close(self, following: str) -> None:
        """End the statement: its markers come before its last sign, or behind what closes after it."""
        statement, pending = self._open, self._held
        self._open, self._held, self._is_after_marks = _Open(), "", False
        signs = pending[: len(pending) - len(pending.lstrip(_ENDERS + _CLOSERS))]
        blanks = pending[len(signs) :]
        end = StatementEnd((statement.text + signs).strip(), tuple(statement.numbers), statement.kind)
        if statement.kind != "text":
            blanks = blanks if blanks.count("\n") > 1 else "\n\n"
            self._out += [signs, end]
        elif signs.strip(_ENDERS):
            self._out += [signs, end]
        else:
            self._out += [end, signs]
        self._out.append(blanks if following else "")

    def _release(self) -> None:
        pending, self._held = self._held, ""
        for character in pending:
            self._write(character)

    def _write(self, character: str) -> None:
        statement = self._open
        statement.text += character
        statement.line = "" if character == "\n" else statement.line + character
        self._out.append(character)
        if statement.kind == "text":
            if _ROW.fullmatch(statement.line) and statement.text.strip() == "|":
                statement.kind = "table"
            elif fence := FENCE.match(statement.line):
                statement.kind, statement.fence = "code", fence[1]
        elif statement.fence and statement.text.strip(" \t>-*+.)0123456789") == statement.line.strip(
            " \t>-*+.)0123456789"
        ):
            fence = FENCE.match(statement.line)
            statement.fence = fence[1] if fence else statement.fence
