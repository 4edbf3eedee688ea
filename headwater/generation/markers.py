"""Finding the markers in a reply while it comes, and making the rest harmless.

Belongs here: what is a marker, what is held back, links, images and HTML. Not here: code (`code_splitter`), which
citation a marker gets (`citations`). Guarantee: pure; how the reply was cut into pieces does not matter; a number that
is no passage never comes out as a marker; an address that was not given never comes out as a link.

A marker is `[1]`, `[1, 3]`, `[1-3]`, `[^1]`, `[passage 1]`, or the same in `【】` or `［］`; several in a row are one
group. Not a marker: code, `[text](url)`, `[x]`, `a[0]`, `list_of[1]`. Of a marker with an address, the marker stays.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from headwater.generation.code_splitter import CodeSplitter, Span

_OPEN, _CLOSE = r"\\?[\[【［]", r"\\?[\]】］]"
_WORD = r"(?:passages?|sources?|contexts?|documents?|refs?|references?|citations?|cites?|quellen?|nos?\.?)"
_NUMBERS = r"\d+(?:[ \t]*(?:,|;|&|/|and|und|[-–—‑]|to|\.\.)[ \t]*(?:" + _WORD + r"[ \t]*)?\d+)*"
_TAIL = r"(?:†|[,;:][ \t]*(?:see|pp?\.|pages?|sections?|lines?|§))[^\]】］\[\n]*"
_BODY = rf"[ \t]*(?:{_WORD}[ \t:#-]*)?[\^#]?[ \t]*({_NUMBERS})[ \t]*(?:{_TAIL})?"
_MARK = re.compile(rf"(?:{_OPEN}){{2}}{_BODY}(?:{_CLOSE}){{2}}|{_OPEN}{_BODY}{_CLOSE}", re.IGNORECASE)
_INSIDE = r"(?:[^\[\]【】［］\\\n`<]{0,64}|[\d \t,;&/.–—‑-]{0,400})"
_BEGUN = re.compile(rf"\\|(?:{_OPEN}){{2}}{_INSIDE}(?:\\|{_CLOSE}\\?)?|{_OPEN}(?:{_INSIDE}\\?|\\)")
_LEAD = re.compile(r"[ \t]{0,80}(?:\([ \t]?)?!?")
_BETWEEN = re.compile(r"[ \t]{0,8}(?:[,;&]|and|und)?[ \t]{0,8}")
_BETWEEN_BEGUN = re.compile(r"[ \t]{0,8}(?:[,;&]|a(?:nd?)?|u(?:nd?)?)?[ \t]{0,8}")
_RANGE = re.compile(r"(\d+)[ \t]*(?:[-–—‑]|to|\.\.)[ \t]*(\d+)|(\d+)", re.IGNORECASE)
_INDEXED = re.compile(r"(?:\w*_\w*|(?<!\w)[a-z])$", re.ASCII)
_UNCLOSED = re.compile(r"[\[【［][^\]】］]*$")
_TARGET = re.compile(r"""\(\s*(?:<([^<>\n]*)>|([^\s<>]*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)""")
_PROSE = re.compile(r"""\([^\s<>"'()]+[ \t]+[^\s<>"'()]""")
_LABEL = re.compile(r"[\s>*+\d.)-]*\[|[^\[]*$")
_STARTERS = " \t(!\\[【［<"
_CLOSERS = ".,;:!?)]}…。，、；：！？）】］»”"
_MAX_TARGET_CHARS = 2000  # characters of an address with its title
_MAX_GROUP_MARKERS = 20  # markers of one group: a small model may write the same one for ever
_REMEMBERED = 300  # characters of the current line


@dataclass(frozen=True, slots=True)
class Marks:
    """A group of markers: the numbers of passages, in the order written, each once."""

    numbers: tuple[int, ...]


class MarkerScanner:
    """Reads a reply piece by piece.

    Args:
        passage_count: passages are numbered from 1 to this.
        is_known: whether an address may be a link.
    """

    def __init__(self, passage_count: int, is_known: Callable[[str], bool]) -> None:
        self.dropped_links = 0
        self._count = passage_count
        self._is_known = is_known
        self._code = CodeSplitter()
        self._held = ""
        self._line = ""  # the end of the current line, as it came out
        self._after: Literal["", "bracket", "marker"] = ""  # what came last
        self._gap: str | None = None  # what stood before markers that vanished, until the next character is known
        self._out: list[str | Marks] = []

    def feed(self, text: str) -> list[str | Marks]:
        """Return what is certain after more text: texts, and groups of markers where they stand."""
        for span in self._code.feed(text):
            self._read(span)
        return self._take_ready()

    def end(self) -> list[str | Marks]:
        """Return the rest."""
        for span in self._code.end():
            self._read(span)
        self._settle_all()
        return self._take_ready()

    def _take_ready(self) -> list[str | Marks]:
        out, self._out = self._out, []
        joined: list[str | Marks] = []
        for item in out:
            if isinstance(item, str) and joined and isinstance(joined[-1], str):
                joined[-1] += item
            else:
                joined.append(item)
        return joined

    def _read(self, span: Span) -> None:
        if span.is_code:
            self._settle_all()
            self._close_gap(span.text[0])
            self._write(span.text)
            return
        waiting = list(reversed(span.text))
        while waiting:
            character = waiting.pop()
            if self._may_become(self._held + character):
                self._held += character
                if self._is_target(self._held) and _is_balanced(self._held):
                    waiting += reversed(self._settle(""))
            elif not self._held:
                self._plain(character)
            else:
                waiting.append(character)
                waiting += reversed(self._settle(character))

    def _settle_all(self) -> None:
        while self._held:
            self._held = self._settle("")

    def _may_become(self, text: str) -> bool:
        """Whether a text may begin something that must not come out as it is."""
        if text[0] not in _STARTERS:
            return False
        if text[0] == "<":
            return text == "<"
        if self._is_target(text):
            return len(text) <= _MAX_TARGET_CHARS and "\n" not in text and (text == "(" or not _is_balanced(text[:-1]))
        position = _end_of(_LEAD, text, 0)
        if position == len(text):
            return True
        count = 0
        while count < _MAX_GROUP_MARKERS and (mark := _MARK.match(text, position)):
            if _BETWEEN_BEGUN.fullmatch(text, mark.end()):
                return True
            position = _end_of(_BETWEEN, text, mark.end())
            count += 1
        return count < _MAX_GROUP_MARKERS and _BEGUN.fullmatch(text, position) is not None

    def _is_target(self, text: str) -> bool:
        """Whether it stands where the address of a link does."""
        return self._after != "" and text[0] == "(" and text[1:2] not in ("[", "【", "［", "\\")

    def _settle(self, following: str) -> str:
        """Write the held text as what it is, knowing the next character; returns what has to be read again."""
        pending, self._held = self._held, ""
        if pending[0] == "<":
            self._angle(following)
            return ""
        if self._is_target(pending):
            return self._target(pending)
        start = position = _end_of(_LEAD, pending, 0)
        numbers: list[str] = []
        while mark := _MARK.match(pending, _end_of(_BETWEEN, pending, position) if numbers else position):
            if not numbers and self._is_index(pending[:start], mark):
                break
            numbers.append(mark[1] or mark[2])
            position = mark.end()
        if numbers:
            self._group(pending[:start], numbers)
            return pending[position:]
        if pending[max(start - 1, 0) : start + 1] == "![":  # an image becomes a link
            pending, start = pending[: start - 1] + pending[start:], start - 1
        for character in pending[: start + 1]:
            self._plain(character)
        return pending[start + 1 :]

    def _angle(self, following: str) -> None:
        """Keep HTML from being any."""
        is_tag = following.isalpha() or following in ("/", "!", "?")
        self._plain("\\<" if is_tag and not _is_escaped(self._line) else "<")

    def _is_index(self, lead: str, mark: re.Match[str]) -> bool:
        """Whether a bracket right after a word belongs to it: `a[0]`, `list_of[1]`."""
        previous = self._line[-1:]
        if lead or not (previous.isalnum() or previous in ("_", ")", "]")):
            return False
        return (mark[1] or mark[2]) == "0" or _INDEXED.search(self._line[-60:]) is not None

    def _group(self, lead: str, written: Iterable[str]) -> None:
        source_numbers: dict[int, None] = {}
        for first, last, single in (match for numbers in written for match in _RANGE.findall(numbers)):
            low, high = sorted((int(single or first), int(single or last)))
            source_numbers.update(dict.fromkeys(range(max(low, 1), min(high, self._count) + 1)))
        if source_numbers or lead.endswith("!"):
            self._close_gap(lead[:1] or "[")
            self._write(lead)
        if source_numbers:
            self._out.append(Marks(tuple(source_numbers)))
            self._line += "[]"
        else:
            self._gap = (self._gap or "") + lead.removesuffix("!")
            if _UNCLOSED.search(self._line):  # `[1[9]]` must not leave `[1]`
                self._close_gap("…")
                self._write("…")
        self._after = "marker"

    def _target(self, text: str) -> str:
        """Keep an address that is known, and drop another; what is no address stays, but cannot become one."""
        match = _TARGET.fullmatch(text)
        if match is None:
            self._plain("(" if _PROSE.match(text) else "\\(")
            return text[1:]
        address = match[1] or match[2] or ""
        if self._after == "bracket" and address.startswith(("https://", "http://")) and self._is_known(address):
            self._write(text)
        else:
            self.dropped_links += self._after == "bracket"
        return ""

    def _plain(self, text: str) -> None:
        if self._close_gap(text):
            return
        if text == ":" and self._after and _LABEL.match(self._line):
            text = " :"  # otherwise it says where all markers of this number lead
        self._write(text)
        if text == "]":
            self._after = "bracket"

    def _close_gap(self, following: str) -> bool:
        """Write what stood before markers that vanished, if it is still wanted; says whether the next text is not."""
        gap = self._gap
        if gap is None:
            return False
        lead, bracket, _ = gap.partition("(")
        if bracket and following == ")":
            self._gap = lead
            return True
        if not bracket and not self._line.strip() and following in (" ", "\t", ":"):
            return True
        self._gap = None
        if bracket:
            self._write(lead + bracket)
            return following in (" ", "\t")
        if not following.isspace() and following not in _CLOSERS:
            self._write(gap)
        return False

    def _write(self, text: str) -> None:
        if text:
            self._out.append(text)
            self._line = (self._line + text).rpartition("\n")[2][-_REMEMBERED:]
            self._after = ""


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where a pattern that always matches ends."""
    match = pattern.match(text, start)
    return match.end() if match else start


def _is_balanced(text: str) -> bool:
    return text.count("(") == text.count(")")


def _is_escaped(line: str) -> bool:
    """Whether what follows a line has a backslash before it that is not itself escaped."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1
