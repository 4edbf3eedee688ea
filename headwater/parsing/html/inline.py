"""The inline markup of web pages as markdown: emphasis, code, links, images, formulas.

Belongs here: one run of text. Not here: blocks (`blocks`), which elements are left out (`content`).
Guarantee: characters that markdown would take for marks are escaped; the work is linear.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from headwater.parsing.markdown.writer import escape_tags

_MARKS = {
    "b": "**", "strong": "**", "em": "*", "i": "*", "cite": "*", "var": "*", "dfn": "*", "del": "~~", "s": "~~",
    "strike": "~~",
}  # fmt: skip
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_DROPPED = frozenset({"script", "style", "template", "svg", "noscript", "button", "select", "input", "textarea", "rp",
                      "object", "embed", "canvas", "video", "audio", "iframe", "datalist", "map"})  # fmt: skip
_RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_SPACES = re.compile(r"[ \t\n\u2028\u2029]+")
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x2060, 0xFEFF], None) | {0xA0: " ", 0x202F: " "}
# Characters of private use, which are pictures of an icon font where an element holds nothing else.
_ICONS = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd\\s]+")
_LAST_ICONS = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd\\s]+$")
_SPECIAL = re.compile(r"(?<!\w)__(?P<name>[A-Za-z]\w*?)__(?!\w)|[`*\\]|<(?=[A-Za-z/!?])|\](?=\()|~~")
_OPENS, _CLOSES = re.compile(r"(?<!\w)_(?=[^\W_])"), re.compile(r"(?<=[^\W_])_(?!\w)")
_LINE_START = re.compile(r"^(?:#{1,6}(?=\s|$)|[-+](?=\s)|>|[=-]+$|~~~)")
_LINE_ENDS = dict.fromkeys([9, 10, 13], None)
_TARGET_LIMIT = 2_000
_ALT_LIMIT = 500
_DEPTH_LIMIT = 60
_PERMALINKS = frozenset({"¶", "#", "§", "🔗", "⚓", "link", "permalink", "anchor", "direct link"})
BREAK = "\x00"
"""A line break within a run, until the run is finished."""


@dataclass(kw_only=True)
class Page:
    """What inline markup needs to know of its page; `is_markdown` if it stands in markdown, and keeps its marks."""

    uri: str
    base: str
    is_markdown: bool = False
    links: dict[str, None] = field(default_factory=dict)


def target_of(element: Any, page: Page) -> str:
    """The address of a link or image: absolute if the page's is; empty if it leads nowhere that can be read."""
    href = (element.get("href") or element.get("src") or "").strip()
    if not href or href.startswith("#") or len(href) > _TARGET_LIMIT:
        return ""
    try:
        one_line = href.translate(_LINE_ENDS)  # as browsers read it
        target = urljoin(page.base, one_line.replace(" ", "%20") if "://" in page.base else one_line)
        scheme = urlsplit(target).scheme
    except ValueError:
        return ""
    return target if scheme in ("http", "https", "mailto", "ftp") or (not scheme and "://" not in page.uri) else ""


def inline(nodes: list[Any], page: Page, *, is_plain: bool = False, in_table: bool = False) -> str:
    """The markdown of a run of strings and elements, on one line for each `br`.

    Args:
        nodes: strings and elements, whose tails are not part of the run.
        page: the page.
        is_plain: without emphasis, links and images, as in a heading.
        in_table: on one line, for a cell.
    """
    text = _sequence(nodes, page, is_plain=is_plain, depth=0, inside="")
    lines = [_SPACES.sub(" ", line).strip() for line in text.split(BREAK)]
    joined = " ".join(filter(None, lines)) if is_plain or in_table else "\n".join(map(escape_start, lines)).strip("\n")
    return joined.replace("|", "\\|") if in_table else joined


def plain_words(element: Any) -> str:
    """The visible characters of an element, on one line."""
    return _SPACES.sub(" ", _visible(element.text_content() or "")).strip()


def _visible(text: str) -> str:
    return text if text.isascii() else text.translate(_INVISIBLE)


def escape_start(line: str) -> str:
    """A line whose beginning markdown does not take for a mark."""
    return "\\" + line if _LINE_START.match(line) else line


def _escape(text: str, page: Page) -> str:
    """Text whose characters markdown does not take for marks; a name such as `__init__` becomes code."""
    plain = _visible(text)
    if page.is_markdown:
        return escape_tags(plain)
    escaped = _SPECIAL.sub(lambda match: f"`{match[0]}`" if match["name"] else f"\\{match[0]}", plain)
    if "_" not in plain or not _OPENS.search(plain) or not _CLOSES.search(plain):
        return escaped
    return _CLOSES.sub(r"\\_", escaped)


def _sequence(nodes: list[Any], page: Page, *, is_plain: bool, depth: int, inside: str) -> str:
    """The markdown of nodes in a row; neighbours with the same emphasis share its marks."""
    texts: list[str] = []
    previous_mark = ""  # the emphasis of the previous node
    for node in nodes:
        text = _words(node, page, is_plain=is_plain, depth=depth, inside=inside)
        if not text:
            continue
        mark = "" if is_plain or isinstance(node, str) else _MARKS.get(node.tag, "")
        if mark and mark == previous_mark and texts[-1].endswith(mark) and text.lstrip().startswith(mark):
            texts[-1], text = texts[-1][: -len(mark)], text.replace(mark, "", 1)
        texts.append(text)
        previous_mark = mark
    return "".join(texts)


