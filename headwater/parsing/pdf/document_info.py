"""What a file says about itself: title, author, dates, language.

Belongs here: its information dictionary and catalogue, and the title if they have none. Not here: its text. Guarantee:
a title that a program made up, such as a file name, is not used.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.domain.languages import language_code
from headwater.parsing.language import detect_document_language
from headwater.parsing.pdf.blocks import Block
from headwater.parsing.pdf.hyphens import SOFT_HYPHEN

_LONGEST, _LINE = 300, 100
_MAX_KEYWORD_CHARS = 5_000  # of all keywords
_FILE = re.compile(
    r"\.(?:docx?|pdf|pptx?|xlsx?|od[tps]|rtf|txt|tex|dvi|ps|indd|qxd|html?|pages|key|md|wpd|pub|vsd|dwg)$",
    re.IGNORECASE,
)
_PROGRAM = re.compile(r"^Microsoft (?:Word|PowerPoint|Excel)\s*-\s*", re.IGNORECASE)
_MADE_UP = re.compile(
    r"(?:untitled|unbenannt|sans titre|document|dokument|presentation|powerpoint[- ](?:presentation|präsentation"
    r"|présentation|프레젠테이션|プレゼンテーション)|présentation powerpoint|スライド|slide|scan|title|no title"
    r"|scanned document|unknown|about:blank|anonymous|unspecified|word document|new document|template|layout"
    r"|pdf)[\s\d._-]*$",
    re.IGNORECASE,
)  # fmt: skip
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?|Z)?")


def metadata(reader: Any) -> dict[str, Any]:
    """The author, subject, keywords and dates that a file names, and its number of pages."""
    info = _information(reader)
    fields: dict[str, Any] = {}
    for name, key in (("author", "/Author"), ("subject", "/Subject"), ("keywords", "/Keywords")):
        if text := _text(info, key, _MAX_KEYWORD_CHARS if name == "keywords" else _LONGEST):
            fields[name] = text
    for name, key in (("created", "/CreationDate"), ("modified", "/ModDate")):
        if date := _date(_text(info, key)):
            fields[name] = date
    return fields


def language(reader: Any, text: str) -> str:
    """The language that a file names, such as `en-US`; empty if its text is clearly in another one.

    Programs write the language of their own settings: slides in English that were made in the Netherlands say `nl-NL`.
    """
    stated = _read_stated_language(reader)
    detected = detect_document_language(text) if stated else ""
    return "" if detected and detected != language_code(stated) else stated


def _read_stated_language(reader: Any) -> str:
    try:
        code = str(reader.root_object.get("/Lang", "")).strip()
    except Exception:  # noqa: BLE001  # the catalogue can be broken in any way
        return ""
    return code if re.fullmatch(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*", code) else ""


def title(reader: Any, uri: str, blocks: Sequence[Block]) -> str:
    """The title that a file names, or else the largest text of its first page."""
    declared_title = _PROGRAM.sub("", _text(_information(reader), "/Title"))
    if declared_title and not _is_made_up(declared_title, uri):
        return declared_title
    return _largest(blocks)


def _is_made_up(named: str, uri: str) -> bool:
    stem = posixpath.splitext(posixpath.basename(uri))[0]
    is_name = " " not in named and ("_" in named or "\\" in named or "/" in named)
    is_blank = not any(character.isalpha() for character in named)
    is_stem = named.casefold() == stem.casefold()
    return is_name or is_blank or is_stem or bool(_FILE.search(named) or _MADE_UP.match(named.strip("()")))


def _largest(blocks: Sequence[Block]) -> str:
    first = [block for block in blocks if block.page == blocks[0].page and block.first.size > 0]
    if not first:  # a scan: there are no sizes
        line = blocks[0].text.partition("\n")[0].strip()
        return line if len(line) < _LINE and any(character.isalpha() for character in line) else ""
    size = max(block.first.size for block in first)
    sizes = [block.first.size for block in blocks if block.first.size > 0]
    if size <= 1.05 * sorted(sizes)[len(sizes) // 2] and size <= 1.05 * min(sizes) and len(sizes) > 1:
        return ""  # all text has one size
    heading = ""
    for block in first:
        text = block.text.replace(SOFT_HYPHEN, "").replace("\n", " ")
        if block.first.size >= 0.97 * size and len(text) < 250 and any(character.isalpha() for character in text):
            heading = f"{heading} {text}".strip()
        elif heading:
            break
    return heading[:_LONGEST]


def _information(reader: Any) -> Mapping[str, Any]:
    try:
        return reader.metadata or {}
    except Exception:  # noqa: BLE001  # the dictionary can be broken in any way
        return {}


def _text(info: Mapping[str, Any], key: str, limit: int = _LONGEST) -> str:
    try:
        value = info.get(key)
    except Exception:  # noqa: BLE001  # it can refer to a broken object
        return ""
    text = value if isinstance(value, str) else ""
    return " ".join(text.replace("\x00", "").split())[:limit]


def _date(text: str) -> str:
    match = _DATE.match(text)
    if not match:
        return ""
    defaults = enumerate(("", "01", "01", "00", "00", "00"), start=1)
    year, month, day, hour, minute, second = (match[group] or default for group, default in defaults)
    zone = f"{match[7]}{match[8]}:{match[9] or '00'}" if match[7] else "+00:00"
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}{zone}"
