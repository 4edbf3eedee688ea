"""An RTF file in the XML of today's Word files.

Belongs here: groups, and what control words do. Not here: their list (`rtf_words`), paragraphs and runs (`rtf_story`),
markdown (`docx_blocks`). Guarantee: the work is linear in the length of the file, however deep its groups are; a file
that ends too early has the text up to there.
"""

from collections.abc import Callable, Mapping
from typing import Any

from headwater.parsing.office.doc_fields import is_contents, read_target
from headwater.parsing.office.doc_markup import make_root
from headwater.parsing.office.rtf_fonts import Fonts
from headwater.parsing.office.rtf_group import Group, Reader, Words
from headwater.parsing.office.rtf_lists import ListTable
from headwater.parsing.office.rtf_rows import Row
from headwater.parsing.office.rtf_story import Place, Story
from headwater.parsing.office.rtf_styles import StyleTable
from headwater.parsing.office.rtf_summary import Summary
from headwater.parsing.office.rtf_text import Text
from headwater.parsing.office.rtf_tokens import BYTE, CLOSE, OPEN, SYMBOL, TEXT, WORD, Token, iterate_tokens
from headwater.parsing.office.rtf_words import CHARACTERS, KNOWN, SKIPPED, SYMBOLS

_DEPTH = 1_000  # of groups that are told apart
_STORIES = 8  # that may be in each other
_ENDS = ("par", "page", "sect")
_PARAGRAPH_SIGNS = ("\n", "\r")
_CAPTION = " SEQ "  # numbers tables and figures


