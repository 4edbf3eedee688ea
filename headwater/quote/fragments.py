"""The smallest pieces of a document that are quoted whole: a sentence, a list item, a table row, some lines of code.

Belongs here: cutting a stretch into fragments, and what each needs to be understood. Not here: finding blocks
(`block_reader`, `plain_blocks`), which fragments answer (`fragment_evidence`, `selection`). Guarantee: pure; a fragment
is verbatim text of its stretch; fragments do not overlap and are in reading order.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile, zip_longest

from headwater.chunking.sentences import sentence_spans
from headwater.domain.documents import ChunkKind
from headwater.domain.places import PlaceKind
from headwater.parsing.markdown.headings import BOLD_LINE, plain_heading
from headwater.parsing.navigation import is_hashtags, is_navigation
from headwater.quote.block_reader import Block, Kind, cell_spans, read_blocks
from headwater.quote.breadcrumbs import breadcrumb_paths, format_heading
from headwater.quote.code_pieces import split_code
from headwater.quote.dialogue import Dialogue, Turn
from headwater.quote.entry_labels import find_entry_label
from headwater.quote.inline_cleanup import (
    clean_inline,
    is_admonition_mark,
    without_addresses,
    without_admonition_marks,
    without_escapes,
    without_invisible,
    without_marks,
)
from headwater.quote.plain_blocks import read_code, read_prose
from headwater.quote.stretches import Stretch
from headwater.understanding.words import count_words

_LETTER = re.compile(r"\w")
TASK_SIGNS = {" ": "☐ ", "x": "☑ ", "X": "☑ "}
"""What stands before a task, by what stands between its brackets."""
_BULLET = re.compile(r"\A[-*+•][ \t]+(?:\[(?P<task>[ xX])\][ \t]+)?(?=\S)")
_NUMBER = re.compile(r"\d{1,9}[.)]")
_MARK = re.compile(r"^\s*(?:[-*+•]|\d{1,9}[.)])(?=\s|$)")
_NOTES = frozenset(["note", "notes", "tip", "hint", "important", "warning", "caution", "danger", "attention", "info"])
_FIELD = re.compile(r"[ \t>]*(?:\*\*)?[A-Z][\w /-]{0,30}(?::\*\*|(?:\*\*)?:)[ \t]+\S")
_NEXT_LINE = re.compile(r"\n[ \t>]*+")
# What introduces a list or code.
_LEAD = re.compile(
    r"[:：]$|\b(?:the following (?!day|week|month|year|morning|night)|as follows|wie folgt|comme suit|lo siguiente)\b"
    r"[^.:]{0,80}\.$",
    re.IGNORECASE,
)
_MAX_ITEM_WORDS = 80  # a longer item is quoted sentence by sentence
_STEPS = (Kind.ITEM, Kind.CODE)  # a numbered list goes on behind code that is not indented
_RULER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\||$)", re.MULTILINE)
_ANCHOR = r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[^\[\]\n]*+\]\(#[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+\)[ \t]*+"
_ANCHORS = re.compile(rf"{_ANCHOR}(?:\n\s*?{_ANCHOR})*+\s*+")


@dataclass(frozen=True, kw_only=True)
class Fragment:
    """A piece at `stretch.text[start:end]`.

    `headings` are those above it, the document's title first. `lead` is the position of the sentence that introduces
    the list or code that it belongs to; None if there is none. `header` is the header row of its table.
    """

    stretch: Stretch
    kind: Kind
    start: int
    end: int
    headings: tuple[str, ...]
    block: Block
    lead: int | None = None
    header: str = ""
    group: int = 0
    mark: str = ""
    is_found: bool = True
    is_line: bool = False
    """Whether it begins a line in the middle of its paragraph."""
    code_start: int = -1
    """Where the code begins that it is a piece of; -1 if it is no piece."""
    turn: Turn | None = None
    """What somebody says that it is of, in a transcript; None if that is unknown."""

    @cached_property
    def plain(self) -> str:
        """Its text as a reader sees it, in one line; a row with the names of its columns."""
        text = self.stretch.text[self.start : self.end]
        if self.kind == Kind.CODE:
            return without_invisible(self.block.content)
        if self.kind == Kind.ROW:
            return ", ".join(_name_cells(self.header, self.cells))
        return without_escapes(without_marks(without_addresses(clean_inline(without_admonition_marks(text)))))

    @cached_property
    def cells(self) -> list[str]:
        """The cells of a row, as a reader sees them, its label first; none of what is no row."""
        spans = cell_spans(self.stretch.text, self.start, self.end) if self.kind == Kind.ROW else ()
        return [without_escapes(clean_inline(self.stretch.text[start:end])) for start, end in spans]

    @property
    def line(self) -> str:
        """Its plain text where it stands alone: without the bullet of an item."""
        return _BULLET.sub(lambda match: TASK_SIGNS.get(match["task"], ""), self.plain)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What it explains: the option or the term that its item begins with, and the heading or line in bold above."""
        is_item = self.kind == Kind.ITEM
        label = find_entry_label(self.stretch.text, self.start, self.end) if is_item else ""
        return tuple(filter(None, (label, *self.headings[-1:])))

    @property
    def speaker(self) -> str:
        """Who says it; empty if that is unknown."""
        return self.turn.name if self.turn else ""

    @property
    def speaker_to_name(self) -> str:
        """Who says it, if the name does not stand before it."""
        return "" if self.turn is None or self.turn.start == self.start else self.turn.name

    @cached_property
    def word_count(self) -> int:
        """How many words a reader sees."""
        return count_words(self.plain)


