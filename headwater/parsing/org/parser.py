"""Parsing Org files.

Belongs here: their parser. Not here: their markup (`org_markdown`). Guarantee: its lines are its places; nothing is
included from other files, and no code runs.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.parser import resolve_link
from headwater.parsing.markdown.writer import line_places
from headwater.parsing.org.org_markdown import OrgDocument
from headwater.parsing.original_lines import line_starts
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import folder_category
from headwater.parsing.text import decode


class OrgParser(Parser):
    """Reads Org files."""

    media_types: ClassVar[tuple[str, ...]] = ("text/org", "text/x-org")
    suffixes: ClassVar[tuple[str, ...]] = (".org",)
    version: ClassVar[str] = "org-1"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file."""
        source = decode(file.content)
        document = OrgDocument(source)
        text = document.text()
        targets = dict.fromkeys(resolve_link(link, file.uri, file.root) for link in document.links)
        return ParsedDocument(
            uri=file.uri,
            title=document.title,
            text=text,
            category=folder_category(file.uri, file.root),
            references=tuple(target for target in targets if target and target != file.uri),
            places=line_places(line_starts(text, source), text),
        )
