"""Parsing text files whose name says no more than that they are text.

Belongs here: their parser, and what is left out of a text that was made for a printer or a terminal. Not here:
encodings (`text`), what markup looks like (`text_structure`), whether a hyphen belongs to its word (`pdf.hyphens`).
Guarantee: a text with a structure is read as what it is, whatever it is called; of any other, the text is the file's,
line by line.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from headwater.domain.code_files import PLAIN_CODE
from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.parsing.asciidoc.parser import AsciiDocParser
from headwater.parsing.change_logs import read_change_log
from headwater.parsing.code_files import CodeParser
from headwater.parsing.dokuwiki.parser import DokuWikiParser
from headwater.parsing.info.parser import InfoParser
from headwater.parsing.markdown.parser import MarkdownParser
from headwater.parsing.parser import File, Parser
from headwater.parsing.pdf.hyphens import Words
from headwater.parsing.registry import folder_category
from headwater.parsing.rfc_texts import RfcTextParser
from headwater.parsing.rst.parser import RstParser
from headwater.parsing.text import decode
from headwater.parsing.text_structure import (
    ASCIIDOC,
    DOKUWIKI,
    FORMATTED_MANUAL,
    INFO,
    MARKDOWN,
    RFC_TEXT,
    RST,
    TROFF,
    VIM_HELP,
    detect_structure,
    is_info,
    is_vim_help,
)
from headwater.parsing.troff.parser import FormattedManualParser, TroffParser
from headwater.parsing.vim_texts import VimTextParser

_READERS: Mapping[str, Parser] = {
    MARKDOWN: MarkdownParser(),
    ASCIIDOC: AsciiDocParser(),
    RST: RstParser(),
    TROFF: TroffParser(),
    FORMATTED_MANUAL: FormattedManualParser(),
    PLAIN_CODE: CodeParser(),
    INFO: InfoParser(),
    DOKUWIKI: DokuWikiParser(),
    RFC_TEXT: RfcTextParser(),
    VIM_HELP: VimTextParser(),
}
_SAMPLE = 16_384  # characters that tell the structure
_END = 500  # characters, with the settings of an editor
_INFO_SAMPLE = 65_536  # bytes; the first node of an Info file comes after the list of its parts
_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[()][0-9A-B]|[=>78])|[^\n\x08]\x08")
_DIVIDED = re.compile(r"(?<=[^\W\d_])-[ \t]*\n(?P<indent>[ \t]*)(?P<rest>[^\W\d_][^\s]*)[ \t]*")


class PlainTextParser(Parser):
    """Reads plain text, and text with a structure by the parser for that."""

    media_types: ClassVar[tuple[str, ...]] = ("text/plain",)
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)
    # A raised version of a parser that it calls is a raised version of its own.
    version: ClassVar[str] = "-".join(["text", "4", *(reader.version.replace("-", "") for reader in _READERS.values())])

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its category is its folder below `root`."""
        if is_info(file.content[:_INFO_SAMPLE]):  # before it is decoded: its index has marks that no text has
            return _READERS[INFO].parse(replace(file, media_type=INFO))
        decoded = decode(file.content)
        text = _without_terminal_marks(decoded)
        file = file if text is decoded else replace(file, content=text.encode("utf-8", "surrogatepass"))
        is_log = file.uri.lower().endswith(".log")  # logs hold pieces of anything
        media_type = "" if is_log else _detect_structure(text)
        if media_type:
            # Not `parse_file`: this may be the process that a large file is read in, which may start no other.
            return _READERS[media_type].parse(replace(file, media_type=media_type))
        change_log = None if is_log else read_change_log(text)
        return ParsedDocument(
            uri=file.uri,
            title="",
            text=change_log or (text if is_log else _with_whole_words(text)),
            media_type="text/markdown" if change_log else "text/plain",
            category=folder_category(file.uri, file.root),
            places=Places(kind=PlaceKind.LINE),
        )


def _detect_structure(text: str) -> str:
    beginning, end = (sample.encode("utf-8", "replace") for sample in (text[:_SAMPLE], text[-_END:]))
    return VIM_HELP if is_vim_help(beginning, end) else detect_structure(beginning)


def _without_terminal_marks(text: str) -> str:
    """A text without the colours of a terminal, and without characters that are printed over."""
    return _CONTROL.sub("", text) if "\x1b" in text or "\x08" in text else text


def _with_whole_words(text: str) -> str:
    """A text whose divided words stand in one piece, at the end of the line where they begin."""
    if not _DIVIDED.search(text):
        return text
    words = Words(line.strip() for line in text.split("\n"))

    def join(match: re.Match[str]) -> str:
        beginning = text[text.rfind("\n", 0, match.start()) + 1 : match.start() + 1]
        count, between = words.joint(beginning, match["rest"])
        return f"{match['rest']}\n{match['indent']}" if count and not between else match[0]

    return _DIVIDED.sub(join, text)
