"""Parsing OpenDocument files: texts (.odt), sheets (.ods) and slides (.odp), also in one piece of XML (.fodt).

Belongs here: their parser. Not here: the XML of each kind (the `odf_` modules). Guarantee: the text is what a reader of
the final version sees: deleted text, comments, headers, footers and tables of contents are left out.
"""

from typing import ClassVar

from headwater.domain.documents import Original, ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.errors import DocumentError
from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.office.line_headings import choose_title
from headwater.parsing.office.package import LIMITS
from headwater.parsing.office.xlsx_text import WorkbookText
from headwater.parsing.opendocument.odf_file import OFFICE, OdfFile
from headwater.parsing.opendocument.odf_html import HtmlWriter
from headwater.parsing.opendocument.odf_sheets import add_sheets
from headwater.parsing.opendocument.odf_slides import slide_sections
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category

_KINDS = ("text", "spreadsheet", "presentation")
_TYPE = "application/vnd.oasis.opendocument."


class OpenDocumentParser(Parser):
    """Reads the files of LibreOffice and of other programs that write OpenDocument."""

    media_types: ClassVar[tuple[str, ...]] = tuple(
        f"{_TYPE}{kind}{ending}" for ending in ("", "-template", "-flat-xml") for kind in _KINDS
    )
    suffixes: ClassVar[tuple[str, ...]] = (".odt", ".ods", ".odp", ".ott", ".ots", ".otp", ".fodt", ".fods", ".fodp")
    version: ClassVar[str] = "opendocument-4"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = LIMITS

    def parse(self, file: File) -> ParsedDocument:
        """Read a file: a text's blocks, a section for each sheet, or one for each slide.

        Raises:
            DocumentError: it is damaged, encrypted or of another kind.
        """
        odf_file = OdfFile(file.content)
        kind = odf_file.body.tag.removeprefix(OFFICE)
        if kind not in _KINDS:
            raise DocumentError(f"Of OpenDocument, {kind} files aren't supported.")
        places: Places | None = None
        if kind == "text":
            text, title = _text(odf_file, file.uri)
        elif kind == "spreadsheet":
            workbook = WorkbookText()
            add_sheets(odf_file, workbook)
            (text, places), title = workbook.finish(), odf_file.title
        else:
            text, title, places = _slides(odf_file, file.uri)
        return ParsedDocument(
            uri=file.uri,
            title=title,
            text=text,
            category=folder_category(file.uri, file.root),
            metadata=odf_file.metadata,
            places=places,
            original=Original(
                content=file.content, media_type=f"{_TYPE}{kind}{'' if odf_file.is_archive else '-flat-xml'}"
            ),
        )


def _text(odf_file: OdfFile, uri: str) -> tuple[str, str]:
    writer = HtmlWriter(odf_file)
    text, _ = fragment_markdown(writer.blocks(odf_file.body), uri)
    heading = writer.first_heading if text.startswith("#") else ""  # below a cover, it names only a part
    title = choose_title(odf_file.title, largest_line=writer.largest_line, first_heading=heading, text=text)
    return text, writer.title or title


def _slides(odf_file: OdfFile, uri: str) -> tuple[str, str, Places]:
    text, first_title, starts = "", "", []
    for slide_number, title, section in slide_sections(odf_file, uri):
        text += "\n\n" if text else ""
        starts.append((len(text), slide_number))
        text += section
        first_title = first_title or title
    title = choose_title(odf_file.title, largest_line=first_title, first_heading="", text=text)
    return text, title, Places.of(PlaceKind.SLIDE, starts)
