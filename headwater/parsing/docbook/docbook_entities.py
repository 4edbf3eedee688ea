"""The entities of a file in DocBook.

Belongs here: what a file declares itself, and words for those that other files would declare. Not here: elements
(`docbook_html`). Guarantee: an entity stands for words and never for markup, so nothing grows by nesting; code and
comments stay as they are; no other file is read; the work is linear.
"""

import html
import re
from html.entities import html5

from headwater.errors import TooLargeError

_PROLOG = re.compile(r"\ufeff?(?:\s++|<\?(?:[^?]|\?(?!>))*+\?>|<!--(?:[^-]|-(?!->))*+-->)*+")
_XML_DECLARATION = re.compile(r"\ufeff?\s*+<\?xml[^>]{0,200}\?>")
_DOCTYPE = re.compile(
    r"<!DOCTYPE[^>\[]{0,1000}"
    r"(?:\[(?P<subset>(?:<!--(?:[^-]|-(?!->))*+-->|\"[^\"]*+\"|'[^']*+'|[^\]\"'<]|<(?!!--)|\](?!\s*+>))*+)\]\s*+)?>"
)
_COMMENT = re.compile(r"<!--(?:[^-]|-(?!->))*+-->")
_ENTITY = re.compile(
    r"""<!ENTITY\s+(?P<name>[\w.:-]{1,100})\s+(?P<quote>["'])(?P<value>[^"']{0,2000}?)(?P=quote)\s*>"""
)
_INCLUDED = re.compile(r"<!ENTITY\s+([\w.:-]{1,100})\s+(?:SYSTEM|PUBLIC)\s")
_TAG = re.compile(r"<[^<>]*>")
_REFERENCE = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"
    r"|(?P<inclusion></?xi:[^<>]{1,1000}>)"  # its prefix may be declared by the document type alone
    r"|&(?P<name>[A-Za-z_][\w.:-]{0,100});",
    re.DOTALL,
)
_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_MAX_VALUE_CHARS = 2_000
_GROWTH = 2_000_000
"""Characters that the entities of one file may add."""


def replace_entities(source: str) -> str:
    """A file without its document type, with words in the place of entities; lines keep their numbers.

    An entity that is declared elsewhere is its name, as `&php.ini;` is php.ini; one that includes a file is nothing.

    Raises:
        TooLargeError: they add more than `_GROWTH` characters.
    """
    if declaration := _XML_DECLARATION.match(source):
        source = "\n" * declaration[0].count("\n") + source[declaration.end() :]
    values: dict[str, str] = {}
    prolog = _PROLOG.match(source)
    doctype = _DOCTYPE.match(source, prolog.end() if prolog else 0)
    if doctype is not None:
        # Of a declaration that is repeated, the first counts.
        subset = _COMMENT.sub("", doctype["subset"] or "")
        values |= dict.fromkeys(_INCLUDED.findall(subset), "")
        for entity in _ENTITY.finditer(subset):
            values.setdefault(entity["name"], _read_value(_TAG.sub("", entity["value"]), values))
        source = source[: doctype.start()] + "\n" * doctype[0].count("\n") + source[doctype.end() :]
    room = _GROWTH

    def words(reference: re.Match[str]) -> str:
        nonlocal room
        if reference["inclusion"]:
            return ""
        name = reference["name"]
        if name is None or name in _XML:
            return reference[0]
        value = html.escape(_name_value(name, values))
        room -= len(value)
        if room < 0:
            raise TooLargeError("Its entities stand for too much text. Write it out.")
        return value

    return _REFERENCE.sub(words, source)


def _read_value(value: str, values: dict[str, str]) -> str:
    """The words of a declared value, which may have entities declared before."""

    def word(reference: re.Match[str]) -> str:
        return _name_value(reference["name"], values) if reference["name"] else ""

    return html.unescape(_REFERENCE.sub(word, value))[:_MAX_VALUE_CHARS]


def _name_value(name: str, values: dict[str, str]) -> str:
    """The words of an entity: those that the file declares, a character that HTML names too, or else its name."""
    return values[name] if name in values else html5.get(f"{name};", name)
