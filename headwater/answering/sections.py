"""The units of a stretch: which blocks belong together, and the headings above them.

Belongs here: finding units, section by section. Not here: finding blocks (`blocks`), which unit answers (`scoring`,
`choosing`). Guarantee: pure; steps are never cut: a numbered list is in a unit whole or not at all.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from headwater.answering.block_roles import (
    COLON,
    STEPS_LIMIT,
    TEXT_LIMIT,
    defined,
    fits,
    is_label,
    is_steps,
    label_words,
    leads,
    length,
    orders,
    run_of,
    step_number,
    steps_of,
    words_alone,
)
from headwater.quote.blocks import Block, Kind, read_blocks
from headwater.quote.breadcrumbs import breadcrumb_at
from headwater.quote.plain_blocks import read_code, read_prose
from headwater.quote.stretches import Stretch
from headwater.answering.units import Shape, Unit
from headwater.domain.documents import ChunkKind

_LEAST_STEPS = 3  # paragraphs that say what to do
_DEFINITION_LIMIT = 700  # characters of a label and the text that explains it
_TERM = re.compile(
    r"(?:[-*+]|\d+[.)])\s+(?:\*\*(?P<bold>[^*\n]+)\*\*|`(?P<code>[^`\n]+)`|\[(?P<link>[^\]\n]+)\]\([^)\n]*\))\s*"
    r"(?:\([^)\n]*\))?\s*[:–—-]"
)
_ADMONITION = re.compile(
    r"(?:note|warning|tip|info|information|important|caution|danger|attention|hint|see also|error|remember)s?:?|"
    r"(?:click|expand|show|see) .*", re.IGNORECASE
)  # fmt: skip
_NOTICE = re.compile(
    r"[>\s*_!]*+(?:\[!\w+\]\s*+)?[>\s*_]*+(?:new|added|changed|deprecated|introduced|available|removed)\s+"
    r"(?:as of|in|since|from)\s+(?:version\s+)?v?\d[\w.]*[.:*_\s]*", re.IGNORECASE
)  # fmt: skip
_IMAGE = re.compile(r"\[?!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])?(?:\]\([^()]*\))?")
_LETTER = re.compile(r"\w")


def find_units(stretch: Stretch) -> Iterator[Unit]:
    """Find every unit of a stretch that may answer."""
    return filter(can_answer, units_around(stretch))


def can_answer(unit: Unit) -> bool:
    """Whether a unit overlaps a trusted passage, or is a procedure of its section or below."""
    stretch = unit.stretch
    is_trusted = stretch.passage_of(unit.start, unit.end) is not None
    return is_trusted or (unit.is_steps and stretch.passage_above(unit.headings) is not None)


def units_around(stretch: Stretch) -> Iterator[Unit]:
    """Find every unit of a stretch, also those that only complete an answer."""
    first = stretch.chunks[0]
    blocks: Sequence[Block]
    if first.kind == ChunkKind.CODE:
        blocks = read_code(stretch)
    elif first.kind == ChunkKind.PROSE:
        blocks = read_prose(stretch.text)
    else:
        header = first.breadcrumb[-1] if first.breadcrumb else ""
        blocks = read_blocks(stretch.text, f"| {header} |" if "|" in header else "")
    return _Sections(stretch, blocks).units()


@dataclass(slots=True)
class _Section:
    """The blocks under one heading, which is None before the first; `level` is the heading's, or 0."""

    headings: tuple[str, ...]
    heading: Block | None
    blocks: list[Block]

    @property
    def level(self) -> int:
        return self.heading.level if self.heading else 0


