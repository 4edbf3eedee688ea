"""Pages that Doxygen made: what its tables and boxes stand for, as the elements that HTML has for it.

Belongs here: titles, declarations and code without elements of their own, and boxes that scripts show. Not here:
markdown (`blocks`), what is left out of any page (`content`). Guarantee: a page without Doxygen's title stays as it is.
"""

import re
from collections.abc import Iterator
from typing import Any

from headwater.parsing.html.inline import plain_words

_LEFT_OUT = frozenset({"ttc", "summary", "ingroups", "definition", "permalink", "memSeparator", "mlabels"})
"""Classes of boxes over code, lines of the source, links to here, labels beside a declaration, and the menu of a class.
The menu leads to parts of the page, and to a list of the same members, which is no page worth a document."""
_TAGS = {"memtitle": "h3", "fragment": "pre"}
_BEFORE_MARKS, _AFTER_MARKS = re.compile(r"\s+(?=[,)\]])"), re.compile(r"(?<=[(\[])\s+")
_MEMBERS = frozenset({"memItemRight", "memTemplItemRight"})
_DESCRIPTION = "mdescRight"


def restore_doxygen(tree: Any) -> None:
    """Give a page of Doxygen its title, headings, declarations and code; another page has none of the classes."""
    title = next(_find_class(tree, "headertitle"), None)
    if title is None:
        return
    _drop_extras(tree)
    _head_content(tree, title)
    for name, tag in _TAGS.items():
        for element in _find_class(tree, name):
            element.tag = tag
    for prototype in list(_find_outermost(tree, "memproto")):
        _replace(prototype, _code(prototype, "p", plain_words(prototype)))
    for table in list(_find_outermost(tree, "memberdecls")):
        _replace(table, _member_list(table))


def _drop_extras(tree: Any) -> None:
    """Remove what repeats or points elsewhere; a table of this class is a declaration with its labels."""
    for element in list(tree.iter()):
        is_extra = element.tag != "table" and not _LEFT_OUT.isdisjoint((element.get("class") or "").split())
        if element.getparent() is not None and (is_extra or (element.tag == "a" and _is_details_link(element))):
            element.drop_tree()


def _find_class(tree: Any, name: str) -> Iterator[Any]:
    """The elements that have a class."""
    return (element for element in tree.iter() if _has_class(element, name))


def _find_outermost(tree: Any, name: str) -> Iterator[Any]:
    """The elements that have a class and are in no such element, so that each is read once however deep they nest."""
    stack = [tree]
    while stack:
        element = stack.pop()
        if element.tag in ("div", "table") and _has_class(element, name):
            yield element
        else:
            stack += reversed(element)


def _has_class(element: Any, name: str) -> bool:
    return name in (element.get("class") or "").split()


def _head_content(tree: Any, title: Any) -> None:
    """Make the title the only heading of its level, within the content: Doxygen's sections have the same level."""
    for section in _find_outermost(tree, "textblock"):
        for heading in section.iter("h1", "h2", "h3", "h4", "h5"):
            heading.tag = f"h{int(heading.tag[1]) + 1}"
    title.tag = "h1"
    content = next(_find_class(tree, "contents"), None)
    if content is not None and content is not title and title not in content.iterancestors():
        title.tail, content.text = content.text, None
        content.insert(0, title)


def _is_details_link(link: Any) -> bool:
    """Whether a link behind a short description leads to the long one, in whatever words."""
    href, parent = link.get("href") or "", link.getparent()
    is_behind = _DESCRIPTION in (parent.get("class") or "").split() and link.getnext() is not None
    return href.endswith("#details") or (is_behind and link.getnext().tag == "br" and "#" in href)


def _member_list(table: Any) -> Any:
    """The members of a class: each declaration with its short description, below the heading of its kind."""
    members = table.makeelement("div")
    for row in (row for child in table for row in ([child] if child.tag == "tr" else child)):
        heading = next(row.iter("h2", "h3"), None)
        cells = {name: cell for cell in row for name in (cell.get("class") or "").split()}
        if heading is not None:
            members.append(heading)
        elif not _MEMBERS.isdisjoint(cells):
            if len(members) == 0 or members[-1].tag != "ul":
                members.append(members.makeelement("ul"))
            members[-1].append(_code(members, "li", plain_words(row)))
        elif _DESCRIPTION in cells and len(members) and members[-1].tag == "ul":
            description = cells[_DESCRIPTION]
            description.tag, description.text = "span", f": {(description.text or '').lstrip()}"
            members[-1][-1].append(description)
        elif plain_words(row):  # the name of a group, or the class that the next members are inherited from
            row.tag = "div"
            members.append(row)
    return members


def _code(maker: Any, name: str, declaration: str) -> Any:
    """An element with a declaration as code."""
    element = maker.makeelement(name)
    code = element.makeelement("code")
    code.text = _AFTER_MARKS.sub("", _BEFORE_MARKS.sub("", declaration))
    element.append(code)
    return element


def _replace(element: Any, by: Any) -> None:
    by.tail, element.tail = element.tail, None
    element.getparent().replace(element, by)
