"""Parsing PowerPoint files (.pptx).

Belongs here: their parser: slides in order, their notes. Not here: the shapes of a slide (`pptx_shapes`). Guarantee:
the text of a slide lies between its place and the next; hidden slides, and slides with only pictures, are left out.
"""

from io import BytesIO
from typing import Any, ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.domain.places import PlaceKind, Places
from headwater.parsing.office.line_headings import choose_title
from headwater.parsing.office.package import (
    LIMITS,
    join_blocks,
    one_line,
    open_package,
    plain,
    properties,
    refuse_depth,
)
from headwater.parsing.office.pptx_choices import choose_shapes
from headwater.parsing.office.pptx_shapes import shape_blocks, title_of
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.registry import folder_category


class PptxParser(Parser):
    """Reads PowerPoint files."""

    media_types: ClassVar[tuple[str, ...]] = (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".pptx",)
    version: ClassVar[str] = "pptx-6"
    keeps_original: ClassVar[bool] = True
    limits: ClassVar[Limits | None] = LIMITS

    def prepare(self) -> None:
        """Import python-pptx."""
        import pptx  # noqa: F401 - slow to import

    def parse(self, file: File) -> ParsedDocument:
        """Read a file: a section for each slide that is shown, with its notes."""
        from pptx import Presentation

        package = open_package(file, suffix=".pptx")
        with refuse_depth():
            presentation = Presentation(BytesIO(package.content))
            sections = [
                (slide_number, _section(slide, slide_number))
                for slide_number, slide in _list_visible_slides(presentation)
            ]
        text, starts = "", []
        for slide_number, section in [section for section in sections if section[1]]:
            text += "\n\n" if text else ""
            starts.append((len(text), slide_number))
            text += section
        title, metadata = properties(presentation.core_properties)
        return ParsedDocument(
            uri=file.uri,
            title=choose_title(title, largest_line=_first_title(presentation), first_heading="", text=text),
            text=text,
            category=folder_category(file.uri, file.root),
            metadata=metadata,
            places=Places.of(PlaceKind.SLIDE, starts),
        )


def _list_visible_slides(presentation: Any) -> list[tuple[int, Any]]:
    """The slides that are not hidden, with their numbers."""
    slides = enumerate(presentation.slides, start=1)
    visible_slides = [
        (slide_number, slide) for slide_number, slide in slides if slide.element.get("show", "1") not in ("0", "false")
    ]
    for _, slide in visible_slides:
        choose_shapes(slide)
    return visible_slides


def _first_title(presentation: Any) -> str:
    titles = (one_line(title_of(slide)) for _, slide in _list_visible_slides(presentation))
    return next(filter(None, titles), "")


def _section(slide: Any, number: int) -> str:
    """The section of a slide; empty if it has only pictures."""
    heading = one_line(title_of(slide))
    blocks = [text for text in (*shape_blocks(slide), _notes(slide)) if text.strip()]
    return join_blocks([f"## {heading or f'Slide {number}'}", *blocks]) if heading or blocks else ""


def _notes(slide: Any) -> str:
    if not slide.has_notes_slide:
        return ""
    frame = slide.notes_slide.notes_text_frame
    text = plain(frame.text.replace("\v", "\n")) if frame is not None else ""
    return f"Notes: {text}" if text else ""
