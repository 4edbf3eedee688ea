"""Pages that Javadoc made up to Java 6: menus in tables, headings in the head of a table, declarations in lists.

Belongs here: what these pages show by fonts and colours. Not here: the pages of later versions (`javadoc`). Guarantee:
a page without the menu of these versions stays as it is; the links of menus stay for a crawl.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import drop_elements, list_classes, make_code, write_code
from headwater.parsing.html.inline import plain_words

_MENU_CELL = "NavBarCell1"
_HEADING_ROW = "TableHeadingColor"


def restore_javadoc_6(tree: Any) -> None:
    """Give a page of an old Javadoc its title, its headings and its declarations."""
    cells = [cell for cell in tree.iter("td") if _MENU_CELL in list_classes(cell)]
    if not cells:
        return
    for row in (cell.getparent() for cell in cells):
        if row.tag == "tr" and row.getparent().tag == "table":
            row.getparent().tag = "nav"
    drop_elements(list(tree.iter("noscript")))
    title = next(tree.iter("h1", "h2"), None)
    if title is not None:
        _head_page(title)
    for row in list(tree.iter("tr")):
        if _HEADING_ROW in list_classes(row):
            _move_heading(row)
    _join_declaration(tree)
    for block in tree.iter("pre"):
        previous = block.getprevious()
        if previous is not None and previous.tag == "h3":
            make_code(block, "java")


def _head_page(title: Any) -> None:
    """Divide the package from the name of a class; the picture of what it extends says no more than its declaration."""
    title.tag = "h1"
    following = title.getnext()
    if following is not None and following.tag == "pre" and following.find("img") is not None:
        following.tag = "nav"
    if len(title) and title[0].tag == "font" and title[0].get("size") == "-1":
        package = title[0]
        line = title.makeelement("p")
        line.text = f"Package {plain_words(package)}"
        drop_elements([package])
        line.tail, title.tail = title.tail, None
        title.addnext(line)


def _move_heading(row: Any) -> None:
    """Put a heading in large letters, which is the first row of a table, above the table."""
    table = row.getparent()
    font = row.find("th/font[@size='+2']")
    if table.tag != "table" or font is None or row is not table[0] or len(row) > 1:
        return
    heading = table.makeelement("h2")
    heading.text = plain_words(font)
    table.addprevious(heading)
    table.remove(row)


def _join_declaration(tree: Any) -> None:
    """Make the declaration of a class, of which each clause is a term of a list, code."""
    for block in tree.iter("pre"):
        term = block.getparent()
        if term.tag == "dt" and term.getparent() is not None and term.getparent().tag == "dl":
            clauses = term.getparent()
            for clause in clauses.iter("dt"):
                clause.text = f"\n{clause.text or ''}"
            write_code(clauses, (clauses.text_content() or "").replace("\xa0", " ").strip(), "java")
            return
