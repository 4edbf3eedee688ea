"""The position of an offset in its line and paragraph; must be queried from front to back.

Belongs here: lines that begin with tags, rows of tables, inline code. Not here: what is removed (`markup`).
Guarantee: each line and paragraph is read once.
"""

import re

_BLOCK_END = re.compile(r"\n(?=[ \t]*(?:\n|[-*+>|#:]|\d{1,9}[.)][ \t]|`{3}|~{3}|</?[A-Za-z]))|\Z")
_MAX_TICKS = 32


class LineCursor:
    """A text that is read from front to back."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = (0, 0, False)  # the last line that was read: start, end, whether it is a table row
        self._bare = 0  # up to here the line holds only tags
        self._paragraph_end = 0
        self._ticks: dict[int, int] = {}  # by length: the next run of backticks of that length

    def is_bare(self, start: int) -> bool:
        """Whether only tags precede an offset on its line."""
        begin = max(self._bounds(start)[0], self._bare)
        return not self._text[begin:start].strip(" \t>")

    def keep_bare(self, end: int) -> None:
        """Record that a tag ends here and only tags precede it."""
        self._bare = end

    def is_in_table(self, start: int) -> bool:
        """Whether the line of an offset is a row of a table."""
        return self._bounds(start)[2]

    def indent(self, start: int) -> str:
        """The spaces before an offset in its line; none if there is anything else."""
        opening = self._text[self._bounds(start)[0] : start]
        return "" if opening.strip(" \t") else opening

    def code_end(self, start: int, end: int) -> int:
        """The end of the code that the backticks at `text[start:end]` begin; `end` if nothing closes it."""
        length = end - start
        if length > _MAX_TICKS:
            return end
        if self._paragraph_end < end:
            limit = _BLOCK_END.search(self._text, end)
            self._paragraph_end = limit.start() if limit else len(self._text)
            self._ticks = {}
        if self._ticks.get(length, -1) < end:
            match = re.compile(rf"(?<!`)`{{{length}}}(?!`)").search(self._text, end, self._paragraph_end)
            self._ticks[length] = match.start() if match else len(self._text)
        closing = self._ticks[length]
        return closing + length if closing < self._paragraph_end else end

    def _bounds(self, start: int) -> tuple[int, int, bool]:
        """The line of an offset, and whether it is a row of a table."""
        if not self._line[0] <= start < self._line[1]:
            begin = self._text.rfind("\n", 0, start) + 1
            end = self._text.find("\n", start) + 1 or len(self._text) + 1
            line = self._text[begin:end].strip()
            self._line = (begin, end, line.startswith("|") or " | " in line)
        return self._line
