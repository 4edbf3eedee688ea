"""The paragraphs of a Word file as lines that may look like headings.

Belongs here: how large and bold paragraphs are, and which are plain text. Not here: which of them are headings
(`line_headings`), styles (`docx_styles`). Guarantee: a table is one line without a size.
"""

from collections.abc import Iterator
from typing import Any

from headwater.parsing.office.docx_styles import Style, Styles, read_look
from headwater.parsing.office.docx_xml import W
from headwater.parsing.office.line_headings import TextLine


def read_lines(body: Any, styles: Styles) -> Iterator[TextLine]:
    """The paragraphs of a body and the tables between them.

    Args:
        body: the document's body.
        styles: its styles.
    """
    for element in body.iterchildren():
        if element.tag == f"{W}p":
            yield _read_line(element, styles)
        elif element.tag == f"{W}tbl":
            yield TextLine(element)
        else:
            yield from read_lines(element, styles)


def _read_line(paragraph: Any, styles: Styles) -> TextLine:
    style = styles.of(paragraph)
    size, is_bold, text = read_look(paragraph, styles)
    is_text = _is_text(paragraph, style)
    return TextLine(paragraph, style.heading, size, is_bold, text.strip(), is_text, style.is_code)


def _is_text(paragraph: Any, style: Style) -> bool:
    if style.is_code or style.is_quote or style.is_contents or style.is_caption or style.bullet is not None:
        return False
    fields = [element.text or "" for element in paragraph.iter(f"{W}instrText")]
    return not any(" SEQ " in f" {field} " for field in fields)
