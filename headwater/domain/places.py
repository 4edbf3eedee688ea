"""Positions in the original of a text: page, slide, sheet, second, lines, or a part with an address of its own.

Belongs here: places, how a range of them is shown, and what it adds to a link. Not here: the places of a format
(`headwater.parsing`). Guarantee: pure; a range covers every place that its text comes from.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import SplitResult, unquote, urldefrag, urlsplit, urlunsplit

from headwater.domain.moments import format_moment

_LABELS = {"page": ("p. {}", "p. {}–{}"), "slide": ("slide {}", "slides {}–{}"), "sheet": ("sheet {}", "sheets {}–{}"),
           "second": ("{}", "{}–{}"), "line": ("L{}", "L{}–L{}")}  # fmt: skip
_GIT_PATH = re.compile(r"[0-9a-f]{12,40}:")
_COMMENT = re.compile(r"(?:[?&]focusedCommentId=|#note_)(\d+)")
_MESSAGE = re.compile(r"/archives/[A-Z0-9]+/p(\d{9,10})\d{6}", re.ASCII)
_BLOCK = re.compile(r"[0-9a-f]{32}")
_PLAYERS = ("youtube.com", "youtu.be")
_PLAYED_FROM = ("t", "start")  # if there are several, a player uses the first


class _LineForm(NamedTuple):
    """How the pages of a repository's host name lines; without `query`, some show markdown without lines."""

    path: re.Pattern[str]
    begin: str
    until: str
    query: str


_LINE_FORMS = (
    _LineForm(re.compile("/-/blob/"), "L", "-", "plain=1"),  # GitLab
    _LineForm(re.compile("/blob/"), "L", "-L", "plain=1"),  # GitHub, and others that follow it
    _LineForm(re.compile("/src/(?:commit|branch|tag)/"), "L", "-L", "display=source"),  # Gitea and Forgejo
    _LineForm(re.compile("^/[^/]+/[^/]+/src/[0-9a-f]{40}/"), "lines-", ":", ""),  # Bitbucket
    _LineForm(re.compile("/tree/[^/]+/item/"), "L", "-", ""),  # sourcehut
)


class PlaceKind(StrEnum):
    """The unit of a place; a sheet has a name, everything else but a part a number.

    A part is such as a heading or a comment of a web page: its place is what the page's address ends with, such as
    `#Getting-started` or `?focusedCommentId=12`, or another path at the same host, as that of a message; empty before
    the first part.
    """

    PAGE = "page"
    SLIDE = "slide"
    SHEET = "sheet"
    SECOND = "second"
    LINE = "line"
    PART = "part"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaceRange:
    """The first and last place of a text in the original; equal if it has one place.

    `address` is that of the original at its version, empty if the document's URI is all that is known.
    """

    kind: PlaceKind
    first: int | str
    last: int | str
    address: str = ""

    @property
    def label(self) -> str:
        """The text for people: `p. 12–14`, `slide 3`, `02:15`, `L10–L42`, `§ Use`; empty for no part."""
        if self.kind == PlaceKind.PART:
            return _part_label(str(self.first))
        singular, several = _LABELS[self.kind]
        is_time = self.kind == PlaceKind.SECOND
        first, last = (_clock(int(value)) if is_time else value for value in (self.first, self.last))
        return singular.format(first) if first == last else several.format(first, last)

    def joined(self, other: "PlaceRange") -> "PlaceRange | None":
        """The range of both; None if a place lies between them, or they count in different units.

        Pages 12 and 13 are joined; seconds only if they overlap; sheets and parts only if they are equal.
        """
        mine, theirs = (self.first, self.last), (other.first, other.last)
        has_order = self.kind not in (PlaceKind.SHEET, PlaceKind.PART)
        if self.kind != other.kind or (not has_order and mine != theirs):
            return None
        if not has_order:
            return self
        gap = max(int(self.first), int(other.first)) - min(int(self.last), int(other.last))
        if gap > (0 if self.kind == PlaceKind.SECOND else 1):
            return None
        first, last = min(int(self.first), int(other.first)), max(int(self.last), int(other.last))
        return replace(self, first=first, last=last)


