"""Parsing the description of an HTTP API among other files.

Belongs here: one document of a whole description, and where its operations stand in the file. Not here: its operations
(`description`); a source whose documents are the operations (`headwater.sources.openapi`). Guarantee: a place is a line
of the operation's own part of the file; the work is linear.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING, ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.code_files import CodeParser
from headwater.parsing.file_types import OPENAPI
from headwater.parsing.markdown.heading_levels import lower_headings
from headwater.parsing.markdown.writer import line_places
from headwater.parsing.original_lines import line_starts
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category
from headwater.parsing.text import decode

if TYPE_CHECKING:
    from headwater.parsing.openapi.description import Operation

    _Section = tuple[str, Operation | None]

_KEY = re.compile(
    r"^(?P<indent>[ \t]*)(?:\"(?P<double>(?:[^\"\\\n]|\\.){1,500})\"|'(?P<single>[^'\n]{1,500})'"
    r"|(?P<bare>[^\s\"'#][^\n]{0,500}?))[ \t]*:(?=[ \t\n{]|$)",
    re.MULTILINE,
)


class OpenApiParser(Parser):
    """Reads OpenAPI and Swagger; each operation is a section."""

    media_types: ClassVar[tuple[str, ...]] = (OPENAPI, "application/openapi+json", "application/openapi+yaml")
    suffixes: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = "openapi_file-1"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import the reader of YAML."""
        from headwater.parsing.openapi import description  # noqa: F401 - it imports yaml

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; as code if it describes no operation, such as a template or a list of schemas."""
        from headwater.parsing.openapi.description import read_operations

        try:
            about, *operations = read_operations(file.content)
        except DocumentError:
            operations = []
        if not operations:
            return CodeParser().parse(file)
        source = decode(file.content)
        sections = [(about.text, None), *_group_operations(operations)]
        text = "\n\n".join(section for section, _ in sections)
        return ParsedDocument(
            uri=file.uri,
            title=about.title,
            text=text,
            category=folder_category(file.uri, file.root),
            places=line_places(_place_lines(sections, source), text),
        )


def _group_operations(operations: "Sequence[Operation]") -> "Iterator[_Section]":
    """The operations below their first tags, in the order of the file; those without a tag come first."""
    yield "## Operations", operations[0]
    by_tag: dict[str, list[Operation]] = {"": []}
    for operation in operations:
        by_tag.setdefault(" ".join(operation.tags[:1]), []).append(operation)
    for tag, tagged_operations in by_tag.items():
        for position, operation in enumerate(tagged_operations):
            heading = f"### {' '.join(tag.split())} operations\n\n" if tag and not position else ""
            yield heading + lower_headings(operation.text, below=3 if tag else 2), operation


def _place_lines(sections: "Sequence[_Section]", source: str) -> Iterator[tuple[int, int]]:
    """The offset of each line of the text, and the line of the file where it stands, or else where its operation does.

    Args:
        sections: the text in parts, each with the operation that it is about; without one, it is about the whole API.
        source: the file.
    """
    source_lines = source.split("\n")
    operations = [operation for _, operation in sections if operation]
    begins_by_key = find_operations(source, {operation.path for operation in operations})
    borders = sorted({*begins_by_key.values(), len(source_lines) + 1})
    offset = 0
    for section, operation in sections:
        begin = begins_by_key.get((operation.path, operation.method.lower()), 0) if operation else 1
        end = borders[bisect_right(borders, begin)] if begin else 1
        known_lines = dict(line_starts(section, "\n".join(source_lines[begin - 1 : end - 1]))) if begin else {}
        line, position = max(begin, 1), offset
        for text_line in section.split("\n"):
            line = max(line, known_lines.get(position - offset, 1) + begin - 1)
            yield position, line
            position += len(text_line) + 1
        offset += len(section) + 2


def find_operations(source: str, paths: Set[str]) -> dict[tuple[str, str], int]:
    """The line of each operation, by its path and method; without those of which the file writes it in another way.

    Args:
        source: the file.
        paths: the paths of the operations; their keys are indented alike, and so are those of the methods of a path.
    """
    begins: dict[tuple[str, str], int] = {}
    path, line, position = "", 1, 0
    path_indent = method_indent = ""
    for key in _KEY.finditer(source):
        line += source.count("\n", position, key.start())
        position = key.start()
        name = (key["double"] or "").replace("\\/", "/") or key["single"] or key["bare"]
        if name in paths and (not path or key["indent"] == path_indent):
            path, path_indent, method_indent = name, key["indent"], ""
        elif path and (not method_indent or key["indent"] == method_indent):
            method_indent = key["indent"]
            begins.setdefault((path, name), line)
    return begins
