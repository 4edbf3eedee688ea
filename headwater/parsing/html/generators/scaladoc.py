"""Pages that Scaladoc made, of Scala 2: the title, signatures, members, boxes that scripts fill.

Belongs here: what Scaladoc says by its classes and ids. Not here: what is left out of any page (`page_frame`).
Guarantee: a page without Scaladoc's signature stays as it is.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_outermost,
    group_by_class,
    list_classes,
    mark_inline_code,
    move_to_start,
    select,
    write_code,
)
from headwater.parsing.html.inline import plain_words

_FILLED_BY_SCRIPTS = ("mbrsel", "inheritedMembers", "search", "tooltip", "footer")


def restore_scaladoc(tree: Any) -> None:
    """Give a page of Scaladoc its title and signatures, and each member its description once."""
    signature = next((heading for heading in tree.iter("h4") if heading.get("id") == "signature"), None)
    if signature is None:
        return
    divisions = {division.get("id"): division for division in tree.iter("div")}
    if "definition" not in divisions or "template" not in divisions:
        return
    groups = group_by_class(tree)
    drop_elements(divisions[name] for name in _FILLED_BY_SCRIPTS if name in divisions)
    drop_elements(select(groups, "permalink"))
    drop_elements(filter(_is_repeated, select(groups, "shortcomment")))
    drop_elements(filter(_is_empty_group, select(groups, "group")))
    for related in select(groups, "morelinks"):
        related.tag = "nav" if related.tag == "span" else related.tag
    if "definition" in divisions:
        _head_definition(divisions["definition"])
    for heading in find_outermost(tree, "signature"):
        if heading.tag == "h4" and heading is not signature:
            mark_inline_code(heading)
    write_code(signature, plain_words(signature), "scala")


def _is_repeated(summary: Any) -> bool:
    """Whether the first sentence of a description stands before the description."""
    full = summary.getnext()
    is_full = full is not None and "fullcomment" in list_classes(full)
    return is_full and any("comment" in list_classes(child) for child in full)


def _is_empty_group(division: Any) -> bool:
    """Whether a group of members, which scripts sort into it, has a name alone."""
    return all(child.tag in ("h2", "h3") for child in division)


def _head_definition(definition: Any) -> None:
    """Begin a page with its title, without the icon of its kind; below it stands the package that it is in."""
    drop_elements(list(definition.iter("img")))
    title = next((child for child in definition if child.tag == "h1"), None)
    if title is not None:
        move_to_start(title, definition)
