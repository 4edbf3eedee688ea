"""A file of a repository as a document.

Belongs here: which parser reads it, its title, the address of its lines. Not here: parsers (`headwater.parsing`).
Guarantee: code keeps its text; only its title and places are the codebase's own.
"""

from dataclasses import replace

from headwater.domain.code_files import PLAIN_CODE
from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind
from headwater.parsing.file_types import media_type_of
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import find_parser, parse_file, parser_of_type
from headwater.sources.codebase.file_filter import is_documentation


def parser_of(content: bytes, path: str) -> Parser:
    """The parser of a file: documentation by its format, everything else as code."""
    parser = find_parser(media_type_of(content, path), path) if is_documentation(path) else None
    return parser or parser_of_type(PLAIN_CODE)


def parse_code(parser: Parser, file: File, address: str) -> ParsedDocument:
    """Read a file.

    Args:
        parser: the result of `parser_of`.
        file: the file.
        address: its address at the commit; lines are added to it, so it is not used where lines are not known.

    Raises:
        DocumentError: it cannot be read.
    """
    document = parse_file(parser, file)
    if document.places is not None and document.places.kind == PlaceKind.LINE:
        document = replace(document, places=replace(document.places, address=address))
    # Many files of a repository have the same name, so the title of code is its whole path.
    return document if is_documentation(file.uri) else replace(document, title=file.uri)
