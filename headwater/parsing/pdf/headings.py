"""Which blocks are headings, and of which level.

Belongs here: headings by size, by weight and by the outline. Not here: reading the outline (`outline`). Guarantee: the
outline's titles and levels win; a section without a heading on its page gets one.
"""

import re
from collections import Counter
from collections.abc import Sequence

from headwater.parsing.pdf.blocks import HEADING, ITEM, LARGE, TEXT, Block
from headwater.parsing.pdf.outline import Section
from headwater.parsing.pdf.paragraph_labels import find_labels, join_labels
from headwater.parsing.pdf.shapes import Line, Page

_LONGEST, _MOST_LINES = 200, 4
_BOLD_LONGEST, _BOLD_LINES = 120, 2
_SUBTITLE, _COVER = 0.6, 1.5  # times the size of the title, and of the body
_LEVELS = 6
_PROSE = 0.25  # times the characters of code: less is captions
_BOLD_SIZE, _NUMBERED_SIZE = 0.93, 0.85  # times the size of the body: the smallest bold headings
_ONE_SIZE = 0.04
_NOT_A_WORD = re.compile(r"\W+")
_NUMBERING = re.compile(
    r"^(?:(?:chapter|section|part|appendix|annex|kapitel|teil|abschnitt|anhang|chapitre|annexe|anexo)\s+)?"
    r"(?:\d+|[IVX]+|[A-Z])(?:\.\d+)*[.:)]?\s+(?:[-–—:]\s+)?",
    re.IGNORECASE,
)
_DEPTH = re.compile(r"^(\d+(?:\.\d+)*)\.?\s+\S")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_LEADER = re.compile(r"(?:[.·…_]\s?){4,}")


def body_size(lines: Sequence[Line]) -> float:
    """The size of most text; code counts only where there is little else."""
    weights: Counter[float] = Counter()
    code: Counter[float] = Counter()
    for line in lines:
        (code if line.is_mono else weights)[round(line.size * 2) / 2] += len(line.text)
    if weights.total() < _PROSE * code.total():
        weights += code
    return weights.most_common(1)[0][0] if weights else 10.0


def mark_headings(blocks: list[Block], body: float, outline: Sequence[Section], pages: Sequence[Page]) -> None:
    """Turn blocks into headings, and add those that only the outline has."""
    bold = sum(len(block.text) for block in blocks if block.is_bold)
    is_bold_rare = bold < 0.3 * sum(len(block.text) for block in blocks)
    headings = [block for block in blocks if _is_heading(block, body, is_bold_rare=is_bold_rare)]
    if outline:
        titles = {plain_title(section.title) for section in outline}
        labels = find_labels(headings, lambda block: plain_title(_full_text(block)) in titles)
        label_ids = {id(label) for label in labels}
        join_labels(blocks, labels, headings)
        headings = [block for block in headings if id(block) not in label_ids]
    for block in headings:
        block.kind = HEADING
        if block.marker:
            block.parts[0] = f"{block.marker} {block.parts[0][0]}", block.parts[0][1]
    _join_cover(blocks, body)
    block_ids = {id(block) for block in blocks}
    _set_levels([block for block in headings if id(block) in block_ids], body)
    if outline:
        _follow(blocks, outline, pages)


def _is_heading(block: Block, body: float, *, is_bold_rare: bool) -> bool:
    text = block.text
    letters = sum(1 if character < "\u2e80" else 2 for character in text if character.isalpha())
    if block.kind not in (TEXT, ITEM) or letters < 2 or _LEADER.search(text) or _ADDRESS.fullmatch(text):
        return False
    if block.marker and not block.marker[0].isalnum():
        return False
    if block.first.size >= LARGE * body:
        return len(text) <= _LONGEST and block.lines <= _MOST_LINES
    is_short = len(text) <= _BOLD_LONGEST and block.lines <= _BOLD_LINES and not text.endswith((".", ",", ";"))
    least = _NUMBERED_SIZE if _DEPTH.match(_full_text(block)) else _BOLD_SIZE
    return is_bold_rare and block.is_bold and is_short and block.first.size >= least * body


def _join_cover(blocks: list[Block], body: float) -> None:
    """Join the title and the subtitle of a cover: often, only the subtitle says what the document is about."""
    cover = [block for block in blocks if block.page == blocks[0].page]
    if len(cover) < 2 or any(block.kind != HEADING for block in cover):
        return
    first, second = cover[0], cover[1]
    is_subtitle = max(_SUBTITLE * first.first.size, _COVER * body) <= second.first.size <= first.first.size
    if is_subtitle and len(first.text) + len(second.text) < _LONGEST:
        first.parts.append((f" – {second.text}", second.page))
        blocks[:] = [block for block in blocks if block is not second]


def _set_levels(headings: Sequence[Block], body: float) -> None:
    """Levels by size, largest first; below them bold headings of the body's size, by their numbering if any."""
    sizes: list[float] = []
    for size in sorted({block.first.size for block in headings if block.first.size >= LARGE * body}, reverse=True):
        if not sizes or size < (1 - _ONE_SIZE) * sizes[-1]:
            sizes.append(size)
    for block in headings:
        rank = next((n for n, size in enumerate(sizes) if block.first.size >= (1 - _ONE_SIZE) * size), len(sizes))
        if rank == len(sizes) and (match := _DEPTH.match(block.text)):
            rank += match[1].count(".")
        block.level = min(rank + 1, _LEVELS)


