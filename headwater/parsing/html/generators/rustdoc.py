"""Pages that rustdoc made: declarations, the version since which something is there, lists of items, source.

Belongs here: what rustdoc says by its classes alone. Not here: what is left out of any page (`page_frame`). Guarantee:
a page whose body is not rustdoc's stays as it is.
"""

from itertools import islice
from typing import Any

from headwater.parsing.html.element_text import HEADINGS
from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_outermost,
    group_by_class,
    insert_behind,
    list_classes,
    make_code,
    mark_inline_code,
    replace_element,
    select,
)
from headwater.parsing.html.inline import plain_words

_EXTRAS = (
    "sub-logo-container", "logo-container", "sidebar-logo", "notable-traits", "line-numbers", "src-line-numbers",
)  # fmt: skip
_BOXES = ("rightside", "out-of-band", "sub-heading")  # beside a heading: links to the source, and a version
_BESIDE = 3  # elements behind a box among which its heading is
_NAMES = frozenset({"item-left", "item-name"})
_DESCRIPTIONS = frozenset({"item-right", "desc"})


def restore_rustdoc(tree: Any) -> None:
    """Give a page of rustdoc its declarations as code, its versions as text and its items as lists."""
    body = tree.find(".//body")
    if body is None or "rustdoc" not in list_classes(body):
        return
    groups = group_by_class(body)
    drop_elements(select(groups, *_EXTRAS))
    for label in select(groups, "stab"):
        if label.tag == "span":
            label.text, label.tail = f" ({label.text or ''}", f"){label.tail or ''}"
    for version in select(groups, "since"):
        _move_version(version)
    for box in select(groups, *_BOXES):
        box.tag = "nav" if box.tag in ("span", "div") else box.tag
    _mark_code(body)
    for table in find_outermost(body, "item-table"):
        if table.tag in ("div", "ul"):
            _list_items(table)


def _mark_code(body: Any) -> None:
    """Make declarations and examples code."""
    for heading in find_outermost(body, "code-header"):
        if heading.tag in HEADINGS:
            drop_elements([link for link in heading.iter("a") if "anchor" in list_classes(link)])
            mark_inline_code(heading)
    for code in find_outermost(body, "rust"):
        if code.tag == "pre":
            drop_elements(
                [link for link in code.iter("a") if link.get("data-nosnippet") is not None]
            )  # numbers of lines
            make_code(code, "rust")


def _move_version(version: Any) -> None:
    """Put the version since which something is there behind its heading: beside it, it goes with the link to source."""
    box = version.getparent()
    around = (box, box.getprevious(), *islice(box.itersiblings(), _BESIDE))
    heading = next((node for node in around if node is not None and node.tag in HEADINGS), None)
    if heading is not None and not len(version) and (words := plain_words(version)):
        insert_behind(heading, f"Since {words}", "p")
        drop_elements([version])


def _list_items(table: Any) -> None:
    """Make the items of a module a list: the name, and what it is."""
    items = table.makeelement("ul")
    for cell in [cell for cell in table.iter("div", "li") if cell is not table]:
        classes = list_classes(cell)
        if not _NAMES.isdisjoint(classes):
            items.append(items.makeelement("li"))
            _append_words(items[-1], cell)
        elif not _DESCRIPTIONS.isdisjoint(classes) and len(items) and plain_words(cell):
            items[-1][-1].tail = ": "
            _append_words(items[-1], cell)
    if len(items):
        replace_element(table, items)


def _append_words(item: Any, cell: Any) -> None:
    """Put a cell into an item, as words of one line."""
    for element in [cell, *cell.iter("p", "div")]:
        element.tag = "span"
    cell.tail = None
    item.append(cell)
