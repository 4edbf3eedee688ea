"""Whether XML is a document.

Belongs here: telling documents and data apart. Not here: types by the beginning of a file
(`headwater.parsing.file_types`). Guarantee: pure, and linear in the file.
"""

from headwater.parsing.xml import Element
from headwater.parsing.xml_documents.element_names import LEFT_OUT_NAMES, PROSE
from headwater.parsing.xml_documents.tree_changes import find_name

_PROSE_OF_LAWS = frozenset({"content", "item", "text"})  # elsewhere they hold the values of data
_MIN_PROSE_SHARE = 0.5
"""Of the letters of a file that stand in paragraphs, lists, tables, titles and code; less is data with some text."""


def is_prose(root: Element) -> bool:
    """Whether most of the text of a file, without what is left out, stands in elements of a document."""
    is_numbered = next(root.iter("{*}num", "{*}enum"), None) is not None
    prose_names = PROSE if is_numbered else PROSE - _PROSE_OF_LAWS
    total = prose = 0
    places: dict[Element, str] = {}
    for element in root.iter():
        parent = element.getparent()
        place = "" if parent is None else places[parent]
        total += _count_letters(element.tail) if place != "left out" else 0
        prose += _count_letters(element.tail) if place == "prose" else 0
        name = find_name(element)
        named_place = "left out" if name in LEFT_OUT_NAMES else "prose" if name in prose_names else ""
        places[element] = place = place or named_place
        total += _count_letters(element.text) if place != "left out" else 0
        prose += _count_letters(element.text) if place == "prose" else 0
    return prose > _MIN_PROSE_SHARE * total


def _count_letters(text: str | None) -> int:
    return len((text or "").strip())