class _Sections:
    """The units of a stretch, section by section."""

    def __init__(self, stretch: Stretch, blocks: Sequence[Block]) -> None:
        self._stretch = stretch
        self._text = stretch.text
        self._is_source = stretch.chunks[0].kind == ChunkKind.CODE
        self._sections = self._split(blocks)

    def units(self) -> Iterator[Unit]:
        """Every unit."""
        for number, section in enumerate(self._sections):
            yield from self._of_section(section)
            yield from self._whole(number)
            yield from self._outline(number)
            yield from self._procedure(number)

    def _split(self, blocks: Sequence[Block]) -> list[_Section]:
        sections = [_Section(self._headings(0), None, [])]
        for block in blocks:
            if block.kind == Kind.HEADING:
                sections.append(_Section(self._headings(block.start), block, []))
            elif sections[-1].blocks or not self._is_navigation(block):
                sections[-1].blocks.append(block)
        for section in sections:
            section.blocks = list(self._labelled(section.blocks))
        return [section for section in sections if section.blocks or section.level]

    def _labelled(self, blocks: Sequence[Block]) -> Iterator[Block]:
        """Blocks without badges, and with labels told from paragraphs."""
        for number, block in enumerate(blocks):
            text = self._text[block.start : block.end]
            following = blocks[number + 1] if number + 1 < len(blocks) else None
            if _NOTICE.fullmatch(text):
                continue
            if block.kind == Kind.PARAGRAPH and is_label(text, following):
                yield replace(block, kind=Kind.LABEL, content=label_words(text))
            elif block.kind != Kind.PARAGRAPH or _LETTER.search(_IMAGE.sub("", text)):
                yield block

    def _headings(self, offset: int) -> tuple[str, ...]:
        chunk = self._stretch.chunk_at(offset)
        at = self._stretch.start + offset - chunk.start
        crumbs = breadcrumb_at(chunk.text, chunk.breadcrumb, at)
        return tuple(crumb for crumb in crumbs if "|" not in crumb)

    def _is_navigation(self, block: Block) -> bool:
        """Whether a block that begins a section holds only links or images: badges, a table of contents."""
        text = self._text[block.start : block.end]
        if block.kind == Kind.LIST:
            return all(words_alone(self._text[part.start : part.end]) <= 1 for part in block.parts)
        return block.kind == Kind.PARAGRAPH and words_alone(text) == 0

    def _whole(self, number: int) -> Iterator[Unit]:
        """A section as one unit, and the section with the ones under it, if they are not too long."""
        section = self._sections[number]
        own = section.blocks
        if len(own) > 1 and fits(own, STEPS_LIMIT if self._are_steps(own) else TEXT_LIMIT):
            yield self._section_unit(section, own)
        below = list(own)
        for other in self._sections[number + 1 :]:
            if other.level <= section.level or not section.level:
                break
            below += other.blocks
        if len(below) > len(own) and fits(below):
            yield self._section_unit(section, below)

    def _outline(self, number: int) -> Iterator[Unit]:
        """The names below a heading: its labels, or the headings one level below it, if there are several."""
        section = self._sections[number]
        labels = [b for b in section.blocks if b.kind == Kind.LABEL and not _ADMONITION.fullmatch(b.content)]
        below = []
        for other in self._sections[number + 1 :]:
            if other.level <= section.level or not section.heading:
                break
            below += [other.heading] if other.heading and other.level == section.level + 1 else []
        names = labels if len(labels) > 1 else below
        if len(names) > 1:
            yield self._unit(Shape.OUTLINE, names, section.headings)

    def _procedure(self, number: int) -> Iterator[Unit]:
        """The sections or labels `Step 1`, `Step 2` and so on as one unit, or only their names if that is too long."""
        section = self._sections[number]
        steps = steps_of([(n, b.content) for n, b in enumerate(section.blocks) if b.kind == Kind.LABEL])
        if steps:
            end = next(
                (n for n in range(steps[-1] + 1, len(section.blocks)) if section.blocks[n].kind == Kind.LABEL), None
            )
            yield self._steps([section.blocks[n] for n in steps], section.blocks[steps[0] : end], section.headings)
        elif section.heading and step_number(section.heading.content) == 1:
            beside = [(n, h) for n, one in enumerate(self._sections) if (h := one.heading) and n >= number]
            level = [(n, h.content) for n, h in beside if h.level == section.level]
            if steps := steps_of(level):
                last = next((n for n, h in beside if n > steps[-1] and h.level <= section.level), len(self._sections))
                blocks = [b for one in self._sections[number:last] for b in (one.heading, *one.blocks) if b]
                names = [b for n in steps if (b := self._sections[n].heading)]
                yield self._steps(names, blocks, section.headings[:-1])

    def _steps(self, names: Sequence[Block], blocks: Sequence[Block], headings: tuple[str, ...]) -> Unit:
        is_short = fits(blocks, STEPS_LIMIT)
        shape = Shape.SECTION if is_short else Shape.OUTLINE
        return self._unit(shape, blocks if is_short else names, headings, is_steps=True)

    def _section_unit(self, section: _Section, blocks: Sequence[Block]) -> Unit:
        return Unit(
            stretch=self._stretch,
            shape=Shape.SECTION,
            start=blocks[0].start,
            end=blocks[-1].end,
            blocks=tuple(blocks),
            headings=section.headings,
            is_steps=self._are_steps(blocks),
        )

    def _are_steps(self, blocks: Sequence[Block]) -> bool:
        """Whether blocks are a procedure: a numbered list, several commands, or paragraphs that say what to do."""
        texts = [self._text[block.start : block.end] for block in blocks if block.kind == Kind.PARAGRAPH]
        has_commands = sum(block.kind == Kind.CODE for block in blocks) > 1
        return has_commands or any(map(is_steps, blocks)) or sum(map(orders, texts)) >= _LEAST_STEPS

    def _of_section(self, section: _Section) -> Iterator[Unit]:
        blocks, at, label = section.blocks, 0, ""
        lead: Block | None = None
        is_first, is_procedure = True, self._are_steps(section.blocks)
        while at < len(blocks):
            block = blocks[at]
            headings = (*section.headings, label) if label else section.headings
            following = blocks[at + 1] if at + 1 < len(blocks) else None
            if block.kind == Kind.LABEL:
                lead = None
                if not _ADMONITION.fullmatch(block.content):
                    label, is_first = block.content, True
                    yield from self._definition(blocks, at, section.headings)
                at += 1
            elif block.kind in (Kind.PARAGRAPH, Kind.QUOTE):
                yield from self._paragraph(blocks[at:], headings, label, is_first=is_first, is_step=is_procedure)
                lead = block if leads(self._text[block.start : block.end], following) else None
                is_first = False
                at += 1
            else:
                run = blocks[at : at + 1] if self._is_source else run_of(blocks, at)
                yield from self._structured(run, headings, lead)
                lead, is_first = None, False
                at += len(run)

    def _paragraph(
        self, blocks: Sequence[Block], headings: tuple[str, ...], label: str, *, is_first: bool, is_step: bool
    ) -> Iterator[Unit]:
        """A paragraph on its own, or with all below it if it leads to more than the next block."""
        block = blocks[0]
        text = self._text[block.start : block.end]
        following = blocks[1] if len(blocks) > 1 else None
        if not COLON.search(text) and not text.endswith("?"):
            yield self._unit(Shape.TEXT, [block], headings, is_introduction=is_first, term=label)
        elif COLON.search(text) and not is_step and following and following.kind in (Kind.PARAGRAPH, Kind.LABEL):
            inside = blocks if fits(blocks) else blocks[:2]
            yield self._unit(Shape.SECTION, inside, headings, lead=text, is_steps=any(map(is_steps, inside)))

    def _definition(self, blocks: Sequence[Block], at: int, headings: tuple[str, ...]) -> Iterator[Unit]:
        """A label with everything up to the next label; steps that are labels belong to the one above them."""
        is_step = step_number(blocks[at].content) > 0
        end = next(
            (
                place
                for place in range(at + 1, len(blocks))
                if blocks[place].kind == Kind.LABEL
                and not _ADMONITION.fullmatch(blocks[place].content)
                and (is_step or not step_number(blocks[place].content))
            ),
            len(blocks),
        )
        inside, term = blocks[at:end], blocks[at].content
        named = (
            [] if is_step else [block for block in inside if block.kind == Kind.LABEL and step_number(block.content)]
        )
        if len(inside) > 1 and fits(inside, STEPS_LIMIT if named else TEXT_LIMIT):
            steps = bool(named) or any(map(is_steps, inside))
            shape = Shape.DEFINITION if length(inside) <= _DEFINITION_LIMIT and not steps else Shape.SECTION
            yield self._unit(shape, inside, (*headings, term), term=defined(term), is_steps=steps)

    def _structured(self, run: Sequence[Block], headings: tuple[str, ...], lead: Block | None) -> Iterator[Unit]:
        """The units of a list, a table or code, with its lead-in."""
        block = run[0]
        said = self._text[lead.start : lead.end] if lead else ""
        whole = [*([lead] if lead else []), *run]
        if block.kind == Kind.LIST:
            steps = is_steps(block)
            yield self._unit(Shape.LIST, whole, headings, lead=said, is_steps=steps)
            for part in (part for one in run if one.kind == Kind.LIST for part in one.parts):
                term = _TERM.match(self._text, part.start)
                name = next(filter(None, term.groups()), "") if term else ""
                yield self._unit(Shape.ITEM, [part], headings, lead=said, term=name, is_steps=steps)
        elif block.kind == Kind.TABLE:
            yield self._unit(Shape.TABLE, whole, headings, lead=said)
            header = block.parts[0] if block.parts else None
            for row in block.parts[1:]:
                columns = self._text[header.start : header.end] if header else ""
                if header and header.start == header.end:
                    columns = next((one for one in self._stretch.chunks[0].breadcrumb[-1:] if "|" in one), "")
                yield self._unit(Shape.ROW, [row], headings, lead=columns)
        elif block.kind == Kind.CODE:
            yield self._unit(Shape.CODE, whole, headings, lead=said)

    def _unit(self, shape: Shape, blocks: Sequence[Block], headings: tuple[str, ...], **more: object) -> Unit:
        return Unit(
            stretch=self._stretch, shape=shape, start=blocks[0].start, end=blocks[-1].end, blocks=tuple(blocks),
            headings=headings, **more,  # type: ignore[arg-type]  # the fields of a unit
        )  # fmt: skip
