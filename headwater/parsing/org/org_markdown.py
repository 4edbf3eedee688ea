"""The outline and the blocks of Org as markdown.

Belongs here: headings, lists, tables, blocks, drawers, keywords. Not here: what stands in a line (`org_inline`).
Guarantee: every line is read once; the marks of blocks leave no trace; code stays as it is.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from headwater.parsing.markdown.writer import fence_code, indent_block, pipe_table, plain_markdown
from headwater.parsing.org.org_inline import OrgInline

_WORDS = r"[^ \t\n]++(?:[ \t]++[^ \t\n]++)*?"  # word by word: sign by sign, a run of blanks would take quadratic time
_TITLE = re.compile(r"#\+title:[ \t]*(?P<title>.*)", re.IGNORECASE)
_HEADING = re.compile(
    r"(?P<stars>\*{1,40})[ \t]+(?:(?:TODO|NEXT|WAITING|DONE|CANCELL?ED)[ \t]+)?(?:\[#\w\][ \t]*)?"
    rf"(?P<words>{_WORDS})(?:[ \t]++:(?P<tags>[\w@#%:]+):)?[ \t]*+"
)
# A tag of toc-org, which writes a table of contents below the heading.
_IS_CONTENTS = re.compile(r"(?:^|:)TOC(?:[_@]\w*)?(?:$|:)")
_LABEL = re.compile(r"(?<=\S)[ \t]+label:[\w:.-]+$")  # of org-ref
_BEGIN = re.compile(r"[ \t]*#\+begin_(?P<name>\w+)(?:[ \t]+(?P<options>.*))?", re.IGNORECASE)
_KEYWORD = re.compile(r"[ \t]*(?:#\+[\w-]+(?:\[.*\])?:.*|#\+(?:begin|end)\b.*|#(?:[ \t].*)?)", re.IGNORECASE)
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t]*")
_END = re.compile(r"[ \t]*(?:#\+end_(?P<name>\w+)|:end:)[ \t]*", re.IGNORECASE)
_MAX_DRAWER_LINES = 200
_FIXED = re.compile(r"[ \t]*:(?: (?P<code>.*)|$)")
_ROW = re.compile(r"[ \t]*+\|(?P<cells>.*)")
_RULE = re.compile(r"[ \t]*\|[-+]+\|?[ \t]*")
_WIDTHS = re.compile(r"[|\s]|<[lcr]?\d*>")
_ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?P<mark>[-+]|(?<=[ \t])\*|\d{1,9}[.)])[ \t]+"
    r"(?:\[@\d+\][ \t]+)?(?:\[(?P<check>[ xX-])\][ \t]+)?"
    rf"(?:(?P<term>{_WORDS})[ \t]++::(?:[ \t]++|$))?(?P<text>.*)"
)
_CODE_BLOCKS = frozenset({"src", "example"})
_SILENT_BLOCKS = frozenset({"comment", "export"})
_MAX_LEVEL = 6
_MAX_DEPTH = 12  # of blocks in blocks


class OrgDocument:
    """An Org file as markdown, with its title and the files that it links to."""

    def __init__(self, source: str) -> None:
        self._lines = source.split("\n")
        self._inline = OrgInline()
        self._ends: dict[str, list[int]] = {}  # the lines that end a block of each name; those of drawers have none
        for line_index, line in enumerate(self._lines):
            if end := _END.fullmatch(line):
                self._ends.setdefault((end["name"] or "").lower(), []).append(line_index)
        titles = (match for match in map(_TITLE.fullmatch, self._lines) if match)
        title = next(titles, None)
        self.title = self._inline.plain(title["title"]) if title else ""

    @property
    def links(self) -> list[str]:
        """The files that the text read so far links to."""
        return self._inline.links

    def text(self) -> str:
        """The whole text."""
        heading = [f"# {self.title}"] if self.title else []
        return "\n\n".join([*heading, *filter(str.strip, self._blocks(0, len(self._lines)))])

    def _blocks(self, index: int, end: int, depth: int = 0) -> Iterator[str]:
        """The blocks of some lines; what begins and never ends is only its first line, which says nothing."""
        while index < end:
            line, first = self._lines[index], index
            index += 1
            if begin := _BEGIN.fullmatch(line):
                close = self._find_end(begin["name"].lower(), index, end) if depth < _MAX_DEPTH else None
                if close is not None:
                    yield self._block(begin, index, close, depth)
                    index = close + 1
            elif _DRAWER.fullmatch(line):
                close = self._find_end("", index, min(end, index + _MAX_DRAWER_LINES))
                index = index if close is None else close + 1
            elif heading := _HEADING.fullmatch(line):
                if _IS_CONTENTS.search(heading["tags"] or ""):
                    index = next((line for line in range(index, end) if _HEADING.fullmatch(self._lines[line])), end)
                    continue
                level = min(len(heading["stars"]) + bool(self.title), _MAX_LEVEL)
                yield f"{'#' * level} {self._inline.markdown(_LABEL.sub('', heading['words']))}"
            elif not _KEYWORD.fullmatch(line) and not _END.fullmatch(line) and line.strip():
                index = self._find_run_end(first, end)
                yield self._run(first, index)

    def _find_end(self, name: str, index: int, end: int) -> int | None:
        """The line that ends a block of a name, or a drawer."""
        ends = self._ends.get(name, [])
        place = bisect_left(ends, index)
        return ends[place] if place < len(ends) and ends[place] < end else None

    def _block(self, begin: re.Match[str], index: int, end: int, depth: int) -> str:
        name, options = begin["name"].lower(), (begin["options"] or "").split()
        if name in _SILENT_BLOCKS:
            return ""
        if name in _CODE_BLOCKS:
            indent = min((len(line) - len(line.lstrip()) for line in self._lines[index:end] if line.strip()), default=0)
            code = "\n".join(line[indent:].removeprefix(",") for line in self._lines[index:end])
            return fence_code(code, options[0] if options and name == "src" else "")
        text = "\n\n".join(filter(str.strip, self._blocks(index, end, depth + 1)))
        return indent_block(text, "> ").replace("\n\n", "\n>\n") if name == "quote" else text

    def _find_run_end(self, index: int, end: int) -> int:
        """Where lines of one kind end: those of a table, of code, of a list, or of a paragraph."""
        kind = _kind(self._lines[index])
        while index < end:
            line = self._lines[index]
            is_other = any(pattern.fullmatch(line) for pattern in (_BEGIN, _END, _KEYWORD, _HEADING))
            if is_other or (not line.strip() and not (kind == "list" and self._goes_on(index, end))):
                break
            if line.strip() and _kind(line) != kind and not (kind == "list" and line[:1] in " \t"):
                break
            index += 1
        return index

    def _goes_on(self, index: int, end: int) -> bool:
        """Whether a list goes on below one blank line."""
        line = self._lines[index + 1] if index + 1 < end else ""
        return _kind(line) == "list" or (line[:1] in (" ", "\t") and bool(line.strip()))

    def _run(self, index: int, end: int) -> str:
        lines = self._lines[index:end]
        kind = _kind(lines[0])
        if kind == "table":
            return self._table(lines)
        if kind == "code":
            return fence_code("\n".join(_FIXED.sub(lambda fixed: fixed["code"] or "", line) for line in lines))
        if kind == "list":
            return self._list(lines)
        return plain_markdown(self._inline.markdown("\n".join(line.strip() for line in lines)))

    def _table(self, lines: list[str]) -> str:
        rows = [
            [self._inline.markdown(cell.strip()) for cell in match["cells"].rstrip(" \t").removesuffix("|").split("|")]
            for line in lines
            if not _RULE.fullmatch(line) and _WIDTHS.sub("", line) and (match := _ROW.fullmatch(line))
        ]
        has_header = len(lines) > 2 and not _RULE.fullmatch(lines[0]) and bool(_RULE.fullmatch(lines[1]))
        return pipe_table(rows, has_header=has_header)

    def _list(self, lines: list[str]) -> str:
        """A list; what is nested stands below the text of its item, as markdown wants it, however far in it stood."""
        texts: list[str] = []
        levels: list[tuple[int, int]] = []  # of the items around: where each stood, and where its text stands now
        for line in _join_items(lines):
            indent = len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())
            match = _ITEM.fullmatch(line)
            while levels and line.strip() and levels[-1][0] >= indent + (match is None):
                levels.pop()
            column = levels[-1][1] if levels else 0
            text = self._item(match) if match else self._inline.markdown(line.strip())
            if match:
                levels.append((indent, column + len(text.split(" ", 1)[0]) + 1))
            texts.append(f"{' ' * column}{text}" if line.strip() else "")
        return "\n".join(texts)

    def _item(self, match: re.Match[str]) -> str:
        mark = match["mark"].replace(")", ".") if match["mark"][0].isdigit() else "-"
        check = f"[{'x' if match['check'] in 'xX' else ' '}] " if match["check"] else ""
        term = f"**{self._inline.plain(match['term'])}**: " if match["term"] else ""
        return f"{mark} {check}{term}{self._inline.markdown(match['text'])}".rstrip()


def _join_items(lines: list[str]) -> Iterator[str]:
    """The lines of a list, each item's with those that go on with it: a link may stand on two lines."""
    current = ""
    for line in lines:
        if current and line.strip() and not _ITEM.fullmatch(line):
            current = f"{current.rstrip()} {line.strip()}"
        else:
            yield from [current] if current else []
            current = line
            if not line.strip():
                yield ""
    if current.strip():
        yield current


def _kind(line: str) -> str:
    """What a line that begins no block is a part of."""
    if _ROW.fullmatch(line):
        return "table"
    if _FIXED.fullmatch(line):
        return "code"
    return "list" if _ITEM.fullmatch(line) else "paragraph"
