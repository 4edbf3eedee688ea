"""Documents whose text was made of the lines of a file, such as AsciiDoc, Org or LaTeX.

Belongs here: what these parsers do alike once they have the text. Not here: making it. Guarantee: places are lines of
the file; references are files of the same source.
"""

from collections.abc import Iterable

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.parser import resolve_link
from headwater.parsing.markdown.writer import line_places
from headwater.parsing.original_lines import line_starts
from headwater.parsing.parser import File
from headwater.parsing.registry import folder_category


def make_line_document(file: File, source: str, *, title: str, text: str, links: Iterable[str] = ()) -> ParsedDocument:
    """A file as a document.

    Args:
        file: the file.
        source: its content, decoded.
        title: its title, or empty.
        text: the markdown that was made of it.
        links: what it links to; only what lies in the same source becomes a reference.
    """
    targets = dict.fromkeys(resolve_link(link, file.uri, file.root) for link in links)
    return ParsedDocument(
        uri=file.uri,
        title=title,
        text=text,
        category=folder_category(file.uri, file.root),
        references=tuple(target for target in targets if target and target != file.uri),
        places=line_places(line_starts(text, source), text),
    )
