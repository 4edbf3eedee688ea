"""Slides of PowerPoint files as pictures, with the passage marked (UI-1, SEC-1)."""

import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.slide import Slide
from pptx.util import Inches

from headwater.errors import DocumentError
from headwater.parsing.office import slide_font
from headwater.parsing.office.slide_picture import SlidePicture, slide_picture
from tests.slide_files import slides

_YELLOW = (255, 236, 110)


def _drawn(slide_number: int, words: str = "") -> Image.Image:
    return Image.open(io.BytesIO(slide_picture(slides(), slide_number, words).content)).convert("RGB")


def _box(image: Image.Image, colour: tuple[int, int, int]) -> tuple[int, int, int, int] | None:
    """The rectangle around the pixels that are nearly of a colour."""
    near = [channel.point(lambda value, wanted=wanted: 255 * (abs(value - wanted) < 25))
            for channel, wanted in zip(image.split(), colour, strict=True)]  # fmt: skip
    empty = Image.new("L", image.size)
    return Image.composite(Image.composite(near[0], empty, near[1]), empty, near[2]).getbbox()


def test_the_passage_is_marked_on_its_slide() -> None:
    """Below the title, and nothing else is marked."""
    box = _box(_drawn(1, "It stops **by itself** at 90 degrees."), _YELLOW)
    assert box is not None
    assert 50 < box[0] < box[2] < 600
    assert 180 < box[1] < box[3] < 300
    assert _box(_drawn(1, "words that stand on no slide at all"), _YELLOW) is None
    assert _box(_drawn(2, "small"), _YELLOW) is not None


def test_pictures_and_boxes_stand_where_they_are() -> None:
    """An inch is a hundred pixels of a slide of ten; a shape in a group, too."""
    red, dark = _box(_drawn(2), (200, 30, 30)), _box(_drawn(2), (10, 20, 90))
    assert red is not None
    assert dark is not None
    assert all(abs(side - wanted) < 3 for side, wanted in zip(red, (100, 500, 200, 600), strict=True))
    assert all(abs(side - wanted) < 3 for side, wanted in zip(dark, (400, 500, 800, 600), strict=True))


