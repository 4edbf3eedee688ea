"""Chapters of Exim's specification: their headings, their options, and what is code in them.

Belongs here: what its classes and its tables of options say. Not here: DocBook's own pages (`docbook_pages`).
Guarantee: a page without the element of a chapter below Exim's heading stays as it is.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    has_class,
    list_classes,
    list_outermost,
    rewrite,
)
from headwater.parsing.html.inline import plain_words
from headwater.parsing.html.tables import rows_of

_CODE = frozenset({"docbook_option", "docbook_literal", "docbook_function"})
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_USE = "Use:"
_OPTION_LEVEL = "h3"  # below the sections of a chapter


def restore_exim(tree: Any) -> None:
    """Make the chapter the page's heading, and each option a heading with a line about it."""
    site, chapter = tree.find(".//h1[@id='header']"), tree.find(".//div[@id='chapter']")
    if site is None or chapter is None or not any(map(_is_docbook, chapter.iter("span"))):
        return
    drop_elements([site])
    for heading in chapter.iter(*_HEADINGS):
        heading.tag = f"h{int(heading.tag[1]) - 1}"
    for table in list_outermost(chapter, lambda element: element.tag == "table"):
        _head_option(table)
    for element in chapter.iter("span"):
        if not _CODE.isdisjoint(list_classes(element)):
            element.tag = "code"


def _is_docbook(span: Any) -> bool:
    return (span.get("class") or "").startswith("docbook_")


def _head_option(table: Any) -> None:
    """Make a table of one option, its use, type and default a heading and a line."""
    rows = list(rows_of(table))
    cells = rows[0] if len(rows) == 1 else []
    if len(cells) < 2 or not plain_words(cells[1]).startswith(_USE):
        return
    option = next((element for element in cells[0].iter("span") if has_class(element, "docbook_option")), None)
    if option is None:
        return
    heading = table.makeelement(_OPTION_LEVEL)
    option.tail = None
    heading.append(option)
    table.addprevious(heading)
    rewrite(table, "p", ", ".join(map(plain_words, cells[1:])))
