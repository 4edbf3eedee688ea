"""What changed since a version or a date, as far as the documents say so (SUM-4).

Belongs here: passages that name versions or dates, and which of them are later. Not here: the wording
(`understanding.change_questions`), the answer. Guarantee: nothing is later than asked for but what a heading, or a mark
such as "Added in: v2.1", says is; a document never mixes dates and versions.
"""

import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from uuid import UUID

from headwater.domain.search import Passage
from headwater.domain.summaries import RankedSummary
from headwater.parsing.markdown.fences import spans_outside_code
from headwater.parsing.markdown.headings import UNDERLINED_HEADING, plain_heading
from headwater.retrieval.finder import Finder
from headwater.retrieval.passage_places import load_places
from headwater.understanding.change_questions import Since
from headwater.understanding.versions_and_dates import MONTH, NUMERIC_MONTH, Version, day_of, version_of
from headwater.understanding.words import content_words

_MAX_LOOKED = 20_000
"""Chunks that are looked through, 0.02 to 0.05 ms each; an index without HNSW hardly has more."""
_MAX_CHUNKS = 2_000
_MAX_RENEWED = 15
_MAX_PLACED = 100  # more than an answer lists
_VERSION = r"v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?"  # four numbers in a heading are a section or an IP address
_MONTH = rf"(?:\d{{1,2}}(?:er|º)?\.? (?:de )?)?(?:{MONTH})\.?(?: \d{{1,2}})?,? (?:del? )?(?:19|20)\d\d"
_WORDS_OF_RELEASE = r"versi(?:on|ón|one|e)|versão|release|(?:noteworthy )?changes in(?: release)?|what's new in"
_RELEASE = rf"(?:(?:{_WORDS_OF_RELEASE})\s+|バージョン\s*)"
_NAMED = rf"(?:{NUMERIC_MONTH}|{_MONTH}|{_RELEASE}?\[?{_VERSION}\]?)"
_FIRST = rf"\W{{0,3}}{_NAMED}(?:\s|[-–:(\]]|$)"
_LAST = rf"\(\s*(?:{NUMERIC_MONTH}|{_MONTH}|{_VERSION})\s*\)\s*$"
_PRODUCT = rf"[\w.+-]+(?: [\w.+-]+)? {_VERSION}\s*$"
_HEADING = rf"^{_FIRST}|{_LAST}|^{_PRODUCT}"
_MARK = rf"(?:added|introduced|new|changed|deprecated|removed|available)\s+(?:in|since):?\s+(?:version\s+)?({_VERSION})"
_IS_HEADING = re.compile(_HEADING, re.IGNORECASE)
_IS_NAMED = re.compile(rf"^{_FIRST}|{_LAST}", re.IGNORECASE)
_IS_PRODUCT = re.compile(rf"^(?P<product>[\w.+-]+(?: [\w.+-]+)?) {_VERSION}\s*$", re.IGNORECASE)
_MIN_RELEASES = 3
"""How many versions of a product the headings of a document name, at least: fewer may be those of what it needs."""
_IS_NUMBERED = re.compile(r"\W{0,3}\d{1,4}(?:\.\d{1,4}){1,2}\.?\s+[^\W\d_]")
"""A number before words: of a section, such as "14.3 Repair", if such numbers rise in a document; change logs name the
latest first. Of 264 change logs and the documents of 26 repositories, all 724 sections and 68 releases are told apart
so."""
_COMPACT_DAY = r"\b(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\b"
_WHEN = re.compile(rf"[(\[]?(?:{NUMERIC_MONTH}|{_MONTH}|{_COMPACT_DAY})[)\]]?", re.IGNORECASE)
_LINE = re.compile(rf"^(?P<marks>#{{1,6}})[ \t]+(?P<words>[^\n]+)|{UNDERLINED_HEADING}", re.MULTILINE)
_NAMED_LINE = rf"(?:\W{{0,3}}{_NAMED}(?=[\s:(\]–-])|[\w.+-]+(?: [\w.+-]+)? {_VERSION}[ \t]*(?=\n))[^\n]*"
_IN_TEXT = rf"(?:^|\n)(?:#{{1,6}}[ \t]+{_NAMED_LINE}\n|{_NAMED_LINE}\n(?:=+|-{{2,}})[ \t]*(?:\n|$))"
_IS_MARK = re.compile(_MARK, re.IGNORECASE)
_IS_SECURITY = re.compile(r"\bCVE-\d{4}|\bsecurity\b|\bvulnerab", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What a document says about a version or a date; `is_heading` if a heading names it, else a mark in the text.

    `start` and `end` are offsets in the document version.
    """

    name: str
    order: tuple[int, ...]
    subject: str
    passage: Passage
    start: int
    end: int
    is_heading: bool

    @property
    def text(self) -> str:
        """What stands there."""
        return self.passage.text[self.start - self.passage.start : self.end - self.passage.start]


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """What is later than `since`, the latest first; `newest` is the last version or date that the documents name.

    `renewed` are documents that were themselves written or changed since a date, with when that was. `is_partial` says
    that only some documents were looked through.
    """

    since: Since
    later: tuple[Change, ...]
    newest: str
    renewed: tuple[tuple[RankedSummary, date], ...] = ()
    is_partial: bool = False


def find_changes(finder: Finder, since: Since, passages: Sequence[Passage]) -> Changes:
    """Find what documents say changed after a version or a date, in a version, or in the newest one.

    Args:
        finder: of the search.
        since: after or in what.
        passages: what the search found; of a large index, only their documents are looked through.

    Raises:
        InvalidInputError: a filter names an unknown source.
    """
    is_large = bool(finder.index.shard)
    dated_passages = finder.store.summary_entries.find_dated(
        finder.index,
        in_text=_IN_TEXT if since.day else f"{_IN_TEXT}|{_MARK}",
        in_heading=_HEADING,
        filters=finder.options.filters,
        most=_MAX_LOOKED,
        limit=_MAX_CHUNKS,
        document_ids={passage.document_id for passage in passages} if is_large else None,
    )
    is_dated = since.day is not None
    every = _without_sections([change for place in dated_passages for change in _changes_in(place, is_dated=is_dated)])
    every = _without_other_products(every)
    eligible_changes = [change for change in every if change.is_heading or since.scope != "latest"]
    newest = max(eligible_changes, key=lambda change: change.order, default=None)
    first: dict[tuple[str, str, int], Change] = {}
    for change in every:
        if _is_meant(change, since, newest):
            place = change.start if since.scope in ("in", "latest") else 0  # of one version, there is room for all
            first.setdefault((change.name, change.subject, place), change)
    by_document = sorted(_of_kinds(list(first.values()), since.kinds), key=lambda change: change.passage.uri)
    later = sorted(by_document, key=lambda change: change.order, reverse=True)
    renewed: Sequence[tuple[RankedSummary, date]] = ()
    if since.day and not later:
        renewed = finder.store.summary_entries.renewed(
            finder.index, since.day, filters=finder.options.filters, limit=_MAX_RENEWED
        )
    return Changes(
        since=since,
        later=(*_with_places(finder, later[:_MAX_PLACED]), *later[_MAX_PLACED:]),
        newest=newest.name if newest else "",
        renewed=tuple(renewed),
        is_partial=is_large,
    )


def _with_places(finder: Finder, changes: Sequence[Change]) -> list[Change]:
    """The changes with their places in the originals, which large documents give only if they are asked for."""
    passages = load_places(finder.store, [change.passage for change in changes])
    return [replace(change, passage=passage) for change, passage in zip(changes, passages, strict=True)]


def _without_sections(changes: Sequence[Change]) -> list[Change]:
    """The changes but for those of documents that number their sections."""
    orders: dict[UUID, list[Version]] = {}
    for change in changes:
        if _is_numbered(change):
            orders.setdefault(change.passage.document_id, []).append(change.order)
    numbering = {
        document_id
        for document_id, numbers in orders.items()
        if sum(map(operator.lt, numbers, numbers[1:])) > sum(map(operator.gt, numbers, numbers[1:]))
    }
    return [change for change in changes if not (_is_numbered(change) and change.passage.document_id in numbering)]


def _is_numbered(change: Change) -> bool:
    return change.is_heading and _IS_NUMBERED.match(change.name) is not None and not _WHEN.search(change.name)


def _without_other_products(changes: Sequence[Change]) -> list[Change]:
    """The changes but for those of a product of which a document names too few versions."""
    products = [_product_of(change) for change in changes]
    versions: dict[tuple[str, str], set[Version]] = {}
    for change, product in zip(changes, products, strict=True):
        versions.setdefault((change.passage.uri, product), set()).add(change.order)
    return [
        change
        for change, product in zip(changes, products, strict=True)
        if not product or len(versions[change.passage.uri, product]) >= _MIN_RELEASES
    ]


def _product_of(change: Change) -> str:
    """The product that a heading names before its version; empty if the version or "Version" comes first."""
    match = None if not change.is_heading or _IS_NAMED.search(change.name) else _IS_PRODUCT.match(change.name)
    return match["product"].casefold() if match else ""


def _is_meant(change: Change, since: Since, newest: Change | None) -> bool:
    if since.scope == "latest":
        return newest is not None and change.name == newest.name
    if since.scope == "all":
        return change.is_heading
    if since.scope == "released":
        return _WHEN.search(change.name) is not None and _trim(change.order) == _trim(since.version)
    if since.scope == "in":
        return change.order[: len(since.version)] == since.version
    since_order = _of_day(since.day) if since.day else since.version
    return _is_later(change.order, since_order, is_dated=since.day is not None)


def _trim(version: Version) -> Version:
    """A version without zeros at its end: 2.4 is 2.4.0."""
    end = next((place for place in range(len(version), 0, -1) if version[place - 1]), 0)
    return version[:end]


def _of_kinds(changes: list[Change], kinds: frozenset[str]) -> list[Change]:
    """The changes below a heading such as "Removed", if that is asked for; else those about security, or all added."""
    if not kinds:
        return changes
    fitting = [
        change
        for change in changes
        if change.is_heading and change.subject != change.passage.title and content_words(change.subject) & kinds
    ]
    if not fitting and kinds == content_words("security"):
        return [change for change in changes if _IS_SECURITY.search(change.text)]
    return fitting or (changes if kinds <= content_words("added features") else [])


def _changes_in(passage: Passage, *, is_dated: bool) -> Iterator[Change]:
    """What a passage says about versions or dates: by its headings, else by those above it and by marks in its text."""
    lines = [line for span in spans_outside_code(passage.text) for line in _LINE.finditer(passage.text, *span)]
    headings = [_words(line) for line in lines]
    orders = [_order_of_heading(heading, is_dated=is_dated) for heading in headings]
    path = [heading for heading in passage.breadcrumb if heading]
    for place, heading in enumerate(path):
        if heading not in headings and (order := _order_of_heading(heading, is_dated=is_dated)):
            subheading = path[place + 1] if place + 1 < len(path) else ""
            subject = subheading or (path[place - 1] if place else passage.title)
            # The title has at least one mark, so a heading at a place in its path has at least one more than that.
            beside = (
                line.start()
                for line, names in zip(lines, orders, strict=True)
                if line.start() and (names or _level(line) <= place + 1)
            )
            for section in _sections(passage.text, lines, (0, next(beside, len(passage.text))), subject):
                yield _change(passage, heading, order, *section)
    for index, (line, heading, order) in enumerate(zip(lines, headings, orders, strict=True)):
        if order:
            level = _level(line)
            later = (later_line.start() for later_line in lines[index + 1 :] if _level(later_line) <= level)
            end = next(later, len(passage.text))
            for section in _sections(passage.text, lines[index + 1 :], (line.start(), end), passage.title):
                yield _change(passage, heading, order, *section)
    if is_dated:
        return
    outside_code = spans_outside_code(passage.text)
    for match in chain.from_iterable(_IS_MARK.finditer(passage.text, *span) for span in outside_code):
        name = f"v{'.'.join(map(str, version_of(match[1])))}"
        subject = _subject(passage, match.start())
        yield _change(passage, name, version_of(match[1]), subject, *match.span(), is_heading=False)


def _sections(
    text: str, headings: Sequence[re.Match[str]], span: tuple[int, int], subject: str
) -> Iterator[tuple[str, int, int]]:
    """The subject and the span of each section of a span; what stands before its first heading has `subject`."""
    start, end = span
    within = [heading for heading in headings if start <= heading.start() < end]
    highest = min(map(_level, within), default=0)
    highest_headings = [heading for heading in within if _level(heading) == highest]
    borders = [heading.start() for heading in highest_headings] + [end]
    if not highest_headings or _LINE.sub("", text[start : borders[0]]).strip():
        yield subject, start, borders[0]
    for heading, section_end in zip(highest_headings, borders[1:], strict=True):
        yield _words(heading), heading.start(), section_end


def _level(heading: re.Match[str]) -> int:
    return len(heading["marks"] or "") or (1 if heading["line"][0] == "=" else 2)


def _words(heading: re.Match[str]) -> str:
    return plain_heading(heading["words"] or heading["underlined"])


def _change(
    passage: Passage,
    name: str,
    order: Version,
    subject: str,
    start: int,
    end: int,
    *,
    is_heading: bool = True,
) -> Change:
    return Change(
        name=name,
        order=order,
        subject=subject,
        passage=passage,
        start=passage.start + start,
        end=passage.start + end,
        is_heading=is_heading,
    )


def _order_of_heading(heading: str, *, is_dated: bool) -> Version:
    return _order(heading, is_dated=is_dated) if _IS_HEADING.search(heading) else ()


def _subject(passage: Passage, place: int) -> str:
    """The heading above a place in a passage, below its document's title."""
    headings = re.findall(r"^#{1,6}[ \t]+([^\n]+)", passage.text[:place], re.MULTILINE)
    heading = headings[-1] if headings else (passage.breadcrumb[-1] if passage.breadcrumb else "")
    return heading.strip("# `") if heading and heading != passage.title else passage.title


def _order(text: str, *, is_dated: bool) -> tuple[int, ...]:
    if is_dated:
        return _of_day(day) if (day := day_of(text)) else ()
    return version_of(_WHEN.sub("", text))


def _of_day(day: date) -> tuple[int, ...]:
    return (day.year, day.month, day.day)


def _is_later(order: Version, after: Sequence[int], *, is_dated: bool) -> bool:
    """Whether a date is not before another, or a version is above another: "since 11" leaves out 11.2."""
    return order >= tuple(after) if is_dated else order[: len(after)] > tuple(after)
