"""Headers, footers and page numbers: lines that repeat from page to page.

Belongs here: finding them by comparing pages. Not here: those that the file itself marks (`page_text`). Guarantee: a
large line that repeats, such as the title of a slide, stays on the first page of each series.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from headwater.parsing.pdf.shapes import Line, Page

_MARGIN = 0.14  # of the page's height: where headers and footers are
_LONE = 0.2  # where a number that stands alone may be one of a page
_GAP = 1.6  # times its size: how far it is from the text
_DASHES = "-–— "  # around a number
_SAME_HEIGHT = 4.0  # points
_NEAR_PAGES = 4  # the chapter's title in a header repeats only on near pages
_LARGE = 1.15  # times the size of the body: may be a heading
_FEW, _USUAL = 6, 0.3  # lines, and share of the pages, that have a header at one height
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]{1,7}$", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"(?:\w{1,7}\.?\s*)?[-–—|\[]?\s*(\d+)\s*[-–—|\]]?(?:\s*(?:of|/|von|de|sur|di|van)\s*\d+)?$", re.IGNORECASE
)

Place = tuple[int, int]
"""The number of a page among those given, and that of a line on it."""


def find_repeated(pages: Sequence[tuple[Page, Sequence[Line]]], body: float) -> set[int]:
    """The ids of the lines that are headers, footers or page numbers.

    Args:
        pages: every page with its lines.
        body: the size of most text.
    """
    repeated: set[int] = set()
    by_text: dict[str, list[tuple[int, Line]]] = defaultdict(list)
    for index, (page, lines) in enumerate(pages):
        bases = sorted(line.base for line in lines)
        for line in lines:
            if _is_in_margin(line, page):
                by_text[_mask_numbers(line.text)].append((index, line))
                if _is_own_number(line, page):
                    repeated.add(id(line))
            elif _is_lone_number(line, page, bases):  # one of a page, if the numbers of others go on from it
                by_text[f"# {int(line.text.strip(_DASHES)[:6]) - index}"].append((index, line))
    for masked, places in by_text.items():
        repeated |= _series(masked, places, len(pages), body)
    repeated |= _at_heights(pages, repeated, _LARGE * body)
    repeated |= _usual_numbers(pages, repeated)
    for page, lines in pages:
        repeated |= _beside_numbers(page, lines, repeated)
        repeated -= _in_text(lines, repeated)
    return repeated


def _at_heights(pages: Sequence[tuple[Page, Sequence[Line]]], repeated: set[int], largest: float) -> set[int]:
    """The lines at the height and of the size of most headers or footers: those of a chapter of one page.

    Larger ones may be titles of slides, some of which repeat.
    """
    dropped = (line for _, lines in pages for line in lines if id(line) in repeated and line.size <= largest)
    counts = Counter(_height(line) for line in dropped)
    usual = {height for height, count in counts.items() if count > max(_FEW, _USUAL * len(pages))}
    at_heights: set[int] = set()
    for page, lines in pages:
        bases = sorted({round(line.base) for line in lines})
        at_heights |= {
            id(line)
            for line in lines
            if _height(line) in usual
            and _is_in_margin(line, page)
            and _is_outermost(round(line.base), line.size, bases)
        }
    return at_heights


def _is_outermost(base: float, size: float, bases: Sequence[float]) -> bool:
    """Whether a line is above or below all others, with a gap."""
    gap = _GAP * size
    return (base == bases[0] and all(next_base > base + gap for next_base in bases[1:2])) or (
        base == bases[-1] and all(next_base < base - gap for next_base in bases[-2:-1])
    )


def _usual_numbers(pages: Sequence[tuple[Page, Sequence[Line]]], repeated: set[int]) -> set[int]:
    """The numbers above or below a page's text that count as those of most pages do, at whatever height."""
    numbers: list[tuple[Line, int, bool]] = []
    for index, (page, lines) in enumerate(pages):
        bases = sorted(line.base for line in lines)
        in_margin = (line for line in lines if line.text.isdecimal() and _is_in_margin(line, page))
        numbers += [
            (line, int(line.text[:6]) - index, _is_outermost(line.base, line.size, bases)) for line in in_margin
        ]
    offsets = Counter(offset for line, offset, _ in numbers if id(line) in repeated)
    usual, count = max(offsets.items(), key=lambda item: item[1], default=(0, 0))
    return {id(line) for line, offset, is_outermost in numbers if count > _FEW and offset == usual and is_outermost}


