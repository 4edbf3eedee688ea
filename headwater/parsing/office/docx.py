"""Parsing Word files (.docx).

Belongs here: their parser. Not here: how paragraphs, lists and tables become markdown (the `docx_` modules).
Guarantee: the text is what a reader of the final version sees: deleted text, comments, headers and footers are left
out.
"""

from contextlib import suppress
from io import BytesIO
from typing import Any, ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.office.docx_blocks import Blocks
from headwater.parsing.office.docx_numbers import Numbers
from headwater.parsing.office.docx_styles import Styles
from headwater.parsing.office.docx_xml import W
from headwater.parsing.office.package import LIMITS, open_package, properties, refuse_depth
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category

_PARTS = {"styles": "styles", "numbering": "numbering", "footnotes": "footnote", "endnotes": "endnote"}


class DocxParser(Parser):
    """Reads Word files."""

    media_types: ClassVar[tuple[str, ...]] = (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".docx",)
    version: ClassVar[str] = "docx-6"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = LIMITS

    def prepare(self) -> None:
        """Import python-docx."""
        import docx  # noqa: F401 - slow to import

    def parse(self, file: File) -> ParsedDocument:
        """Read a file: headings by styles and outline levels, lists with their numbers, tables, notes."""
        from docx import Document

        package = open_package(file, suffix=".docx")
        with refuse_depth():
            document = Document(BytesIO(package.content))
            roots = read_parts(document.part)
            charts = _read_charts(document.part)
        blocks = Blocks(
            styles=Styles(roots.get("styles")),
            numbers=Numbers(roots.get("numbering")),
            targets={
                name: relation.target_ref for name, relation in document.part.rels.items() if relation.is_external
            },
            notes={
                (kind, note.get(f"{W}id", "")): note
                for kind in ("footnote", "endnote")
                if kind in roots
                for note in roots[kind].iterchildren(f"{W}{kind}")
            },
            charts=charts,
        )
        text = blocks.markdown(document.element.body)
        title, metadata = properties(document.core_properties)
        return ParsedDocument(
            uri=file.uri,
            title=blocks.choose_title(title, text),
            text=text,
            category=folder_category(file.uri, file.root),
            metadata=metadata,
        )


def read_parts(part: Any) -> dict[str, Any]:
    """The XML of the parts beside the body."""
    from docx.oxml import parse_xml

    roots = {}
    for relation in part.rels.values():
        name = relation.reltype.rpartition("/")[2]
        if name in _PARTS and not relation.is_external:
            roots[_PARTS[name]] = parse_xml(relation.target_part.blob)
    return roots


def _read_charts(part: Any) -> dict[str, Any]:
    """The roots of charts by the ids of their relations; one that is damaged is left out."""
    from docx.oxml import parse_xml
    from lxml.etree import XMLSyntaxError

    charts = {}
    for name, relation in part.rels.items():
        if relation.reltype.endswith(("/chart", "/chartEx")) and not relation.is_external:
            with suppress(XMLSyntaxError):
                charts[name] = parse_xml(relation.target_part.blob)
    return charts
