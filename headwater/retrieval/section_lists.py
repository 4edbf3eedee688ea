"""The sections or list items that a question wants listed (SUM-4).

Belongs here: the heading that a question means, and what stands below it. Not here: the wording
(`understanding.inventory`), documents alike (`members`). Guarantee: a heading is meant only if it has the word that
names what is asked for as it was asked, and the title and headings above it have the others; only documents that the
search found are read.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple
from uuid import UUID

from headwater.chunking.markdown_blocks import HEADING, Blocks
from headwater.domain.search import Passage
from headwater.parsing.markdown.headings import plain_heading
from headwater.parsing.navigation import is_navigation
from headwater.retrieval.finder import Finder
from headwater.retrieval.passage_places import load_places
from headwater.understanding.inventory import Inventory
from headwater.understanding.words import content_words, words

MIN_MEMBERS = 3
"""How many sections or items make a list."""
_MAX_DOCUMENTS, _MAX_CHARS = 8, 600_000  # that are read, and the characters of each: about 0.1 s
_MAX_EXTRA_WORDS = 2  # words of a heading that the question does not have, such as "available" or "standard"
_SAYS_ALL = content_words("all available full complete list")
_ABOUT_ALL = frozenset(("introduction", "overview", "summary", "conclusion", "conclusions", "exercises", "references"))
_QUESTION_MARKS = ("?", "？", "؟")
_BESIDE = re.compile(r"[_*(\s]*(?:see also|related)\b", re.IGNORECASE)
_ITEM_MARK = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """A section or an item: what it is called, and where it stands in its document."""

    text: str
    passage: Passage
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionList:
    """What stands below a heading; `headings` is the path to it, the document's title first.

    `count` is how many members there are; the first ones are given. `unit` says what they are: "section" or "item".
    """

    headings: tuple[str, ...]
    members: tuple[Member, ...]
    count: int
    unit: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """A section or an item of a document, by its `unit`: its words, and its span."""

    unit: str
    text: str
    start: int
    end: int


class _Heading(NamedTuple):
    """A heading of a document: the index of its block, its level, its words, and the index of the heading above it."""

    block: int
    level: int
    words: str
    parent: int | None


@dataclass(frozen=True, kw_only=True)
class _Outline:
    """A document's headings, in order, and what stands below each."""

    title: str
    text: str

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks of the text."""
        return Blocks(self.text)

    @cached_property
    def headings(self) -> list[_Heading]:
        """All headings."""
        blocks = [block for block, kind in enumerate(self.blocks.kinds) if kind == HEADING]
        levels = self.blocks.heading_levels
        headings: list[_Heading] = []
        path: list[int] = []  # to the last heading
        for block, level, heading_words in zip(blocks, levels, self.blocks.heading_words, strict=True):
            while path and levels[path[-1]] >= level:
                path.pop()
            headings.append(_Heading(block, level, heading_words, path[-1] if path else None))
            path.append(len(headings) - 1)
        return headings

    def path(self, index: int) -> tuple[str, ...]:
        """The title and the headings down to one."""
        path, parent = [self.headings[index].words], self.headings[index].parent
        while parent is not None:
            path.append(self.headings[parent].words)
            parent = self.headings[parent].parent
        if path[-1] != self.title:
            path.append(self.title)
        return tuple(reversed(path))

    def entries(self, index: int, *, with_items: bool) -> list[_Entry]:
        """The sections right below a heading; if there are too few, the items of its own list if they count, too."""
        level, count = self.headings[index].level, len(self.headings)
        following = (self.headings[number] for number in range(index + 1, count))
        deeper = [*takewhile(lambda heading: heading.level > level, following)]
        next_heading = index + 1 + len(deeper)
        end = self._start(self.headings[next_heading]) if next_heading < count else len(self.text)
        highest = min((heading.level for heading in deeper), default=0)
        sections = [heading for heading in deeper if heading.level == highest and heading.words]
        ends = [*map(self._start, sections[1:]), end]
        members = _without_others([
            _Entry(unit="section", text=heading.words, start=self._start(heading), end=section_end)
            for heading, section_end in zip(sections, ends, strict=False)
        ])  # fmt: skip
        if len(members) >= MIN_MEMBERS:
            return members
        if not with_items:
            return []
        last_block = deeper[0].block if deeper else self.blocks.number_at(end - 1) + 1
        return self._items(range(self.headings[index].block + 1, last_block), set(words(self.headings[index].words)))

    def _start(self, heading: _Heading) -> int:
        return self.blocks.starts[heading.block]

    def _items(self, blocks: range, heading_words: Set[str]) -> list[_Entry]:
        """The items of the first list among some blocks; what is indented below an item belongs to it.

        A list behind several paragraphs is of what the last of them says, not of what the heading does.
        """
        spans = [(self.blocks.starts[block], self.blocks.end(block)) for block in blocks]
        paragraphs = [*takewhile(lambda span: not self._is_item(span), spans)]
        items = takewhile(self._is_item, spans[len(paragraphs) :])
        if paragraphs and self._introduces_others(paragraphs[-1]):
            return []
        paragraphs = [span for span in paragraphs if not self._leads_elsewhere(span)]
        if len(paragraphs) > 1 and not heading_words & set(words(self.text[slice(*paragraphs[-1])])):
            return []
        return [
            _Entry(unit="item", text=_first_line(self.text[start:end]), start=start, end=end) for start, end in items
        ]

    def _leads_elsewhere(self, span: tuple[int, int]) -> bool:
        paragraph = self.text[slice(*span)]
        return _BESIDE.match(paragraph) is not None or is_navigation(plain_heading(paragraph))

    def _introduces_others(self, span: tuple[int, int]) -> bool:
        paragraph = self.text[slice(*span)]
        return _BESIDE.match(paragraph) is not None and paragraph.rstrip(" \n_*").endswith((":", "："))

    def _is_item(self, span: tuple[int, int]) -> bool:
        return _ITEM_MARK.match(self.text, *span) is not None


def find_sections(
    finder: Finder, inventory: Inventory, passages: Sequence[Passage], *, most: int
) -> SectionList | None:
    """Find what a question wants listed below one heading of a document that the search found.

    Args:
        finder: of the search.
        inventory: what the question wants listed.
        passages: what the search found, best first.
        most: how many members are given.

    Returns:
        The list below the heading that fits best; None if none has at least `MIN_MEMBERS` members.
    """
    asked_words = set(inventory.words)
    if not inventory.head or not asked_words:
        return None
    asked_words -= finder.owner_words - content_words(inventory.head)
    titles = {passage.document_id: passage.title for passage in reversed(passages)}
    ids = list(dict.fromkeys(passage.document_id for passage in passages))[:_MAX_DOCUMENTS]
    texts = finder.store.summary_entries.texts(finder.index, ids, characters=_MAX_CHARS)
    candidates = [
        (rank, document_id, path, entries)
        for document_id in ids
        for rank, path, entries in _lists(
            _Outline(title=titles[document_id], text=texts.get(document_id, "")), inventory, asked_words
        )
    ]
    if not candidates:
        return None
    _, document_id, path, entries = min(candidates, key=lambda candidate: candidate[0])
    version_id = next(passage.document_version_id for passage in passages if passage.document_id == document_id)
    members = _load_members(finder, document_id, version_id, entries[:most])
    if not members:
        return None
    return SectionList(headings=path, members=members, count=len(entries), unit=entries[0].unit)


def _lists(
    outline: _Outline, inventory: Inventory, asked_words: Set[str]
) -> Iterator[tuple[tuple[int, int, int], tuple[str, ...], list[_Entry]]]:
    """The lists below the headings that may be meant, each with how far its heading is from the question."""
    for index, heading in enumerate(outline.headings):
        if inventory.head not in words(heading.words):
            continue
        path = outline.path(index)
        heading_words = content_words(heading.words)
        extra = len(heading_words - asked_words)
        if extra > _MAX_EXTRA_WORDS or not asked_words <= heading_words | content_words(" ".join(path)):
            continue
        entries = outline.entries(index, with_items=heading_words - (_SAYS_ALL - asked_words) == asked_words)
        if len(entries) >= MIN_MEMBERS:
            yield (len(asked_words - heading_words), extra, -len(entries)), path, entries


def _without_others(sections: Sequence[_Entry]) -> list[_Entry]:
    """The sections that are no questions; and without an introduction and the like, if enough others are left."""
    statements = [section for section in sections if not section.text.endswith(_QUESTION_MARKS)]
    members = [section for section in statements if set(words(section.text)) - _ABOUT_ALL]
    return members if len(members) >= MIN_MEMBERS else statements


def _load_members(finder: Finder, document_id: UUID, version_id: UUID, entries: Sequence[_Entry]) -> tuple[Member, ...]:
    """The members with the passages that hold their beginnings; none if another version was published meanwhile."""
    places = [entry.start for entry in entries]
    by_place = finder.store.summary_entries.passages_at(finder.index, document_id, places)
    located = [
        entry
        for entry in entries
        if entry.start in by_place and by_place[entry.start].document_version_id == version_id
    ]
    passages = load_places(finder.store, [by_place[entry.start] for entry in located])
    return tuple(
        Member(text=entry.text, passage=passage, start=entry.start, end=min(entry.end, passage.end))
        for entry, passage in zip(located, passages, strict=True)
    )


def _first_line(item: str) -> str:
    return _ITEM_MARK.sub("", item, count=1).partition("\n")[0].strip()
