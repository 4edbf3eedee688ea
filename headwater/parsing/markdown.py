"""Markdown and MDX files into documents (SRC-6).

Belongs here: front matter, JSX, titles, categories, links between documents. Not here: chunks. Guarantee: code blocks
are left as they are; bad front matter costs the front matter, not the document.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from headwater.models import ParsedDocument
from headwater.parsing.headings import plain_heading
from headwater.parsing.plain_values import plain_value
from headwater.parsing.yaml_text import load_yaml

PARSER_VERSION = "markdown-1"

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_MATTER_LIMIT = 65_536
# Every expression here takes time in proportion to the text, whatever the text: possessive where it repeats, and no
# search to the end of the text that could be repeated from its every position.
_FENCE = re.compile(
    r"^(?P<before>(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*+[ \t]*+)(?P<mark>`{3,}+(?=[^`\n]*$)|~{3,}+)",
    re.MULTILINE,
)
_CODE = r"(?P<code>(?<!`)(?:`[^`\n]+`|``[^`\n]+``)(?!`))"
_COMMENT = re.compile(rf"{_CODE}|<!--|\{{/\*")
_IMPORT = re.compile(
    r"^import[ \t]++(?:[\w*$, \t]*(?:\{[^{}'\"`]*\}[ \t]*)?from[ \t]+)?(?:'[^'\n]+'|\"[^\"\n]+\")[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
_EXPORT = re.compile(  # up to the next blank line
    r"(?:\A\n?|(?<=\n\n))export[ \t]+(?:(?:default|const|let|var|function|async|class)\s|[{*])[^\n]*"
    r"(?:\n[^\n]*\S[^\n]*)*+"
)
_BRACED = r"\{[^{}]*+(?:\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}[^{}]*+)*+\}"
_ATTRIBUTES = rf"(?:\s+[\w:-]+(?:=(?:\"[^\"]*\"|'[^']*'|{_BRACED}))?|\s*\{{\.\.\.[^{{}}]*\}})*\s*"
_COMPONENT = re.compile(rf"{_CODE}|</?(?:[A-Z][\w.]*{_ATTRIBUTES}/?)?>")
_COMPONENT_LINE = re.compile(rf"^[ \t]*(?:</?(?:[A-Z][\w.]*{_ATTRIBUTES}/?)?>[ \t]*)+$", re.MULTILINE)
_TAG_LINE = re.compile(rf"^[ \t]*(?:</?(?:[A-Za-z][\w.]*{_ATTRIBUTES}/?)?>[ \t]*)+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_LABEL = re.compile(r"\b(?:label|title)=(?:\"([^\"]*)\"|'([^']*)')")
_HEADING = re.compile(r"^ {0,3}#[ \t]++(.+)$|^(?=[^ \n][^\n]*\n=)([^\n]*+)\n=++[ \t]*+$", re.MULTILINE)
_LINK = re.compile(
    rf"{_CODE}|\]\(\s*+(?:<(?P<angled>[^<>\n]+)>|(?P<inline>(?:[^()\s<>]|\([^()\s<>]*\))++)(?=[\s)]))"
    r"|^ {0,3}\[(?!\^)[^\[\]\n]+\]:[ \t]*+\n?[ \t]*+<?(?P<definition>[^\s<>]++)",
    re.MULTILINE,
)


def parse_markdown(text: str, *, uri: str, root: str = "") -> ParsedDocument:
    """Read a markdown or MDX file.

    Args:
        text: the file, lines ended by newlines.
        uri: its path within its source, with forward slashes.
        root: the folder that categories and links beginning with a slash start from, as a part of `uri`.
    """
    front, body = _split_front_matter(text)
    body = _outside_code(body, lambda prose: _strip_jsx(prose, is_mdx=uri.endswith(".mdx")))
    heading = _first_heading(body)
    return ParsedDocument(
        uri=uri,
        title=_text(front.get("title")) or heading or "",
        text=body.lstrip("\n"),
        category=_category(front, uri, root),
        language=_text(front.get("language")) or _text(front.get("lang")),
        metadata=plain_value(front),
        references=_references(body, uri, root),
    )


def _split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    match = _FRONT_MATTER.match(text)
    if not match or len(match.group(0)) > _FRONT_MATTER_LIMIT:
        return {}, text
    try:
        values = load_yaml(match.group(1) or "")
    except yaml.YAMLError:
        return {}, text[match.end() :]
    if not isinstance(values, dict):  # two thematic breaks with text between them
        return ({}, text) if values is not None else ({}, text[match.end() :])
    return {str(name): value for name, value in values.items()}, text[match.end() :]


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Apply a change to what is outside fenced code."""
    parts, begin, position = [], 0, 0
    while opening := _FENCE.search(text, position):
        mark, is_quoted = opening["mark"], ">" in opening["before"]
        closing = re.compile(  # code in a quotation ends with it
            rf"^[ \t>]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$" + (r"|^(?![ \t]*>)" if is_quoted else ""),
            re.MULTILINE,
        )
        line_end = text.find("\n", opening.end())
        end = closing.search(text, line_end + 1) if line_end >= 0 else None
        position = end.end() if end else len(text)
        parts += [change(text[begin : opening.start()]), text[opening.start() : position]]
        begin = position
    return "".join([*parts, change(text[begin:])])


