"""Parsing files of Word 97 to 2003 (.doc).

Belongs here: their parser. Not here: how they are stored (the `doc_` modules), how paragraphs, lists and tables become
markdown (the `docx_` modules). Guarantee: the text is what a reader of the final version sees: deleted text, comments,
headers and footers are left out; macros and embedded objects are never read.
"""

from typing import ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.parsing.office.doc_file import open_word, refuse_damage
from headwater.parsing.office.doc_lists import read_lists
from headwater.parsing.office.doc_styles import StyleSheet
from headwater.parsing.office.doc_summary import read_summary
from headwater.parsing.office.doc_tree import Tree
from headwater.parsing.office.docx_blocks import Blocks
from headwater.parsing.office.docx_numbers import Numbers
from headwater.parsing.office.docx_styles import Styles
from headwater.parsing.office.package import LIMITS, properties
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category


class DocParser(Parser):
    """Reads files of Word 97 to 2003."""

    media_types: ClassVar[tuple[str, ...]] = ("application/msword",)
    suffixes: ClassVar[tuple[str, ...]] = (".doc",)
    version: ClassVar[str] = "doc-3"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = LIMITS

    def prepare(self) -> None:
        """Import olefile and lxml."""
        import lxml.etree  # noqa: F401 - slow to import
        import olefile  # noqa: F401 - slow to import

    def parse(self, file: File) -> ParsedDocument:
        """Read a file: headings by styles and outline levels, lists with their numbers, tables, notes.

        Raises:
            DocumentError: it is older than Word 97 or damaged, or no password of its source opens it.
        """
        word = open_word(file.content, file.passwords)
        with refuse_damage():
            sheet = StyleSheet(word)
            tree = Tree(word, sheet)
            body, notes = tree.make_body(), tree.make_notes()
            blocks = Blocks(
                styles=Styles(sheet.make_root()), numbers=Numbers(read_lists(word)), targets=tree.targets, notes=notes
            )
            text = blocks.markdown(body)
            title, metadata = properties(read_summary(word.summary))
        return ParsedDocument(
            uri=file.uri,
            title=blocks.choose_title(title, text),
            text=text,
            category=folder_category(file.uri, file.root),
            metadata=metadata,
        )
