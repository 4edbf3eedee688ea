"""Where in its original a text stands: on which page, slide or sheet, at which second, in which lines.

Belongs here: places, how a range of them is shown, what it adds to a link. Not here: which places a format has
(`headwater.parsing`). Guarantee: pure; a range covers every place that its text comes from.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urlsplit, urlunsplit

_LABELS = {"page": ("p. {}", "p. {}–{}"), "slide": ("slide {}", "slides {}–{}"), "sheet": ("sheet {}", "sheets {}–{}"),
           "second": ("{}", "{}–{}"), "line": ("L{}", "L{}–L{}")}  # fmt: skip
_PLAYERS = ("youtube.com", "youtu.be")
_PLAYED_FROM = ("t", "start")  # of several, a player takes the first


class PlaceKind(StrEnum):
    """What a place is counted in; a sheet goes by its name, everything else by a number."""

    PAGE = "page"
    SLIDE = "slide"
    SHEET = "sheet"
    SECOND = "second"
    LINE = "line"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaceRange:
    """From which place of the original to which; `first` and `last` are equal where a text has one place."""

    kind: PlaceKind
    first: int | str
    last: int | str

    @property
    def label(self) -> str:
        """What people read: `p. 12–14`, `slide 3`, `02:15`, `L10–L42`."""
        one, several = _LABELS[self.kind]
        is_time = self.kind == PlaceKind.SECOND
        first, last = (_clock(int(value)) if is_time else value for value in (self.first, self.last))
        return one.format(first) if first == last else several.format(first, last)


class Mark(NamedTuple):
    """From an offset of the text on, its place: from `first` to `last`, which differ where nobody knows it exactly.

    Of lines it is by how many the original is ahead of the text, so a text that is its original needs no mark.
    """

    offset: int
    first: int | str
    last: int | str


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """The places of a text, by its offsets: one kind, and marks in order."""

    kind: PlaceKind
    marks: tuple[Mark, ...] = ()

    @classmethod
    def of(cls, kind: PlaceKind, starts: Sequence[tuple[int, int | str]]) -> "Places":
        """Places of which each is known exactly, by the offset that each begins at."""
        return cls(kind=kind, marks=tuple(Mark(offset, value, value) for offset, value in starts))

    @classmethod
    def from_json(cls, value: Mapping[str, Any], *, within: tuple[int, int] | None = None) -> "Places":
        """Read what `to_json` made, or of its marks only those that the text between two offsets needs."""
        kept: Sequence[Any] = value["marks"]  # a file may have many thousands
        if within is not None:
            first = max(0, bisect_right(kept, within[0], key=itemgetter(0)) - 1)
            kept = kept[first : bisect_right(kept, within[1], key=itemgetter(0))]
        marks = tuple(Mark(offset, first, *(last or (first,))) for offset, first, *last in kept)
        return cls(kind=PlaceKind(value["kind"]), marks=marks)

    def to_json(self) -> dict[str, Any]:
        """Make JSON values, as few as possible."""
        marks = [[*mark[:2]] if mark.first == mark.last else [*mark] for mark in self.marks]
        return {"kind": self.kind.value, "marks": marks}

    def moved(self, move: Callable[[int], int]) -> "Places":
        """The places of a text whose offsets changed."""
        return replace(self, marks=tuple(mark._replace(offset=move(mark.offset)) for mark in self.marks))

    def between(self, start: int, end: int, *, text: str, offset: int = 0, line: int = 1) -> PlaceRange | None:
        """Where a span of the text stands in the original; None where no mark says.

        Args:
            start: offset of the span.
            end: offset behind it.
            text: a part of the text that holds the span.
            offset: where this part begins.
            line: in which line of the text it begins, from 1.
        """
        span = text[start - offset : end - offset]
        begin = start + (len(span) - len(span.lstrip()) if span.strip() else 0)
        stop = max(begin, start + len(span.rstrip()) - 1)  # the last character that is seen
        first, last = self._at(begin), self._at(stop)
        if first is None or last is None:
            return None
        if self.kind != PlaceKind.LINE:
            return PlaceRange(kind=self.kind, first=first.first, last=last.last)
        above = line + text.count("\n", 0, begin - offset)
        below = above + text.count("\n", begin - offset, stop - offset)
        return PlaceRange(kind=self.kind, first=above + int(first.first), last=below + int(last.last))

    def _at(self, offset: int) -> Mark | None:
        found = bisect_right(self.marks, offset, key=_offset)
        if found:
            return self.marks[found - 1]
        return Mark(0, 0, 0) if self.kind == PlaceKind.LINE else None


UNREAD_PLACES = Places(kind=PlaceKind.PAGE)
"""Places that are too many to be read along with a passage; known by identity, and until they are read, by no mark."""


def link_to(uri: str, place: PlaceRange | None) -> str | None:
    """Where people open a document at a place; None when its URI is no address.

    A page, a time and lines are added as far as the kind of address can open there: `#page=12`, `&t=75s` (`#t=75` of a
    file), `#L10-L42` in a repository's web pages.
    """
    try:
        address = urlsplit(uri)
    except ValueError:
        return None
    if address.scheme not in ("http", "https") or not address.netloc:
        return None
    if place is None:
        return uri
    if place.kind == PlaceKind.PAGE and (not address.fragment or address.fragment.startswith("page=")):
        return f"{urldefrag(uri)[0]}#page={place.first}"
    if place.kind == PlaceKind.SECOND and not address.fragment:
        if (address.hostname or "").removeprefix("www.").removeprefix("m.") in _PLAYERS:
            kept = [part for part in address.query.split("&") if part.partition("=")[0] not in _PLAYED_FROM]
            query = "&".join(filter(None, (*kept, f"t={place.first}s")))
            return urlunsplit(address._replace(query=query))
        return f"{uri}#t={place.first}"
    if place.kind == PlaceKind.LINE and not address.fragment and "/blob/" in address.path:
        query = address.query or "plain=1"  # markdown is shown rendered, without lines, unless it is asked for plain
        until = "-" if "/-/blob/" in address.path else "-L"  # GitLab's, and that of others
        fragment = f"L{place.first}" + ("" if place.first == place.last else f"{until}{place.last}")
        return urlunsplit(address._replace(query=query, fragment=fragment))
    return uri


def _offset(mark: Mark) -> int:
    return mark.offset


def _clock(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute:02}:{second:02}"