class Mark(NamedTuple):
    """The place that begins at an offset of the text: from `first` to `last`, which differ if it is not known exactly.

    For lines, it is the number of lines by which the original is ahead of the text; a text that is its original needs
    none.
    """

    offset: int
    first: int | str
    last: int | str


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """The places of a text, by its offsets: one kind, and marks in order.

    `address` is that of the original at this version, such as a file's page at a commit; empty if there is none.
    """

    kind: PlaceKind
    marks: tuple[Mark, ...] = ()
    address: str = ""

    @classmethod
    def of(cls, kind: PlaceKind, starts: Sequence[tuple[int, int | str]]) -> "Places":
        """Places that are known exactly, each by the offset where it begins."""
        return cls(kind=kind, marks=tuple(Mark(offset, value, value) for offset, value in starts))

    @classmethod
    def from_json(cls, value: Mapping[str, Any], *, within: tuple[int, int] | None = None) -> "Places":
        """Read the result of `to_json`; with `within`, only the marks needed for the text between two offsets."""
        stored_marks: Sequence[Any] = value["marks"]  # a file may have many thousands
        if within is not None:
            first = max(0, bisect_right(stored_marks, within[0], key=itemgetter(0)) - 1)
            stored_marks = stored_marks[first : bisect_right(stored_marks, within[1], key=itemgetter(0))]
        marks = tuple(Mark(offset, first, *(last or (first,))) for offset, first, *last in stored_marks)
        return cls(kind=PlaceKind(value["kind"]), marks=marks, address=value.get("address") or "")

    def to_json(self) -> dict[str, Any]:
        """Make JSON values, as few as possible."""
        marks = [[*mark[:2]] if mark.first == mark.last else [*mark] for mark in self.marks]
        return {"kind": self.kind.value, "marks": marks, **({"address": self.address} if self.address else {})}

    def moved(self, move: Callable[[int], int]) -> "Places":
        """The places of a text whose offsets changed."""
        return replace(self, marks=tuple(mark._replace(offset=move(mark.offset)) for mark in self.marks))

    def between(self, start: int, end: int, *, text: str, offset: int = 0, line: int = 1) -> PlaceRange | None:
        """The place of a span in the original; None if no mark covers it.

        Args:
            start: offset of the span.
            end: offset after the span.
            text: a part of the text that contains the span.
            offset: the offset of this part.
            line: the line of the text in which this part begins, from 1.
        """
        span = text[start - offset : end - offset]
        begin = start + (len(span) - len(span.lstrip()) if span.strip() else 0)
        stop = max(begin, start + len(span.rstrip()) - 1)  # the last visible character
        first, last = self._at(begin), self._at(stop)
        if first is None or last is None:
            return None
        if self.kind != PlaceKind.LINE:
            return PlaceRange(kind=self.kind, first=first.first, last=last.last, address=self.address)
        first_line = line + text.count("\n", 0, begin - offset)
        last_line = first_line + text.count("\n", begin - offset, stop - offset)
        return PlaceRange(
            kind=self.kind, first=first_line + int(first.first), last=last_line + int(last.last), address=self.address
        )

    def _at(self, offset: int) -> Mark | None:
        count = bisect_right(self.marks, offset, key=_offset)
        if count:
            return self.marks[count - 1]
        return Mark(0, 0, 0) if self.kind == PlaceKind.LINE else None


UNREAD_PLACES = Places(kind=PlaceKind.PAGE)
"""Places that are too many to be read along with a passage; known by identity, and until they are read, by no mark."""


def link_to(uri: str, place: PlaceRange | None) -> str | None:
    """The address that opens a document at a place; None if it has none.

    A page, a time or lines are added if this kind of address supports them: `#page=12`, `&t=75s` (`#t=75` elsewhere
    than on YouTube, `#video=…&t=75` for one of several videos of a page), `#L10-L42` on a repository's web pages, a
    part's own ending. A file at a commit that has no web page is named as git does, with its line:
    `1a2b3c4d5e6f:src/app.py:10`.
    """
    uri = place.address if place is not None and place.address else uri
    try:
        address = urlsplit(uri)
    except ValueError:
        return None
    if address.scheme not in ("http", "https") or not address.netloc:
        return f"{uri}:{place.first}" if place is not None and _GIT_PATH.match(place.address) else None
    if place is None:
        return uri
    make_link = _OPENED.get(place.kind)
    return uri if make_link is None else make_link(uri, address, place)


def _at_page(uri: str, address: SplitResult, place: PlaceRange) -> str:
    """The page of a file; what only shows a file or a message, such as a webmail, has no such places."""
    is_file = not place.address or address.path.lower().endswith(".pdf")
    if not is_file or (address.fragment and not address.fragment.startswith("page=")):
        return uri
    return f"{urldefrag(uri)[0]}#page={place.first}"


def _at_second(uri: str, address: SplitResult, place: PlaceRange) -> str:
    if address.fragment:
        return f"{uri}&t={place.first}" if address.fragment.startswith("video=") else uri
    if (address.hostname or "").removeprefix("www.").removeprefix("m.") in _PLAYERS:
        parameters = [
            parameter for parameter in address.query.split("&") if parameter.partition("=")[0] not in _PLAYED_FROM
        ]
        query = "&".join(filter(None, (*parameters, f"t={place.first}s")))
        return urlunsplit(address._replace(query=query))
    return f"{uri}#t={place.first}"


def _at_lines(uri: str, address: SplitResult, place: PlaceRange) -> str:
    form = (
        None
        if address.fragment
        else next((candidate for candidate in _LINE_FORMS if candidate.path.search(address.path)), None)
    )
    if form is None:
        return uri
    several = "" if place.first == place.last else f"{form.until}{place.last}"
    fragment = f"{form.begin}{place.first}{several}"
    return urlunsplit(address._replace(query=address.query or form.query, fragment=fragment))


def _at_part(_: str, address: SplitResult, place: PlaceRange) -> str:
    part_url = urlsplit(str(place.first))
    if part_url.path.startswith("/"):
        return urlunsplit(address._replace(path=part_url.path, query=part_url.query, fragment=part_url.fragment))
    query = "&".join(filter(None, (address.query, part_url.query)))
    return urlunsplit(address._replace(query=query, fragment=part_url.fragment or address.fragment))


_OPENED = {
    PlaceKind.PAGE: _at_page, PlaceKind.SECOND: _at_second, PlaceKind.LINE: _at_lines, PlaceKind.PART: _at_part,
}  # fmt: skip


def _part_label(part: str) -> str:
    """How people call a part of a web page: a comment by its number, a message by its time, a heading by its words.

    A block has no name.
    """
    if comment := _COMMENT.search(part):
        return f"comment {comment[1]}"
    if message := _MESSAGE.fullmatch(part.partition("?")[0]):
        return f"message of {format_moment(datetime.fromtimestamp(int(message[1]), UTC))}"
    words = unquote(urlsplit(part).fragment).replace("-", " ").replace("_", " ").strip()
    return "" if not words or _BLOCK.fullmatch(words) else f"§ {words}"


def _offset(mark: Mark) -> int:
    return mark.offset


def _clock(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute:02}:{second:02}"
