"""Elements of a page by their classes, and what is done with them: other names, other places, none.

Belongs here: what the modules of several programs need. Not here: which classes mean what (their modules). Guarantee:
no text is lost unless an element is dropped; each function reads an element once.
"""

from collections.abc import Iterable
from typing import Any


def list_classes(element: Any) -> list[str]:
    """The classes of an element."""
    return (element.get("class") or "").split()


def group_by_class(tree: Any) -> dict[str, list[Any]]:
    """The elements of each class, in order; one with several classes is in each group."""
    groups: dict[str, list[Any]] = {}
    for element in tree.iter():
        for name in list_classes(element) if isinstance(element.tag, str) else ():
            groups.setdefault(name, []).append(element)
    return groups


def select(groups: dict[str, list[Any]], *names: str) -> list[Any]:
    """The elements of some classes."""
    return [element for name in names for element in groups.get(name, ())]


def find_outermost(tree: Any, *names: str) -> list[Any]:
    """The elements that have one of some classes and are in no such element.

    Each can be read as a whole, however deep they nest.
    """
    class_names = frozenset(names)
    outermost: list[Any] = []
    stack = [tree]
    while stack:
        element = stack.pop()
        if element is not tree and not class_names.isdisjoint(list_classes(element)):
            outermost.append(element)
        else:
            stack += reversed(element)
    return outermost


def drop_all(elements: Iterable[Any]) -> None:
    """Remove elements with what is in them; those that are gone already, or are the page itself, stay."""
    for element in elements:
        if element.getparent() is not None and element.tag not in ("body", "head"):
            element.drop_tree()


def make_code(element: Any, language: str) -> None:
    """Make an element a block of code; its links stay in the tree, so that a crawl follows them."""
    if element.tag in ("html", "body"):
        return
    element.tag = "pre"
    element.set("class", f"language-{language}")


def write_code(element: Any, code: str, language: str) -> None:
    """Make an element a block of code of which only its links stay."""
    links = [link.get("href") or "" for link in element.iter("a")]
    write_words(element, code)
    element.extend(element.makeelement("a", href=href) for href in links)
    make_code(element, language)


def write_words(element: Any, words: str) -> None:
    """Give an element words instead of what is in it."""
    for child in list(element):
        element.remove(child)
    element.text = words


def mark_inline_code(element: Any) -> None:
    """Make the words of a heading or a cell code."""
    code = element.makeelement("code")
    code.text, element.text = element.text, None
    code.extend(list(element))
    element.append(code)


def insert_behind(element: Any, text: str, tag: str) -> Any:
    """Put a new element with a text behind another one, before its tail; return it."""
    following = element.makeelement(tag)
    following.text, following.tail, element.tail = text, element.tail, None
    element.addnext(following)
    return following
