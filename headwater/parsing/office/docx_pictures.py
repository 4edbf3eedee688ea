"""What the pictures of a Word file show, in the words for people who do not see them.

Belongs here: pictures, groups of them, those in the markup of older versions, icons in a sentence. Not here: where the
words of others stand (`docx_blocks`), which words say nothing (`package`). Guarantee: each picture of a group is
described; text boxes are left to their own paragraphs.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from headwater.parsing.office.package import picture

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_PIC = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
_VML = "{urn:schemas-microsoft-com:vml}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_OPENING, _CLOSING = "\x02", "\x03"  # which no text in XML can have
_ICONS = re.compile(f"{_OPENING}[^{_CLOSING}]*{_CLOSING}")
_BRACKET = re.compile(r"[\[\]]")
_GLUED = re.compile(rf"(?<=[^\s(])(?={_OPENING})|(?<={_CLOSING})(?=\w)")
_MAX_ICON_HEIGHT = 360_000  # of 36,000 in a millimetre: two lines


def describe_pictures(drawing: Any, targets: Mapping[str, str]) -> list[str]:
    """What the pictures of a drawing show, as links if they are; of a group, first what it shows as a whole.

    Args:
        drawing: a `w:drawing`, or a `w:pict` of an older version.
        targets: addresses of hyperlinks, by their ids.
    """
    shapes = [*_iterate_shapes(drawing, f"{_VML}shape")]
    pictures = [*_iterate_shapes(drawing, f"{_PIC}cNvPr")]
    frames = [*_iterate_shapes(drawing, f"{_WP}docPr")]
    texts = [(shape.get("alt", ""), shape.get("href", "")) for shape in shapes]
    texts += [(frame.get("descr", ""), _find_target(frame, targets)) for frame in frames]
    if len(pictures) > 1 or not any(text for text, _ in texts):  # the description of a single picture stands twice
        texts += [(element.get("descr", ""), _find_target(element, targets)) for element in pictures]
    addresses: dict[str, str] = {}
    for text, address in texts:
        addresses[text] = addresses.get(text) or address
    return [link_picture(words, address) for text, address in addresses.items() if (words := picture(text))]


def _find_target(element: Any, targets: Mapping[str, str]) -> str:
    link = element.find(f"{_A}hlinkClick")
    return "" if link is None else targets.get(link.get(f"{_R}id", ""), "")


def link_picture(words: str, address: str) -> str:
    """A link on what a picture shows, in which a bracket would end the words."""
    label = _BRACKET.sub(r"\\\g<0>", words)
    link = write_link(label, address)
    return words if link == label else link


def write_link(words: str, address: str) -> str:
    """A link on words, unless its address is none of a page or a mailbox, or is what the words say."""
    is_address = address.startswith(("http://", "https://", "mailto:")) and not any(map(str.isspace, address))
    label = words.strip()
    if not label or not is_address or address.removeprefix("mailto:").rstrip("/") == label.rstrip("/"):
        return words
    return f"[{label}](<{address}>)" if "(" in address or ")" in address else f"[{label}]({address})"


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
