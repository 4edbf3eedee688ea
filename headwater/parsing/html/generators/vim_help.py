"""Vim's help as pages, which show its text as it was typed.

Belongs here: its headings, its paragraphs, and what stands in columns. Not here: typed text of any page
(`preformatted`). Guarantee: a page with another title stays as it is; what is no paragraph that begins at the margin
stays as it was typed.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise, takewhile
from typing import Any

from headwater.parsing.html.code_blocks import code_text
from headwater.parsing.html.generators.page_elements import drop_elements, list_outermost, replace_element, rewrite
from headwater.parsing.html.inline import plain_words
from headwater.parsing.html.preformatted import is_prose
from headwater.parsing.vim_help_lines import CAPITALS, FRAME, RULER, TAG, read_title

_TITLE = "Vim documentation: "
_TYPED = re.compile(r" {0,3}\t| {4}|.*\S(?:\t| {3})|\W*$")
_COLUMNS = re.compile(r"[ \t]*(?:[-*•o]|\d{1,2}\.)[ \t]|.*\S(?:\t| {3})")  # of points, or of words
_NUMBERED, _GAP = re.compile(r" {0,3}\d{1,2}\.[ \t]"), re.compile(r".*\S(?:\t| {3})")
_LEVELS = {"=": "h2", "-": "h3"}
_HIGHLIGHT = "\ue000"  # at the beginning of a line that the page shows in the colour of headings
_MAX_SHORT_LINE = 50  # characters of the longest line of several that are meant


def restore_vim_help(tree: Any) -> None:
    """Give a page of the help its headings and paragraphs."""
    title = tree.find(".//h1")
    if title is None or not plain_words(title).startswith(_TITLE):
        return
    rewrite(title, "h1", plain_words(title).removeprefix(_TITLE))
    drop_elements([link for link in tree.findall("./body/a") if (link.get("href") or "") == "index.html"])
    for font in list_outermost(tree, _is_highlighted):
        rewrite(font, "font", f"{_HIGHLIGHT}{''.join(font.itertext())}")
    for typed in list_outermost(tree, lambda element: element.tag == "pre"):
        holder = typed.makeelement("div")
        for kind, text in _join_typed(_read_text(code_text(typed))):
            holder.append(_make(holder, kind, text))
        replace_element(typed, holder)


def _is_highlighted(element: Any) -> bool:
    return element.tag == "font" and (element.get("color") or "").upper() == "PURPLE"


def _make(holder: Any, kind: str, text: str) -> Any:
    """An element; the names to which the help leads are code, each for itself."""
    element = holder.makeelement("p" if kind == "tags" else kind)
    if kind == "tags":
        for name in TAG.findall(text):
            element.append(element.makeelement("code"))
            element[-1].text, element[-1].tail = name, " "
        return element
    element.text = text.replace(_HIGHLIGHT, "")
    if kind == "pre":
        element.set("class", "screen")
    return element


def _join_typed(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The pairs, with typed lines in a row as one; empty lines are typed, too."""
    for kind, group in groupby(pairs, lambda pair: pair[0]):
        texts = [text for _, text in group]
        if kind == "pre":
            texts = ["\n".join(texts).strip("\n")]
        yield from ((kind, text) for text in texts if text.strip())


def _read_text(text: str) -> Iterator[tuple[str, str]]:
    """The kind of element and the text of each heading, paragraph and typed line."""
    level = ""  # of the heading that a row of marks announces
    lines = (FRAME.sub("", line) for line in text.split("\n"))
    for is_empty, group in groupby(lines, lambda line: not line.strip()):
        block = [line for line in group if not is_empty]
        if block and (ruler := RULER.fullmatch(block[0])):
            level = _LEVELS[ruler["mark"]]
            del block[0]
        if not block:
            yield "pre", ""
            continue
        if level:
            yield from _read_heading(level, block.pop(0))
            level = ""
        if len(block) == 1 and CAPITALS.fullmatch(block[0]):
            yield _LEVELS["-"], block.pop()
        yield from _read_block(block)


def _read_heading(level: str, line: str) -> Iterator[tuple[str, str]]:
    """A heading, with the number that stands before it as a name; below it the other names."""
    line = line.replace(_HIGHLIGHT, "")
    title, names = read_title(line)
    yield level, title
    yield "tags", names


def _read_block(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The elements of lines without an empty one between them: if some have columns, those below are of them, too."""
    heads = list(takewhile(lambda line: _find_kind(line) in ("tags", "h4"), lines))
    yield from ((_find_kind(line), line) for line in heads)
    lines = lines[len(heads) :]
    if any(_COLUMNS.match(TAG.sub("", line).rstrip()) for line in lines):
        points = _join_points(lines)
        yield from [("p", point) for point in points] or [("pre", line) for line in lines]
        return
    for kind, group in groupby(lines, _find_kind):
        run = list(group)
        is_meant = len(run) > 1 and max(map(len, run)) <= _MAX_SHORT_LINE
        if kind != "p" or is_meant:
            yield from (("pre" if kind == "p" else kind, line) for line in run)
            continue
        paragraph: list[str] = []
        for line in run:
            if line.startswith(" ") and paragraph:
                yield "p", " ".join(paragraph)
                paragraph = []
            paragraph.append(line.strip())
        yield "p", " ".join(paragraph)


def _join_points(lines: list[str]) -> list[str]:
    """Numbered points, and what stands before them, each as a paragraph; nothing if they are no sentences."""
    starts = [place for place, line in enumerate(lines) if _NUMBERED.match(line)]
    if (
        not starts
        or any(_GAP.match(line) for line in lines)
        or any(_find_kind(line) != "p" for line in lines[: starts[0]])
    ):
        return []
    borders = [*dict.fromkeys([0, *starts]), len(lines)]
    points = [" ".join(" ".join(lines[start:end]).split()) for start, end in pairwise(borders)]
    return points if all(map(is_prose, points[-len(starts) :])) else []


def _find_kind(line: str) -> str:
    """The kind of element of a line: a paragraph's begins at the margin, or with a few blanks, and has no columns."""
    if line.startswith(_HIGHLIGHT) and not _TYPED.match(line[1:].rstrip(" ~")):
        return "h4"
    if not TAG.sub("", line).strip():
        return "tags"
    return "pre" if _TYPED.match(line) or line.startswith(_HIGHLIGHT) else "p"
