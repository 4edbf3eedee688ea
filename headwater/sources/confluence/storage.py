"""Confluence's storage format as plain HTML, so that an HTML parser keeps code, panels, tasks, links and images.

Belongs here: the elements of Confluence's own, and reading the result. Not here: HTML (`headwater.parsing.html`).
Guarantee: it runs in a process of its own; no entity and no file is read from elsewhere; what is not known keeps its
text.
"""

import html.entities
import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from headwater.errors import DocumentError
from headwater.parsing.html.fragment import fragment_markdown
from headwater.parsing.parser import File
from headwater.parsing.reader import Reader, invalid_answer

if TYPE_CHECKING:
    from lxml.etree import _Element

_AC, _RI = "{http://atlassian.com/content}", "{http://atlassian.com/resource/identifier}"
_ENTITIES = "".join(
    f"<!ENTITY {name} '&#{code};'>"
    for name, code in html.entities.name2codepoint.items()
    if name not in ("amp", "lt", "gt", "quot")
)
_HEAD = (
    f"<!DOCTYPE r [{_ENTITIES}]><r xmlns:ac='http://atlassian.com/content'"
    " xmlns:ri='http://atlassian.com/resource/identifier'>"
)
_DECLARATION_PATTERN = re.compile(r"<!(?:DOCTYPE|ENTITY)[^>]*>", re.IGNORECASE)
_CALLOUTS = {"info": "Info", "note": "Note", "warning": "Warning", "tip": "Tip"}
_DROPPED_MACROS = frozenset(
    {"toc", "children", "pagetree", "recently-updated", "livesearch", "anchor", "contentbylabel", "attachments"}
)
_REWRITTEN = tuple(f"{_AC}{name}" for name in (
    "structured-macro", "link", "image", "task-list", "task", "emoticon", "placeholder"))  # fmt: skip


class StorageReader(Reader):
    """Reads a page: its storage format, the address that those of pages begin with, and the key of its space."""

    def answer(self, file: File) -> Any:
        """Its markdown and links."""
        storage, web, space = json.loads(file.content)
        return fragment_markdown(to_html(storage, web, space), file.uri, below=1)


def read_storage(storage: str, uri: str, *, web: str, space: str) -> tuple[str, tuple[str, ...]]:
    """Read a page in a process of its own.

    Args:
        storage: its storage format.
        uri: its address.
        web: the address that those of all pages begin with.
        space: the key of its space.

    Returns:
        Its markdown, and the addresses that it links to.

    Raises:
        DocumentError: it cannot be read.
    """
    answer = StorageReader.read(json.dumps([storage, web, space]).encode(), uri)
    try:
        text, links = answer
    except (TypeError, ValueError) as error:
        raise invalid_answer(error) from error
    if not isinstance(text, str) or not all(isinstance(link, str) for link in links):
        raise invalid_answer(TypeError())
    return text, tuple(links)


def display_address(web: str, space: str, title: str) -> str:
    """The address of a page by its title, as links between pages name it."""
    return f"{web}/display/{quote(space, safe='~')}/{quote(title, safe='')}"


def to_html(storage: str, web: str, space: str) -> str:
    """A page as HTML without Confluence's own elements.

    Raises:
        DocumentError: it is no XML that could be mended.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=True, no_network=True, load_dtd=False, huge_tree=False, recover=True)
    content = _DECLARATION_PATTERN.sub("", storage)  # only ours count
    try:
        root = etree.fromstring(f"{_HEAD}{content}</r>".encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        raise DocumentError("The page's storage format cannot be read.")
    for element in list(root.iter(*_REWRITTEN)):
        _rewrite(element, web, space)
    for element in list(root.iter("time")):
        if not (element.text or "").strip():
            element.text = element.get("datetime", "")
    for element in list(root.iter(f"{_AC}*", f"{_RI}*")):  # whatever is left keeps its text and children
        element.tag = "span"
        element.attrib.clear()
    etree.cleanup_namespaces(root)
    return re.sub(r"\A<r[^>]*>|</r>\Z", "", etree.tostring(root, encoding="unicode", method="html"))


def _rewrite(element: "_Element", web: str, space: str) -> None:
    name = str(element.tag).removeprefix(_AC)
    if name == "structured-macro":
        _rewrite_macro(element)
    elif name == "link":
        _rewrite_link(element, web, space)
    elif name == "image":
        attachment = element.find(f"{_RI}attachment")
        alternative = element.get(f"{_AC}alt") or (
            attachment.get(f"{_RI}filename", "") if attachment is not None else ""
        )
        _become(element, "img", alt=alternative)
    elif name == "task-list":
        element.tag = "ul"
    elif name == "task":
        is_done = (element.findtext(f"{_AC}task-status") or "").strip() == "complete"
        body = element.find(f"{_AC}task-body")
        text = "[x] " if is_done else "[ ] "
        _become(element, "li", text + _text(body), [] if body is None else list(body))
    else:
        _become(element, "span", element.get(f"{_AC}emoji-fallback") or "")


def _rewrite_macro(element: "_Element") -> None:
    name = element.get(f"{_AC}name", "")
    plain, rich = element.find(f"{_AC}plain-text-body"), element.find(f"{_AC}rich-text-body")
    if name in ("code", "noformat"):
        code = element.makeelement("code")
        code.text = "" if plain is None else "".join(map(str, plain.itertext()))
        if language := _parameter(element, "language"):
            code.set("class", f"language-{language}")
        _become(element, "pre", children=[code])
    elif name in ("status", "jira"):
        _become(element, "strong", _parameter(element, "title" if name == "status" else "key"))
    elif name in _DROPPED_MACROS:
        _become(element, "span")
    else:
        children = [] if rich is None else list(rich)
        if title := _parameter(element, "title") or _CALLOUTS.get(name, ""):
            line = element.makeelement("p")
            bold = element.makeelement("strong")
            bold.text = title
            line.append(bold)
            children.insert(0, line)
        text = _text(rich) if plain is None else "".join(map(str, plain.itertext()))
        _become(element, "blockquote" if name in _CALLOUTS else "div", text, children)


def _rewrite_link(element: "_Element", web: str, space: str) -> None:
    page, attachment, user = (element.find(f"{_RI}{name}") for name in ("page", "attachment", "user"))
    body = element.find(f"{_AC}plain-text-link-body")
    body = element.find(f"{_AC}link-body") if body is None else body
    words = (_text(element) if body is None else "".join(map(str, body.itertext()))).strip()
    if page is not None:
        title, space = page.get(f"{_RI}content-title", ""), page.get(f"{_RI}space-key", space)
        _become(element, "a", words or title, href=display_address(web, space, title))
    elif attachment is not None:
        _become(element, "span", words or attachment.get(f"{_RI}filename", ""))
    else:
        _become(element, "span", words or ("a person" if user is not None else ""))


def _parameter(element: "_Element", name: str) -> str:
    parameters = element.findall(f"{_AC}parameter")
    return next((parameter.text or "" for parameter in parameters if parameter.get(f"{_AC}name") == name), "")


def _text(element: "_Element | None") -> str:
    return "" if element is None else element.text or ""


def _become(
    element: "_Element", tag: str, text: str = "", children: Iterable["_Element"] = (), **attributes: str
) -> None:
    """Make another element of one, which stays where it is."""
    tail, child_list = element.tail, list(children)
    element.clear()
    element.tag, element.text, element.tail = tag, text, tail
    for name, value in attributes.items():
        element.set(name, value)
    element.extend(child_list)
