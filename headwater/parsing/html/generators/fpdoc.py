"""Pages that fpdoc made of Pascal units: declarations over the rows of a table, and lists in tables.

Belongs here: what its tables stand for, and the bar above each page. Not here: what is left out of any page
(`content`). Guarantee: a page without fpdoc's style sheet stays as it is.
"""

import re
from typing import Any

from headwater.parsing.html.code_blocks import code_text
from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_class,
    has_class,
    list_tables,
    make_code_block,
    make_element,
    move_content,
    replace_element,
    unwrap_paragraph,
)
from headwater.parsing.html.inline import plain_words
from headwater.parsing.html.tables import rows_of

_SIGN = "fpdoc.css"
_OVERLOAD = re.compile(r";(?=(?:function|procedure|operator|constructor|destructor)\b)")
_LINE_BELOW = "|"  # between a class and the one that it is derived from


def restore_fpdoc(tree: Any) -> None:
    """Give a page of fpdoc declarations, lists, and a title to the lists of members, which open in a window."""
    if not any((link.get("href") or "").endswith(_SIGN) for link in tree.iter("link")):
        return
    title = next(tree.iter("h1"), None)
    for bar in list(find_class(tree, "bar")):
        _restore_bar(bar, title)
    if title is None:
        _add_title(tree)
    for table in list_tables(tree):
        rows = [row for row in rows_of(table) if any(map(plain_words, row))]
        if rows and not table.get("class"):
            declaration = _read_declaration(rows)
            by = make_code_block(table, declaration, "pascal") if declaration else _list_rows(table, rows)
            replace_element(table, by)


def _restore_bar(bar: Any, title: Any) -> None:
    """Leave of the links above a page the line that says which unit it belongs to."""
    unit = next((plain_words(words) for words in find_class(bar, "bartitle")), "")
    if title is not None and unit and not plain_words(title).startswith(unit.partition(" (")[0]):
        title.addnext(make_element(bar, "p", unit))
    drop_elements([bar])


def _add_title(tree: Any) -> None:
    """Name a page without a title after the class whose members it lists first."""
    body = tree.find(".//body")
    name = next((plain_words(link) for bold in tree.iter("b") for link in bold.iter("a")), "")
    if body is not None and name:
        body.insert(0, make_element(body, "h1", name))


def _read_declaration(rows: list[list[Any]]) -> str:
    """The lines of a declaration, with what is said about its members as comments; empty if it is none."""
    if not any(has_class(element, "kw") for element in rows[0][0].iter("span")):  # a list of links, in the same type
        return ""
    lines: list[str] = []
    for row in rows:
        code = next((element for element in row[0].iter("span") if element.get("class") == "code"), None)
        if code is None or code.find(".//b") is not None:
            return ""
        line = _OVERLOAD.sub(";\n\n", code_text(code).rstrip())
        comment = " ".join(filter(None, map(plain_words, row[1:])))
        lines.append(f"{line}  // {comment}" if comment else line)
    return "\n".join(lines)


def _list_rows(table: Any, rows: list[list[Any]]) -> Any:
    """A point for each row: a link, and what is said about it."""
    points = make_element(table, "ul")
    for row in rows:
        cells = [unwrap_paragraph(move_content(cell)) for cell in row if plain_words(cell) not in ("", _LINE_BELOW)]
        content = [node for place, cell in enumerate(cells) for node in (": " if place else "", *cell)]
        if content:
            points.append(make_element(table, "li", *content))
    return points
