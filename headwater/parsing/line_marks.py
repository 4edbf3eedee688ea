"""Where an offset stands in its line and paragraph, asked for from the front to the back.

Belongs here: lines that tags begin, rows of tables, code within a line. Not here: what is taken out (`markup`).
Guarantee: each line and paragraph is looked at once.
"""

import re

_BLOCK_END = re.compile(r"\n(?=[ \t]*(?:\n|[-*+>|#:]|\d{1,9}[.)][ \t]|`{3}|~{3}|</?[A-Za-z]))|\Z")
_LONGEST_TICKS = 32


class LineMarks:
    """A text, read from the front to the back."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = (0, 0, False)  # the last line that was looked at: start, end, whether a table's
        self._bare = 0  # up to here there are only tags in the line
        self._paragraph_end = 0
        self._ticks: dict[int, int] = {}  # by length: where the next run of backticks is

    def is_bare(self, start: int) -> bool:
        """Whether nothing but tags precedes an offset in its line."""
        begin = max(self._bounds(start)[0], self._bare)
        return not self._text[begin:start].strip(" \t>")

    def keep_bare(self, end: int) -> None:
        """Note that a tag ends here which nothing but tags precedes."""
        self._bare = end

    def is_in_table(self, start: int) -> bool:
        """Whether the line around an offset is a row of a table."""
        return self._bounds(start)[2]

    def code_end(self, start: int, end: int) -> int:
        """Where the code ends that the backticks at `text[start:end]` begin; `end` if nothing closes it."""
        length = end - start
        if length > _LONGEST_TICKS:
            return end
        if self._paragraph_end < end:
            limit = _BLOCK_END.search(self._text, end)
            self._paragraph_end = limit.start() if limit else len(self._text)
            self._ticks = {}
        if self._ticks.get(length, -1) < end:
            found = re.compile(rf"(?<!`)`{{{length}}}(?!`)").search(self._text, end, self._paragraph_end)
            self._ticks[length] = found.start() if found else len(self._text)
        closing = self._ticks[length]
        return closing + length if closing < self._paragraph_end else end

    def _bounds(self, start: int) -> tuple[int, int, bool]:
        """The line around an offset, and whether it is a row of a table."""
        if not self._line[0] <= start < self._line[1]:
            begin = self._text.rfind("\n", 0, start) + 1
            end = self._text.find("\n", start) + 1 or len(self._text) + 1
            line = self._text[begin:end].strip()
            self._line = (begin, end, line.startswith("|") or " | " in line)
        return self._line
