"""Pages that Javadoc made, from Java 7 on, and groovydoc, which writes the same classes: declarations, menus, lists.

Belongs here: what a page of the API, a package or an index shows by its classes. Not here: tables of `div` elements
(`tables`), the pages of older versions (`javadoc_6`). Guarantee: a page without a menu or a declaration of Javadoc's
stays as it is; the links of menus stay for a crawl.
"""

import re
from typing import Any

from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_outermost,
    group_by_class,
    list_classes,
    make_code,
    move_to_start,
    select,
    write_code,
    write_words,
)
from headwater.parsing.html.inline import plain_words

_STYLE_SHEET, _STYLE = "stylesheet.css", "Style"  # of every Javadoc; other sites have menus called `top-nav`, too
_SIGNS = ("topNav", "top-nav", "type-signature", "member-signature")
_MENUS = ("topNav", "bottomNav", "subNav", "top-nav", "bottom-nav", "sub-nav", "inheritance")
_DECLARATIONS = (
    "type-signature", "member-signature", "memberSignature", "typeSignature", "package-signature", "module-signature",
)  # fmt: skip
_LISTS = (
    "blockList", "blockListLast", "block-list", "summary-list", "summaryList", "details-list", "detailsList",
    "member-list", "memberList",
)  # fmt: skip
_SUBTITLES = frozenset({"subTitle", "sub-title"})
_PACKAGE = re.compile(r"(?:Package:? )?(?P<name>[\w$]+(?:\.[\w$]+)*)")
_BEFORE_DECLARATION = frozenset({"h3", "h4", "hr", "br"})
_HIDDEN_SPACES = dict.fromkeys([0x200B, 0xAD])


def restore_javadoc(tree: Any) -> None:
    """Give a page of Javadoc its title, its declarations as code, and its tables outside of lists."""
    links = (link for link in tree.iter("link") if link.get("title") == _STYLE)
    if not any((link.get("href") or "").endswith(_STYLE_SHEET) for link in links):
        return
    if not any(not set(_SIGNS).isdisjoint(list_classes(element)) for element in tree.iter("div")):
        return
    groups = group_by_class(tree)
    drop_elements(tree.iter("noscript"))
    drop_elements(select(groups, "tableTab", "tabEnd", "activeTableTab", "legalCopy"))
    for menu in select(groups, *_MENUS):
        menu.tag = "nav" if menu.tag in ("div", "ul") else menu.tag
    _frame_content(select(groups, "topNav"))
    _head_page([header for header in select(groups, "header") if header.tag == "div"])
    for element in select(groups, *_LISTS):
        _open_list(element)
    for element in find_outermost(tree, *_DECLARATIONS):
        _make_declaration(element)


def _frame_content(menus: list[Any]) -> None:
    """Make what stands behind the menu the main element, which later versions have."""
    if not menus or next(menus[0].getroottree().iter("main"), None) is not None:
        return
    main = menus[0].makeelement("main")
    siblings = list(menus[0].itersiblings())
    main.text, menus[0].tail = menus[0].tail, None
    menus[0].addnext(main)
    for sibling in siblings:
        main.append(sibling)


def _head_page(headers: list[Any]) -> None:
    """Begin a page with its title; below it stand its module and package."""
    for header in headers:
        del header.attrib["class"]
    titles = (child for header in headers for child in header if "title" in list_classes(child))
    title = next((child for child in titles if child.tag in ("h1", "h2")), None)
    if title is None:
        return
    title.tag = "h1"
    header = title.getparent()
    for subtitle in (child for child in header if not _SUBTITLES.isdisjoint(list_classes(child))):
        package = _PACKAGE.fullmatch(plain_words(subtitle))
        if package is not None and next(subtitle.iter("a"), None) is None:
            write_words(subtitle, f"Package {package['name']}")
    move_to_start(title, header)


def _open_list(element: Any) -> None:
    """Make the list around a description no list, and a member's declaration code."""
    if element.tag == "ul":
        element.tag = "div"
        for item in element:
            item.tag = "div" if item.tag == "li" else item.tag
            _find_declarations(item)


def _find_declarations(item: Any) -> None:
    """Mark the declarations that have no class: `pre` behind the name, or the whole heading."""
    for child in list(item):
        previous = child.getprevious()
        if child.tag == "pre" and previous is not None and previous.tag in _BEFORE_DECLARATION:
            _make_declaration(child)
        is_line = child.tag == "h4" and not any(map(len, child))
        name = child.find("strong") if is_line else None
        if name is not None and (declaration := plain_words(child)) != plain_words(name):
            heading = child.makeelement("h4")
            heading.text = plain_words(name)
            child.addprevious(heading)
            write_code(child, declaration, "java")


def _make_declaration(element: Any) -> None:
    """Make a declaration code, without the invisible spaces that let a browser break it."""
    for node in (element, *element):
        node.text = node.text.translate(_HIDDEN_SPACES) if node.text else node.text
        node.tail = node.tail.translate(_HIDDEN_SPACES) if node.tail and node is not element else node.tail
    make_code(element, "java")
