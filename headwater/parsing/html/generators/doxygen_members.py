"""The declarations on pages that Doxygen made, which are tables there, as code.

Belongs here: lists of members, the declaration above a description, its labels and its form in Python. Not here: other
tables (`doxygen_tables`). Guarantee: a declaration is code without links and marks; the work is linear.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_class,
    find_outermost,
    list_classes,
    make_element,
    move_content,
    read_declaration,
    replace_element,
)
from headwater.parsing.html.inline import plain_words

_MEMBERS = frozenset({"memItemRight", "memTemplItemRight"})
_TEMPLATE, _DESCRIPTION, _INHERITED = "memTemplParams", "mdescRight", "inherit_header"
_LEFT = "memItemLeft"  # a cell of types; of a special case of a template, also that of "template<>"
_PYTHON = "python_language"
_PYTHON_NAME = "Python:"


def restore_members(tree: Any) -> None:
    """Make the declarations and the lists of members code and lists."""
    for prototype in find_outermost(tree, "memproto"):
        replace_element(prototype, _read_prototype(prototype))
    for table in find_outermost(tree, "memberdecls"):
        replace_element(table, _MemberList(table).read())


def _read_prototype(prototype: Any) -> Any:
    """A declaration as code, its labels behind it, and its forms in Python on lines of their own."""
    labels = dict.fromkeys(filter(None, (plain_words(label) for label in find_class(prototype, "mlabel"))))
    pythons = [
        read_declaration(table).removeprefix(_PYTHON_NAME).strip() for table in find_outermost(prototype, _PYTHON)
    ]
    drop_elements(find_class(prototype, "mlabels-right"))
    drop_elements(element for element in find_class(prototype, "mlabels") if element.tag == "span")
    drop_elements(find_outermost(prototype, _PYTHON))
    content: list[Any] = [make_element(prototype, "code", read_declaration(prototype))]
    if labels:
        content.append(f" [{', '.join(labels)}]")
    for python in pythons:
        content += [make_element(prototype, "br"), f"{_PYTHON_NAME} ", make_element(prototype, "code", python)]
    return make_element(prototype, "p", *content)


class _MemberList:
    """The members of a class: each declaration with its short description, below the heading of its kind."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self._members = table.makeelement("div")
        self._heading: Any = None  # for members of a class above this one, which may not be listed
        self._template = ""
        self._level = 2

    def read(self) -> Any:
        """The list."""
        for row in (row for child in self._table for row in ([child] if child.tag == "tr" else list(child))):
            heading = next(row.iter("h2", "h3"), None)
            cells = {name: cell for cell in row for name in list_classes(cell)}
            if heading is not None:
                self._level = int(heading.tag[1])
                self._members.append(heading)
            elif _INHERITED in list_classes(row):
                self._heading = make_element(row, f"h{self._level + 1}", plain_words(row))
            elif template := _read_template(cells):
                self._template = template
            elif not _MEMBERS.isdisjoint(cells):
                self._add_member(row)
            elif _DESCRIPTION in cells and len(self._members) and self._members[-1].tag == "ul":
                description = cells[_DESCRIPTION]
                self._members[-1][-1].append(make_element(row, "span", ": ", *_trim(move_content(description))))
            elif plain_words(row):  # the name of a group
                row.tag = "div"
                self._members.append(row)
        return self._members

    def _add_member(self, row: Any) -> None:
        if self._heading is not None:
            self._members.append(self._heading)
            self._heading = None
        if len(self._members) == 0 or self._members[-1].tag != "ul":
            self._members.append(row.makeelement("ul"))
        declaration = f"{self._template} {read_declaration(*row)}".strip()
        self._template = ""
        self._members[-1].append(make_element(row, "li", make_element(row, "code", declaration)))


def _read_template(cells: dict[str, Any]) -> str:
    """The parameters of the template that the next row declares, which stand in a row of their own; else nothing."""
    if _TEMPLATE in cells:
        return plain_words(cells[_TEMPLATE])
    words = plain_words(cells[_LEFT]) if cells.keys() == {_LEFT} else ""
    return words if words.startswith("template<") else ""


def _trim(content: list[Any]) -> list[Any]:
    """Content without the spaces that it begins with."""
    return [content[0].lstrip(), *content[1:]]
