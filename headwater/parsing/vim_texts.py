"""Parsing the help of Vim and of its plugins, as files of text (`doc/*.txt`).

Belongs here: their headings, examples, terms and tables of contents. Not here: the signs in a line (`vim_help_lines`),
the same as pages (`html.generators.vim_help`), what the indentation of their paragraphs means
(`troff.formatted_page`), telling them from other text (`text_structure`). Guarantee: no word is lost but those of tags,
of settings for the editor and of tables of contents; the work is linear.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import ClassVar, NamedTuple

from headwater.domain.documents import ParsedDocument
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.markdown.writer import escape_signs, quote_code
from headwater.parsing.parser import File, Parser
from headwater.parsing.text import decode
from headwater.parsing.text_structure import VIM_HELP
from headwater.parsing.troff.formatted_page import MIN_TEXT, read_formatted_page
from headwater.parsing.troff.manual_page import Page
from headwater.parsing.vim_help_lines import CAPITALS, FRAME, RULER, TAG, read_title

_NAME = re.compile(r"\*(?P<name>[\w.-]{1,60})\.(?:txt|\w\wx)\*\s*(?P<words>.*)")
_VERSION = re.compile(r"For Vim version|Last [Cc]hange|^Version\b")
_SUBJECT = re.compile(r"[A-Z](?!.*(?:MANUAL|  ))[\w ,()'&-]{2,99}")
_MODELINE = re.compile(r"(?:^|\s)vim?\d*:\s*\S")
_MODELINES = 5  # lines at the end of a file in which Vim looks for settings
_LINK = re.compile(r"(?<![\w|])\|(?P<words>[^\s|]{1,100})\|(?![\w|])")
_EXAMPLE = re.compile(r"(?:^|(?<= ))>(?:[a-z]{1,12})?$")
_KEY = re.compile(r"<[\w-]{1,20}>")
_ENTRY_NUMBER = re.compile(r"\s*\|(?P<name>[\d.]+)\|\s+\S")
_CHAPTER = re.compile(r"\s*(?:Next chapter|Previous chapter|Table of contents): +\|")
_ENTRY_SHARE = 0.75  # of the lines of a table of contents
_CONTENTS = frozenset({"contents", "table of contents"})
_GAP = re.compile(r"(?P<term>\S.{0,40}?) {3,}(?=\S)")
_MARK = re.compile(r"\s*(?:[-*•o+]|\d{1,2}[.)])")  # of a list
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+\S.*")
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+\S")
_MIN_ITEMS = 2
_MAX_MARK = 4  # columns of the mark of an item with the gap behind it
_MAX_TERMS = 4  # lines that may be names of one thing; more are rows of a table
_COMMAND = re.compile(r"\\`(?P<words>[^`\n]{1,200}?)\\`")  # in text whose signs are escaped
_ESCAPED = re.compile(r"\\(?=\W)")
_TERM = "\ue000"  # at the end of a term, which may look like the beginning of a command
_STOP = f"{_TERM}."  # at the end of an item of one line, which may look like a term
_MAX_LINE, _MAX_TITLE = 2_000, 100  # characters; in a longer line no tags are looked for
_MIN_CENTRED, _FRONT = 10, 20  # columns; lines
_MIN_COLUMN, _MAX_COLUMN = 16, 24  # where the text of terms begins that one blank parts from it; the most that is read
_WIDTH = 76  # columns of a line that has no room for another word


class VimTextParser(Parser):
    """Reads the help of Vim and of its plugins."""

    media_types: ClassVar[tuple[str, ...]] = (VIM_HELP,)
    suffixes: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = "vim-text-1"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its title is its name with what the first lines say it is about."""
        source = decode(file.content)
        typed = _without_settings(source.expandtabs().split("\n"))
        title, start = _read_front(typed)
        lines = list(_read_lines(typed[start:]))
        page = Page()
        _read_sections(lines, page)
        blocks = [*([f"# {escape_signs(title)}"] if title else []), *map(_finish, page.blocks())]
        return make_line_document(file, source, title=title, text="\n\n".join(blocks))


class _Line(NamedTuple):
    """A line without its tags; `is_tagged` tells that it had some."""

    text: str
    is_tagged: bool = False


def _finish(block: str) -> str:
    """A block whose commands between backticks are code."""
    block = block.replace(_STOP, "").replace(_TERM, "")
    return block if "```" in block else _COMMAND.sub(lambda match: quote_code(_ESCAPED.sub("", match["words"])), block)


def _without_settings(lines: Sequence[str]) -> list[str]:
    """The lines without settings for the editor, which stand at the end, and rulers above nothing."""
    typed = [FRAME.sub("", line) if len(line) < _MAX_LINE else line for line in map(str.rstrip, lines)]
    while typed and not typed[-1]:
        typed.pop()
    end = len(typed) - _MODELINES
    return [line for index, line in enumerate(typed) if index < end or not _MODELINE.search(line[:_MAX_LINE])]


