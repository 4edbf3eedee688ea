"""Pages that gtk-doc made: tables of parameters, members and functions, as lists.

Belongs here: tables that its style sheet shows as lists. Not here: other pages of DocBook
(`docbook_pages`). Guarantee: a page that gtk-doc does not sign stays as it is.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import (
    find_class,
    make_element,
    move_content,
    read_declaration,
    replace_element,
    unwrap_paragraph,
)
from headwater.parsing.html.inline import plain_words
from headwater.parsing.html.tables import rows_of

_SIGN = "gtk-doc"
_KINDS = frozenset({"name", "description", "annotations", "type", "keyword", "flags"})

_BLOCKS = frozenset({"p", "div", "ul", "ol", "pre", "table"})


def restore_gtk_doc(tree: Any) -> None:
    """Make lists of the tables of a page of gtk-doc."""
    signs = (meta.get("content") or "" for meta in tree.iter("meta") if meta.get("name") == "generator")
    if not any(sign.lower().startswith(_SIGN) for sign in signs):
        return
    for table in list(find_class(tree, "informaltable")):
        if table.tag == "table":
            _restore_table(table)


def _restore_table(table: Any) -> None:
    rows = [_name_cells(row) for row in rows_of(table)]
    if all("name" in row for row in rows):
        points = [_make_parameter(row) if "description" in row else _make_declaration(row) for row in rows]
        replace_element(table, make_element(table, "ul", *points))


def _name_cells(row: list[Any]) -> dict[str, Any]:
    """The cells of a row by what the ends of their classes say that they hold, such as `parameter_name`."""
    kinds = {(cell.get("class") or "").rpartition("_")[2]: cell for cell in row}
    return {kind: cell for kind, cell in kinds.items() if kind in _KINDS}


def _make_parameter(row: dict[str, Any]) -> Any:
    """A point with a parameter or a member: its name, what it is, and its annotations."""
    name = make_element(row["name"], "b", plain_words(row["name"]))
    content = unwrap_paragraph(move_content(row["description"]))
    annotations = plain_words(row["annotations"]) if "annotations" in row else ""
    is_line = all(isinstance(node, str) or node.tag not in _BLOCKS for node in content)
    if annotations:
        content.append(f" {annotations}" if is_line else make_element(name, "p", annotations))
    has_content = any(not isinstance(node, str) or node.strip() for node in content)
    return make_element(name, "li", name, *([": ", *content] if has_content else []))


def _make_declaration(row: dict[str, Any]) -> Any:
    """A point with a function, a property, a signal or a type, and its flags."""
    cells = [row[kind] for kind in ("keyword", "type", "name") if kind in row]
    flags = plain_words(row["flags"]) if "flags" in row else ""
    code = make_element(row["name"], "code", read_declaration(*cells))
    return make_element(row["name"], "li", code, f": {flags}" if flags else "")
