"""HTML within other formats: chapters of books, bodies of messages.

Belongs here: handing it to the parser of web pages. Not here: reading HTML (the parser of `text/html`). Guarantee:
without such a parser, the text is read as markdown that contains HTML.
"""

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.markdown import parse_markdown
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_of_type
from headwater.parsing.text import decode


def read_html(content: bytes, *, uri: str, root: str = "", media_type: str = "text/html") -> ParsedDocument:
    """Read HTML as markdown.

    Args:
        content: the HTML.
        uri: where it is, so that its links are resolved.
        root: the root folder of the source.
        media_type: its type, with the charset if that is known.

    Raises:
        DocumentError: it cannot be read.
    """
    try:
        parser = parser_of_type(media_type)
    except DocumentError:
        return parse_markdown(decode(content), uri=uri, root=root)
    return parser.parse(File(content=content, uri=uri, root=root, media_type=media_type))