def _read_front(lines: Sequence[str]) -> tuple[str, int]:
    """The title, and the line after it: a name, with the words behind it or the last line that stands in the middle."""
    first = _NAME.fullmatch(lines[0]) if lines else None
    if first is None:
        return "", 0
    words, end = first["words"], 1
    if _VERSION.search(words):
        words = ""
        for index, line in enumerate(lines[1:_FRONT], start=1):
            if line and _indent(line) < _MIN_CENTRED:
                break
            if line and not TAG.search(line):
                is_subject = _SUBJECT.fullmatch(line.strip(" ~")) and not lines[index - 1]
                words, end = line.strip(" ~") if is_subject else "", index + 1
    return ": ".join(filter(None, [first["name"], " ".join(words.split())])), end


def _read_lines(typed: Sequence[str]) -> Iterator[_Line]:
    """The lines without tags and tables of contents."""
    tags = {name for line in typed if len(line) < _MAX_LINE and "*" in line for name in TAG.findall(line)}
    for is_text, group in groupby(typed, bool):
        block = list(group)
        lines = [_strip_tags(line) for line in block]
        texts = [line.text for line in lines if line.text]
        if is_text and texts and sum(_is_entry(text, tags) for text in texts) >= _ENTRY_SHARE * len(texts):
            yield _Line("")
        else:
            yield from lines


def _is_entry(line: str, tags: set[str]) -> bool:
    """Whether a line of a table of contents leads to a section of the file."""
    if numbered := _ENTRY_NUMBER.match(line):
        return numbered["name"] in tags
    words, _, name = line.removesuffix("|").rpartition("|")
    is_parted = words.endswith(("..", "  ")) or not words.strip()
    return _CHAPTER.match(line) is not None or (line.endswith("|") and is_parted and name in tags)


def _strip_tags(line: str) -> _Line:
    """A line without the tags at its end or before its words; others are words between asterisks."""
    if "*" not in line or len(line) > _MAX_LINE:
        return _Line(line)
    text = line
    while (word := text.rpartition(" ")[2]) and TAG.fullmatch(word):
        text = text[: len(text) - len(word)].rstrip()
    if text and not line.startswith("  ", len(text)):
        text = line
    section_tag = TAG.match(text)
    is_tagged = text != line or section_tag is not None
    return _Line(TAG.sub(lambda match: match["name"], text), is_tagged)


def _read_sections(lines: Sequence[_Line], page: Page) -> None:
    """Write headings, examples, and the text between them."""
    typed: list[str] = []
    level, outer = 1, 1  # of the section, and of the one below a ruler
    index, end = 0, 0  # `end` is the line that ends an example
    while index < len(lines):
        text = lines[index].text
        if index == end and text.startswith("<") and not _KEY.match(text):
            text = text[1:].lstrip() if text[1:2].strip() else f" {text[1:]}"
        heading = _find_heading(lines, index)
        if heading is not None:
            _read_text(typed, page)
            typed = []
            if heading.is_section:
                level = heading.level or outer + 1
                outer = heading.level or outer
            if heading.words.lower() not in _CONTENTS:
                page.heading(
                    level if heading.is_section else level + 1, escape_signs(_LINK.sub(r"\g<words>", heading.words))
                )
            index = heading.end
            continue
        index += 1
        if example := _EXAMPLE.search(text):
            _read_text([*typed, text[: example.start()].rstrip()], page)
            end = _find_example_end(lines, index)
            page.code([line.text for line in lines[index:end]])
            typed, index = [], end
        elif not RULER.fullmatch(text):
            typed.append(text.removesuffix(" ~").rstrip())
    _read_text(typed, page)


class _Heading(NamedTuple):
    """A heading; its level is 0 if no ruler stands above it. `end` is the line after it."""

    level: int
    words: str
    end: int
    is_section: bool = True


def _find_heading(lines: Sequence[_Line], index: int) -> _Heading | None:
    """The heading that begins at a line; none if that is text."""
    line = lines[index]
    following = lines[index + 1] if index + 1 < len(lines) else _Line("")
    if ruler := RULER.fullmatch(line.text):
        position = next((i for i in range(index + 1, min(index + 4, len(lines))) if lines[i].text), None)
        if position is None:
            return None
        title = lines[position]
        is_title = title.is_tagged or title.text.endswith("~") or position + 1 == len(lines)
        is_alone = is_title or not lines[position + 1].text
        words, _ = read_title(title.text)
        is_short = len(words) <= _MAX_TITLE and not RULER.fullmatch(title.text)
        return (
            _Heading(2 if ruler["mark"] == "=" else 3, words, position + 1) if words and is_alone and is_short else None
        )
    is_first = index == 0 or not lines[index - 1].text
    if not is_first or not line.text or line.text.startswith(" ") or len(line.text) > _MAX_TITLE:
        return None
    is_marked = line.text.endswith("~") and "  " not in line.text.rstrip(" ~")
    is_capital = CAPITALS.fullmatch(line.text) is not None and "CTRL-" not in line.text
    is_numbered = line.is_tagged and _NUMBERED.fullmatch(line.text) is not None
    is_section = (is_capital or is_numbered) and not following.text
    words = line.text.rstrip(" ~")
    return _Heading(0, words, index + 1, is_section=is_section) if words and (is_marked or is_section) else None


