"""Characters as readers mean them: ligatures, accents, odd spaces, scripts written from right to left.

Belongs here: changing characters within one line. Not here: where lines begin and end. Guarantee: pure and linear.
"""

import re
import unicodedata

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_BULLETS = "\uf0b7\uf0a7\uf0d8\uf076\uf0fc\uf0a8\uf06e\uf071\uf02d"  # of Symbol and Wingdings
_BULLETS += "\u2023\u2043\u25aa\u25ab\u25b6\u25b8\u25ba\u25cf\u25cb\u25e6\u25fc\u25fe\u27a2\u2756"
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_SPACES += "\t\r\n\x0b\x0c\x85\u2028\u2029"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
_INVISIBLE += "\u2066\u2067\u2068\u2069\ufffc\ufffe\uffff\ufffd"
_TABLE = str.maketrans(
    {
        **_LIGATURES,
        **dict.fromkeys(_SPACES, " "),
        **dict.fromkeys(_INVISIBLE),
        **dict.fromkeys(_BULLETS, "•"),
        **dict.fromkeys("\u2010\u2011", "-"),
        **{code: None for code in (*range(9), *range(14, 32), *range(127, 160)) if code != 0x85},
        **dict.fromkeys(range(0xD800, 0xE000)),
    }
)  # fmt: skip
_ODD = re.compile("[^\x20-\x7e\u00a1-\u00a7\u00a9-\u00ac\u00ae-\u00b3\u00b5-\u00b7\u00b9-\u024f\u2013-\u201d\u2026]")
_PRESENTED = re.compile("[\ufb13-\ufdff\ufe70-\ufefc]+")
ACCENTS = {"´": "\u0301", "¨": "\u0308", "˜": "\u0303", "ˇ": "\u030c", "˘": "\u0306", "˙": "\u0307", "˚": "\u030a"}
ACCENTS |= {"˝": "\u030b", "ˆ": "\u0302", "ˋ": "\u0300", "`": "\u0300", "¸": "\u0327"}
_ACCENTED = re.compile(r"([´¨˜ˇ˘˙˚˝ˋ¸]) ?([A-Za-zı])")
_CIRCUMFLEX = re.compile(
    r"(?:(?<=[^\W\d_]{2})|(?<=[^\W\d_])(?=ˆ.[^\W\d_])|(?<!\S)(?=ˆ.[^\W\d_]{2}))(ˆ)([aeiouAEIOUı])"
)  # within a longer word; elsewhere it is an exponent, or a control key
_GRAVE = re.compile(
    r"(?<=[^\W\d_])(`)([aeiouAEIOU])(?![^\s`]*`)|(?<![^\s’'])(`)(a)(?!\S)(?!.{0,200}(?:`\W|[’'](?!\w)))"
)
"""Elsewhere, it opens a quotation, or is code."""
_CEDILLA = re.compile(r"([cCsStT]) ?¸")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_NOT_REVERSED = re.compile(r"[0-9A-Za-zÀ-ɏЀ-ӿ](?:[^\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]*[0-9A-Za-zÀ-ɏЀ-ӿ%])?")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_BRACKET = re.compile(r"[()\[\]{}«»]")
RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_WIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


def plain(text: str, *, is_code: bool = False) -> str:
    """A line's text in the order of reading, with ordinary characters in place of ligatures and odd spaces.

    Args:
        text: as it is drawn.
        is_code: whether its backticks and circumflexes are no accents.
    """
    if "`" in text and not is_code:
        text = _GRAVE.sub(lambda match: unicodedata.normalize("NFC", f"{match[2] or match[4]}\u0300"), text)
    if not _ODD.search(text):
        return text
    text = _ACCENTED.sub(_compose, _CEDILLA.sub("\\1\u0327", text))
    if not is_code:
        text = _CIRCUMFLEX.sub(_compose, text)
    if _RIGHT_TO_LEFT.search(text):
        text = _in_logical_order(text)
    text = text.translate(_TABLE)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _compose(match: re.Match[str]) -> str:
    """An accent and its letter as one character, if there is one; `ˆβ` of a formula stays."""
    letter = "i" if match[2] == "ı" else match[2]
    character = unicodedata.normalize("NFC", letter + ACCENTS[match[1]])
    return character if len(character) == 1 else match[0]


def drawn_order(text: str) -> str:
    """A word in the order in which it is drawn, from left to right, given the order in which it is read."""
    return _reverse(text) if _RIGHT_TO_LEFT.search(text) else text


def is_wide(character: str) -> bool:
    """Whether words of this character's script are written without spaces, as in Chinese and Japanese."""
    return bool(_WIDE.match(character))


def _in_logical_order(text: str) -> str:
    """A line in the order in which it is read, given the order in which it is drawn, from left to right."""
    text = _PRESENTED.sub(lambda match: unicodedata.normalize("NFKC", match[0][::-1])[::-1], text)
    right = len(_RIGHT_TO_LEFT.findall(text))
    if 2 * right < sum(character.isalpha() for character in text):  # a few words within a line of another script
        return re.sub(
            r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc](?:[^A-Za-z0-9]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc])?",
            lambda match: match[0][::-1].translate(_MIRRORED),
            text,
        )
    logical = _reverse(text)
    first = _BRACKET.search(logical)
    # Some programs store the character of a bracket, others what it looks like from left to right.
    return logical.translate(_MIRRORED) if first and first[0] in ")]}»" else logical


def _reverse(text: str) -> str:
    """Characters in reverse, but numbers and words of other scripts as they were."""
    return _NOT_REVERSED.sub(lambda match: match[0][::-1], text[::-1])
