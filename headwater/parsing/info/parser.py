"""Parsing Info files.

Belongs here: their parser. Not here: what nodes look like (`info_markdown`). Guarantee: the headings of the manual are
headings of the text; its lines are its places.
"""

import re
from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.info.info_markdown import SEPARATOR, find_title, to_markdown
from headwater.parsing.markdown.writer import line_places
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import folder_category
from headwater.parsing.text import decode

_PICTURE = re.compile(rb"\x00\x08\[[^\x00]{0,4000}\x00\x08\]")  # and the mark of an index
_MARKS = bytes.maketrans(b"\x1f\x7f\x0c", SEPARATOR.encode() + b"  ")  # control characters, which text does not have


class InfoParser(Parser):
    """Reads Info files."""

    media_types: ClassVar[tuple[str, ...]] = ("text/x-info",)
    suffixes: ClassVar[tuple[str, ...]] = (".info",)
    version: ClassVar[str] = "info-1"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        content = _PICTURE.sub(lambda match: b"\n" * match[0].count(b"\n"), file.content).replace(b"\x1f\x0c", b"\x1f")
        source = decode(content.translate(_MARKS, delete=b"\x00\x08"))
        title = find_title(source)
        text, starts = to_markdown(source, title)
        return ParsedDocument(
            uri=file.uri,
            title=title,
            text=text,
            category=folder_category(file.uri, file.root),
            places=line_places(starts, text),
        )