def _strip_jsx(text: str, *, is_mdx: bool) -> str:
    """Take out comments, module lines and component tags, keeping what is between the tags and what labels say."""
    text = _strip_comments(text)
    text, imports = _IMPORT.subn("", text)
    text = _EXPORT.sub("", text) if is_mdx or imports else text
    text = (_TAG_LINE if is_mdx else _COMPONENT_LINE).sub(_labels, text)
    text = _COMPONENT.sub(lambda match: match["code"] or "", text) if is_mdx else text
    return _BLANK_LINES.sub("\n\n", text)


def _strip_comments(text: str) -> str:
    parts, begin, position = [], 0, 0
    unclosed: set[str] = set()
    while opening := _COMMENT.search(text, position):
        position = opening.end()
        closer = "-->" if opening[0] == "<!--" else "*/}"
        if opening["code"] or closer in unclosed:
            continue
        end = text.find(closer, position)
        if end < 0:
            unclosed.add(closer)
            continue
        parts.append(text[begin : opening.start()])
        begin = position = end + len(closer)
    return "".join([*parts, text[begin:]])


def _labels(match: re.Match[str]) -> str:
    labels = [first or second for first, second in _LABEL.findall(match.group(0))]
    return "\n".join(f"**{label}**\n" for label in labels if label)


def _first_heading(body: str) -> str | None:
    found: list[str] = []

    def look(prose: str) -> str:
        match = None if found else _HEADING.search(prose)
        if match:
            found.append(plain_heading(match.group(1) or match.group(2)))
        return prose

    _outside_code(body, look)
    return found[0] if found else None


def _category(front: Mapping[str, Any], uri: str, root: str) -> str:
    chosen = front.get("category")
    if isinstance(chosen, str) and chosen.strip():
        return chosen.strip().strip("/")
    return posixpath.dirname(posixpath.relpath(uri, root) if root else uri)


def _references(body: str, uri: str, root: str) -> tuple[str, ...]:
    """Paths that the text links to within its source, whether or not a document is there."""
    found: dict[str, None] = {}

    def look(prose: str) -> str:
        for match in _LINK.finditer(prose):
            link = match["angled"] or match["inline"] or match["definition"]
            target = resolve_link(link, uri, root) if link else None
            if target and target != uri:
                found[target] = None
        return prose

    _outside_code(body, look)
    return tuple(found)


def resolve_link(link: str, uri: str, root: str) -> str | None:
    """The path that a link leads to within its source, or None when it leads elsewhere."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme or parts.netloc or not path:
        return None
    base = root if path.startswith("/") else posixpath.dirname(uri)
    target = posixpath.normpath(posixpath.join(base, path.lstrip("/")))
    return None if target.startswith("../") or target in (".", "..") else target
