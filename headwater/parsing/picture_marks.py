"""Marking a passage on the picture of a page or slide.

Belongs here: where a passage's words stand in the text of a page, tinting them, the file of the picture. Not here:
drawing (`pdf.page_picture`, `office.slide_picture`). Guarantee: pure; words that are not on the page mark nothing.
"""

import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from headwater.domain.documents import Original

if TYPE_CHECKING:
    from PIL.Image import Image

_FEW_COLOURS, _PALETTE = 4_096, 32  # a page with so few has text and drawings, which so many show well
_QUALITY = 55
_YELLOW = (255, 236, 110)
_PIECES = re.compile(r"[.!?]\s+|\n+|\||[•·]")
_WORDS = re.compile(r"[^\W_]+")
_MAX_PIECES = 60
_WINDOW = 4  # words that are looked for if a whole sentence is not there


def encode_picture(image: "Image") -> Original:
    """The file of a picture: small, and made in a tenth of a second."""
    out = io.BytesIO()
    if image.getcolors(_FEW_COLOURS) is not None:
        image.quantize(_PALETTE, method=2).save(out, "PNG")  # 2: the fast octree
        return Original(content=out.getvalue(), media_type="image/png")
    image.save(out, "WEBP", quality=_QUALITY, method=1)
    return Original(content=out.getvalue(), media_type="image/webp")


def find_spans(text: str, words: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a passage stand in a page's text; parts of them where one does not stand as a whole."""
    for segment in _PIECES.split(words)[:_MAX_PIECES]:
        segment_words = _WORDS.findall(segment)
        if match := _search(text, segment_words):
            yield match
        elif len(segment_words) > _WINDOW:
            windows = (
                segment_words[start : start + _WINDOW] for start in range(0, len(segment_words) - _WINDOW + 1, _WINDOW)
            )
            yield from filter(None, (_search(text, window) for window in windows))


def _search(text: str, words: list[str]) -> tuple[int, int] | None:
    if len("".join(words)) < _WINDOW:  # a number or a letter is anywhere
        return None
    match = re.search(r"[\W_]{1,6}".join(map(re.escape, words)), text, re.IGNORECASE)
    return match.span() if match else None


def mark_box(image: "Image", first: tuple[int, int], last: tuple[int, int]) -> None:
    """Tint a rectangle, as a marker pen does: what is dark stays dark."""
    from PIL import Image, ImageChops

    left, right = sorted((first[0], last[0]))
    top, bottom = sorted((first[1], last[1]))
    box = (max(0, left - 1), max(0, top - 1), min(image.width, right + 1), min(image.height, bottom + 1))
    if box[0] >= box[2] or box[1] >= box[3]:
        return
    region = image.crop(box)
    image.paste(ImageChops.multiply(region, Image.new("RGB", region.size, _YELLOW)), box)
