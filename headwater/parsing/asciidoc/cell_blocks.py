"""The blocks of a table's cell on one line.

Belongs here: lists, code, notes and tables within a cell. Not here: dividing a table into cells (`tables`). Guarantee:
pure and linear; no mark of a block is left.
"""

import re
from collections.abc import Iterator, Sequence

_FENCE = re.compile(r"(?P<fence>`{3,})[\w+#.-]*")
_ITEM = re.compile(r"(?:- |\d{1,9}\. )")
_MARKS = re.compile(r"(?:>[ ]?)+|#{1,6}[ ]|\\(?=[>#|=*_+`~-])")  # those that begin a line
_IMAGE = re.compile(r"!\[(?P<label>[^\[\]\n]*)\]\([^()\s]*\)")
_RULER = re.compile(r"\|(?:[ ](?:---)?[ ]\|)+")


def join_blocks(blocks: Sequence[str]) -> str:
    """Blocks of markdown on one line: items are divided by semicolons, as in the tables of HTML.

    Args:
        blocks: the markdown of each.
    """
    texts: list[str] = []
    is_listed = False  # whether the line before stands in an item or a row
    for line, is_item in _lines("\n\n".join(blocks).split("\n")):
        if texts:
            texts.append("; " if is_item and is_listed else " ")
        texts.append(line)
        is_listed = is_item or (is_listed and line[:1] == " ")
    return "".join(texts)


def write_code(lines: Sequence[str]) -> str:
    """Lines of code as code within a line."""
    code = " ".join(" ".join(lines).split())
    ticks = "``" if "`" in code else "`"
    padding = " " if code[:1] == "`" or code[-1:] == "`" else ""
    return f"{ticks}{padding}{code}{padding}{ticks}" if code else ""


def _lines(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """What each line says, and whether an item begins there."""
    code: list[str] = []
    end = ""
    for line in lines:
        text = line.strip()
        fence = _FENCE.fullmatch(text)
        if end and text == end:
            end = ""
            yield (" " if line[:1] == " " else "") + write_code(code), False
        elif end:
            code.append(line)
        elif fence:
            end, code = fence["fence"], []
        elif text and not _RULER.fullmatch(text):
            yield from _text_line(line, text)


def _text_line(line: str, text: str) -> Iterator[tuple[str, bool]]:
    item = _ITEM.match(text)
    if text.startswith("| ") and text.endswith(" |"):
        yield ", ".join(cell for cell in text[2:-2].split(" | ") if cell.strip()), True
    elif item:
        yield text[item.end() :], True
    elif image := _IMAGE.fullmatch(text):
        yield image["label"], False
    else:
        yield (" " if line[:1] == " " else "") + text[marks.end() if (marks := _MARKS.match(text)) else 0 :], False
