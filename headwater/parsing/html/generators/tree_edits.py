"""Changes of a page's tree that several programs' pages need.

Belongs here: finding elements by class, and making plain elements of them. Not here: what a program's classes mean (its
module). Guarantee: the text behind an element stays where it is.
"""

from collections.abc import Callable, Iterable
from typing import Any

_AROUND = frozenset({"div", "p", "section"})


def has_class(element: Any, name: str) -> bool:
    """Whether an element has a class."""
    return name in (element.get("class") or "").split()


def list_with_class(tree: Any, name: str) -> list[Any]:
    """The elements that have a class, in order; the tree may be changed meanwhile."""
    return [element for element in tree.iter() if name in (element.get("class") or "").split()]


def list_outermost(tree: Any, is_wanted: Callable[[Any], bool]) -> list[Any]:
    """The elements that are wanted and in no other such element, so that each is read once however deep they nest."""
    outermost: list[Any] = []
    stack = [tree]
    while stack:
        element = stack.pop()
        if is_wanted(element):
            outermost.append(element)
        else:
            stack += reversed(element)
    return outermost


def drop_trees(elements: Iterable[Any]) -> None:
    """Remove elements with what is in them, but not what is behind them."""
    for element in elements:
        if element.getparent() is not None:
            element.drop_tree()


def rewrite(element: Any, tag: str, text: str, **attributes: str) -> None:
    """Make an element another one that holds a text alone."""
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = tag, text, tail
    element.attrib.update(attributes)


def label_note(note: Any, label: str) -> None:
    """Put the kind of a note in front of its first paragraph."""
    paragraph = note
    while not (paragraph.text or "").strip():
        child = next((child for child in paragraph if len(child) or (child.text or "").strip()), None)
        if child is None or child.tag not in _AROUND:
            break
        paragraph = child
    bold = paragraph.makeelement("b")
    bold.text, bold.tail = f"{label}:", f" {(paragraph.text or '').lstrip()}"
    paragraph.text = None
    paragraph.insert(0, bold)
