"""Pages that gi-docgen made of GObject libraries: names with points, headings by level, facts about arguments.

Belongs here: what its style sheet shows, or sets apart. Not here: pages of its older relative (`gtk_doc`). Guarantee: a
page that no line of gi-docgen signs stays as it is.
"""

from typing import Any

from headwater.parsing.html.element_text import HEADINGS
from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_class,
    has_class,
    list_tables,
    make_element,
    move_content,
    replace_element,
)
from headwater.parsing.html.inline import plain_words
from headwater.parsing.html.tables import cells_of

_SIGN = "/gi-docgen"
_BELOW_DESCRIPTION = 2  # levels that headings of a description go down, below its own heading of the second level
_FIRST = 4  # level of its headings below a title
_SPARE = 2  # levels that gi-docgen leaves out below a title


def _is_sign(link: Any) -> bool:
    """Whether a link says what made the page; others may lead there, too."""
    is_below = any(has_class(element, "generator") for element in link.iterancestors("div", "footer"))
    return is_below and _SIGN in (link.get("href") or "")


def restore_gi_docgen(tree: Any) -> None:
    """Give a page of gi-docgen its title within its content, its kind, and headings in order."""
    main = next((section for section in tree.iter("section") if section.get("id") == "main"), None)
    if main is None or not any(map(_is_sign, tree.iter("a"))):
        return
    main.tag = "main"
    drop_elements(find_class(main, "srclink"))
    for point in find_class(main, "sep"):
        point.text = point.text or "."
    _restore_facts(main)
    _drop_versions(main)
    header = main.find("header")
    title = None if header is None else header.find("h1")
    if title is None:
        _add_title(tree, main)
        return
    kind = next((node for node in header.iter("h2", "h3") if node is not title), None)
    if kind is not None:
        title.addnext(kind)
        kind.tag = "p"
    for heading in list(main.iter(*HEADINGS)):
        level = int(heading.tag[1])
        if heading is not title:  # those of a description are less than the fourth
            heading.tag = f"h{level + _BELOW_DESCRIPTION if level < _FIRST else level - _SPARE}"
    header.drop_tag()


def _add_title(tree: Any, main: Any) -> None:
    """Give a guide, whose title only its head has, a heading above its own."""
    title = next((meta.get("content") for meta in tree.iter("meta") if meta.get("property") == "og:title"), None) or ""
    name = title.partition(": ")[2]
    headings = list(main.iter(*HEADINGS))
    if not name or any(plain_words(heading) == name for heading in headings):
        return
    if any(heading.tag == "h1" for heading in headings):
        for heading in headings:
            heading.tag = f"h{min(int(heading.tag[1]) + 1, 6)}"
    main.insert(0, make_element(main, "h1", name))


def _restore_facts(main: Any) -> None:
    """Make lists of tables that say things about an argument, a value or a property."""
    for table in list_tables(main):
        cells = list(cells_of(table))
        if not cells or table.find(".//table") is not None or any(cell.tag == "th" for cell in cells):
            continue
        points = make_element(table, "ul")
        for row in dict.fromkeys(cell.getparent() for cell in cells):
            name, *values = [move_content(cell) for cell in row if cell.tag == "td"]
            content = [node for value in values for node in (" ", *value)]
            if content and not plain_words(row[0]).endswith(":"):
                content[0] = ": "
            points.append(make_element(row, "li", *name, *content))
        replace_element(table, points)


def _drop_versions(main: Any) -> None:
    """Remove the versions above a declaration that its description says again."""
    words = {plain_words(paragraph) for paragraph in main.iter("p")}
    block = next(find_class(main, "docblock"), None)
    for emblem in [] if block is None else [node for node in block.iter("span") if has_class(node, "emblem")]:
        version = plain_words(emblem).rpartition(" ")[2]
        if not words.isdisjoint((f"Available since: {version}", f"Deprecated since: {version}")):
            drop_elements([emblem])
