"""Pages that Qt's qdoc made: summaries of members, and headings of several signatures.

Belongs here: its tables of members, and links to other pages and parts of the page. Not here: what is left out of any
page (`content`). Guarantee: a page without qdoc's content element stays as it is.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_class,
    has_class,
    list_classes,
    list_tables,
    make_element,
    move_content,
    read_declaration,
    replace_element,
)
from headwater.parsing.html.inline import plain_words
from headwater.parsing.html.tables import rows_of

_SIGN = "mainContent"
_SUMMARIES = (
    "alignedsummary",
    "propsummary",
    "naviNextPrevious",
)  # other sites have the sign, too
_LEADS_BELOW = "More..."  # words of a link behind the short description of a class
_SIGNATURES = frozenset({"fn", "flags"})


def restore_qdoc(tree: Any) -> None:
    """Give a page of qdoc lists of members, and a line for each signature."""
    content = next(find_class(tree, _SIGN), None)
    if content is None or not any(next(find_class(content, name), None) is not None for name in _SUMMARIES):
        return
    drop_elements(find_class(content, "naviNextPrevious"))
    drop_elements(
        link for link in content.iter("a") if link.get("href") == "#details" and plain_words(link) == _LEADS_BELOW
    )
    for table in list_tables(content):
        if has_class(table, "alignedsummary"):
            replace_element(table, _list_members(table))
        elif has_class(table, "propsummary"):
            replace_element(table, make_element(table, "ul", *[_make_point(item) for item in table.iter("li")]))
    for heading in list(content.iter("h3")):
        if not _SIGNATURES.isdisjoint(list_classes(heading)):
            _divide_signatures(heading)


def _make_point(item: Any) -> Any:
    return make_element(item, "li", make_element(item, "code", plain_words(item)))


def _list_members(table: Any) -> Any:
    """Members as code; what a class needs, such as its header, behind its name."""
    points = make_element(table, "ul")
    for row in rows_of(table):
        name = plain_words(row[0]) if row else ""
        if name.endswith(":"):
            content = [node for cell in row[1:] for node in _name_code(cell)]
            points.append(make_element(table, "li", make_element(table, "b", name), " ", *content))
        elif row:
            points.append(make_element(table, "li", make_element(table, "code", read_declaration(*row))))
    return points


def _name_code(cell: Any) -> list[Any]:
    """The content of a cell, in which a line of the preprocessor is code."""
    for line in find_class(cell, "preprocessor"):
        line.tag = "code"
    return move_content(cell)


def _divide_signatures(heading: Any) -> None:
    """Put the second signature of a heading, and those behind it, below it as code."""
    first = heading.find("br")
    if first is None:
        return
    lines = [""]
    for node in [first, *first.itersiblings()]:
        if node.tag == "br":
            lines.append(node.tail or "")
        else:
            lines[-1] += f"{node.text_content()}{node.tail or ''}"
    drop_elements([*first.itersiblings()])
    first.tail = None
    drop_elements([first])
    for line in reversed(lines[1:]):
        words = " ".join(line.split())
        if words:
            code = make_element(heading, "p", make_element(heading, "code", words))
            heading.addnext(code)
