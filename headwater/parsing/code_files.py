"""Parsing code and configuration files.

Belongs here: their parser. Not here: names of code files (`headwater.domain.code_files`), splitting code
(`headwater.chunking`). Guarantee: the text is the file's.
"""

import posixpath
from typing import ClassVar

from headwater.domain.code_files import EXTENSIONS, PLAIN_CODE, code_media_type, script_media_type
from headwater.domain.documents import ParsedDocument
from headwater.domain.media_types import CodeMediaType
from headwater.domain.places import PlaceKind, Places
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import folder_category
from headwater.parsing.text import decode

_CONFIGURATION = ("application/json", "application/geo+json", "application/yaml", "application/x-yaml",
                  "application/toml", "application/xml", "text/xml", "text/x-ini", "text/x-diff", "text/yaml",
                  "application/javascript", "text/css")  # fmt: skip


class CodeParser(Parser):
    """Reads code, and configuration as if it were code."""

    media_types: ClassVar[tuple[str, ...]] = (*EXTENSIONS, *_CONFIGURATION)
    suffixes: ClassVar[tuple[str, ...]] = tuple(ending for endings in EXTENSIONS.values() for ending in endings)
    version: ClassVar[str] = "code-1"

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its title is its name, and its language selects how it is split."""
        return ParsedDocument(
            uri=file.uri,
            title=posixpath.basename(file.uri),
            text=decode(file.content),
            media_type=_language(file),
            category=folder_category(file.uri, file.root),
            places=Places(kind=PlaceKind.LINE),
        )


def _language(file: File) -> CodeMediaType:
    by_name = code_media_type(file.uri)
    stated = next((media_type for media_type in EXTENSIONS if media_type == file.media_type.partition(";")[0]), None)
    return by_name or stated or script_media_type(file.content) or PLAIN_CODE