def _follow(blocks: list[Block], outline: Sequence[Section], pages: Sequence[Page]) -> None:
    by_page: dict[int, list[int]] = {}
    for position, block in enumerate(blocks):
        by_page.setdefault(block.page, []).append(position)
    placed: list[tuple[int, Block | None, Section]] = []
    used: set[int] = set()
    for section in outline:
        positions = by_page.get(section.page, [])
        free = [n for n in positions if n not in used]
        pairs = (n for n in free if n + 1 < len(blocks) and _is_in_two(blocks[n], blocks[n + 1], section))
        same = next(pairs, None)
        if same is not None:
            _join(blocks[same], blocks[same + 1])
            used.add(same + 1)
        else:
            same = next((n for n in free if _is_title(blocks[n], section.title)), None)
        if same is not None:
            used.add(same)
            placed.append((same, blocks[same], section))
        elif not any(_is_title(blocks[n], section.title) for n in positions if n in used):  # an entry that stands twice
            placed.append((_position(blocks, positions, section, pages), None, section))
    for block in blocks[: min((position for position, _, _ in placed), default=0)]:  # a title page names authors, too
        if block.kind == HEADING and block.level > 1:
            block.kind = TEXT
    _apply(blocks, placed)


def _is_title(block: Block, title: str) -> bool:
    return block.kind in (HEADING, TEXT, ITEM) and _is_same(_full_text(block), title)


def _is_same(text: str, title: str) -> bool:
    """Whether two titles are equal, whatever number either of them has."""
    if _plain(text) == _plain(title):
        return True
    return _plain(_NUMBERING.sub("", text)) == _plain(_NUMBERING.sub("", title)) != ""


def _is_in_two(first: Block, second: Block, section: Section) -> bool:
    """Whether a title stands in two blocks: `Appendix A`, and below it the words."""
    is_label = first.kind == HEADING and first.page == second.page and _NUMBERING.fullmatch(f"{_full_text(first)} ")
    if not is_label or {first.kind, second.kind} - {HEADING, TEXT, ITEM} or second.lines > _MOST_LINES:
        return False
    joined_title = f"{_full_text(first)} {_full_text(second)}"
    return _is_same(joined_title, section.title)


def _join(first: Block, second: Block) -> None:
    """Make one block of two; the second stays without a text."""
    first.parts = [(f"{_full_text(first)} {_full_text(second)}", first.page)]
    first.marker, second.marker, second.kind, second.parts = "", "", TEXT, []


def _full_text(block: Block) -> str:
    """The text of a block with the number before it, which is an item's marker if it was taken for one."""
    is_apart = block.marker and not block.text.startswith(block.marker)
    return f"{block.marker} {block.text}" if is_apart else block.text


def _add_number(block: Block, title: str) -> str:
    """The title of the outline, with the number that only the page has."""
    numbering = _NUMBERING.match(_full_text(block))
    return title if numbering is None or _NUMBERING.match(title) else f"{numbering[0].strip()} {title}"


def plain_title(text: str) -> str:
    """The letters and digits of a title without its number, to compare it."""
    return _plain(_NUMBERING.sub("", text)) or _plain(text)


def _plain(text: str) -> str:
    return _NOT_A_WORD.sub("", text.casefold())


def _position(blocks: Sequence[Block], positions: Sequence[int], section: Section, pages: Sequence[Page]) -> int:
    """Where a section begins that has no heading on its page."""
    if not positions:
        return next((n for n, block in enumerate(blocks) if block.page >= section.page), len(blocks))
    if section.top is None:
        return positions[0]
    height = pages[section.page - 1].height if section.page <= len(pages) else 0.0
    base = height - section.top
    return next((n for n in positions if blocks[n].first.base >= base - 2), positions[-1] + 1)


def _apply(blocks: list[Block], placed: Sequence[tuple[int, Block | None, Section]]) -> None:
    added: dict[int, list[Block]] = {}
    levels: dict[int, int] = {}
    for position, same, section in placed:
        block = same or _new(section)
        if same is None:
            added.setdefault(position, []).append(block)
        title = section.title if same is None else _add_number(block, section.title)
        block.kind, block.level, block.marker = HEADING, section.level, ""
        block.parts = [(title, block.page)]
        levels[id(block)] = section.level
    result: list[Block] = []
    for position in range(len(blocks) + 1):
        result += added.get(position, [])
        result += [block for block in blocks[position : position + 1] if block.parts]
    blocks[:] = result
    _lower(blocks, levels)


def _new(section: Section) -> Block:
    line = Line(section.title, 0, 0, 0, 0, False, False, 0, section.page)
    return Block(HEADING, line, line, [(section.title, section.page)])


def _lower(blocks: Sequence[Block], levels: dict[int, int]) -> None:
    """Put the headings that the outline does not have below the section that they are in."""
    current, least = 0, min((b.level for b in blocks if b.kind == HEADING and id(b) not in levels), default=1)
    for block in blocks:
        if id(block) in levels:
            current = block.level
        elif block.kind == HEADING and current:
            block.level = min(_LEVELS, current + 1 + max(0, block.level - max(least, current + 1)))