def _find_example_end(lines: Sequence[_Line], start: int) -> int:
    """The first line from `start` on that begins at the margin."""
    return next((i for i in range(start, len(lines)) if lines[i].text[:1].strip()), len(lines))


def _read_text(typed: Sequence[str], page: Page) -> None:
    """Write paragraphs, lists and terms: the reader of manual pages wants them to stand beyond headings."""
    if any(typed):
        parted = _part_blocks(typed)
        lines = [_LINK.sub(r"\g<words>", line) for line in parted]
        read_formatted_page("\n".join(f"{' ' * MIN_TEXT}{line}" if line else "" for line in lines), page)
        page.paragraph()


def _part_blocks(typed: Sequence[str]) -> Iterator[str]:
    """The lines with terms above what they mean; what is indented below a text, and not below a term, stays typed."""
    margin = min(_indent(line) for line in typed if line)
    is_below_term = False
    for is_text, group in groupby(typed, bool):
        block = list(group)
        is_outer = is_text and min(map(_indent, block)) == margin
        if is_text and (is_outer or is_below_term):
            block = list(_part_block(block))
        if is_outer:
            is_below_term = any(_TERM in line for line in block)
        yield from block


def _part_block(block: Iterable[str]) -> Iterator[str]:
    """The lines of a block with its items, and its terms above what they mean, in paragraphs."""
    lines = list(block)
    items = [line for line in lines if _ITEM.match(line)]
    base = min(map(_indent, lines))
    column = _find_column(lines, base) if len(items) < _MIN_ITEMS else 0
    if column:
        yield from _part_terms(lines, base, column)
        return
    for line, following in pairwise([*lines, ""]):
        is_item = len(items) >= _MIN_ITEMS and _ITEM.match(line) is not None
        is_short = is_item and (not following or _ITEM.match(following) is not None)
        yield from [""] if is_item else []
        yield line + _STOP if is_short else line


def _part_terms(lines: Sequence[str], base: int, column: int) -> Iterator[str]:
    terms: list[str] = []
    texts: list[tuple[int, str]] = []
    end = 0  # the column where the line before ends, if it is a term's
    are_names = sum(_indent(line) == base and _is_beside(line, column) for line in lines) <= _MAX_TERMS
    for line in lines:
        is_term = _indent(line) == base and _is_beside(line, column)
        text = (column, line[column:]) if is_term else (_indent(line), line.lstrip())
        goes_on = are_names and end + 1 + len(text[1].partition(" ")[0]) > _WIDTH
        if terms and ((is_term and not goes_on) or (not is_term and _indent(line) <= base)):
            yield from _write_terms(terms, texts, base)
            terms, texts = [], []
        if is_term:
            terms.append(line[:column].rstrip() + _TERM)
        if terms:
            texts.append(text)
        else:
            yield line
        end = len(line) if is_term else 0
    yield from _write_terms(terms, texts, base)


def _find_column(lines: Sequence[str], base: int) -> int:
    """The column where the texts of terms begin; 0 if the lines have none."""
    for line in lines[1:]:
        if _indent(line) > base + 2:
            return _indent(line)
    gaps = [_GAP.match(line.strip()) for line in lines]
    columns = {base + gap.end() for gap in gaps if gap}
    return columns.pop() if len(columns) == 1 and all(gaps) else 0


def _write_terms(terms: Sequence[str], texts: Sequence[tuple[int, str]], base: int) -> Iterator[str]:
    """Terms, and below them their texts in the column of the leftmost, so that paragraphs below belong to them, too."""
    if terms:
        column = min(base + _MAX_COLUMN, *(indent for indent, _ in texts))
        yield ""
        yield from terms
        yield from (f"{' ' * column}{text}" for _, text in texts)
        yield ""


def _is_beside(line: str, column: int) -> bool:
    """Whether a text begins in a column, and a gap parts it from what stands before it, which is no mark of a list."""
    term = line[:column].rstrip()
    width = column - len(term)
    is_parted = width > 1 or (width == 1 and column >= _MIN_COLUMN)
    is_mark = column - _indent(line) <= _MAX_MARK and _MARK.fullmatch(term) is not None
    return is_parted and bool(line[column : column + 1].strip()) and bool(term) and not is_mark


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
