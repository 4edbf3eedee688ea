"""Decoding image files (SRC-4, SEC-1).

Belongs here: colours, transparency, orientation, sizes, damaged and hostile files. Not here: reading text (`test_ocr`).
Guarantee: no model is loaded.
"""

import struct
import warnings
import zlib
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from headwater.errors import DocumentError
from headwater.parsing.ocr.image_files import describe_image, pictures

WHITE, BLACK, RED = [255, 255, 255], [0, 0, 0], [0, 0, 255]  # blue, green, red


def saved(page: Image.Image, kind: str, **options: object) -> bytes:
    """A file with a page."""
    file = BytesIO()
    page.save(file, kind, **options)
    return file.getvalue()


def only(content: bytes) -> "np.ndarray":
    """The only picture of a file."""
    [picture] = pictures(content)
    return np.asarray(picture)


def png_header(width: int, height: int) -> bytes:
    """The beginning of a PNG that says it has this size, and a little data."""
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(1000)))]
    chunks = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(
    ("mode", "colour", "kind", "expected"),
    [
        ("RGB", "red", "PNG", RED),
        ("1", 1, "BMP", WHITE),
        ("P", 0, "GIF", BLACK),
        ("CMYK", (0, 255, 255, 0), "TIFF", RED),
        ("LA", (0, 0), "PNG", WHITE),
        ("RGBA", (0, 0, 0, 0), "WEBP", WHITE),
        ("L", 0, "JPEG", BLACK),
    ],
)
def test_every_kind_of_colour_is_understood(mode: str, colour: object, kind: str, expected: list[int]) -> None:
    """Whatever its mode, a picture becomes blue, green and red; what is transparent becomes white."""
    page = Image.new(mode, (8, 8), colour)  # type: ignore[arg-type]  # a colour depends on the mode
    assert np.abs(only(saved(page, kind))[4, 4].astype(int) - expected).max() < 8


def test_light_on_transparent_gets_a_dark_ground() -> None:
    """White text on nothing was made for a dark page, where it can be read."""
    page = Image.new("RGBA", (20, 20), (255, 255, 255, 0))
    page.paste((255, 255, 255, 255), (8, 8, 12, 12))
    assert only(saved(page, "PNG"))[[0, 10], [0, 10]].tolist() == [BLACK, WHITE]


def test_deep_colours_are_spread() -> None:
    """A picture of 16 bits per pixel uses all of the eight that are left."""
    depths = np.linspace(1000, 60_000, 64, dtype=np.uint16).reshape(8, 8)
    picture = only(saved(Image.fromarray(depths), "PNG"))
    assert picture[0, 0].tolist() == BLACK
    assert picture[7, 7].tolist() == WHITE


def test_a_camera_may_be_held_sideways() -> None:
    """A picture is turned as its EXIF says, and when it was taken is kept."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x0132] = "2024:05:06 07:08:09"
    content = saved(Image.new("RGB", (40, 20), "red"), "JPEG", exif=exif)
    assert only(content).shape == (40, 20, 3)
    assert describe_image(content) == ("image/jpeg", {"width": 40, "height": 20, "taken": "2024-05-06T07:08:09"})


def test_pages_are_pictures_and_frames_are_not() -> None:
    """Each page of a TIFF is a picture; of an animation, only the first frame is."""
    pages = [Image.new("RGB", (20, 20), colour) for colour in ("red", "white", "black")]
    tiff = saved(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    assert [picture[5, 5].tolist() for picture in pictures(tiff)] == [RED, WHITE, BLACK]
    gif = saved(pages[0], "GIF", save_all=True, append_images=pages[1:])
    assert [picture[5, 5].tolist() for picture in pictures(gif)] == [RED]
    assert describe_image(tiff)[1]["pages"] == 3


def test_large_pictures_are_made_smaller() -> None:
    """A picture of 600 dpi is read at half of that, which is enough for text and for memory."""
    content = saved(Image.new("1", (5_000, 7_000), 1), "TIFF", compression="group4")
    height, width, _ = only(content).shape
    assert (width, height) == (2_500, 3_500)


def test_more_pixels_than_the_limit_are_not_decoded() -> None:
    """A small file that says it is a huge picture is refused before it takes memory, without a warning (SEC-1)."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for side in (10_000, 100_000):
            with pytest.raises(DocumentError, match="million pixels"):
                describe_image(png_header(side, side))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an image"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not an image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not an image"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "not an image|damaged"),
        (png_header(500, 500), "damaged"),
        (saved(Image.new("RGB", (90, 90), "red"), "JPEG")[:500], "not an image|damaged"),
        (saved(Image.new("RGB", (90, 90), "red"), "TIFF")[:200], "not an image|damaged"),
        (saved(Image.new("RGB", (90, 90), "red"), "GIF")[:60], "not an image|damaged"),
    ],
)
def test_what_is_no_image_is_an_error(content: bytes, message: str) -> None:
    """Damaged files, and formats that run programs, raise an error that says what to do."""
    with pytest.raises(DocumentError, match=message):
        list(pictures(content))
