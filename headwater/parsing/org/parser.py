"""Parsing Org files.

Belongs here: their parser. Not here: their markup (`org_markdown`). Guarantee: its lines are its places; nothing is
included from other files, and no code runs.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.markdown.title_headings import find_opening_heading
from headwater.parsing.org.org_markdown import OrgDocument
from headwater.parsing.parser import File, Parser
from headwater.parsing.text import decode


class OrgParser(Parser):
    """Reads Org files."""

    media_types: ClassVar[tuple[str, ...]] = ("text/org", "text/x-org")
    suffixes: ClassVar[tuple[str, ...]] = (".org",)
    version: ClassVar[str] = "org-3"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        source = decode(file.content)
        document = OrgDocument(source)
        text = document.text()
        title = document.title or find_opening_heading(text, file.uri)
        return make_line_document(file, source, title=title, text=text, links=document.links)
