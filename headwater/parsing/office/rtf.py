"""Parsing RTF files.

Belongs here: their parser. Not here: how they are stored (the `rtf_` modules), how paragraphs, lists and tables become
markdown (the `docx_` modules). Guarantee: the text is what a reader of the final version sees: deleted and hidden text,
comments, headers and footers are left out; pictures and embedded objects are never read.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.office.docx_blocks import Blocks
from headwater.parsing.office.docx_numbers import Numbers
from headwater.parsing.office.docx_styles import Styles
from headwater.parsing.office.package import LIMITS, properties
from headwater.parsing.office.rtf_tree import Tree
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category

_BEGIN = b"{\\rtf"
_PREFACE = 1_024  # bytes in which a file begins


class RtfParser(Parser):
    """Reads RTF files."""

    media_types: ClassVar[tuple[str, ...]] = ("application/rtf", "text/rtf")
    suffixes: ClassVar[tuple[str, ...]] = (".rtf",)
    version: ClassVar[str] = "rtf-5"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = LIMITS

    def prepare(self) -> None:
        """Import lxml."""
        import lxml.etree  # noqa: F401 - slow to import

    def parse(self, file: File) -> ParsedDocument:
        """Read a file: headings by styles and outline levels, lists with their numbers, tables, notes.

        Raises:
            DocumentError: it is damaged.
        """
        begin = file.content.find(_BEGIN, 0, _PREFACE)
        if begin < 0:
            raise DocumentError("The file is damaged, or no RTF file. Save it again, as .docx.")
        tree = Tree(file.content[begin:])
        blocks = Blocks(
            styles=Styles(tree.styles.make_root()),
            numbers=Numbers(tree.lists.make_root()),
            targets=tree.targets,
            notes=tree.notes,
        )
        text = blocks.markdown(tree.body)
        title, metadata = properties(tree.summary.collect())
        return ParsedDocument(
            uri=file.uri,
            title=blocks.choose_title(title, text),
            text=text,
            category=folder_category(file.uri, file.root),
            metadata=metadata,
        )
