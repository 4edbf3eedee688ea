"""Slides of PowerPoint files as pictures, with the passage marked (UI-1, SEC-1)."""

import io

import pytest
from PIL import Image

from headwater.errors import DocumentError
from headwater.parsing.office.slide_picture import slide_picture
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
