"""The text of a transcript: paragraphs of a speaker or about a minute, chapters as headings, seconds as places.

Belongs here: cutting lines into paragraphs, and writing them. Not here: reading subtitles (`cues`), videos
(`headwater.sources.video`). Guarantee: no word is lost; every line of the text has the second at which it is said.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from headwater.domain.places import PlaceKind, Places
from headwater.parsing.markdown.writer import plain_markdown
from headwater.parsing.subtitles.roll_up_captions import Line

_MAX_PARAGRAPH_MS = 60_000  # milliseconds of a paragraph
_LONG_ENOUGH = 40_000  # after which it ends with a sentence
_EARLY = 500  # milliseconds by which a line may begin before its chapter
_MARKUP = re.compile(r"[\\*_`\[\]<>#]")  # of markdown, within a line
_ENDS = re.compile(r"[.!?…。！？]['\"”’»)\]]*\Z")


class Chapter(NamedTuple):
    """A part of a video; its start is in milliseconds."""

    start: int
    title: str


def transcript(lines: Sequence[Line], *, chapters: Sequence[Chapter] = (), description: str = "") -> tuple[str, Places]:
    """Write a transcript as markdown.

    Args:
        lines: what is said, in the order of time.
        chapters: in the order of time; one without a word is left out.
        description: a text about the video, which stands first.

    Returns:
        The text, and its places in seconds.
    """
    texts: list[str] = []
    starts: list[tuple[int, int | str]] = []
    length = 0

    def write(text: str, second: int, end: str) -> None:
        nonlocal length
        if not starts or starts[-1][1] != second:
            starts.append((length, second))
        texts.append(text + end)
        length += len(text) + len(end)

    if about := plain_markdown(description):
        write(about, 0, "\n\n")
    for title, paragraphs in _split_chapters(lines, chapters):
        if title is not None:
            write(f"## {_heading(title.title)}", title.start // 1000, "\n\n")
        for paragraph in paragraphs:
            for index, line in enumerate(paragraph):
                text = _begin_paragraph(line) if index == 0 else line.text
                write(text, line.start // 1000, " " if index < len(paragraph) - 1 else "\n\n")
    return "".join(texts).rstrip(), Places.of(PlaceKind.SECOND, starts)


def _begin_paragraph(line: Line) -> str:
    if not line.speaker:
        return plain_markdown(line.text)
    name = _MARKUP.sub(r"\\\g<0>", line.speaker)
    return f"**{name}:** {line.text}"


def _heading(title: str) -> str:
    return " ".join(title.replace("#", "\\#").split())


def _split_chapters(
    lines: Sequence[Line], chapters: Sequence[Chapter]
) -> Iterator[tuple[Chapter | None, list[list[Line]]]]:
    """The lines of each chapter as paragraphs; those before the first chapter have none."""
    borders = [None, *chapters]
    position = 0
    for index, chapter in enumerate(borders):
        following = borders[index + 1] if index + 1 < len(borders) else None
        begin = position
        while position < len(lines) and (following is None or lines[position].start + _EARLY < following.start):
            position += 1
        if position > begin:
            yield chapter, _paragraphs(lines[begin:position])


def _paragraphs(lines: Sequence[Line]) -> list[list[Line]]:
    paragraphs: list[list[Line]] = []
    for line in lines:
        passed = line.start - paragraphs[-1][0].start if paragraphs else _MAX_PARAGRAPH_MS
        is_full = passed >= _MAX_PARAGRAPH_MS or (passed >= _LONG_ENOUGH and _ENDS.search(paragraphs[-1][-1].text))
        if is_full or line.is_turn:
            paragraphs.append([])
        paragraphs[-1].append(line)
    return paragraphs
