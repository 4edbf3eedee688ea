"""The fonts of a file: which characters a string shows, and how wide they are.

Belongs here: decoding strings, and what a font's name and flags say about it. Not here: where text is (`interpreter`).
Guarantee: each font is read once per file; a font that does not say which characters it shows gives no text.

pypdf reads a font for every page again; in a file of 109 pages there are four fonts and 296 uses.
"""

import re
from collections import defaultdict
from typing import Any, NamedTuple

_CACHED = 20_000  # strings of one font
_BOLD = re.compile(r"bold|black|heavy|demi(?!ta)|cmbx|cmssbx|sfbx|[-,]bd|-b$", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter|cmtt|sftt|menlo|fixed", re.IGNORECASE)
_FIXED_PITCH, _FORCE_BOLD = 1, 1 << 18
_DEFAULT_WIDTH = 500.0
_WORD_GAP = 0.55  # of a space: the least gap between words


class DecodedText(NamedTuple):
    """What a string shows."""

    text: str
    width: float  # in thousandths of the font's size
    glyphs: int
    spaces: int  # single-byte spaces, which word spacing widens


class FontFace:
    """A font, as far as reading needs it."""

    def __init__(self, font: Any, *, is_readable: bool) -> None:
        """Prepare a font.

        Args:
            font: pypdf's `Font`.
            is_readable: whether its codes can be turned into characters.
        """
        descriptor = font.font_descriptor
        self.name = str(font.name)
        flags = descriptor.flags if isinstance(descriptor.flags, int) else 0
        self.is_bold = bool(_BOLD.search(self.name)) or bool(flags & _FORCE_BOLD) or _weight(descriptor.weight) >= 600
        self.is_mono = bool(flags & _FIXED_PITCH) or bool(_MONO.search(self.name))
        self.is_readable = is_readable
        space = _number(font.space_width, 250.0) / 1000
        self.word_gap = min(0.3, max(0.1, _WORD_GAP * space))
        self._seen: dict[bytes, DecodedText] = {}
        self._encoding: str | None = None
        widths, characters = font.character_widths, font.character_map
        default = _number(widths.get("default"), _DEFAULT_WIDTH)
        if isinstance(font.encoding, str):
            self._encoding = "utf-16-be" if font.encoding == "utf-16-be" else font.encoding
            self._texts: Any = _Texts(characters)
            self._widths: Any = _Widths(widths, default)
        else:
            codes = [font.encoding.get(code, chr(code)) for code in range(256)]
            self._texts = [_glyph(characters.get(code, code)) for code in codes]
            self._widths = [_number(widths.get(chr(code)), default) for code in range(256)]

    def shown(self, source: bytes) -> DecodedText:
        """What a string of this font shows."""
        decoded = self._seen.get(source)
        if decoded is None:
            decoded = self._decode(source)
            if len(self._seen) < _CACHED:
                self._seen[source] = decoded
        return decoded

    def _decode(self, source: bytes) -> DecodedText:
        if self._encoding is None:
            text = "".join([self._texts[code] for code in source])
            width = sum([self._widths[code] for code in source])
            return DecodedText(text if self.is_readable else "", width, len(source), source.count(32))
        codes = source.decode(self._encoding, "surrogatepass" if self._encoding == "utf-16-be" else "replace")
        text = "".join([self._texts[code] for code in codes])
        width = sum([self._widths[code] for code in codes])
        return DecodedText(text if self.is_readable else "", width, len(codes), 0)


class _Texts(defaultdict[str, str]):
    def __init__(self, characters: dict[Any, Any]) -> None:
        super().__init__()
        self._characters = characters

    def __missing__(self, code: str) -> str:
        text = self[code] = _glyph(self._characters.get(code, code))
        return text


class _Widths(defaultdict[str, float]):
    def __init__(self, widths: dict[Any, Any], default: float) -> None:
        super().__init__()
        self._given, self._default = widths, default

    def __missing__(self, code: str) -> float:
        width = self[code] = _number(self._given.get(code), self._default)
        return width


class FontTable:
    """The fonts of one file, each read once."""

    def __init__(self) -> None:
        self._read: dict[object, FontFace | None] = {}
        self._kept: list[Any] = []  # so that no two of them have the same id

    def of(self, fonts: Any, name: str) -> FontFace | None:
        """The font with a name in a page's resources; None if there is none or it cannot be read."""
        try:
            reference = fonts.raw_get(name)
        except (KeyError, AttributeError):
            return None
        object_number = getattr(reference, "idnum", None)
        key = ("object", object_number) if object_number is not None else ("inline", id(reference))
        if key not in self._read:
            self._kept.append(reference)
            self._read[key] = _read_face(reference.get_object())
        return self._read[key]


def _read_face(resource: Any) -> FontFace | None:
    from pypdf.generic._font import Font  # the font decoding that its own text extraction uses

    try:
        font = Font.from_font_resource(resource)
        return FontFace(font, is_readable=font.interpretable and not _is_opaque(resource))
    except Exception:  # noqa: BLE001  # a font can be broken in any way; the rest of the page can be read
        return None


def _is_opaque(resource: Any) -> bool:
    """Whether codes are the numbers of glyphs in a font file, and nothing says which characters they show."""
    if resource.get("/Subtype") != "/Type0" or "/ToUnicode" in resource:
        return False
    if resource.get("/Encoding") not in ("/Identity-H", "/Identity-V"):
        return False
    descendant = resource["/DescendantFonts"][0].get_object()
    system = descendant.get("/CIDSystemInfo", {})
    return str(system.get("/Ordering", "Identity")) in ("Identity", "Japan1", "GB1", "CNS1", "Korea1", "KR")


def _glyph(text: Any) -> str:
    """The characters of a glyph; those of a ligature in a right-to-left script in the order of drawing."""
    characters = text if isinstance(text, str) else str(text)
    if len(characters) > 1:
        if characters[0] == "/":  # the name of a glyph that stands for no character
            return ""
        if "\u0590" <= characters[0] <= "\u08ff":
            return characters[::-1]
    return characters


def _number(value: Any, default: float) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return default


def _weight(value: Any) -> float:
    return _number(value, 0.0)
