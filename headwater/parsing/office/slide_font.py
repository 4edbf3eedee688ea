"""The font of a slide's picture.

Belongs here: finding a font on this machine, how wide words are in it, which letters it has. Not here: drawing
(`slide_picture`). Guarantee: a word that it measures has a glyph for each of its letters.
"""

import unicodedata
from functools import lru_cache
from typing import Any

from headwater.errors import DocumentError

_FONTS = ("LiberationSans-Regular.ttf", "Arial.ttf", "NotoSans-Regular.ttf", "DejaVuSans.ttf")
"""The first of these that the machine has; Pillow's own font, which it has anyway, knows the letters of ASCII."""
_MEASURED = 100  # pixels
_NO_LETTER = "\uffff"  # never assigned, so a font shows it as it shows what it lacks


@lru_cache(maxsize=64)
def load_font(pixels: int) -> Any:
    """The font in a size."""
    from PIL import ImageFont

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, pixels)
        except OSError:  # the machine does not have it
            continue
    return ImageFont.load_default(pixels)


@lru_cache(maxsize=4096)
def measure_word(word: str) -> float:
    """The width of a word by the size of its characters.

    Raises:
        DocumentError: the font lacks one of its letters, and would show an empty box.
    """
    if not all(map(_has_glyph, word)):
        raise DocumentError("The slide has letters that the font of its picture lacks. Open the original file.")
    return float(load_font(_MEASURED).getlength(word)) / _MEASURED


def split_words(text: str, longest: int) -> list[str]:
    """The words of a text without invisible characters; what is longer than a line could be is divided."""
    visible = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    return [word[start : start + longest] for word in visible.split() for start in range(0, len(word), longest)]


@lru_cache(maxsize=4096)
def _has_glyph(sign: str) -> bool:
    return _glyph(sign) != _glyph(_NO_LETTER)


def _glyph(sign: str) -> tuple[tuple[int, int], bytes]:
    mask = load_font(_MEASURED).getmask(sign)
    return mask.size, bytes(mask)