class Tree:
    """Makes the XML of a file."""

    def __init__(self, content: bytes) -> None:
        """Read a file.

        Args:
            content: the file.
        """
        self.summary, self.styles, self.lists = Summary(), StyleTable(), ListTable()
        self.notes: dict[tuple[str, str], Any] = {}
        self.body = make_root("body")
        self._fonts = Fonts()
        self._ids: dict[str, str] = {}
        self._readers: Mapping[str, Reader] = {
            "fonttbl": self._fonts, "stylesheet": self.styles, "info": self.summary, "listtable": self.lists,
            "listoverridetable": self.lists,
        }  # fmt: skip
        self._actions: Mapping[str, Callable[[str, int | None], None]] = {
            **dict.fromkeys(self._readers, self._begin_table), **dict.fromkeys(_ENDS, self._end_paragraph),
            **dict.fromkeys(("cell", "nestcell"), self._end_cell), **dict.fromkeys(("row", "nestrow"), self._end_row),
            **dict.fromkeys(("listtext", "pntext"), self._begin_label), "footnote": self._begin_note,
            **dict.fromkeys(("shptxt", "dptxbxtext"), self._begin_box), "field": self._begin_field,
            "fldinst": self._begin_instruction, "fldrslt": self._begin_result, "trowd": self._begin_row,
        }  # fmt: skip
        self._groups = [Group()]
        self._depth = 0  # of the groups that are not told apart
        self._stories = [Story(self.body, self.lists, self._ids)]
        self._text = Text(self._fonts)
        self._is_starred = False
        self._read(content.decode("latin-1"))

    @property
    def targets(self) -> Mapping[str, str]:
        """The addresses of the links, by their ids."""
        return {name: target for target, name in self._ids.items()}

    def _read(self, source: str) -> None:
        handlers: Mapping[str, Callable[[Token], None]] = {
            OPEN: self._open, CLOSE: self._close, WORD: self._read_word, SYMBOL: self._read_symbol,
            BYTE: self._read_byte, TEXT: self._read_text,
        }  # fmt: skip
        for token in iterate_tokens(source):
            if token.kind in (OPEN, CLOSE) or not self._groups[-1].is_skipped:
                handlers[token.kind](token)
            if len(self._groups) == 1 and token.kind == CLOSE:
                break
        self._flush()
        while self._groups:  # those that a file without an end does not close
            if self._stories[-1].has_text():
                self._end_paragraph("par", None)
            self._end_group()
        self._stories[0].body.end()

    def _open(self, token: Token) -> None:
        self._flush()
        self._is_starred = False
        self._text.end_repetition()
        for _ in token.text:
            if len(self._groups) < _DEPTH:
                self._groups.append(self._groups[-1].open())
            else:
                self._depth += 1

    def _close(self, token: Token) -> None:
        self._flush()
        self._text.end_repetition()
        for _ in token.text:
            if self._depth:
                self._depth -= 1
            elif len(self._groups) > 1:
                self._end_group()

    def _end_group(self) -> None:
        group, story = self._groups.pop(), self._stories[-1]
        if group.is_story or len(self._groups) == 1:
            story.end_paragraph(group, Place(group.depth))
        if group.is_story:
            story.body.end()
            self._stories.pop()

    def _read_word(self, token: Token) -> None:
        word = token.text
        is_starred, self._is_starred = self._is_starred, False
        group = self._groups[-1]
        if word in CHARACTERS:
            self._text.add_character(CHARACTERS[word], group.font)
        elif word == "u":
            self._text.add_unicode(token.value, group.font, group.fallback)
        else:
            self._text.end_repetition()
            self._flush()
            group.is_skipped = word in SKIPPED or (is_starred and word not in KNOWN)
            if not group.is_skipped:
                self._obey_word(group, word, token.value)

    def _obey_word(self, group: Group, word: str, number: int | None) -> None:
        self._fonts.read_header(word, number)
        group.read_word(word, number)
        if group.reader:
            group.reader.read_word(word, number)
        elif word in self._actions:
            self._actions[word](word, number)
        else:
            group.row.read_word(word, number)

    def _read_symbol(self, token: Token) -> None:
        if token.text == "*":
            self._is_starred = True
        elif token.text in SYMBOLS:
            self._text.add_character(SYMBOLS[token.text], self._groups[-1].font)
        elif token.text in _PARAGRAPH_SIGNS and self._groups[-1].reader is None:
            self._flush()
            self._end_paragraph("par", None)

    def _read_byte(self, token: Token) -> None:
        self._text.add_byte(token.value or 0)

    def _read_text(self, token: Token) -> None:
        self._text.add_bytes(token.text)

    def _flush(self) -> None:
        """Hand on the text since the last call, before something changes that holds for what follows."""
        group = self._groups[-1]
        text = self._text.take(group.font)
        if group.reader and text:
            group.reader.read_text(text)
        elif text:
            text = self._fonts.replace_signs(text, group.font)
            self._stories[-1].add_run(text, group, self._fonts.name(group.font))

    def _begin_table(self, word: str, _number: int | None) -> None:
        self._groups[-1].reader = self._readers[word]

    def _begin_label(self, _word: str, _number: int | None) -> None:
        self._groups[-1].reader = self._stories[-1].begin_label()

    def _begin_field(self, _word: str, _number: int | None) -> None:
        self._groups[-1].instruction = Words()

    def _begin_instruction(self, _word: str, _number: int | None) -> None:
        self._groups[-1].reader = self._groups[-1].instruction

    def _begin_result(self, _word: str, _number: int | None) -> None:
        group = self._groups[-1]
        instruction = str(group.instruction)
        group.is_skipped = is_contents(instruction)
        group.target = read_target(instruction) or group.target
        if _CAPTION in f" {instruction} ":
            self._stories[-1].add_instruction(instruction, group)

    def _begin_row(self, _word: str, _number: int | None) -> None:
        self._groups[-1].row = Row()

    def _begin_note(self, _word: str, _number: int | None) -> None:
        note, name = make_root("footnote"), str(len(self.notes))
        self.notes["footnote", name] = note
        self._stories[-1].add_note(name, self._groups[-1])
        self._begin_story(note)

    def _begin_box(self, _word: str, _number: int | None) -> None:
        self._begin_story(self._stories[-1].add_box(self._groups[-1]))

    def _begin_story(self, container: Any) -> None:
        group = self._groups[-1]
        group.is_skipped = group.is_story or len(self._stories) >= _STORIES
        if not group.is_skipped:
            group.is_story, group.characters, group.paragraph, group.target = True, {}, {}, ""
            self._stories.append(Story(container, self.lists, self._ids))

    def _end_paragraph(self, _word: str, _number: int | None) -> None:
        group = self._groups[-1]
        self._stories[-1].end_paragraph(group, Place(group.depth))

    def _end_cell(self, word: str, _number: int | None) -> None:
        group = self._groups[-1]
        depth = 1 if word == "cell" else max(group.depth, 2)
        self._stories[-1].end_paragraph(group, Place(depth, ends_cell=True))

    def _end_row(self, word: str, _number: int | None) -> None:
        group, story = self._groups[-1], self._stories[-1]
        depth = 1 if word == "row" else max(group.depth, 2)
        if story.has_text():
            story.end_paragraph(group, Place(depth))
        story.body.end_row(group.row.build(), depth)
