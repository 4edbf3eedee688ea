"""Parsing POD.

Belongs here: its parser. Not here: its paragraphs (`pod_markdown`), what stands in them (`pod_inline`). Guarantee: the
headings of the file are headings of the text; its lines are its places.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.markdown.title_headings import find_opening_heading
from headwater.parsing.parser import File, Parser
from headwater.parsing.pod.pod_markdown import PodDocument
from headwater.parsing.text import decode


class PodParser(Parser):
    """Reads files of POD."""

    media_types: ClassVar[tuple[str, ...]] = ("text/x-pod",)
    suffixes: ClassVar[tuple[str, ...]] = (".pod", ".pod.in")
    version: ClassVar[str] = "pod-1"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its title is the name of the page, else its first heading."""
        source = decode(file.content)
        document = PodDocument(source)
        text = document.text()
        title = document.title or find_opening_heading(text, file.uri)
        return make_line_document(file, source, title=title, text=text)
