"""Pages that Doxygen made: what its tables and boxes stand for, as the elements that HTML has for it.

Belongs here: the title, headings, code, and what is left out. Not here: declarations (`doxygen_members`), tables of a
description (`doxygen_tables`), what is left out of any page (`content`). Guarantee: a page without Doxygen's title
stays as it is.
"""

from typing import Any

from headwater.parsing.html.generators.doxygen_members import restore_members
from headwater.parsing.html.generators.doxygen_tables import restore_tables
from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_class,
    find_outermost,
    has_class,
    list_classes,
    make_code_block,
    make_element,
    move_to_start,
    replace_element,
)
from headwater.parsing.html.inline import plain_words

_LEFT_OUT = frozenset({"ttc", "summary", "ingroups", "definition", "permalink", "memSeparator", "dynheader",
                       "dyncontent"})  # fmt: skip
"""Classes of boxes over code, lines of the source, links to here, diagrams that are pictures, and the menu of a class.
The menu leads to parts of the page, and to a list of the same members."""
_HEADINGS = ("h1", "h2", "h3", "h4", "h5")
_GENERATED_HEADINGS = frozenset({"groupheader", "memtitle"})
_LANGUAGE_NAME, _LANGUAGE_CONTENT = "newInnerHTML", "toggleable_div"
_LEGEND = "graph_legend.html"  # which says what the colours of graphs mean
_TURNS = ("Prev Tutorial:", "Next Tutorial:")


def forbid_member_lists(tree: Any) -> None:
    """Tell a crawl not to follow the menu of a class: the list of its members is no page worth a document."""
    if next(find_class(tree, "headertitle"), None) is not None:
        for link in (link for menu in find_class(tree, "summary") for link in menu.iter("a")):
            link.set("rel", "nofollow")


def restore_doxygen(tree: Any) -> None:
    """Give a page of Doxygen its title, headings, declarations and code; another page has none of the classes."""
    title = next(find_class(tree, "headertitle"), None)
    if title is None:
        return
    _drop_extras(tree)
    drop_elements(find_class(title, "mlabels"))
    _head_content(tree, title)
    for element in find_class(tree, "memtitle"):
        element.tag = "h3"
    for element in find_class(tree, "fragment"):
        element.tag = "pre"
    for element in find_outermost(tree, "compoundTemplParams"):
        lines = filter(None, map(str.strip, element.text_content().split("\n")))
        replace_element(element, make_code_block(tree, "\n".join(lines), "cpp"))
    _name_pictures(tree)
    _name_languages(tree)
    restore_members(tree)
    for label in find_class(tree, "mlabel"):
        following = label.getnext()
        if following is not None and has_class(following, "mlabel"):
            label.tail = ", "
    restore_tables(tree)


def _drop_extras(tree: Any) -> None:
    """Remove what repeats or points elsewhere."""
    elements = (element for element in tree.iter() if isinstance(element.tag, str))
    drop_elements(
        [
            element
            for element in elements
            if not _LEFT_OUT.isdisjoint(list_classes(element))
            or (element.tag == "a" and _is_details_link(element))
            or (has_class(element, "legend") and _leads_to_legend(element))
            or (element.tag == "p" and _turns_pages(element))
        ]
    )
    for contents in find_outermost(tree, "contents"):
        _drop_source_files(contents)


def _is_details_link(link: Any) -> bool:
    """Whether a link behind a short description leads to the long one, in whatever words."""
    href, parent = link.get("href") or "", link.getparent()
    is_behind = parent is not None and has_class(parent, "mdescRight") and link.getnext() is not None
    return href.endswith("#details") or (is_behind and link.getnext().tag == "br" and "#" in href)


def _leads_to_legend(element: Any) -> bool:
    """Whether an element below a graph leads to what its signs mean; a class of this name may be the author's, too."""
    return element.find("a") is not None and (element.find("a").get("href") or "").endswith(_LEGEND)


def _turns_pages(paragraph: Any) -> bool:
    """Whether a paragraph leads to the tutorials before and behind this one."""
    names = {plain_words(bold) for bold in paragraph.iter("b")}
    return bool(names) and names.issubset(_TURNS)


def _drop_source_files(contents: Any) -> None:
    """Remove the list of files of which the page was made: a line, a sentence and a list at its end."""
    files = contents[-1] if len(contents) else None
    line = None if files is None or files.tag != "ul" else files.getprevious()
    if line is not None and line.tag == "hr" and (line.tail or "").rstrip().endswith(":"):
        line.tail = None
        drop_elements([files, line])


def _head_content(tree: Any, title: Any) -> None:
    """Make the title the only heading of its level, within the content: Doxygen's sections have the same level."""
    content = next(find_class(tree, "contents"), None)
    sections = find_outermost(tree, "textblock")
    if content is not None and not sections:  # as on the page of a group
        sections = [content]
    for section in sections:
        for heading in section.iter(*_HEADINGS):
            if _GENERATED_HEADINGS.isdisjoint(list_classes(heading)):
                heading.tag = f"h{int(heading.tag[1]) + 1}"
    title.tag = "h1"
    if content is not None:
        move_to_start(title, content)


def _name_pictures(tree: Any) -> None:
    """Give pictures the words of their captions, which mean nothing without them."""
    for caption in list(find_class(tree, "caption")):
        parent = caption.getparent()
        picture = None if parent is None or not has_class(parent, "image") else parent.find("img")
        if picture is not None and not (picture.get("alt") or "").strip():
            picture.set("alt", plain_words(caption))
            drop_elements([caption])


def _name_languages(tree: Any) -> None:
    """Show the texts of a tutorial for several languages, of which a script shows one, below the names of those."""
    for name in list(find_class(tree, _LANGUAGE_NAME)):
        following = name.getnext()
        if name.getparent() is not None and following is not None and has_class(following, _LANGUAGE_CONTENT):
            replace_element(name, make_element(tree, "p", make_element(tree, "b", plain_words(name))))
            following.attrib.pop("style", None)
