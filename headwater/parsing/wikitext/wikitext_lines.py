"""What the beginnings of lines mean in MediaWiki's markup.

Belongs here: paragraphs, lists, indented code, made of the HTML of lines. Not here: what stands in a line
(`wikitext_html`). Guarantee: every list that is opened is closed; the work is linear in the lines and lists' depth.

Lists are opened and closed as in MediaWiki's own block pass: by the prefix that the marks of two lines share.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_LISTS = {"*": ("ul", "li"), "#": ("ol", "li"), ":": ("dl", "dd"), ";": ("dl", "dt")}
_MAX_DEPTH = 20
_BOLD = re.compile(r"'{3}(.+?)(?:'{3}|$)")  # both end with their line at the latest
_ITALIC = re.compile(r"''(.+?)(?:''|$)")


@dataclass
class _Line:
    marks: str = ""
    texts: list[str] = field(default_factory=list)
    is_block: bool = False
    is_blank: bool = True

    def add(self, html: str) -> None:
        """Add what stands next in it."""
        self.texts.append(html)
        self.is_blank = self.is_blank and not html.strip()

    @property
    def html(self) -> str:
        text = "".join(self.texts)
        return text if self.is_block else _ITALIC.sub(r"<i>\1</i>", _BOLD.sub(r"<b>\1</b>", text))

    @property
    def is_indented(self) -> bool:
        return not self.marks and not self.is_block and self.html.startswith(" ") and bool(self.html.strip())


class Lines:
    """The lines of a page, each with its marks and its HTML."""

    def __init__(self) -> None:
        self._lines = [_Line()]

    @property
    def is_at_start(self) -> bool:
        """Whether nothing stands in the line yet."""
        return self._lines[-1].is_blank

    def add_text(self, text: str) -> None:
        """Add escaped text, of any number of lines."""
        first, *following = text.split("\n")
        self._lines[-1].add(first)
        for line in following:
            self._lines.append(_Line())
            self._lines[-1].add(line)

    def add_inline(self, html: str) -> None:
        """Add what stands within a line."""
        self._lines[-1].add(html)

    def add_mark(self, mark: str) -> None:
        """Add the mark of a list; within a line, `:` begins the definition of its term."""
        line = self._lines[-1]
        if not line.is_blank:
            self._lines.append(_Line(marks=line.marks[:-1] + mark))
        elif len(line.marks) < _MAX_DEPTH:
            line.marks += mark

    def add_block(self, html: str) -> None:
        """Add a block: to the item of its line, or by itself."""
        if self._lines[-1].marks:
            self._lines[-1].add(html)
        else:
            self._lines += [_Line(texts=[html], is_block=True, is_blank=False), _Line()]

    def html(self) -> str:
        """All of it."""
        return "".join(self._write())

    def _write(self) -> Iterator[str]:
        marks, code = "", False
        for index, line in enumerate(_without_gaps(self._lines)):
            is_code = index > 0 and line.is_indented  # what begins a cell is not at the beginning of a line
            if code and not is_code:
                yield "</pre>"
            if line.marks or marks:
                yield from _change_lists(marks, line.marks)
                marks = line.marks
            if is_code:
                yield f"{'' if code else '<pre>'}{line.html[1:]}\n"
            elif line.is_block or line.marks:
                yield line.html
            else:
                yield f"{line.html}\n" if line.html.strip() else "<p>"
            code = is_code
        yield "</pre>" if code else ""
        yield from _change_lists(marks, "")


def _without_gaps(lines: Sequence[_Line]) -> Iterator[_Line]:
    """The lines without blank ones between items, which would begin the numbers of a list again."""
    blank: list[_Line] = []
    is_item = False
    for line in lines:
        if line.marks or line.html.strip():
            yield from [] if is_item and line.marks else blank
            blank, is_item = [], bool(line.marks)
            yield line
        else:
            blank.append(line)
    yield from blank


def _change_lists(open_marks: str, marks: str) -> Iterator[str]:
    """Close and open what leads from the lists of one line to those of the next."""
    pairs = enumerate(zip(open_marks.replace(";", ":"), marks.replace(";", ":"), strict=False))
    shared = next((depth for depth, (first, second) in pairs if first != second), min(len(open_marks), len(marks)))
    for mark in reversed(open_marks[shared:]):
        name, element = _LISTS[mark]
        yield f"</{element}></{name}>"
    if marks and shared == len(marks):
        yield f"</{_LISTS[open_marks[shared - 1]][1]}><{_LISTS[marks[-1]][1]}>"
    for mark in marks[shared:]:
        name, element = _LISTS[mark]
        yield f"<{name}><{element}>"
