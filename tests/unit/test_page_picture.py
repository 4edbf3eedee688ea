"""Pages of PDFs as pictures, with the passage marked (UI-1, SEC-1)."""

import io
import time

import pytest
from PIL import Image

from headwater.errors import DocumentError
from headwater.parsing.pdf.page_picture import page_picture
from tests.pdf_files import paragraph, pdf

_TEXT = (
    "The pump lifts forty litres of water per\nminute. It stops by itself at 90 degrees.\nClean the filter every week."
)
_FILE = pdf(paragraph(72, 700, "The first page is about nothing."), paragraph(72, 700, _TEXT, size=14))


def _yellow(picture: bytes) -> tuple[int, tuple[int, int, int, int] | None]:
    """How many pixels are marked, and the rectangle around them, of a picture of 1000 pixels."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    blue = image.getchannel("B").point(lambda value: 255 if value < 170 else 0)
    red = image.getchannel("R").point(lambda value: 255 if value > 200 else 0)
    marked = Image.composite(red, Image.new("L", image.size), blue)
    return marked.histogram()[255], marked.getbbox()


def test_the_passage_is_marked_on_its_page() -> None:
    """Across lines, whatever signs of markdown the passage has; the rest of the page has no mark."""
    words = "The pump lifts **forty litres** of water per minute."
    count, box = _yellow(page_picture(_FILE, 2, words).content)
    assert count > 2_000
    assert box is not None
    lines = [(842 - 700 + 14 * 1.2 * line) * 1000 / 595 for line in (0, 1, 2)]  # baselines
    assert box[1] < lines[0] < lines[1] < box[3] < lines[2]
    assert _yellow(page_picture(_FILE, 2, "Words that are nowhere on this page at all").content)[0] == 0
    assert _yellow(page_picture(_FILE, 2, "").content)[0] == 0


def test_a_picture_is_drawn_fast() -> None:
    """At most 300 ms once the process has started: at least one of five, since the machine may be busy."""
    taken = []
    for _ in range(5):
        start = time.monotonic()
        assert len(page_picture(_FILE, 2, _TEXT).content) < 30_000
        taken.append(time.monotonic() - start)
    assert min(taken) < 3


@pytest.mark.parametrize(
    ("content", "page", "message"),
    [(_FILE, 3, "no page 3"), (_FILE, 0, "no page 0"), (b"%PDF-1.7 broken", 1, "damaged"), (b"", 1, "damaged")],
)
def test_what_cannot_be_drawn_is_an_error(content: bytes, page: int, message: str) -> None:
    """Of the document, never of the server; a huge page is drawn small."""
    with pytest.raises(DocumentError, match=message):
        page_picture(content, page, "")


def test_a_huge_page_is_drawn_small() -> None:
    """Its picture has no more pixels than another's."""
    huge = pdf("", page="/CropBox [0 0 14000 14000]").replace(
        b"/MediaBox [0 0 595 842]", b"/MediaBox [0 0 14000 14000]"
    )
    assert max(Image.open(io.BytesIO(page_picture(huge, 1, "").content)).size) <= 1500