def _height(line: Line) -> tuple[int, int]:
    return round(line.base), round(2 * line.size)


def _in_text(lines: Sequence[Line], repeated: set[int]) -> set[int]:
    """The lines that are as near to text as the lines of a paragraph are: they repeat by chance."""
    dropped = [line for line in lines if id(line) in repeated]
    other_lines = [line for line in lines if id(line) not in repeated]
    return {
        id(line)
        for line in dropped
        if not _PAGE_NUMBER.match(line.text) and any(_is_next_to(line, neighbour) for neighbour in other_lines)
    }


def _is_next_to(line: Line, other: Line) -> bool:
    is_same_style = abs(line.size - other.size) < 0.5 and abs(line.left - other.left) < line.size
    return is_same_style and 0.5 * line.size < abs(line.base - other.base) < 1.6 * line.size


def _beside_numbers(page: Page, lines: Sequence[Line], repeated: set[int]) -> set[int]:
    """The lines beside a page number, such as a chapter's title, which may be on too few pages to repeat."""
    bases = [line.base for line in lines if id(line) in repeated and _mask_numbers(line.text) == "#"]
    in_margin = (line for line in lines if _is_in_margin(line, page))
    return {id(line) for line in in_margin if any(abs(line.base - base) < 2 for base in bases)}


def _is_in_margin(line: Line, page: Page) -> bool:
    return not _MARGIN * page.height < line.base < (1 - _MARGIN) * page.height


def _is_lone_number(line: Line, page: Page, bases: Sequence[float]) -> bool:
    """Whether a line is a number above or below all others, with a gap: LaTeX's article has it beyond the margin.

    Args:
        line: a line.
        page: its page.
        bases: those of all lines of the page, the lowest first.
    """
    if not line.text.strip(_DASHES).isdecimal() or _LONE * page.height < line.base < (1 - _LONE) * page.height:
        return False
    return _is_outermost(line.base, line.size, bases)


def _mask_numbers(text: str) -> str:
    return "#" if _ROMAN.match(text) else _DIGITS.sub("#", text.casefold())


def _is_own_number(line: Line, page: Page) -> bool:
    match = _PAGE_NUMBER.match(line.text)
    is_outermost = not 0.07 * page.height < line.base < 0.92 * page.height
    return match is not None and is_outermost and int(match[1][:6]) == page.number


def _series(masked: str, places: Sequence[tuple[int, Line]], pages: int, body: float) -> set[int]:
    """The lines of one text that repeat at the same height on near pages."""
    by_height: Mapping[int, list[tuple[int, Line]]] = _by_height(places)
    needed = 2 if pages <= 3 else 3
    repeated: set[int] = set()
    for same_height in by_height.values():
        numbers = [page_number for page_number, _ in same_height]
        for position, (page_number, line) in enumerate(same_height):
            around = numbers[max(0, position - 2 * _NEAR_PAGES) : position + 2 * _NEAR_PAGES + 1]
            near_pages = {page for page in around if abs(page - page_number) <= _NEAR_PAGES}
            if len(near_pages) < needed:
                continue
            if line.size > _LARGE * body and masked != "#" and not _repeats(same_height, position):
                continue
            repeated.add(id(line))
    return repeated


def _by_height(places: Sequence[tuple[int, Line]]) -> dict[int, list[tuple[int, Line]]]:
    groups: dict[int, list[tuple[int, Line]]] = defaultdict(list)
    last, group = float("-inf"), 0
    for page_number, line in sorted(places, key=lambda place: place[1].base):
        if line.base - last > _SAME_HEIGHT:
            group += 1
        last = line.base
        groups[group].append((page_number, line))
    for same_height in groups.values():
        same_height.sort(key=lambda place: place[0])
    return groups


def _repeats(near: Sequence[tuple[int, Line]], position: int) -> bool:
    """Whether a line has exactly the text of the one before it in its series."""
    return position > 0 and near[position - 1][1].text == near[position][1].text
