"""Which documents are pictures, by their names.

Belongs here: the endings. Not here: reading the words in a picture (`headwater.parsing.ocr`). Guarantee: pure.
"""

from pathlib import PurePosixPath

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff", ".bmp")


def is_picture(path: str) -> bool:
    """Whether a path or URI ends as those of pictures do, in small or capital letters."""
    return PurePosixPath(path).suffix.lower() in PICTURE_SUFFIXES
