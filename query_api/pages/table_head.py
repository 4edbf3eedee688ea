"""The head of a table of which a page shows only some rows.

Belongs here: finding it in markdown. Not here: rendering (`highlight`). Guarantee: pure; without a table there is
none.
"""

import re

_RULER_PATTERN = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*")
_MAX_ROWS = 20_000


def find_table_head(text: str, offset: int) -> str:
    """The names of the columns and the ruler below them, of the table in which a line stands.

    Args:
        text: markdown.
        offset: where the line begins.

    Returns:
        Two lines; empty if the line is no row, or the head itself.
    """
    if not text.startswith("|", offset):
        return ""
    begin = offset
    for _ in range(_MAX_ROWS):
        line_start = text.rfind("\n", 0, max(0, begin - 1)) + 1
        if begin == 0 or not text.startswith("|", line_start):
            break
        begin = line_start
    names, _, remaining_lines = text[begin:offset].partition("\n")
    ruler = remaining_lines.partition("\n")[0]
    return f"{names}\n{ruler}\n" if _RULER_PATTERN.fullmatch(ruler) else ""
