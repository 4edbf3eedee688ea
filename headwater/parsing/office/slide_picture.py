"""A slide of a PowerPoint file as a picture, with a passage marked on it.

Belongs here: drawing the texts, tables, pictures and plain backgrounds of a slide where they stand. Not here: the text
of a slide (`pptx`), marking (`picture_marks`). Guarantee: it runs where parsers run, in a process without network and
with limits; a slide with characters that the font lacks is not drawn. Charts, diagrams and shapes without words are
left out: only the program of the file shows a slide as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from headwater.domain.documents import Original
from headwater.errors import DocumentError
from headwater.parsing.office.package import open_package, refuse_depth
from headwater.parsing.page_drawer import PageDrawer, draw_apart
from headwater.parsing.parser import File
from headwater.parsing.picture_marks import find_spans, mark_box

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = "1"
"""Increase it when the same slide gives another picture."""
_WIDTH = 1000  # pixels
_MAX_HEIGHT = 1500
_POINT = 12_700  # EMU
_TITLES = ("TITLE", "CENTER_TITLE")
_TITLE_POINTS, _BODY_POINTS, _CELL_POINTS, _LEAST_POINTS = 36.0, 20.0, 14.0, 7.0
_MARGIN = 0.1 * 914_400  # EMU between a shape's border and its text
_LINE = 1.2  # height of a line by the size of its characters
_INDENT = 1.2  # of a level by the size of its characters
_MAX_DEPTH = 20
_MAX_PICTURE_PIXELS = 40_000_000
_BLACK, _WHITE, _GREY = (30, 30, 30), (255, 255, 255), (200, 204, 210)
_DARK = 110  # mean of a background's colours, below which text is white


def slide_picture(content: bytes, slide_number: int, words: str) -> Original:
    """Draw a slide.

    Args:
        content: the PowerPoint file.
        slide_number: the slide, from 1.
        words: the passage to mark; empty marks nothing.

    Returns:
        A PNG or WebP picture.

    Raises:
        DocumentError: there is no such slide, or it cannot be drawn.
    """
    return draw_apart(SlidePicture(), content, slide_number, words)


class SlidePicture(PageDrawer):
    """Draws a slide."""

    version: ClassVar[str] = VERSION

    def prepare(self) -> None:
        """Load the libraries."""
        import pptx  # noqa: F401
        from PIL import Image, ImageDraw, ImageFont, PngImagePlugin, WebPImagePlugin  # noqa: F401

    def draw(self, content: bytes, number: int, words: str) -> "Image":
        """Draw the slide."""
        from pptx import Presentation

        package = open_package(File(content=content, uri=""), suffix=".pptx")
        with refuse_depth():
            presentation = Presentation(BytesIO(package.content))
            slides = list(presentation.slides)
            if not 1 <= number <= len(slides):
                raise DocumentError(f"The file has {len(slides)} slides, so there is no slide {number}.")
            canvas = _Canvas.create(presentation, _find_background(slides[number - 1]))
            canvas.draw_shapes(slides[number - 1].shapes, _Frame(0, 0, 1, 1), 0)
        return canvas.mark(words)


class _Frame(NamedTuple):
    """How the coordinates of a group lie on the slide."""

    x: float
    y: float
    across: float
    down: float

    def place(self, shape: Any) -> tuple[float, float, float, float] | None:
        """The left, top, width and height of a shape on the slide, in EMU; None if it has no place."""
        sides = (shape.left, shape.top, shape.width, shape.height)
        if any(side is None for side in sides):
            return None
        x, top, width, height = map(int, sides)
        return (
            self.x + x * self.across, self.y + top * self.down, width * self.across, height * self.down,
        )  # fmt: skip


class _Line(NamedTuple):
    """One line of a text: its words, its size in points, how far it is set in, in pixels, and its colour."""

    words: Sequence[str]
    points: float
    indent: float
    colour: tuple[int, int, int]


@dataclass
class _Canvas:
    image: "Image"
    scale: float
    """Pixels of an EMU."""
    text: str = ""
    boxes: list[tuple[int, int, tuple[float, float, float, float]]] = field(default_factory=list)
    """Where each word stands in `text` and on the picture."""

    @classmethod
    def create(cls, presentation: Any, background: tuple[int, int, int]) -> "_Canvas":
        """An empty slide."""
        from PIL import Image

        width, height = int(presentation.slide_width or 9_144_000), int(presentation.slide_height or 6_858_000)
        scale = min(_WIDTH / max(width, 1), _MAX_HEIGHT / max(height, 1))
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        return cls(Image.new("RGB", size, background), scale)

    def draw_shapes(self, shapes: Any, frame: _Frame, depth: int) -> None:
        """Draw shapes, the backmost first."""
        if depth > _MAX_DEPTH:
            return
        for shape in shapes:
            place = frame.place(shape)
            if hasattr(shape, "shapes"):
                self.draw_shapes(shape.shapes, _find_inner_frame(shape, frame), depth + 1)
            elif place is None:
                continue
            elif getattr(shape, "has_table", False):
                self._draw_table(shape.table, place)
            elif hasattr(shape, "image"):
                self._paste(shape, place)
            elif getattr(shape, "has_text_frame", False):
                self._draw_text(shape, place)

    def mark(self, words: str) -> "Image":
        """The picture with the words of a passage marked."""
        for start, end in find_spans(self.text, words):
            for first, last, (x, top, right, bottom) in self.boxes:
                if first < end and start < last:
                    mark_box(self.image, (round(x), round(top)), (round(right), round(bottom)))
        return self.image

    def _paste(self, shape: Any, place: tuple[float, float, float, float]) -> None:
        from PIL import Image, UnidentifiedImageError

        x, top, width, height = (round(side * self.scale) for side in place)
        try:
            with Image.open(BytesIO(shape.image.blob)) as picture:
                if picture.width * picture.height > _MAX_PICTURE_PIXELS:
                    return
                drawn = picture.convert("RGBA").resize((max(width, 1), max(height, 1)))
        except (
            UnidentifiedImageError,
            Image.DecompressionBombError,
            OSError,
            ValueError,
            SyntaxError,
        ):  # drawings of Windows, damaged files
            return
        self.image.paste(drawn, (x, top), drawn)

    def _draw_text(self, shape: Any, place: tuple[float, float, float, float]) -> None:
        fill = _read_colour(getattr(shape, "fill", None))
        if fill is not None:
            self._fill(place, fill)
        default = _TITLE_POINTS if _is_title(shape) else _BODY_POINTS
        text_place = (place[0] + _MARGIN, place[1] + _MARGIN / 2, place[2] - 2 * _MARGIN, place[3] - _MARGIN)
        self._write(shape.text_frame.paragraphs, text_place, default, _choose_ink(fill or self.image.getpixel((0, 0))))

    def _draw_table(self, table: Any, place: tuple[float, float, float, float]) -> None:
        from PIL import ImageDraw

        top = place[1]
        for row in table.rows:
            x = place[0]
            for column, cell in zip(table.columns, row.cells, strict=False):
                box = (x, top, float(column.width), float(row.height))
                corners = [side * self.scale for side in (x, top, x + box[2], top + box[3])]
                ImageDraw.Draw(self.image).rectangle(corners, outline=_GREY)
                text_place = (x + _MARGIN / 2, top + _MARGIN / 3, box[2] - _MARGIN, box[3] - _MARGIN / 2)
                self._write(
                    cell.text_frame.paragraphs, text_place, _CELL_POINTS, _choose_ink(self.image.getpixel((0, 0)))
                )
                x += column.width
            top += row.height

    def _fill(self, place: tuple[float, float, float, float], colour: tuple[int, int, int]) -> None:
        x, top, width, height = (round(side * self.scale) for side in place)
        self.image.paste(colour, (x, top, x + width, top + height))

    def _write(
        self,
        paragraphs: Sequence[Any],
        place: tuple[float, float, float, float],
        default: float,
        ink: tuple[int, int, int],
    ) -> None:
        """Write a text into a rectangle, smaller if it is too long for it, as the program does."""
        x, top, width, height = (side * self.scale for side in place)
        points_to_pixels = _POINT * self.scale
        shrink = 1.0
        while True:
            lines = list(self._break(paragraphs, max(width, 20.0), default, shrink, ink))
            total = sum(line.points for line in lines) * _LINE * points_to_pixels
            if total <= height or shrink * default <= _LEAST_POINTS:
                break
            shrink *= 0.9
        for line in lines:
            self._write_line(line, x, top)
            top += line.points * _LINE * points_to_pixels

    def _break(
        self, paragraphs: Sequence[Any], width: float, default: float, shrink: float, ink: tuple[int, int, int]
    ) -> Iterator[_Line]:
        for paragraph in paragraphs:
            points = max(_read_points(paragraph, default) * shrink, 1.0)
            font, indent = self._font(points), paragraph.level * _INDENT * points * _POINT * self.scale
            colour = next(filter(None, (_read_colour(run.font.color) for run in paragraph.runs)), ink)
            words: list[str] = []
            for word in paragraph.text.split():
                if words and font.getlength(" ".join((*words, word))) > width - indent:
                    yield _Line(tuple(words), points, indent, colour)
                    words = []
                words.append(word)
            yield _Line(tuple(words), points, indent, colour)

    def _write_line(self, line: _Line, x: float, top: float) -> None:
        from PIL import ImageDraw

        font, draw, x = self._font(line.points), ImageDraw.Draw(self.image), x + line.indent
        for word in line.words:
            _refuse_unknown(word)
            draw.text((x, top), word, font=font, fill=line.colour)
            right = x + font.getlength(word)
            box = (x, top, right, top + line.points * _POINT * self.scale * _LINE)
            self.boxes.append((len(self.text), len(self.text) + len(word), box))
            self.text += f"{word} "
            x = right + font.getlength(" ")

    def _font(self, points: float) -> Any:
        from PIL import ImageFont

        return ImageFont.load_default(max(points * _POINT * self.scale, 4.0))


def _find_inner_frame(group: Any, frame: _Frame) -> _Frame:
    """How the coordinates within a group lie on the slide."""
    transform = group.element.grpSpPr.find("{http://schemas.openxmlformats.org/drawingml/2006/main}xfrm")
    place = frame.place(group)
    if transform is None or place is None or transform.chExt is None or transform.chOff is None:
        return frame
    across = place[2] / max(int(transform.chExt.cx), 1)
    down = place[3] / max(int(transform.chExt.cy), 1)
    return _Frame(place[0] - int(transform.chOff.x) * across, place[1] - int(transform.chOff.y) * down, across, down)


def _find_background(slide: Any) -> tuple[int, int, int]:
    for source in (slide, slide.slide_layout, slide.slide_layout.slide_master):
        colour = _read_colour(source.background.fill) if source.background is not None else None
        if colour is not None:
            return colour
    return _WHITE


def _read_colour(paint: Any) -> tuple[int, int, int] | None:
    """The colour of a fill or a font, if it is said as one; colours of the theme are not looked up."""
    try:
        colour = paint.fore_color if hasattr(paint, "fore_color") else paint
        rgb = colour.rgb if colour is not None else None
    except (AttributeError, TypeError, ValueError):  # what python-pptx raises where there is no plain colour
        return None
    return None if rgb is None else (rgb[0], rgb[1], rgb[2])


def _choose_ink(colour: Any) -> tuple[int, int, int]:
    return _WHITE if sum(colour) / 3 < _DARK else _BLACK


def _is_title(shape: Any) -> bool:
    return (
        shape.is_placeholder
        and shape.placeholder_format.type is not None
        and (shape.placeholder_format.type.name in _TITLES)
    )


def _read_points(paragraph: Any, default: float) -> float:
    sizes = [run.font.size.pt for run in paragraph.runs if run.font.size is not None]
    return max(sizes, default=paragraph.font.size.pt if paragraph.font.size is not None else default)


def _refuse_unknown(word: str) -> None:
    """Refuse what would be drawn as empty boxes: the font knows Latin letters alone."""
    if any(ord(sign) > 0x24F and not 0x2010 <= ord(sign) <= 0x2044 and sign not in "€™−≤≥•→" for sign in word):
        raise DocumentError("The slide has letters that the font of its picture lacks. Open the original file.")
