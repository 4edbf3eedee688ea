"""Finding and making elements of a page's tree, as the modules of the programs do.

Belongs here: looking for classes, putting elements in the place of others. Not here: what a class means (the modules of
the programs). Guarantee: each element is visited once, however deep they nest.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from headwater.parsing.html.inline import plain_words

_BEFORE_MARKS, _AFTER_MARKS = re.compile(r"\s+(?=[,)\]])"), re.compile(r"(?<=[(\[])\s+")


def has_class(element: Any, name: str) -> bool:
    """Whether an element has a class."""
    return name in (element.get("class") or "").split()


def find_class(tree: Any, name: str) -> Iterator[Any]:
    """The elements that have a class."""
    return (element for element in tree.iter() if has_class(element, name))


def find_outermost(tree: Any, name: str) -> Iterator[Any]:
    """The elements that have a class and are in no such element, so that each is read once however deep they nest."""
    stack = [tree]
    while stack:
        element = stack.pop()
        if element.tag in ("div", "table") and has_class(element, name):
            yield element
        else:
            stack += reversed(element)


def drop_elements(elements: Iterable[Any]) -> None:
    """Remove elements with all that is in them; the root stays."""
    for element in list(elements):
        if element.getparent() is not None:
            element.drop_tree()


def replace_element(element: Any, by: Any) -> None:
    """Put an element in the place of another."""
    by.tail, element.tail = element.tail, None
    element.getparent().replace(element, by)


def make_element(maker: Any, tag: str, *content: Any) -> Any:
    """An element with strings and elements in it; the elements bring their tails.

    Args:
        maker: any element of the tree.
        tag: its name.
        content: what it holds; elements are moved.
    """
    element = maker.makeelement(tag)
    for node in content:
        if not isinstance(node, str):
            element.append(node)
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + node
        else:
            element.text = (element.text or "") + node
    return element


def move_content(source: Any) -> list[Any]:
    """What an element holds, as strings and elements without tails, for `make_element`."""
    content: list[Any] = [source.text or ""]
    for child in list(source):
        content += [child, child.tail or ""]
        child.tail = None
    return content


def unwrap_paragraph(content: list[Any]) -> list[Any]:
    """What `move_content` returns, whose first paragraph stands in the line of the name before it."""
    if len(content) > 1 and not content[0].strip() and not isinstance(content[1], str) and content[1].tag == "p":
        return [*move_content(content[1]), *content[2:]]
    return content


def make_code_block(maker: Any, code: str, language: str = "") -> Any:
    """A block of code."""
    code_element = make_element(maker, "code", code)
    if language:
        code_element.set("class", f"language-{language}")
    return make_element(maker, "pre", code_element)


def read_declaration(*elements: Any) -> str:
    """The words of a declaration whose marks stand in cells of their own."""
    words = " ".join(filter(None, map(plain_words, elements)))
    return _AFTER_MARKS.sub("", _BEFORE_MARKS.sub("", words))
