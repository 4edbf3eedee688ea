"""What stands in a paragraph of POD, as markdown.

Belongs here: formatting codes, such as `C<< … >>` and `L<…>`. Not here: paragraphs (`pod_markdown`). Guarantee: linear
in the text; code keeps its signs; a code that is never closed loses nothing.
"""

import re
from dataclasses import dataclass, field
from html.entities import name2codepoint

from headwater.parsing.markdown.writer import escape_signs, quote_code

_TOKEN = re.compile(
    r"(?P<letter>[A-Z])(?P<begin><(?!<)|<{2,20}(?=\s))|(?<=\s)>{2,20}|[>|]|(?:[^A-Z>|]|[A-Z](?!<))+|[A-Z]"
)
_ADDRESS = re.compile(r"[a-z][a-z+.-]{1,20}:[^:\s][^\s()]*")
_SECTION = re.compile(r"(?P<page>[^/\"]*?)(?:\s*\([^()]*\))?/\"?(?P<section>.*?)\"?", re.DOTALL)
_EMPHASIS = {"I": "*", "B": "**"}
_CODE = frozenset("CF")
_SILENT = frozenset("XZ")
_ENTITIES = {"sol": "/", "verbar": "|", "lchevron": "«", "rchevron": "»", "apos": "'"}
_MAX_DEPTH = 30  # of codes in codes; each of them is written once more
_LAST_CODE_POINT = 0x10FFFF


@dataclass(slots=True)
class _Frame:
    """A code that is open: its letter, how many angle brackets close it, the label of a link, its text so far."""

    letter: str
    width: int
    is_code: bool
    label: str | None = None
    texts: list[str] = field(default_factory=list)


def read_inline(text: str, *, is_code: bool = False) -> str:
    """A paragraph as markdown, or without markup."""
    frames = [_Frame("", 0, is_code)]
    for token in _TOKEN.finditer(text):
        words = token[0]
        frame = frames[-1]
        if token["begin"]:
            if len(frames) < _MAX_DEPTH:
                letter = token["letter"]
                is_inside_code = frame.is_code or letter in _CODE or letter == "E"
                frames.append(_Frame(letter, len(token["begin"]), is_inside_code))
        elif (
            words[0] == ">" and len(frames) > 1 and len(words) >= frame.width and (len(words) > 1) == (frame.width > 1)
        ):
            _close(frames)
            frames[-1].texts.append(words[frame.width :])
        elif words == "|" and frame.letter == "L" and frame.label is None:
            frame.label = "".join(frame.texts)
            frame.texts.clear()
        else:
            is_plain = frame.is_code or (frame.letter == "L" and frame.label is not None)
            frame.texts.append(words if is_plain else escape_signs(words))
    while len(frames) > 1:
        _close(frames)
    return "".join(frames[0].texts)


def _close(frames: list[_Frame]) -> None:
    frame = frames.pop()
    words = "".join(frame.texts)
    frames[-1].texts.append(_write(frame, words.strip() if frame.width > 1 else words, is_code=frames[-1].is_code))


def _write(frame: _Frame, words: str, *, is_code: bool) -> str:
    """What a code is, once it is closed; `is_code` says what stands around it."""
    letter = frame.letter
    if letter in _SILENT:
        return ""
    if letter == "E":
        sign = _read_entity(words)
        return sign if is_code else "\\<" if sign == "<" else escape_signs(sign)
    if letter == "L":
        return _link(frame.label, words, is_code=is_code)
    if letter in _CODE:
        return words if is_code else quote_code(words)
    mark = _EMPHASIS.get(letter, "")
    is_plain = is_code or not words.strip() or "*" in words or words != words.strip()
    return words if is_plain else f"{mark}{words}{mark}"


def _read_entity(name: str) -> str:
    name = name.strip()
    if re.fullmatch(r"0[xX][0-9A-Fa-f]{1,6}|[0-9]{1,7}", name):
        is_octal = name[0] == "0" and not set(name) - set("01234567")
        code = int(name, 16) if "x" in name.lower() else int(name, 8 if is_octal else 10)
        return chr(code) if 0 < code <= _LAST_CODE_POINT and not 0xD800 <= code <= 0xDFFF else ""
    return _ENTITIES.get(name) or (chr(name2codepoint[name]) if name in name2codepoint else name)


def _link(label: str | None, target: str, *, is_code: bool) -> str:
    """The words of a link: its label, else the section and the page that it leads to."""
    target = " ".join(target.split())
    if _ADDRESS.fullmatch(target):
        return f"[{label.strip()}]({target})" if label and not is_code else label or target
    if label:
        return label.strip()
    if section := _SECTION.fullmatch(target):
        return f"{section['section']} in {section['page']}" if section["page"] else section["section"]
    return target.strip('"')
