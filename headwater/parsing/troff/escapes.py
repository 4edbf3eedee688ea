"""The escapes of troff within a line: fonts, characters, strings.

Belongs here: what stands behind a backslash. Not here: requests and macros (`man`, `mdoc`). Guarantee: pure; an escape
that is unknown here leaves no trace; a string is replaced once, so none can grow without bound.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

BOLD, ITALIC, ROMAN, CODE = "B", "I", "R", "C"
_FONTS = {"B": BOLD, "I": ITALIC, "2": ITALIC, "3": BOLD, "4": BOLD, "BI": BOLD, "CB": CODE, "CW": CODE, "C": CODE,
          "CR": CODE, "CI": CODE, "VB": BOLD, "VI": ITALIC}  # fmt: skip
_MARKS = {BOLD: "**", ITALIC: "*", CODE: "`"}
_CHARACTERS = {
    "aq": "'", "dq": '"', "oq": "‘", "cq": "’", "lq": "“", "rq": "”", "bu": "•", "co": "©", "rg": "®", "tm": "™",
    "em": "—", "en": "–", "hy": "-", "mi": "−", "pl": "+", "mu": "×", "di": "÷", "+-": "±", "->": "→", "<-": "←",
    "<>": "↔", "ua": "↑", "da": "↓", "ha": "^", "ti": "~", "ga": "`", "aa": "´", "rs": "\\", "sl": "/", "ba": "|",
    "bv": "|", "or": "|", "at": "@", "sh": "#", "Do": "$", "de": "°", "sc": "§", "ps": "¶", "dg": "†", "dd": "‡",
    "eq": "=", "==": "≡", "!=": "≠", ">=": "≥", "<=": "≤", "~=": "≈", "if": "∞", "ci": "○", "sq": "□", "ss": "ß",
    "Po": "£", "Eu": "€", "Ye": "¥", "ct": "¢", "Fo": "«", "Fc": "»", "fo": "‹", "fc": "›", "lh": "☜", "rh": "☞",
    "lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "⟨", "ra": "⟩", "14": "¼", "12": "½", "34": "¾", "S2": "²",
    "S3": "³", "*a": "α", "*b": "β", "*g": "γ", "*d": "δ", "*e": "ε", "*l": "λ", "*m": "μ", "*p": "π", "*s": "σ",
    "*o": "ο", "*w": "ω", "*W": "Ω", "mc": "µ", "tf": "∴", "no": "¬", "is": "∫", "es": "∅", "br": "|", "ul": "_",
    "ru": "_",
}  # fmt: skip
_ACCENTS = {":": "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", ",": "\u0327", "o": "\u030a"}
STRINGS = {"R": "®", "Tm": "™", "lq": "“", "rq": "”", "Aq": "'", "C`": '"', "C'": '"', 'L"': "“", 'R"': "”",
           "PI": "π", "Lq": "“", "Rq": "”", "q": '"', "Le": "≤", "Ge": "≥", "Ne": "≠", "Pm": "±"}  # fmt: skip
"""What the macro packages and pod2man define."""
_NAME = r"(?:\[(?P<{0}long>[^\]\n]{{0,80}})\]|\((?P<{0}two>..)|(?P<{0}one>[^\s\[(]))"
_ESCAPE = re.compile(
    r"\\(?:f" + _NAME.format("font") + r"|\*" + _NAME.format("string")
    + r"|(?P<char>\[(?P<charlong>[^\]\n]{1,80})\]|\((?P<chartwo>..))|C'(?P<named>[^'\n]{0,80})'"
    r"|[nFgkmMVY](?:\[[^\]\n]{0,80}\]|\(..|[+-]?\S)|s(?:[+-]?(?:\[[^\]\n]*\]|'[^'\n]*'|\(..|[0-3]?\d)|[+-]?\d)"
    r"|[hvwlLDbBAoxXRNSHZ]'[^'\n]*'|z|(?P<comment>[\"#].*)|(?P<other>.)|$)"
)  # fmt: skip
_PLAIN = {"-": "-", " ": " ", "~": " ", "0": " ", "e": "\\", "\\": "\\", ".": ".", "'": "'", "`": "`", "t": "\t",
          "_": "_", "E": "\\", "{": "", "}": ""}  # fmt: skip
_QUOTED = re.compile(r"``([^`'\n]{1,200})''|(?<![\w`\\])`([^`'\n]{1,80})'(?![\w'])")
_HEX = re.compile(r"u([0-9A-F]{4,6})(?:_[0-9A-F_]*)?")


class Run(NamedTuple):
    """A stretch of text in one font."""

    text: str
    font: str = ROMAN


def read_runs(line: str, strings: Mapping[str, str], font: str = ROMAN) -> tuple[list[Run], str]:
    """Replace the escapes of a line.

    Args:
        line: the text of a line or of an argument.
        strings: the strings that the file defines.
        font: the font at its beginning.

    Returns:
        The text by its fonts, and the font at its end.
    """
    runs: list[Run] = []
    previous_font, position = ROMAN, 0
    line = _with_strings(line, strings)
    for escape in _ESCAPE.finditer(line):
        runs.append(Run(line[position : escape.start()], font))
        position = escape.end()
        if escape["fontlong"] is not None or escape["fonttwo"] or escape["fontone"]:
            name = escape["fontlong"] or escape["fonttwo"] or escape["fontone"] or "P"
            previous_font, font = font, previous_font if name == "P" else _FONTS.get(name, ROMAN)
        else:
            runs.append(Run(_character(escape), font))
    runs.append(Run(line[position:], font))
    return _join_runs(runs), font


def with_quotation_marks(line: str) -> str:
    """A line of text with the quotation marks that troff makes of accents and apostrophes."""
    if "`" not in line:
        return line
    return _QUOTED.sub(lambda match: f"“{match[1]}”" if match[1] else f"‘{match[2]}’", line)


def plain_text(line: str, strings: Mapping[str, str]) -> str:
    """A line without escapes and fonts."""
    return "".join(run.text for run in read_runs(line, strings)[0])


def write_runs(runs: list[Run]) -> str:
    """Runs as markdown; fonts that markdown could not tell from the text beside them are left out."""
    joined = _join_runs(runs)
    text = ""
    for index, run in enumerate(joined):
        inside = run.text.strip()
        mark = _MARKS.get(run.font, "")
        following = run.text[len(run.text.rstrip()) :] or next(
            (later_run.text for later_run in joined[index + 1 :] if later_run.text), ""
        )
        preceding = run.text[: len(run.text) - len(run.text.lstrip())] or text
        fits = mark and inside and (mark == "`" or _fits(preceding[-1:], inside, following[:1]))
        if not fits or (mark == "`" and "`" in inside) or ("*" in inside and mark != "`"):
            text += run.text
            continue
        start = run.text.index(inside)
        text += f"{run.text[:start]}{mark}{inside}{mark}{run.text[start + len(inside) :]}"
    return text


def _fits(before: str, inside: str, after: str) -> bool:
    """Whether marks around a text open and close emphasis, by markdown's rules."""
    opens = inside[0].isalnum() or not before or before.isspace() or not before.isalnum()
    closes = inside[-1].isalnum() or not after or not after.isalnum()
    return opens and closes and before != "*" and after != "*"


def _with_strings(line: str, strings: Mapping[str, str]) -> str:
    if "\\*" not in line:
        return line
    all_strings = {**STRINGS, **strings}

    def value(escape: re.Match[str]) -> str:
        name = escape["stringlong"] or escape["stringtwo"] or escape["stringone"]
        return escape[0] if name is None else all_strings.get(name, "")

    return _ESCAPE.sub(value, line)


def _character(escape: re.Match[str]) -> str:
    if name := escape["charlong"] or escape["chartwo"] or escape["named"]:
        if code := _HEX.fullmatch(name):
            return chr(int(code[1], 16)) if int(code[1], 16) < 0x110000 else ""
        if name in _CHARACTERS:
            return _CHARACTERS[name]
        return name[1] + _ACCENTS[name[0]] if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha() else ""
    return _PLAIN.get(escape["other"] or "", "")


def _join_runs(runs: list[Run]) -> list[Run]:
    return [Run("".join(run.text for run in same), font) for font, same in _by_font(runs) if font]


def _by_font(runs: list[Run]) -> Iterator[tuple[str, list[Run]]]:
    for font, same in groupby((run for run in runs if run.text), key=lambda run: run.font):
        yield font, list(same)
