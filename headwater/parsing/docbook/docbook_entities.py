"""The entities of a file in DocBook.

Belongs here: what a file declares itself, and words for those that other files would declare. Not here: elements
(`docbook_html`). Guarantee: an entity stands for words and never for markup, so nothing grows by nesting; no other file
is read; the work is linear.
"""

import html
import re
from html.entities import html5

from headwater.errors import TooLargeError

_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,1000}(?:\[(?P<subset>.*?)\]\s*)?>", re.DOTALL)
_ENTITY = re.compile(
    r"""<!ENTITY\s+(?P<name>[\w.:-]{1,100})\s+(?P<quote>["'])(?P<value>[^<>]{0,2000}?)(?P=quote)\s*>"""
)
_VERBATIM = r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"
_REFERENCE = re.compile(rf"{_VERBATIM}|&(?P<name>[A-Za-z_][\w.:-]{{0,100}});", re.DOTALL)
_INCLUSION = re.compile(r"</?xi:[^<>]{1,1000}>")  # its prefix may be declared by the document type alone
_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_GROWTH = 2_000_000
"""Characters that the entities of one file may add."""


def replace_entities(source: str) -> str:
    """A file without its document type, with words in the place of entities.

    One that is declared elsewhere is its name, as `&php.ini;` is php.ini.

    Raises:
        TooLargeError: they add more than `_GROWTH` characters.
    """
    source = _DECLARATION.sub("", source.removeprefix("\ufeff"), count=1)
    begin = source.find("<!DOCTYPE")
    doctype = _DOCTYPE.match(source, begin) if begin >= 0 else None
    values: dict[str, str] = {}
    if doctype is not None:
        # Of a declaration that is repeated, the first counts.
        for entity in _ENTITY.finditer(doctype["subset"] or ""):
            values.setdefault(entity["name"], _plain(entity["value"], values))
        source = source[: doctype.start()] + "\n" * doctype[0].count("\n") + source[doctype.end() :]
    room = _GROWTH

    def words(reference: re.Match[str]) -> str:
        nonlocal room
        name = reference["name"]
        if name is None or name in _XML:
            return reference[0]
        value = html.escape(values.get(name) or _plain(reference[0], values))
        room -= len(value)
        if room < 0:
            raise TooLargeError("Its entities stand for too much text. Write it out.")
        return value

    return _INCLUSION.sub("", _REFERENCE.sub(words, source))


def _plain(value: str, values: dict[str, str]) -> str:
    """The words of a value: characters that HTML names too, entities declared before, and names of others."""

    def word(reference: re.Match[str]) -> str:
        name = reference["name"]
        if name is None:
            return ""
        return (values.get(name) or html5.get(f"{name};", name))[:2_000]

    return html.unescape(_REFERENCE.sub(word, value))[:2_000]
