"""What stands in a line of Texinfo, as markdown.

Belongs here: commands with braces, accents, quotation marks, references. Not here: lines that are commands
(`texinfo_markdown`), macros (`texinfo_source`). Guarantee: linear in the text; code keeps its signs; a brace that is
never closed loses nothing.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from headwater.parsing.markdown.writer import escape_signs, quote_code

_TOKEN = re.compile(r"@(?:[A-Za-z]+|[^A-Za-z]|\Z)|[{},]|[^@{},]+")
_SIGNS: Mapping[str, str] = {
    "@": "@", "{": "{", "}": "}", "*": "\n", ":": "", "/": "", "-": "", ".": ".", "!": "!", "?": "?", " ": " ",
    "\n": " ", "\t": " ", "|": "", "\\": "\\", "&": "&", "dots": "…", "enddots": "…", "result": "⇒", "expansion": "↦",
    "print": "⊣", "error": "error→", "equiv": "≡", "point": "⋆", "minus": "-", "copyright": "©",
    "registeredsymbol": "®",
    "TeX": "TeX", "LaTeX": "LaTeX", "bullet": "•", "tie": " ", "comma": ",", "atchar": "@", "lbracechar": "{",
    "rbracechar": "}", "backslashchar": "\\", "hashchar": "#", "ampchar": "&", "arrow": "→", "click": "→",
    "geq": "≥", "leq": "≤", "pounds": "£", "euro": "€", "textdegree": "°", "ordf": "ª", "ordm": "º", "exclamdown": "¡",
    "questiondown": "¿", "ss": "ß", "aa": "å", "AA": "Å", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø",
    "O": "Ø", "l": "ł", "L": "Ł", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "quotedblleft": "“", "quotedblright": "”",
    "quoteleft": "‘", "quoteright": "’", "quotesinglbase": "‚", "quotedblbase": "„", "guillemetleft": "«",
    "guillemetright": "»", "guillemotleft": "«", "guillemotright": "»", "guilsinglleft": "‹", "guilsinglright": "›",
    "today": "",
}  # fmt: skip
"""Commands that are a sign, with empty braces or without."""
_ACCENTS: Mapping[str, str] = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ",": "\u0327",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "dotaccent": "\u0307", "ringaccent": "\u030a", "ogonek": "\u0328",
    "udotaccent": "\u0323", "ubaraccent": "\u0331",
}  # fmt: skip
_CODE = frozenset({"code", "samp", "kbd", "command", "file", "option", "env", "t", "verb", "indicateurl"})
_EMPHASIS = {
    "emph": "*", "var": "*", "dfn": "*", "cite": "*", "i": "*", "slanted": "*", "sansserif": "", "strong": "**",
    "b": "**",
}  # fmt: skip
_SILENT = frozenset({"anchor", "hyphenation", "sortas", "cindex", "vindex", "findex", "errormsg", "shortcaption",
                     "seeentry", "seealso", "subentry"})  # fmt: skip
_LISTED = frozenset({"ref", "xref", "pxref", "inforef", "link", "url", "uref", "email", "image", "acronym", "abbr",
                     "inlinefmt", "inlinefmtifelse", "inlineraw", "inlineifset", "inlineifclear"})  # fmt: skip
"""Commands with arguments between commas."""
_TEXT_FORMATS = frozenset({"info", "plaintext"})
_QUOTES = (("```", "“‘"), ("'''", "’”"), ("``", "“"), ("''", "”"), ("`", "‘"), ("---", "—"), ("--", "–"))
_MAX_DEPTH = 30  # of commands in commands; each of them is written once more
_MAX_VERB = 2_000  # characters


@dataclass(slots=True)
class _Frame:
    """A command whose brace is open, with the arguments read so far."""

    name: str
    is_code: bool
    arguments: list[list[str]] = field(default_factory=lambda: [[]])

    def add(self, text: str) -> None:
        """More of the last argument."""
        self.arguments[-1].append(text)


def read_inline(text: str, *, is_code: bool = False) -> str:
    """A text of one or more lines as markdown, or as code."""
    frames = [_Frame("", is_code)]
    position = 0
    while token := _TOKEN.match(text, position):
        position = token.end()
        word = token[0]
        if word == "}":
            if len(frames) > 1:
                closed = frames.pop()
                frames[-1].add(_write(closed, is_code=frames[-1].is_code))
        elif word == ",":
            if frames[-1].name in _LISTED:
                frames[-1].arguments.append([])
            else:
                frames[-1].add(word)
        elif word == "{":
            _push(frames, "asis")
        elif word[0] == "@":
            position = _open(text, position, word[1:], frames)
        else:
            frames[-1].add(word if frames[-1].is_code else _set_type(word))
    while len(frames) > 1:
        closed = frames.pop()
        frames[-1].add(_write(closed, is_code=frames[-1].is_code))
    return "".join(frames[0].arguments[0])


def read_plain(text: str) -> str:
    """A text without markup, such as a title."""
    return " ".join(read_inline(text, is_code=True).split())


def _open(text: str, position: int, name: str, frames: list[_Frame]) -> int:
    """Read a command; return where the text goes on."""
    has_brace = text.startswith("{", position)
    if name == "verb" and has_brace:
        return _read_verb(text, position + 1, frames)
    if name in _ACCENTS and not has_brace and name[0] not in "uvH":
        letter = text[position : position + 1]
        if letter.isalpha():
            frames[-1].add(_accent(name, letter))
            return position + 1
    if has_brace and (name.isalpha() or name in _ACCENTS):
        _push(frames, name)
        return position + 1
    frames[-1].add(_SIGNS.get(name, ""))
    return position


def _push(frames: list[_Frame], name: str) -> None:
    if len(frames) < _MAX_DEPTH:
        frames.append(_Frame(name, frames[-1].is_code or name in _CODE or name == "math"))


def _read_verb(text: str, position: int, frames: list[_Frame]) -> int:
    """Read `@verb{|text|}`."""
    end = text.find(f"{text[position : position + 1]}}}", position + 1, position + _MAX_VERB)
    if end < 0:
        return position
    words = text[position + 1 : end]
    frames[-1].add(words if frames[-1].is_code else quote_code(words))
    return end + 2


def _write(frame: _Frame, *, is_code: bool) -> str:
    """What a command is, once its brace is closed; `is_code` says what stands around it."""
    name, words = frame.name, "".join(frame.arguments[0])
    if name in _SIGNS and not words:
        return "..." if is_code and name in ("dots", "enddots") else _SIGNS[name]
    if name in _SILENT:
        return ""
    if name in _ACCENTS:
        return _accent(name, words)
    if name in _LISTED:
        arguments = ["".join(argument).strip() for argument in frame.arguments]
        return _LIST_WRITERS[name]([*arguments, "", "", "", "", ""], is_code)
    if name in _CODE:
        return words if is_code else quote_code(words)
    if name in _EMPHASIS:
        mark = _EMPHASIS[name]
        is_plain = is_code or not words.strip() or "*" in words or words != words.strip()
        return words if is_plain else f"{mark}{words}{mark}"
    return _write_other(name, words, is_code=is_code)


def _write_other(name: str, words: str, *, is_code: bool) -> str:
    if name == "footnote":
        return f" ({' '.join(words.split())})"
    if name == "math" and not is_code:
        return f"${words.strip()}$"
    if name == "U":
        return _read_code_point(words)
    if name in ("sup", "sub"):
        return f"{'^' if name == 'sup' else '_'}{words}"
    return words


def _read_code_point(digits: str) -> str:
    """The character of a number in Unicode; empty if it has none, or is half of one."""
    code_point = int(digits, 16) if re.fullmatch(r"[0-9A-Fa-f]{4,6}", digits) else 0
    is_text = 0 < code_point <= sys.maxunicode and unicodedata.category(chr(code_point)) not in ("Cs", "Cc")
    return chr(code_point) if is_text else ""


def _accent(name: str, words: str) -> str:
    letter = words.replace("ı", "i") or ""
    return unicodedata.normalize("NFC", letter[:1] + _ACCENTS[name] + letter[1:]) if letter else ""


def _set_type(text: str) -> str:
    """Words as they are printed; none of their signs is markup."""
    for sign, printed in _QUOTES:
        text = text.replace(sign, printed)
    return escape_signs(text)


def _refer(arguments: list[str], _is_code: bool) -> str:
    """The words of a reference: a label, else a title, else the name of the node; and the manual that it is in."""
    node, label, title, file, manual = arguments[:5]
    words = title or label or node
    manual_name = manual or file
    if not manual_name or manual_name == words:
        return words
    return f"{words} in *{manual_name}*" if words and words != "Top" else f"*{manual_name}*"


def _refer_to_see(mark: str) -> Callable[[list[str], bool], str]:
    return lambda arguments, is_code: f"{mark} {_refer(arguments, is_code)}"


def _link(arguments: list[str], is_code: bool) -> str:
    address, words, replacement = arguments[0].replace("\\", ""), arguments[1], arguments[2]
    if is_code or not (words or replacement):
        return replacement or words or address
    return f"[{replacement or words}]({address})" if re.fullmatch(r"[a-z]+:[^\s()]+", address) else words or address


def _mail(arguments: list[str], _is_code: bool) -> str:
    return f"{arguments[1]} ({arguments[0]})" if arguments[1] else arguments[0]


def _spell(arguments: list[str], _is_code: bool) -> str:
    return f"{arguments[0]} ({arguments[1]})" if arguments[1] else arguments[0]


def _format(arguments: list[str], _is_code: bool) -> str:
    return arguments[1] if arguments[0] in _TEXT_FORMATS else arguments[2]


_LIST_WRITERS: Mapping[str, Callable[[list[str], bool], str]] = {
    "ref": _refer, "xref": _refer_to_see("See"), "pxref": _refer_to_see("see"), "inforef": _refer_to_see("see"),
    "link": lambda arguments, _: arguments[1] or arguments[0], "url": _link, "uref": _link, "email": _mail,
    "acronym": _spell, "abbr": _spell, "image": lambda arguments, _: arguments[3],
    "inlinefmt": _format, "inlineraw": _format, "inlinefmtifelse": _format,
    "inlineifset": lambda _, __: "", "inlineifclear": lambda arguments, _: arguments[1],
}  # fmt: skip
