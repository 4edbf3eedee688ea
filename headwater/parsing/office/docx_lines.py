"""The paragraphs of a Word file as lines that may look like headings.

Belongs here: how large and bold paragraphs are, and which are plain text. Not here: which of them are headings
(`line_headings`), styles (`docx_styles`). Guarantee: a table is one line without a size; a line has the text that its
paragraph has in the document, without boxes and notes.
"""

from collections.abc import Iterator
from typing import Any

from headwater.parsing.office.docx_styles import Style, Styles, read_size
from headwater.parsing.office.docx_xml import Inline, W, child_value, is_on, run_text
from headwater.parsing.office.line_headings import TextLine

_AROUND_RUNS = frozenset(
    f"{W}{name}" for name in ("hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml")
)


def read_lines(body: Any, styles: Styles) -> Iterator[TextLine]:
    """The paragraphs of a body and the tables between them.

    Args:
        body: the document's body.
        styles: its styles.
    """
    inline = Inline({}, lambda *_: "", frozenset())
    for element in body.iterchildren():
        if element.tag == f"{W}p":
            yield _read_line(element, styles, inline)
        elif element.tag == f"{W}tbl":
            yield TextLine(element)
        else:
            yield from read_lines(element, styles)


def _read_line(paragraph: Any, styles: Styles, inline: Inline) -> TextLine:
    style = styles.of(paragraph)
    sizes: dict[float, int] = {}
    for run in _iterate_runs(paragraph):
        if length := len(run_text(run).strip()):
            size = read_size(run.find(f"{W}rPr")) or style.size or styles.text_size
            sizes[size] = sizes.get(size, 0) + length
    text = inline.text(paragraph).strip()
    inline.boxes.clear()
    inline.pictures.clear()
    size = max(sizes, key=lambda size: sizes[size], default=0)
    is_text = _is_text(paragraph, style)
    list_name = f"{style.list}:{style.list_level}" if style.list not in ("", "0") and not style.heading else ""
    return TextLine(
        paragraph, style.heading, size, bool(is_bold(paragraph, styles)), text, is_text, style.is_code, list_name
    )


def is_bold(paragraph: Any, styles: Styles) -> bool | None:
    """Whether all text of a paragraph is bold; None if it has none."""
    style = styles.of(paragraph)
    runs = [run for run in _iterate_runs(paragraph) if run_text(run).strip()]
    return all(_is_bold(run.find(f"{W}rPr"), style, styles) for run in runs) if runs else None


def _iterate_runs(parent: Any) -> Iterator[Any]:
    """The runs of a paragraph that a reader sees, without those of boxes."""
    for child in parent.iterchildren():
        if child.tag == f"{W}r" and not is_on(child.find(f"{W}rPr"), "vanish"):
            yield child
        elif child.tag in _AROUND_RUNS:
            yield from _iterate_runs(child)


def _is_bold(properties: Any, style: Style, styles: Styles) -> bool:
    if properties is not None and properties.find(f"{W}b") is not None:
        return is_on(properties, "b")
    if properties is not None and child_value(properties, "rStyle") in styles.bold_characters:
        return True
    return styles.bold_text if style.bold is None else style.bold


def _is_text(paragraph: Any, style: Style) -> bool:
    if style.is_code or style.is_quote or style.is_contents or style.is_caption or style.bullet is not None:
        return False
    fields = [element.text or "" for element in paragraph.iter(f"{W}instrText")]
    fields += [element.get(f"{W}instr", "") for element in paragraph.iter(f"{W}fldSimple")]
    return " SEQ " not in f" {''.join(fields)} "
