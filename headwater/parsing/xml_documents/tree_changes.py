"""Changes of a tree of XML that keep its text.

Belongs here: taking elements out, wrapping them, what is beside them, where they lead. Not here: which are changed
(`translation`). Guarantee: no text is lost but that of an element that is taken out.
"""

from headwater.parsing.docbook.docbook_html import BLOCKS
from headwater.parsing.xml import Element, local_name

LEFT_OUT = "indexterm"
"""An element that DocBook leaves out, whatever it holds."""
_XLINK = "{http://www.w3.org/1999/xlink}href"
_BLOCKS = BLOCKS | {"title", "figure", "example", "informalexample", "varlistentry", "bridgehead"}


def find_name(element: Element) -> str:
    """The name of an element in lower case, without its namespace."""
    return local_name(element).lower()


def read_line(element: Element) -> str:
    """The text of an element in one line."""
    return " ".join("".join(element.itertext()).split())


def has_text_beside(element: Element) -> bool:
    """Whether an element stands in a sentence."""
    previous = element.getprevious()
    text = element.getparent().text if previous is None else previous.tail
    return bool((text or "").strip() or (element.tail or "").strip())


def remove(element: Element) -> None:
    """Take an element out of the tree, without the text behind it."""
    parent, previous = element.getparent(), element.getprevious()
    if element.tail and previous is not None:
        previous.tail = (previous.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def copy_address(element: Element) -> None:
    """Where a link leads: an address of the web, or the name of a place of this document or another."""
    address = element.get("href") or element.get(_XLINK) or element.get("target") or ""
    if "://" in address or address.startswith("mailto:"):
        element.set("url", address)
        return
    names = (element.get("xref"), element.get("rid"), address, element.get("keyref"), element.get("id"))
    target = next(filter(None, (*names, element.get("doc"))), "")
    element.set("linkend", target.rpartition("#")[2].rpartition("/")[2].removesuffix(".dita"))


def wrap_meaning(element: Element, terms: list[Element], *first: Element) -> None:
    """Put what an entry says behind its terms into an item of its own."""
    item = element.makeelement("listitem")
    item.text, element.text = element.text, None
    for term in terms:
        term.tag = "term"
    for child in list(element):
        if child.tag != "term":
            item.append(child)
    for child in (*first, item):
        element.append(child)


def wrap_sentences(element: Element) -> None:
    """Make paragraphs of text that stands directly in a section, with the words in it that are marked."""
    if not any((text or "").strip() for text in (element.text, *(child.tail for child in element))):
        return
    paragraph = element.makeelement("para")
    paragraph.text, element.text = element.text, None
    children = list(element)
    for child in children:
        element.remove(child)
    for child in children:
        if child.tag not in _BLOCKS:
            paragraph.append(child)
            continue
        _append_filled(element, paragraph)
        paragraph = element.makeelement("para")
        paragraph.text, child.tail = child.tail, None
        element.append(child)
    _append_filled(element, paragraph)


def _append_filled(element: Element, paragraph: Element) -> None:
    if any(child.tag != LEFT_OUT for child in paragraph) or read_line(paragraph):
        element.append(paragraph)
