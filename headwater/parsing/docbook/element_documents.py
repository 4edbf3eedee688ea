"""Documents of DocBook's elements, whichever vocabulary a file has.

Belongs here: from a file to a document. Not here: elements (`docbook_html`), parsers. Guarantee: its lines are its
places; no other file is included; what is not well-formed, or no document, is read as code.
"""

from collections.abc import Callable

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError, TooLargeError
from headwater.parsing.code_files import CodeParser
from headwater.parsing.docbook.docbook_entities import replace_entities
from headwater.parsing.docbook.docbook_html import DocBookHtml, section_title
from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.parser import File
from headwater.parsing.text import decode
from headwater.parsing.xml import Element, parse_xml


def read_elements(file: File, find_root: Callable[[Element], Element | None]) -> ParsedDocument:
    """Read a file.

    Args:
        file: the file.
        find_root: returns the root in DocBook's elements of that of the file; None if it is no document.

    Raises:
        TooLargeError: it is too large, or its entities stand for too much.
    """
    source = decode(file.content)
    try:
        root = find_root(parse_xml(replace_entities(source).encode()))
        text = "" if root is None else fragment_markdown(DocBookHtml(root).html(), file.uri)[0]
    except TooLargeError:
        raise
    except DocumentError:
        return CodeParser().parse(file)
    if not text:
        return CodeParser().parse(file)
    return make_line_document(file, source, title=section_title(root), text=text)
