"""A slide of a PowerPoint file as a picture, with a passage marked on it.

Belongs here: drawing the texts, tables, pictures and plain backgrounds of a slide where they stand. Not here: what the
file says of them (`slide_shapes`), the font (`slide_font`), marking (`picture_marks`). Guarantee: it runs where parsers
run, in a process without network and with limits; a slide with characters that the font lacks is not drawn, and no text
has the colour of what is behind it. Charts, diagrams and shapes without words are left out: only the program of the
file shows a slide as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from headwater.domain.documents import Original
from headwater.errors import DocumentError
from headwater.parsing.office.package import open_package, refuse_depth
from headwater.parsing.office.slide_font import load_font, measure_word, split_words
from headwater.parsing.office.slide_shapes import (
    Frame,
    Sides,
    find_background,
    find_inner_frame,
    is_title,
    read_colour,
    read_crop,
    read_picture,
    read_points,
)
from headwater.parsing.page_drawer import PageDrawer, draw_apart
from headwater.parsing.parser import File
from headwater.parsing.picture_marks import find_spans, mark_box

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = "2"
"""Increase it when the same slide gives another picture."""
_WIDTH = 1000  # pixels
_MAX_HEIGHT = 1500
_POINT = 12_700  # EMU
_TITLE_POINTS, _BODY_POINTS, _CELL_POINTS, _LEAST_POINTS = 36.0, 20.0, 14.0, 7.0
_MARGIN = 0.1 * 914_400  # EMU between a shape's border and its text
_LINE = 1.2  # height of a line by the size of its characters
_INDENT = 1.2  # of a level by the size of its characters
_MAX_DEPTH = 20
_MAX_PICTURE_PIXELS = 40_000_000
_BLACK, _WHITE, _GREY = (30, 30, 30), (255, 255, 255), (200, 204, 210)
_DARK = 110  # mean of a background's colours, below which text is white
_LEAST_CONTRAST = 40  # between the means of a text's and its background's colours; half of it cannot be read
_MAX_WORD_CHARS = 120


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
            canvas = _Canvas.create(presentation, find_background(slides[number - 1]))
            canvas.draw_shapes(slides[number - 1].shapes, Frame(0, 0, 1, 1), 0)
        return canvas.mark(words)


class _Line(NamedTuple):
    """One line of a text: its words, its size in points, how far it is set in, in pixels, and its own colour."""

    words: Sequence[str]
    points: float
    indent: float
    colour: tuple[int, int, int] | None


class _Area(NamedTuple):
    """A rectangle on the picture, in pixels."""

    x: float
    top: float
    right: float
    bottom: float


@dataclass
class _Canvas:
    image: "Image"
    scale: float
    """Pixels of an EMU."""
    words: list[str] = field(default_factory=list)
    boxes: list[Sides] = field(default_factory=list)
    """Where each word stands on the picture."""

    @classmethod
    def create(cls, presentation: Any, background: tuple[int, int, int]) -> "_Canvas":
        """An empty slide."""
        from PIL import Image

        width, height = int(presentation.slide_width or 9_144_000), int(presentation.slide_height or 6_858_000)
        scale = min(_WIDTH / max(width, 1), _MAX_HEIGHT / max(height, 1))
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        return cls(Image.new("RGB", size, background), scale)

    def draw_shapes(self, shapes: Any, frame: Frame, depth: int) -> None:
        """Draw shapes, the backmost first."""
        if depth > _MAX_DEPTH:
            return
        for shape in shapes:
            place = frame.place(shape)
            if hasattr(shape, "shapes"):
                self.draw_shapes(shape.shapes, find_inner_frame(shape, frame), depth + 1)
            elif place is None:
                continue
            elif getattr(shape, "has_table", False):
                self._draw_table(shape.table, place)
            elif (picture := read_picture(shape)) is not None:
                self._paste(picture, read_crop(shape), place)
            elif getattr(shape, "has_text_frame", False):
                self._draw_text(shape, place)

    def mark(self, words: str) -> "Image":
        """The picture with the words of a passage marked."""
        spans, first = list(find_spans(" ".join(self.words), words)), 0
        for word, (x, top, right, bottom) in zip(self.words, self.boxes, strict=True):
            if any(first < end and start < first + len(word) for start, end in spans):
                mark_box(self.image, (round(x), round(top)), (round(right), round(bottom)))
            first += len(word) + 1
        return self.image

    def _paste(self, content: bytes, crop: Sides, place: Sides) -> None:
        """Draw the part of a picture that is seen: of one that is larger than the slide, no more is made."""
        from PIL import Image, UnidentifiedImageError

        x, top, width, height = (side * self.scale for side in place)
        seen = _Area(max(x, 0), max(top, 0), min(x + width, self.image.width), min(top + height, self.image.height))
        size = (round(seen.right - seen.x), round(seen.bottom - seen.top))
        if size[0] < 1 or size[1] < 1:
            return
        try:
            with Image.open(BytesIO(content)) as picture:
                if picture.width * picture.height > _MAX_PICTURE_PIXELS:
                    return
                across = picture.width * (1 - crop[0] - crop[2]) / width
                down = picture.height * (1 - crop[1] - crop[3]) / height
                column, row = picture.width * crop[0] - x * across, picture.height * crop[1] - top * down
                box = (
                    max(column + seen.x * across, 0), max(row + seen.top * down, 0),
                    min(column + seen.right * across, picture.width), min(row + seen.bottom * down, picture.height),
                )  # fmt: skip
                colours = picture if picture.mode in ("RGB", "L") else picture.convert("RGBA")
                drawn = colours.resize(size, box=box, reducing_gap=2.0).convert("RGBA")  # in half the time
        except (
            UnidentifiedImageError,
            Image.DecompressionBombError,
            OSError,
            ValueError,
            SyntaxError,
        ):  # drawings of Windows, damaged files
            return
        self.image.paste(drawn, (round(seen.x), round(seen.top)), drawn)

    def _draw_text(self, shape: Any, place: Sides) -> None:
        fill = read_colour(getattr(shape, "fill", None))
        if fill is not None:
            self._fill(place, fill)
        default = _TITLE_POINTS if is_title(shape) else _BODY_POINTS
        text_place = (place[0] + _MARGIN, place[1] + _MARGIN / 2, place[2] - 2 * _MARGIN, place[3] - _MARGIN)
        self._write(shape.text_frame.paragraphs, text_place, default)

    def _draw_table(self, table: Any, place: Sides) -> None:
        from PIL import ImageDraw

        top = place[1]
        for row in table.rows:
            x = place[0]
            for column, cell in zip(table.columns, row.cells, strict=False):
                box = (x, top, float(column.width), float(row.height))
                corners = [side * self.scale for side in (x, top, x + box[2], top + box[3])]
                ImageDraw.Draw(self.image).rectangle(corners, fill=read_colour(cell.fill), outline=_GREY)
                text_place = (x + _MARGIN / 2, top + _MARGIN / 3, box[2] - _MARGIN, box[3] - _MARGIN / 2)
                self._write(cell.text_frame.paragraphs, text_place, _CELL_POINTS)
                x += column.width
            top += row.height

    def _fill(self, place: Sides, colour: tuple[int, int, int]) -> None:
        x, top, width, height = (round(side * self.scale) for side in place)
        self.image.paste(colour, (x, top, x + width, top + height))

    def _write(self, paragraphs: Sequence[Any], place: Sides, default: float) -> None:
        """Write a text into a rectangle, smaller if it is too long for it, as the program does."""
        x, top, width, height = (side * self.scale for side in place)
        points_to_pixels = _POINT * self.scale
        texts = [self._read_paragraph(paragraph, default) for paragraph in paragraphs]
        shrink = 1.0
        while True:
            lines = [line for text in texts for line in self._break(text, max(width, 20.0), shrink)]
            total = sum(line.points for line in lines) * _LINE * points_to_pixels
            if total <= height or shrink * default <= _LEAST_POINTS:
                break
            shrink *= 0.9
        ground = self._look_at((x, top, x + width, top + height))
        for line in lines:
            self._write_line(line, x, top, _choose_ink(line.colour, ground))
            top += line.points * _LINE * points_to_pixels

    def _read_paragraph(self, paragraph: Any, default: float) -> _Line:
        """A paragraph as one line."""
        points = read_points(paragraph, default)
        colour = next(filter(None, (read_colour(run.font.color) for run in paragraph.runs)), None)
        words = split_words(paragraph.text, _MAX_WORD_CHARS)
        return _Line(words, points, paragraph.level * _INDENT * points * _POINT * self.scale, colour)

    def _break(self, text: _Line, width: float, shrink: float) -> Iterator[_Line]:
        """The lines of a paragraph that is written smaller."""
        points = max(text.points * shrink, 1.0)
        indent, pixels = text.indent * points / text.points, self._pixels(points)
        words: list[str] = []
        end, space = 0.0, measure_word("n") * pixels / 2
        for word in text.words:
            length = measure_word(word) * pixels
            if words and end + space + length > width - indent:
                yield _Line(words, points, indent, text.colour)
                words, end = [], 0.0
            end += length + (space if words else 0.0)
            words.append(word)
        yield _Line(words, points, indent, text.colour)

    def _write_line(self, line: _Line, x: float, top: float, ink: tuple[int, int, int]) -> None:
        from PIL import ImageDraw

        pixels, draw, x = self._pixels(line.points), ImageDraw.Draw(self.image), x + line.indent
        for word in line.words:
            right = x + measure_word(word) * pixels
            if right > 0 and x < self.image.width and -pixels < top < self.image.height:
                draw.text((x, top), word, font=load_font(pixels), fill=ink)
            self.words.append(word)
            self.boxes.append((x, top, right, top + pixels * _LINE))
            x = right + measure_word("n") * pixels / 2

    def _look_at(self, corners: Sides) -> tuple[int, int, int]:
        """The mean colour of what is drawn in a rectangle."""
        from PIL import Image

        x, top, right, bottom = (round(side) for side in corners)
        area = (max(x, 0), max(top, 0), min(right, self.image.width), min(bottom, self.image.height))
        if area[0] >= area[2] or area[1] >= area[3]:
            return _WHITE
        mean: Any = self.image.resize((1, 1), Image.Resampling.BOX, box=area).getpixel((0, 0))
        return mean[0], mean[1], mean[2]

    def _pixels(self, points: float) -> int:
        return max(round(points * _POINT * self.scale), 4)


def _choose_ink(colour: tuple[int, int, int] | None, ground: tuple[int, int, int]) -> tuple[int, int, int]:
    """The colour of a text: its own, unless it could not be read, as where the background has a colour of the theme."""
    if colour is not None and abs(sum(colour) - sum(ground)) / 3 >= _LEAST_CONTRAST:
        return colour
    return _WHITE if sum(ground) / 3 < _DARK else _BLACK
