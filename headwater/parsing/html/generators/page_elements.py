"""Finding and making elements of a page's tree, as the modules of the programs do.

Belongs here: looking for classes, putting elements in the place of others. Not here: what a class means (the modules of
the programs). Guarantee: each element is visited once, however deep they nest, and the text behind one stays; the page
itself has no class of a program, and neither it nor what was removed is removed again or moved.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Any

from headwater.parsing.html.inline import plain_words

_BEFORE_MARKS, _AFTER_MARKS = re.compile(r"\s+(?=[,)\]])"), re.compile(r"(?<=[(\[])\s+")
_BLANKS = re.compile(r"\s+")
_PAGE = frozenset({"html", "head", "body"})  # what cannot be removed, moved or made another element
_MAX_TABLES_AROUND = 8  # in real pages they are up to five
_AROUND = frozenset({"div", "p", "section"})  # what may stand around the first words of a note


def list_classes(element: Any) -> list[str]:
    """The classes of an element."""
    return (element.get("class") or "").split()


def has_class(element: Any, name: str) -> bool:
    """Whether an element has a class."""
    return name in list_classes(element)


def find_class(tree: Any, name: str) -> Iterator[Any]:
    """The elements that have a class; the page itself is none."""
    return (element for element in tree.iter() if has_class(element, name) and element.tag not in _PAGE)


def group_by_class(tree: Any) -> dict[str, list[Any]]:
    """The elements of each class, in order; one with several classes is in each group, and the page itself in none."""
    groups: dict[str, list[Any]] = {}
    for element in tree.iter():
        for name in dict.fromkeys(list_classes(element) if element.tag not in _PAGE else ()):
            groups.setdefault(name, []).append(element)
    return groups


def select(groups: dict[str, list[Any]], *names: str) -> list[Any]:
    """The elements of some classes that were not removed meanwhile, each once."""
    elements = dict.fromkeys(element for name in names for element in groups.get(name, ()))
    return [element for element in elements if element.getparent() is not None]


def find_outermost(tree: Any, *names: str) -> list[Any]:
    """The elements below one that have one of some classes and are in no such element; the page itself is none."""
    class_names = frozenset(names)
    return list_outermost(
        tree,
        lambda element: (
            element is not tree and element.tag not in _PAGE and not class_names.isdisjoint(list_classes(element))
        ),
    )


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


def list_tables(tree: Any) -> list[Any]:
    """The tables of a page, but not those that stand in many others: who reads one reads what is in it, too."""
    tables: list[Any] = []
    stack = [(tree, 0)]
    while stack:
        element, depth = stack.pop()
        if element.tag == "table":
            tables.append(element)
            depth += 1
        if depth < _MAX_TABLES_AROUND:
            stack += [(child, depth) for child in reversed(element)]
    return tables


def drop_elements(elements: Iterable[Any]) -> None:
    """Remove elements with what is in them; the text behind them stays. Those that are gone already stay so."""
    removable = dict.fromkeys(element for element in elements if is_removable(element))
    for element in removable:
        previous, parent = element.getprevious(), element.getparent()
        if parent is None or previous in removable:  # it went, or goes, with the one before it
            continue
        neighbours = [element, *takewhile(removable.__contains__, element.itersiblings())]
        text = "".join(neighbour.tail or "" for neighbour in neighbours)  # at once, because joining copies it
        if text and previous is not None:
            previous.tail = (previous.tail or "") + text
        elif text:
            parent.text = (parent.text or "") + text
        for neighbour in neighbours:
            neighbour.tail = None
            parent.remove(neighbour)


def is_removable(element: Any) -> bool:
    """Whether an element stands in a page and is not the page itself."""
    return element.getparent() is not None and element.tag not in _PAGE


def move_to_start(element: Any, holder: Any) -> None:
    """Put an element before all that another one holds, unless that is in it or is it."""
    if (
        is_removable(element)
        and element is not holder
        and all(element is not ancestor for ancestor in holder.iterancestors())
    ):
        drop_elements([element])
        holder.insert(0, element)
        element.tail, holder.text = holder.text, None


def replace_element(element: Any, by: Any) -> None:
    """Put an element in the place of another; what was removed with the element around it stays so."""
    if element.getparent() is not None:
        by.tail, element.tail = element.tail, None
        element.getparent().replace(element, by)


def rewrite(element: Any, tag: str, text: str, **attributes: str) -> None:
    """Make an element another one that holds a text alone."""
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = tag, text, tail
    element.attrib.update(attributes)


def make_element(maker: Any, tag: str, *content: Any) -> Any:
    """An element with strings and elements in it; the elements bring their tails.

    Args:
        maker: any element of the tree.
        tag: its name.
        content: what it holds; elements are moved.
    """
    element = maker.makeelement(tag)
    last_child = None
    for node in content:
        if not isinstance(node, str):
            element.append(node)
            last_child = node
        elif last_child is not None:
            last_child.tail = (last_child.tail or "") + node
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


def insert_behind(element: Any, text: str, tag: str) -> Any:
    """Put a new element with a text behind another one, before its tail; return it."""
    following = element.makeelement(tag)
    following.text, following.tail, element.tail = text, element.tail, None
    element.addnext(following)
    return following


def join_lines(element: Any) -> None:
    """Make the text of an element one line: a browser shows its line breaks as blanks."""
    for node in element.iter():
        node.text = _BLANKS.sub(" ", node.text) if node.text else node.text
        if node is not element and node.tail:
            node.tail = _BLANKS.sub(" ", node.tail)


def write_words(element: Any, words: str) -> None:
    """Give an element words instead of what is in it."""
    for child in list(element):
        element.remove(child)
    element.text = words


def make_code(element: Any, language: str) -> None:
    """Make an element a block of code."""
    if element.tag in ("html", "body"):
        return
    element.tag = "pre"
    element.set("class", f"language-{language}")


def write_code(element: Any, code: str, language: str) -> None:
    """Make an element a block of a given code."""
    write_words(element, code)
    make_code(element, language)


def mark_inline_code(element: Any) -> None:
    """Make the words of a heading or a cell code."""
    code = element.makeelement("code")
    code.text, element.text = element.text, None
    code.extend(list(element))
    element.append(code)


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