def _words(node: Any, page: Page, *, is_plain: bool, depth: int, inside: str) -> str:
    """The markdown of one node, without its tail; `inside` are the marks around it."""
    if isinstance(node, str):
        return _escape(node, page)
    name = node.tag
    if not isinstance(name, str) or name in _DROPPED:
        return _formula_of_script(node)
    if (alone := _ALONE.get(name)) is not None:
        return alone(node, page, is_plain)
    if (name == "a" and is_permalink(node)) or _is_icon(node):
        return ""
    if depth > _DEPTH_LIMIT:
        return _escape(node.text_content() or "", page)
    mark = "" if is_plain or _MARKS.get(name, "") in inside else _MARKS[name]
    marks_inside = inside + mark + ("a" if name == "a" else "")
    content = [node.text or "", *(item for child in node for item in (child, child.tail or ""))]
    text = _sequence(content, page, is_plain=is_plain, depth=depth + 1, inside=marks_inside)
    if name == "a":
        return text if is_plain or "a" in inside else _link(node, text, page)
    return _around(text, mark) if mark else _shape_text(name, text)


def _shape_text(name: str, text: str) -> str:
    """Text whose element says how it is written: raised, lowered, in quotation marks, beside its word."""
    if name in ("sup", "sub"):
        return shift_characters(text, is_raised=name == "sup")
    if name == "q":
        return f"“{text}”"
    if name == "rt":
        return f"({text})" if text.strip() else ""
    return text


def _around(text: str, mark: str) -> str:
    """Text between marks; its outer spaces stay outside, and each line has marks of its own."""
    lines = []
    for line in text.split(BREAK):
        words = line.strip()
        leading, trailing = line[: len(line) - len(line.lstrip())], line[len(line.rstrip()) :]
        lines.append(f"{leading}{mark}{words}{mark}{trailing}" if words else line)
    return BREAK.join(lines)


def _code(node: Any) -> str:
    code = plain_words(node)
    if not code:
        return ""
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    tick = "`" * (longest + 1)
    space = " " if code[0] == "`" or code[-1] == "`" else ""
    raw = node.text_content()
    leading, trailing = (" " if raw[:1].isspace() else ""), (" " if raw[-1:].isspace() else "")
    return f"{leading}{tick}{space}{code}{space}{tick}{trailing}"


def _link(node: Any, text: str, page: Page) -> str:
    words = " ".join(text.replace(BREAK, " ").split())
    target = target_of(node, page)
    if not words or not target:
        return text
    page.links[target] = None
    leading, trailing = (" " if text[:1].isspace() else ""), (" " if text[-1:].isspace() else "")
    return f"{leading}[{words}]({shorten_target(target, page)}){trailing}"


def shorten_target(target: str, page: Page) -> str:
    """A link's address as it stands in the text: short within the site, because it is searched and embedded too."""
    page_url, there = urlsplit(page.uri), urlsplit(target)
    if page_url.netloc and (page_url.scheme, page_url.netloc) == (there.scheme, there.netloc):
        folder = page_url.path.rpartition("/")[0] + "/"
        path = there.path.removeprefix(folder) if there.path != folder else there.path
        first = path.partition("/")[0]
        path = there.path if not path or ":" in first else path
        target = there._replace(scheme="", netloc="", path=path).geturl()
    return f"<{target}>" if re.search(r"[\s()]", target) else target


def is_permalink(node: Any) -> bool:
    """Whether a link leads to the heading that it stands in."""
    href = node.get("href") or ""
    words = plain_words(node).lower()
    return "#" in href and (not words or words in _PERMALINKS or _ICONS.fullmatch(words) is not None)


def heading_words(heading: Any) -> str:
    """The words of a heading on one line, without the sign or icon of the link to itself."""
    words = plain_words(heading)
    for link in heading.iter("a"):
        words = words.removesuffix(plain_words(link)) if is_permalink(link) else words
    return _LAST_ICONS.sub("", words)


def _is_icon(node: Any) -> bool:
    text = node.text or ""
    return not text.isascii() and not len(node) and _ICONS.fullmatch(text) is not None


def _image(node: Any, page: Page) -> str:
    words = " ".join((node.get("alt") or "").split())
    if len(words) > _ALT_LIMIT or not any(map(str.isalnum, words)):
        return ""
    if words.startswith("{\\displaystyle"):
        return f"${words.removeprefix('{').removesuffix('}').removeprefix(chr(92) + 'displaystyle').strip()}$"
    target = target_of(node, page)
    escaped = _escape(words, page)
    return f"![{escaped}]({shorten_target(target, page)})" if target and "]" not in words else escaped


def _formula(node: Any, page: Page) -> str:
    """A formula as TeX, if the page has it so, else its characters."""
    for note in node.iter("annotation"):
        if "tex" in (note.get("encoding") or "").lower() and note.text:
            return f"${' '.join(note.text.split())}$"
    return _escape(plain_words(node), page)


def _formula_of_script(node: Any) -> str:
    is_formula = node.tag == "script" and (node.get("type") or "").startswith("math/tex")
    return f"${' '.join((node.text or '').split())}$" if is_formula else ""


def shift_characters(text: str, *, is_raised: bool) -> str:
    """Raised or lowered text: digits as such characters; a raised word behind a caret, because 10 and 6 are not 106."""
    words = text.strip()
    table = _RAISED if is_raised else _LOWERED
    if words and all(ord(character) in table for character in words):
        return words.translate(table)
    if is_raised and words and len(words) <= 20 and " " not in words and "[" not in words and words.isalnum():
        return f"^{words}"
    return text


_ALONE: dict[str, Callable[[Any, Page, bool], str]] = {
    "br": lambda _node, _page, _is_plain: BREAK,
    "img": lambda node, page, is_plain: "" if is_plain else _image(node, page),
    "math": lambda node, page, _is_plain: _formula(node, page),
    **dict.fromkeys(_CODE, lambda node, _page, _is_plain: _code(node)),
}
"""The elements that are read without looking at what is in them."""
