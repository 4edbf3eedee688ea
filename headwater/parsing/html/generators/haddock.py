"""Pages that Haddock made of the modules of Haskell: the title, signatures, instances, formulas.

Belongs here: what Haddock says by its classes alone. Not here: coloured source, which is code on any page. Guarantee: a
page without Haddock's head of a module stays as it is; the links to source stay for a crawl.
"""

import re
from typing import Any

from headwater.parsing.html.element_text import HEADINGS
from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_outermost,
    group_by_class,
    list_classes,
    make_code,
    mark_inline_code,
    move_to_start,
    select,
)
from headwater.parsing.html.inline import plain_words

_SCRIPT = "haddock"
_MENUS = frozenset({"package-header", "synopsis", "table-of-contents", "contents-list"})
_LABELS = frozenset({"Description", "Synopsis"})
_CELLS = ("table", "tbody", "tr", "td")
_LIST_TAGS = {"table": "ul", "tr": "li"}
_SPACES = re.compile(r"\s+")


def restore_haddock(tree: Any) -> None:
    """Give a page of Haddock its module as the title, and its signatures as code below the names they define."""
    divisions = {division.get("id"): division for division in tree.iter("div")}
    header, content = divisions.get("module-header"), divisions.get("content")
    is_made = any(_SCRIPT in (script.get("src") or "") for script in tree.iter("script"))
    if header is None or content is None or not is_made:
        return
    for name in _MENUS & divisions.keys():
        divisions[name].tag = "nav"
    content.tag = "main"
    groups = group_by_class(content)
    drop_elements(select(groups, "hide-when-js-enabled"))
    drop_elements([label for label in select(groups, "caption") if (label.text or "").strip() in _LABELS])
    for link in select(groups, "link", "selflink"):
        if link.tag == "a":
            _empty_link(link)
    for division in select(groups, "top"):
        del division.attrib["class"]  # elsewhere it is that of a bar above the page
    for formula in select(groups, "mathjax"):
        _make_formula(formula)
    _head_module(content, header)
    for source in find_outermost(content, "src"):
        _mark_source(source)
    for division in find_outermost(content, "subs"):
        _open_table(division)


def _empty_link(link: Any) -> None:
    """Remove the words of a link behind a signature, and the space before it."""
    previous, parent = link.getprevious(), link.getparent()
    if previous is not None:
        previous.tail = (previous.tail or "").rstrip()
    else:
        parent.text = (parent.text or "").rstrip()
    for child in list(link):
        link.remove(child)
    link.text = None


def _make_formula(formula: Any) -> None:
    """Make a formula between marks of MathJax a formula of the page."""
    words = plain_words(formula) if not len(formula) else ""
    if formula.tag == "span" and words[:2] in ("\\(", "\\["):
        formula.tag, formula.text = "script", words[2:].removesuffix("\\)").removesuffix("\\]").strip()
        formula.set("type", "math/tex")


def _head_module(content: Any, header: Any) -> None:
    """Make the name of the module the title, above the sections and above what is said about the module."""
    for heading in content.iter(*HEADINGS):
        heading.tag = f"h{min(int(heading.tag[1]) + 1, 6)}"
    title = next((child for child in header if "caption" in list_classes(child)), None)
    if title is not None:
        title.tag = "h1"
        move_to_start(title, content)


def _mark_source(source: Any) -> None:
    """Make a signature code: a block below the names that it defines, or within a cell of a table."""
    if source.tag in ("td", "dfn"):
        mark_inline_code(source)
    if source.tag != "p":
        return
    names = [name.text or "" for name in source.iter("a") if "def" in list_classes(name)]
    for node in source.iter():
        is_fixity = "fixity" in list_classes(node)
        node.text = ("\n" if is_fixity else "") + _SPACES.sub(" ", node.text or "")
        node.tail = _SPACES.sub(" ", node.tail or "") if node is not source else node.tail
    source.text = (source.text or "").lstrip()
    make_code(source, "haskell")
    if names:
        is_method = "subs" in list_classes(source.getparent())
        heading = source.makeelement("h5" if is_method else "h4")
        code = heading.makeelement("code")
        code.text = ", ".join(names)
        heading.append(code)
        source.addprevious(heading)


def _open_table(division: Any) -> None:
    """Make the constructors or arguments of a table a list, and instances lines with blocks below them."""
    for fields in [element for element in division.iter("div") if "fields" in list_classes(element)]:
        _move_fields(fields)
    tags = {} if "instances" in list_classes(division) else _LIST_TAGS
    drop_elements([caption for caption in division.iter("p") if not tags and "caption" in list_classes(caption)])
    for cell in division.iter(*_CELLS):
        if cell.tag == "td" and "doc" in list_classes(cell) and len(cell) == 1 and cell[0].tag == "p":
            cell[0].tag = cell.tag = "span"
            cell.text = ": "
        else:
            cell.tag = "span" if "src" in list_classes(cell) else tags.get(cell.tag, "div")
    if not tags:
        _join_blocks(list(division.iter("pre")))


def _move_fields(fields: Any) -> None:
    """Put the fields of a constructor, which have a row of their own, into the row of the constructor."""
    for name in fields.iter("dfn"):
        name.tag = "span"
    row = fields.getparent().getparent()
    constructor = None if row is None or row.tag != "tr" or len(row) > 1 else row.getprevious()
    if constructor is not None and constructor.tag == "tr":
        constructor.append(fields)
        drop_elements([row])


def _join_blocks(blocks: list[Any]) -> None:
    """Make signatures that follow each other one block."""
    for block in blocks:
        previous = block.getprevious()
        if previous is not None and previous.tag == "pre":
            line_break = previous.makeelement("br")
            line_break.tail = block.text
            previous.append(line_break)
            previous.extend(list(block))
            block.getparent().remove(block)