def read_fragments(stretch: Stretch) -> list[Fragment]:
    """Cut a stretch into fragments, in reading order."""
    return list(_Reader(stretch).read())


class _Reader:
    """Cuts the blocks of one stretch."""

    def __init__(self, stretch: Stretch) -> None:
        self._stretch = stretch
        self._text = stretch.text
        place = stretch.place_of(0, len(stretch.text))
        is_transcript = place is not None and place.kind is PlaceKind.SECOND
        self._dialogue = Dialogue(stretch.text, is_transcript=is_transcript)
        self._fragments: list[Fragment] = []
        self._group = 0
        self._paths: dict[int, list[tuple[int, tuple[str, ...]]]] = {}  # of each chunk, by its start

    def read(self) -> list[Fragment]:
        label = note = ""  # a note's name counts for the block below it alone
        blocks = _read_blocks(self._stretch)
        for position, block in enumerate(blocks):
            if block.kind == Kind.HEADING:
                label = ""
            elif block.kind == Kind.LIST and _ANCHORS.fullmatch(self._text, block.start, block.end):
                continue  # a list that only leads to headings of its page
            elif block.kind == Kind.PARAGRAPH and BOLD_LINE.fullmatch(self._text[block.start : block.end]):
                words = plain_heading(clean_inline(self._text[block.start : block.end])).strip("*_: ")
                note = words if words.casefold() in _NOTES else ""
                label = words if blocks[position + 1 :] and not note and not is_navigation(words) else label
            elif block.kind == Kind.CODE or _LETTER.search(clean_inline(self._text[block.start : block.end])):
                self._group = block.start
                self._cut(block, self._headings(block.start, note or label))
                note = ""
        return self._fragments

    def _headings(self, offset: int, label: str) -> tuple[str, ...]:
        """The title and the headings above an offset; a line in bold counts as one."""
        chunk = self._stretch.chunk_at(offset)
        if chunk.start not in self._paths:
            self._paths[chunk.start] = breadcrumb_paths(chunk)
        paths = self._paths[chunk.start]
        position = self._stretch.start + offset - chunk.start
        crumbs = paths[max(bisect_right(paths, position, key=lambda path: path[0]) - 1, 0)][1]
        heading_texts = (format_heading(heading, chunk.uri) for heading in (chunk.title, *crumbs))
        return tuple(dict.fromkeys(filter(None, (*heading_texts, label))))

    def _cut(self, block: Block, headings: tuple[str, ...]) -> None:
        if block.kind in (Kind.PARAGRAPH, Kind.ITEM):
            for line, stop in _lines(self._text, block.start, block.end):
                for start, end in sentence_spans(self._text, line, stop):
                    self._add(Kind.PARAGRAPH, start, end, headings, block, is_line=block.start < start == line)
        elif block.kind == Kind.QUOTE:
            for child in block.parts:
                self._cut(child, headings)
        elif block.kind == Kind.CODE:
            self._cut_code(block, headings)
        elif block.kind == Kind.LIST:
            self._cut_list(block, headings)
        elif block.kind == Kind.TABLE:
            header = self._text[block.parts[0].start : block.parts[0].end] if block.parts else ""
            for row in block.parts[1:]:
                self._add(Kind.ROW, row.start, row.end, headings, row, header=header or self._header_above())

    def _cut_code(self, block: Block, headings: tuple[str, ...]) -> None:
        lead = self._lead(headings)
        pieces = [block] if self._stretch.chunks[0].kind == ChunkKind.CODE else split_code(block, self._text)
        code_start = block.start if len(pieces) > 1 else -1
        for code in pieces:
            self._add(Kind.CODE, code.start, code.end, headings, code, lead=lead, code_start=code_start)

    def _cut_list(self, block: Block, headings: tuple[str, ...]) -> None:
        lead = self._lead(headings, continues=block.number > 1)
        marks = [_NUMBER.match(self._text, item.start) for item in block.parts]
        # Markdown counts the items, whatever their numbers; a list of the same numbers may be counted by us alone.
        is_equal = len(marks) > 1 and None not in marks and len({mark and mark[0] for mark in marks}) == 1
        for item_number, item in enumerate(block.parts, start=block.number):
            first = len(self._fragments)
            if count_words(self._text[item.start : item.end]) <= _MAX_ITEM_WORDS:
                self._add(Kind.ITEM, item.start, item.end, headings, item, lead=lead, mark=is_equal * f"{item_number}.")
                continue
            tag = find_entry_label(self._text, item.start, item.end)
            for child in item.parts:
                self._cut(child, (*headings, tag) if tag and tag not in headings else headings)
            if block.number and len(self._fragments) > first:
                self._fragments[first] = replace(self._fragments[first], mark=f"{item_number}.")

    def _header_above(self) -> str:
        """The header of a table that began in an earlier chunk."""
        header = self._stretch.chunks[0].table_header
        return f"| {header} |" if header else ""

    def _lead(self, headings: tuple[str, ...], *, continues: bool = False) -> int | None:
        """The sentence right above, if it introduces what follows; that of the list above, if this one continues it."""
        if not self._fragments:
            return None
        if continues:
            steps = takewhile(
                lambda fragment: fragment.headings == headings and fragment.kind in _STEPS, reversed(self._fragments)
            )
            return next((step.lead for step in steps if step.kind == Kind.ITEM), None)
        last = self._fragments[-1]
        is_lead = last.kind == Kind.PARAGRAPH and last.headings == headings and _LEAD.search(last.plain) is not None
        return len(self._fragments) - 1 if is_lead else None

    def _add(
        self,
        kind: Kind,
        start: int,
        end: int,
        headings: tuple[str, ...],
        block: Block,
        lead: int | None = None,
        header: str = "",
        mark: str = "",
        *,
        is_line: bool = False,
        code_start: int = -1,
    ) -> None:
        text = self._text[start:end]
        if not _LETTER.search(_MARK.sub("", text)) or is_admonition_mark(text):
            return
        end = start + len(text.rstrip())
        fragment = Fragment(
            stretch=self._stretch,
            kind=kind,
            start=start,
            end=end,
            headings=headings,
            block=block,
            lead=lead,
            header=header,
            mark=mark,
            group=self._group,
            is_line=is_line,
            code_start=code_start,
            turn=self._dialogue.turn_at(start),
            is_found=self._stretch.passage_of(start, end) is not None,
        )
        words = _MARK.sub("", fragment.plain)
        is_tags = kind in (Kind.PARAGRAPH, Kind.ITEM) and is_hashtags(words.strip())
        if words and not is_tags and not is_navigation(words):
            self._fragments.append(fragment)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A paragraph, parted where its source breaks the line on purpose: by markdown's signs, or between fields."""
    begin = start
    for match in _NEXT_LINE.finditer(text, start, end):
        stop, line = match.start(), text.rfind("\n", 0, match.start()) + 1
        is_broken = text.endswith("  ", begin, stop) and not text[match.end() : match.end() + 1].islower()
        is_field = _FIELD.match(text, match.end()) and _FIELD.match(text, line, stop)
        if text.endswith("\\", begin, stop) or is_broken or is_field:
            yield begin, stop - text.endswith("\\", begin, stop)
            begin = match.end()
    yield begin, end


def _read_blocks(stretch: Stretch) -> Sequence[Block]:
    """The blocks of a stretch by the kind of its document."""
    first = stretch.chunks[0]
    if first.kind == ChunkKind.CODE:
        return read_code(stretch)
    if first.kind == ChunkKind.PROSE:
        return read_prose(stretch.text)
    header = first.table_header or _find_unnamed_columns(stretch.text)
    return read_blocks(stretch.text, f"| {header} |" if header else "")


def _find_unnamed_columns(text: str) -> str:
    """The empty header of a text that begins with the rows of a table whose columns have no names."""
    row, _, next_lines = text.lstrip("\n").partition("\n")
    if not row.lstrip().startswith("|") or _RULER.match(next_lines):
        return ""
    return " | ".join("" for _ in cell_spans(row, 0, len(row)))


def _name_cells(header: str, cells: Sequence[str]) -> Iterator[str]:
    """The cells of a row that hold something, each after the name of its column."""
    spans = cell_spans(header, 0, len(header)) if header else ()
    names = [without_escapes(clean_inline(header[start:end])) for start, end in spans]
    for name, cell in zip_longest(names, cells, fillvalue=""):
        if cell:
            yield f"{name}: {cell}" if name else cell