@pytest.mark.parametrize(
    ("content", "slide_number", "message"),
    [
        (slides(), 3, "no slide 3"),
        (slides(), 0, "no slide 0"),
        (slides("\u4eca\u65e5\u306f"), 3, "letters that the font"),
        (b"PK broken", 1, "file"),
        (b"", 1, "file"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(content: bytes, slide_number: int, message: str) -> None:
    """Of the document, never of the server; no letter is shown as an empty box."""
    with pytest.raises(DocumentError, match=message):
        slide_picture(content, slide_number, "")


def test_a_long_text_is_written_smaller() -> None:
    """It does not run out of the slide, however long it is."""
    drawn = Image.open(io.BytesIO(slide_picture(slides("long words " * 400), 3, "").content)).convert("L")
    assert max(drawn.size) <= 1500
    assert drawn.point(lambda value: 255 * (value < 100)).getbbox() is not None


@pytest.fixture
def without_fonts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without fonts, so that Pillow's own is used."""
    monkeypatch.setattr(slide_font, "_FONTS", ())
    caches = (slide_font.load_font, slide_font.measure_word, slide_font._has_glyph)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize(
    "word", ["Gr\u00f6\u00dfe", "20\u2009\u20ac", "\u2264\u00a05", "caf\u00e9", "\u0141\u00f3d\u017a"]
)
def test_letters_that_the_font_lacks_are_not_drawn(without_fonts: None, word: str) -> None:
    """Pillow's own font has no letter beyond ASCII: it showed boxes instead."""
    with pytest.raises(DocumentError, match="letters that the font"):
        SlidePicture().draw(slides(word), 3, "")


def test_invisible_letters_are_left_out(without_fonts: None) -> None:
    """Soft hyphens, marks of direction and byte order need no glyph."""
    assert SlidePicture().draw(slides("hy\u00adphen\u200b \ufeffmark\u200e"), 3, "").size == (1000, 750)


def _draw(add: Callable[[Slide], object]) -> Image.Image:
    """An empty slide to which something was added."""
    presentation = Presentation()
    add(presentation.slides.add_slide(presentation.slide_layouts[6]))
    content = io.BytesIO()
    presentation.save(content)
    return Image.open(io.BytesIO(slide_picture(content.getvalue(), 1, "").content)).convert("RGB")


def _halves(left: tuple[int, int, int], right: tuple[int, int, int]) -> io.BytesIO:
    """A picture of two colours."""
    image, content = Image.new("RGB", (40, 40), left), io.BytesIO()
    image.paste(right, (20, 0, 40, 40))
    image.save(content, "PNG")
    content.seek(0)
    return content


_RED, _BLUE = (200, 30, 30), (10, 20, 90)


def test_text_is_never_as_its_background_is() -> None:
    """White letters of a slide whose dark background is one of the theme's, and black ones on a dark photograph."""

    def add_white(slide: Slide) -> None:
        box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(6), Inches(1))
        box.text_frame.text = "White on the dark of the theme"
        box.text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor.from_string("FFFFFF")  # type: ignore[no-untyped-call]

    def add_caption(slide: Slide) -> None:
        slide.shapes.add_picture(_halves(_BLUE, _BLUE), Inches(0), Inches(0), Inches(10), Inches(7.5))
        slide.shapes.add_textbox(Inches(1), Inches(1), Inches(6), Inches(1)).text_frame.text = "A caption"

    assert _box(_draw(add_white), (30, 30, 30)) is not None
    assert _box(_draw(add_caption), (255, 255, 255)) is not None


def test_a_cropped_picture_shows_what_is_left_of_it() -> None:
    """It was squeezed into the place of the part that is seen."""

    def add(slide: Slide) -> None:
        slide.shapes.add_picture(_halves(_RED, _BLUE), Inches(1), Inches(1), Inches(2), Inches(2)).crop_left = 0.5

    drawn = _draw(add)
    assert _box(drawn, _RED) is None
    area = _box(drawn, _BLUE)
    assert area is not None
    assert all(abs(side - wanted) < 5 for side, wanted in zip(area, (100, 100, 300, 300), strict=True))


def test_a_picture_that_is_larger_than_the_slide_is_drawn() -> None:
    """Only its visible part is made: thirty slides wide, it took a gigabyte, and there was no picture at all."""

    def add(slide: Slide) -> None:
        slide.shapes.add_picture(_halves(_RED, _BLUE), Inches(-150), Inches(-150), Inches(310), Inches(310))

    drawn = _draw(add)
    assert (_box(drawn.crop((0, 0, 200, 750)), _RED), _box(drawn.crop((800, 0, 1000, 750)), _BLUE)) == (
        (0, 0, 200, 750), (0, 0, 200, 750),
    )  # fmt: skip


@pytest.mark.parametrize("attribute", ["link", "embed"])
def test_a_slide_is_drawn_without_a_picture_that_lies_elsewhere(attribute: str) -> None:
    """One that is linked, or missing in the file: the rest of the slide is there."""
    relation = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"

    def add(slide: Slide) -> None:
        picture: Any = slide.shapes.add_picture(_halves(_RED, _RED), Inches(0), Inches(0), Inches(1), Inches(1))
        blip = picture._element.blipFill.blip
        del blip.attrib[f"{relation}embed"]
        blip.set(f"{relation}{attribute}", "rId77")
        slide.shapes.add_textbox(Inches(1), Inches(1), Inches(6), Inches(1)).text_frame.text = "The rest"

    assert _box(_draw(add), (30, 30, 30)) is not None


def test_a_word_is_measured_once(without_fonts: None) -> None:
    """However often it is on the slide, and however much smaller the text is written: each took its own time before."""
    SlidePicture().draw(slides("long words " * 2000), 3, "")
    assert slide_font.measure_word.cache_info().misses < 10
