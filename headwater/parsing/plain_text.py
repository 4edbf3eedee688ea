"""Parsing text files whose name says no more than that they are text.

Belongs here: their parser. Not here: encodings (`text`), what markup looks like (`text_structure`). Guarantee: a text
with a structure is read as what it is, whatever it is called; of any other, the text is the file's, line by line.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from headwater.domain.code_files import PLAIN_CODE
from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.parsing.asciidoc.parser import AsciiDocParser
from headwater.parsing.code_files import CodeParser
from headwater.parsing.markdown.parser import MarkdownParser
from headwater.parsing.parser import File, Parser
from headwater.parsing.printed_text import with_whole_words, without_terminal_marks
from headwater.parsing.registry import folder_category
from headwater.parsing.rst.parser import RstParser
from headwater.parsing.text import decode
from headwater.parsing.text_structure import ASCIIDOC, MARKDOWN, RST, TROFF, detect_structure
from headwater.parsing.troff.parser import TroffParser

_READERS: Mapping[str, Parser] = {
    MARKDOWN: MarkdownParser(),
    ASCIIDOC: AsciiDocParser(),
    RST: RstParser(),
    TROFF: TroffParser(),
    PLAIN_CODE: CodeParser(),
}
_SAMPLE = 16_384  # characters that tell the structure


class PlainTextParser(Parser):
    """Reads plain text, and text with a structure by the parser for that."""

    media_types: ClassVar[tuple[str, ...]] = ("text/plain",)
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)
    # A raised version of a parser that it calls is a raised version of its own.
    version: ClassVar[str] = "-".join(["text", "2", *(reader.version.replace("-", "") for reader in _READERS.values())])

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its category is its folder below `root`."""
        decoded = decode(file.content)
        text = without_terminal_marks(decoded)
        file = file if text is decoded else replace(file, content=text.encode("utf-8", "surrogatepass"))
        is_log = file.uri.lower().endswith(".log")  # logs hold pieces of anything
        media_type = "" if is_log else detect_structure(text[:_SAMPLE].encode("utf-8", "replace"))
        if media_type:
            # Not `parse_file`: this may be the process that a large file is read in, which may start no other.
            return _READERS[media_type].parse(replace(file, media_type=media_type))
        return ParsedDocument(
            uri=file.uri,
            title="",
            text=text if is_log else with_whole_words(text),
            media_type="text/plain",
            category=folder_category(file.uri, file.root),
            places=Places(kind=PlaceKind.LINE),
        )
