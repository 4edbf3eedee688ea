"""What the pictures of a Word file show, in the words for people who do not see them.

Belongs here: pictures, groups of them, those in the markup of older versions, icons in a sentence. Not here: where the
words of others stand (`docx_blocks`), which words say nothing (`package`). Guarantee: each picture of a group is
described; text boxes are left to their own paragraphs.
"""

import re
from collections.abc import Iterator
from typing import Any

from headwater.parsing.office.package import picture

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_PIC = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
_VML = "{urn:schemas-microsoft-com:vml}"
_OPENING, _CLOSING = "\ue001", "\ue002"
_ICONS = re.compile(f"{_OPENING}[^{_CLOSING}]*{_CLOSING}")
_GLUED = re.compile(rf"(?<=[^\s(])(?={_OPENING})|(?<={_CLOSING})(?=\w)")
_MAX_ICON_HEIGHT = 360_000  # of 36,000 in a millimetre: two lines


def describe_pictures(drawing: Any) -> list[str]:
    """What the pictures of a drawing show; of a group, first what it shows as a whole.

    Args:
        drawing: a `w:drawing`, or a `w:pict` of an older version.
    """
    shapes = [*_iterate_shapes(drawing, f"{_VML}shape")]
    pictures = [*_iterate_shapes(drawing, f"{_PIC}cNvPr")]
    frames = [*_iterate_shapes(drawing, f"{_WP}docPr")]
    texts = [shape.get("alt", "") for shape in shapes] + [frame.get("descr", "") for frame in frames]
    if len(pictures) > 1 or not any(texts):  # the description of a single picture stands twice
        texts += [element.get("descr", "") for element in pictures]
    return [words for text in dict.fromkeys(texts) if (words := picture(text))]


def is_icon(drawing: Any) -> bool:
    """Whether a picture stands in a line as a sign does."""
    extent = drawing.find(f"{_WP}inline/{_WP}extent")
    height = extent.get("cy", "") if extent is not None else ""
    return height.isdecimal() and len(height) < len("1000000") and int(height) <= _MAX_ICON_HEIGHT


def mark_icon(words: str) -> str:
    """The words of an icon in a text, until `place_icons` knows the sentence around it."""
    return f"{_OPENING}{words}{_CLOSING}"


def place_icons(text: str) -> str:
    """A text with the words of its icons in parentheses, unless it has no others."""
    if _OPENING not in text:
        return text
    text = _GLUED.sub(" ", text)
    opening, closing = ("(", ")") if _ICONS.sub("", text).strip() else ("", "")
    return text.replace(_OPENING, opening).replace(_CLOSING, closing)


def _iterate_shapes(element: Any, tag: str) -> Iterator[Any]:
    for child in element.iterchildren():
        if child.tag == tag:
            yield child
        elif child.tag != f"{_W}txbxContent":
            yield from _iterate_shapes(child, tag)
