"""Signs of the fonts Symbol and Wingdings, which Word files up to 2003 name by their numbers.

Belongs here: the signs that carry meaning in a text: Greek letters, operators, arrows, ticks. Not here: ornaments.
Guarantee: a sign of another font, or an unknown one, is left out.
"""

import re

_FIRST, _FIRST_HIGH = 0x20, 0xA0
_PRIVATE = 0xF000
_LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
_SIGNS = {
    "symbol": {
        **{_FIRST + index: sign for index, sign in enumerate(_LOW)},
        **{_FIRST_HIGH + index: sign for index, sign in enumerate(_HIGH)},
    },
    "wingdings": {
        0x6F: "☐", 0xA8: "☐", 0xDF: "←", 0xE0: "→", 0xE8: "→", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
    },
}  # fmt: skip
_PRIVATE_SIGNS = re.compile("[\uf020-\uf0ff]")


def read_symbol(font: str, code: int) -> str:
    """The sign that a font has at a number; empty if it is not known.

    Args:
        font: the name of the font.
        code: the number, also as a private character.
    """
    sign_number = code - _PRIVATE if code >= _PRIVATE else code
    return _SIGNS.get(font.lower(), {}).get(sign_number, "")


def replace_signs(font: str, text: str) -> str:
    """A text with the signs that a font has at its private characters; unknown ones stay."""
    return _PRIVATE_SIGNS.sub(lambda match: read_symbol(font, ord(match[0])) or match[0], text)
