"""Pages of Erlang's documentation: its functions, their types and its notes.

Belongs here: what erl_docgen says by classes alone. Not here: javadoc of its libraries, markdown (`blocks`). Guarantee:
a page without erl_docgen's style sheet stays as it is; the signature of a function is one piece of code.
"""

import re
from itertools import takewhile
from typing import Any

from headwater.parsing.html.code_blocks import code_text
from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_class,
    has_class,
    join_lines,
    label_note,
    list_classes,
    list_outermost,
    rewrite,
)

_STYLE_SHEET = "otp_doc.css"
_HEADS = frozenset({"func-head", "data-type-name"})
_ARITY = re.compile(r"-(\d+)$")
_NAME = re.compile(r"[^\s(]+")
_LONG_SIGNATURE = 100  # characters above which only the name is the heading


def restore_erlang(tree: Any) -> None:
    """Give a page the headings, the code and the labels that its classes stand for."""
    if not any((link.get("href") or "").endswith(_STYLE_SHEET) for link in tree.iter("link")):
        return
    drop_elements(list(find_class(tree, "title-anchors")))
    for article in list(tree.iter("article")):  # all of them are not the whole content
        article.tag = "div"
    for code in list(find_class(tree, "code")):
        if code.tag == "span":
            code.tag = "code"
            join_lines(code)
    _head_functions(tree)
    for box in list_outermost(tree, lambda element: has_class(element, "REFTYPES")):
        title = box.getprevious()
        if title is not None and has_class(title, "func-types-title"):
            _list_types(title)
    for label in list(find_class(tree, "label")):
        content = label.getnext()
        if content is not None and has_class(content, "content"):
            label_note(content, (label.text or "").strip() or "Note")
            drop_elements([label])


def _head_functions(tree: Any) -> None:
    """Read each head of a function or of a type, but none in another."""
    nested: set[Any] = set()
    for head in list(tree.iter("h4")):
        if head in nested:
            continue
        nested.update(head.iterdescendants("h4"))
        if not _HEADS.isdisjoint(list_classes(head)) or _is_in_head(head):
            _head_function(head)


def _is_in_head(head: Any) -> bool:
    parent = head.getparent()
    return parent is not None and has_class(parent, "func-head")


def _head_function(head: Any) -> None:
    """A heading with the signature, or with the name above a long one; then the release that it is in since."""
    names = list(find_class(head, "title-name"))
    if not names:
        return
    signature = code_text(names[0]).strip()
    since = " ".join("".join(release.itertext()) for release in list(find_class(head, "since"))).strip()
    one_line = " ".join(signature.split())
    additions = [_make("p", f"Since {since}")] if since else []
    if len(one_line) > _LONG_SIGNATURE:
        additions.insert(0, _make("pre", signature, language="erlang"))
        arity, name = _ARITY.search(head.get("id") or ""), _NAME.match(signature)
        one_line = name[0] if name else one_line
        one_line += f"/{arity[1]}" if arity else "()"
    rewrite(head, "h4", "")
    head.append(_make("code", one_line))
    for addition in reversed(additions):
        addition.tail, head.tail = head.tail, None
        head.addnext(addition)


def _make(tag: str, text: str, language: str = "") -> Any:
    from lxml.html import Element

    element = Element(tag)
    element.text = text
    if language:
        element.set("class", f"language-{language}")
    return element


def _list_types(title: Any) -> None:
    """A label and one block of code for all types of a function."""
    boxes = list(takewhile(lambda box: has_class(box, "REFTYPES"), title.itersiblings()))
    texts = [text for box in boxes if (text := code_text(box).strip())]
    label = (title.text or "").strip()
    rewrite(title, "p", "")
    title.append(_make("b", f"{label}:"))
    if texts:
        rewrite(boxes[0], "pre", "\n".join(texts), **{"class": "language-erlang"})
        drop_elements(boxes[1:])
