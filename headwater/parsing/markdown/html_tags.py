"""The text that replaces HTML tags and characters.

Belongs here: the elements, and which of them break a line. Not here: finding tags (`markup`), the words of a component
(`components`). Guarantee: pure; words that an element separates stay separate.
"""

import re
from collections.abc import Container
from html import unescape

from headwater.parsing.markdown.javascript import Tag, literal
from headwater.parsing.markdown.template_tags import without_variables


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_INLINE = _names(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark q rp rt ruby s samp small span strike "
    "strong sub sup tt u var button input select option textarea time data output meter progress"
)
_BLOCKS = _names(
    "address article aside blockquote body caption center colgroup dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup html legend li main menu nav ol optgroup p pre "
    "section summary table tbody td tfoot th thead title tr ul video audio picture iframe object canvas map noscript "
    "template slot"
)
_VOID = _names("area base br col embed hr img param source track wbr")
_NEVER_CLOSED = _names("br dd dt hr img li option p td th tr wbr")
_LEFT_OPEN = _names("br dd dt hr img li td th tr wbr")  # in old HTML, in capitals; `<P>` may be a type, as in `Map<P>`
OMITTED = frozenset({"pre", "script", "style", "svg"})
ELEMENTS = _INLINE | _BLOCKS | _VOID | OMITTED | {"link", "meta"}
_SIGNIFICANT = frozenset("|`*_[]\\#~<")
_CELLS = frozenset({"td", "th"})
INLINE_CODE = re.compile(
    r"<(?P<name>code|samp|tt)(?:\s[^<>{}]*)?>(?P<inner>[^<>`{}\n]{0,500})</(?P=name)>", re.IGNORECASE
)
RAISED = re.compile(r"<sup(?:\s[^<>{}]*)?>(?P<inner>[^<>`{}&\n]{1,20})</sup>", re.IGNORECASE)
HEADING = re.compile(  # and the summary of a details box, and the term of a definition
    r"<(?:h(?P<level>[1-6])|(?P<box>summary|dt))(?=[\s>])[^<>]{0,500}>(?P<inner>[^\x00]{0,2000}?)</(?:h(?P=level)|(?P=box))\s*>",
    re.IGNORECASE,
)


def is_component(tag: Tag, closed_names: Container[str], *, is_mdx: bool) -> bool:
    """Whether a tag is a component's, or a placeholder in capitals such as `<INPUT FILE>` and `Map<P>`.

    Args:
        tag: the tag.
        closed_names: the names of all elements that the text closes, as they are written.
        is_mdx: whether the text is MDX, where all names with capitals are components.
    """
    name = tag.name
    if is_mdx or not name.isupper() or name.lower() not in ELEMENTS:
        return not name or name[0].isupper() or "." in name
    is_html = tag.is_closing or name.lower() in _LEFT_OPEN or any(tag.attributes.values()) or name in closed_names
    return not is_html


def is_element(tag: Tag, closed_names: Container[str]) -> bool:
    """Whether a tag is of HTML, and not a placeholder such as `<title>` in a sentence.

    Args:
        tag: the tag.
        closed_names: the names of all elements that the text closes.
    """
    name = tag.name.lower()
    if name not in ELEMENTS:
        return False
    return bool(tag.attributes) or tag.is_closing or tag.is_empty or name in _NEVER_CLOSED or name in closed_names


def link_target(tag: Tag) -> str:
    """Where a link leads, without the variables of the site."""
    return "".join(without_variables(tag.attributes.get("href", "")).split())


def code_of_pre(content: str, *, is_mdx: bool) -> str:
    """The code in a preformatted element, empty without one; in MDX, it may be the text of an expression."""
    script = content.strip()
    code = literal(script[1:-1].strip()) if is_mdx and script[:1] == "{" else None
    code = code if code is not None else unescape(re.sub(r"</?[A-Za-z][^<>]*>", "", content))
    return code if code.strip() else ""


def words_of(tag: Tag, *, is_bare: bool, ends_line: bool, is_in_table: bool) -> str:
    """The text that replaces an HTML tag.

    Args:
        tag: the tag; other functions handle links, headings and code.
        is_bare: whether only tags precede it on its line.
        ends_line: whether nothing or only tags follow it.
        is_in_table: whether its line is a row of a markdown table.
    """
    name = tag.name.lower()
    if name == "img":
        return _image(tag)
    if name in _INLINE or name == "wbr":
        return ""
    if is_in_table:
        return " "
    if name == "br":
        return "" if ends_line or is_bare else " "
    if name == "li" and not tag.is_closing:
        return "- " if is_bare else "\n- "
    if name in _CELLS:
        return "" if is_bare and not tag.is_closing else " "
    if is_bare and not tag.is_closing:
        return ""
    return "" if ends_line else "\n\n" if tag.is_closing or name in ("p", "hr") else " "


def _image(tag: Tag) -> str:
    words = " ".join(tag.attributes.get("alt", "").split())
    source = tag.attributes.get("src", "").strip()
    if not words or not source or set("()<> \n") & set(source) or set("[]") & set(words):
        return words
    return f"![{words}]({source})"


def character(entity: str) -> str:
    """The character of an entity, escaped if markdown would take it for a mark."""
    text = unescape(entity)
    if text == "\xa0":
        return " "
    return f"\\{text}" if text in _SIGNIFICANT else text
