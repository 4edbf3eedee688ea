"""The page that macros write: headings, paragraphs, list items, code, tables.

Belongs here: blocks of markdown and how they nest. Not here: macros (`man`, `mdoc`). Guarantee: a text line never
becomes a heading, a quotation or a table; the work is linear.
"""

import re
from collections.abc import Sequence
from textwrap import dedent

from headwater.parsing.markdown.writer import fence_code, indent_block, item, pipe_table, plain_markdown

_MAX_DEPTH = 8
_SPACES = re.compile(r"[ \t]+")
BREAK = "\x1e"
"""Stands at the end of a line that the next one does not go on with."""
_ENDS = (":", ",", ";", "—")
_SENTENCE_ENDS = (".", "!", "?", ";", ":")
_MARKED = re.compile(r"\*{1,2}[^*\n]+\*{1,2}:?|`[^`\n]+`:?")
_WORD = re.compile(r"[^\W\d_]{2,}")
_PHRASE = re.compile(r"[A-Z][a-z]+ .*")  # begins a sentence, such as `The command` above an indented one
_MAX_TAG, _MAX_TAG_LINES, _MAX_TAG_WORDS = 200, 2, 5  # characters; lines; words that are neither bold nor italic


class Page:
    """Blocks of markdown, in order.

    An item holds all that follows until the next item, heading, or the end of its list.
    """

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._lines: list[str] = []
        self._tags: list[str] = []
        self._mark = ""  # of an item that has not been written yet
        self._width = 0  # the indentation of what follows in the open item
        self._outer: list[tuple[int, int]] = []  # of the items around it: their width, and what they add to the base
        self._base = 0  # the indentation of the open item
        self._is_held = False  # whether all that follows, until the end of its list, is the open item's
        self.title = ""
        self.is_synopsis = False  # where each name of a command begins a line

    def text(self) -> str:
        """The whole page."""
        return "\n\n".join(self.blocks())

    def blocks(self) -> Sequence[str]:
        """The blocks of the page; what is written after it begins a new one."""
        self.end_item()
        return self._blocks

    @property
    def lines(self) -> Sequence[str]:
        """The lines of the open paragraph."""
        return self._lines

    @property
    def is_tagged(self) -> bool:
        """Whether the open paragraph is the tag of what follows it, and no sentence."""
        text = " ".join(self._lines[:3]).replace(BREAK, "")
        if len(self._lines) > _MAX_TAG_LINES or not 0 < len(text) <= _MAX_TAG:
            return False
        plain = _MARKED.sub("", text).strip()
        is_sentence = (plain.endswith(_SENTENCE_ENDS) and not plain.endswith("...")) or _PHRASE.fullmatch(text)
        return not is_sentence and len(_WORD.findall(plain)) <= _MAX_TAG_WORDS

    @property
    def awaits_body(self) -> bool:
        """Whether the open item has a tag and no text yet."""
        return bool(self._tags)

    def heading(self, level: int, text: str) -> None:
        """A heading; it ends all lists."""
        self.end_item()
        self._outer, self._base = [], 0
        self.is_synopsis = text.strip().upper() == "SYNOPSIS"
        if words := " ".join(text.split()):
            self._blocks.append(f"{'#' * level} {words}")

    def line(self, text: str) -> None:
        """A line of the open paragraph."""
        if text.strip():
            self._lines.append(text.strip())

    def break_line(self) -> None:
        """What follows begins a line."""
        if self._lines and not self._lines[-1].endswith(BREAK):
            self._lines[-1] += BREAK

    def join(self, text: str) -> None:
        """Text right behind the last line."""
        if self._lines:
            self._lines[-1] += text
        else:
            self.line(text)

    def paragraph(self) -> None:
        """End the open paragraph; what follows stays in its item."""
        if self._lines:
            text, self._lines = _SPACES.sub(" ", " ".join(self._lines)), []
            self._write(plain_markdown(text.replace(f"{BREAK} ", "\n").replace(BREAK, "")))

    def item(self, mark: str = "-", tag: str = "") -> None:
        """Begin an item of a list.

        Args:
            mark: `-`, or a number with a full stop.
            tag: the words that stand before its text, as markdown.
        """
        if self._tags and tag and not self._lines:  # several tags for one text
            self._tags.append(tag)
            return
        self.end_item()
        self._mark, self._tags = mark, [tag] if tag else []

    def retag(self) -> None:
        """Turn the open paragraph into the tag of an item."""
        tag, self._lines = " ".join(self._lines).replace(BREAK, ""), []
        self.item(tag=tag)

    def end_item(self) -> None:
        """End the open paragraph and the open item."""
        self.paragraph()
        if self._tags:
            self._write("")
        self._mark, self._width, self._is_held = "", 0, False

    def hold(self) -> None:
        """Turn the open paragraph into the tag of an item that holds what follows, until its list is left."""
        self.retag()
        self._outer.append((0, 0))
        self._is_held = True

    def enter(self) -> None:
        """What follows is nested in the open item, if there is one."""
        self.paragraph()
        if self._tags:
            self._write("")
        self._outer.append((self._width, self._width))
        self._base += self._width
        self._mark, self._width = "", 0

    def leave(self) -> None:
        """Back to the item around."""
        self.end_item()
        if self._outer:
            self._width, added = self._outer.pop()
            self._base -= added

    def code(self, lines: Sequence[str]) -> None:
        """Lines as they are."""
        self.paragraph()
        if any(line.strip() for line in lines):
            self._write(fence_code(dedent("\n".join(line.rstrip() for line in lines))), is_text=False)

    def table(self, rows: Sequence[Sequence[str]], *, has_header: bool) -> None:
        """A table; without a header its columns have no names."""
        self.paragraph()
        width = max(map(len, rows), default=0)
        if width:
            self._write(pipe_table(rows if has_header else [[""] * width, *rows]), is_text=False)

    def _write(self, text: str, *, is_text: bool = True) -> None:
        tag, self._tags = ", ".join(self._tags), []
        if tag and text and is_text:
            text = f"{tag}{'' if tag.endswith(_ENDS) else ':'} {text}"
        elif tag:
            text = f"{tag}\n\n{text}".strip()
        base = " " * min(self._base, _MAX_DEPTH * 2)
        if self._mark:
            width = len(self._mark) + 1
            text, self._mark, self._width = item(text, self._mark), "", width
        elif self._width:
            text = indent_block(text, " " * self._width)
        if text.strip():
            self._blocks.append(indent_block(text, base))
        if self._is_held:
            self._outer[-1] = (0, self._width)
            self._base, self._width, self._is_held = self._base + self._width, 0, False
