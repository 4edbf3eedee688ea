"""Markdown and MDX files into documents (SRC-6).

Belongs here: front matter, JSX, titles, categories, links between documents. Not here: chunks. Guarantee: code blocks
are left as they are; bad front matter costs the front matter, not the document.
"""

import posixpath
import re
from collections.abc import Mapping
from datetime import date
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

from headwater.models import ParsedDocument
from headwater.parsing.yaml_text import load_yaml

PARSER_VERSION = "markdown-1"

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_MATTER_LIMIT = 65_536
_FENCE = re.compile(r"^( {0,3}|[ \t]*)(`{3,}|~{3,})", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->|\{/\*.*?\*/\}", re.DOTALL)
_MODULE_LINE = re.compile(
    r"^(?:import\s.+?\sfrom\s+['\"].+?['\"];?|import\s+['\"].+?['\"];?|export\s.+)\s*$", re.MULTILINE
)
_ATTRIBUTES = r"(?:\s+[\w:-]+(?:=(?:\"[^\"]*\"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}))?|\s*\{\.\.\.[^{}]*\})*\s*"
_COMPONENT = re.compile(rf"</?(?:[A-Z][\w.]*{_ATTRIBUTES}/?)?>")
_COMPONENT_LINE = re.compile(rf"^[ \t]*(?:</?(?:[A-Z][\w.]*{_ATTRIBUTES}/?)?>[ \t]*)+$", re.MULTILINE)
_TAG_LINE = re.compile(rf"^[ \t]*(?:</?(?:[A-Za-z][\w.]*{_ATTRIBUTES}/?)?>[ \t]*)+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_LABEL = re.compile(r"\b(?:label|title)=(?:\"([^\"]*)\"|'([^']*)')")
_HEADING = re.compile(r"^ {0,3}#[ \t]+(.+?)[ \t]*#*$|^(?! )(.+)\n=+[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)", re.MULTILINE)
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`]+|\s*\{#[\w-]+\}")


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
    title = front.get("title") if isinstance(front.get("title"), str) else heading
    return ParsedDocument(
        uri=uri,
        title=(title or "").strip(),
        text=body.lstrip("\n"),
        category=_category(front, uri, root),
        language=str(front.get("language") or front.get("lang") or ""),
        metadata=_plain(front),
        references=_references(body, uri, root),
    )


def _split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    match = _FRONT_MATTER.match(text)
    if not match or len(match.group(0)) > _FRONT_MATTER_LIMIT:
        return {}, text
    try:
        values = load_yaml(match.group(1) or "")
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text[match.end() :]
    if not isinstance(values, dict):  # two thematic breaks with text between them
        return ({}, text) if values is not None else ({}, text[match.end() :])
    return {str(name): value for name, value in values.items()}, text[match.end() :]


def _outside_code(text: str, change: Any) -> str:
    """Apply a change to what is outside fenced code."""
    parts, begin, position = [], 0, 0
    while opening := _FENCE.search(text, position):
        mark = opening.group(2)
        closing = re.compile(rf"^[ \t]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
        line_end = text.find("\n", opening.end())
        end = closing.search(text, line_end + 1) if line_end >= 0 else None
        position = end.end() if end else len(text)
        parts += [change(text[begin : opening.start()]), text[opening.start() : position]]
        begin = position
    return "".join([*parts, change(text[begin:])])


def _strip_jsx(text: str, *, is_mdx: bool) -> str:
    """Take out comments, module lines and component tags, keeping what is between the tags and what labels say."""
    text = _COMMENT.sub("", text)
    text = _MODULE_LINE.sub("", text) if is_mdx or "import " in text else text
    text = (_TAG_LINE if is_mdx else _COMPONENT_LINE).sub(_labels, text)
    text = _COMPONENT.sub("", text) if is_mdx else text
    return _BLANK_LINES.sub("\n\n", text)


def _labels(match: re.Match[str]) -> str:
    labels = [first or second for first, second in _LABEL.findall(match.group(0))]
    return "\n".join(f"**{label}**\n" for label in labels if label)


def _first_heading(body: str) -> str | None:
    found: list[str] = []

    def look(prose: str) -> str:
        match = None if found else _HEADING.search(prose)
        if match:
            found.append(_MARKUP.sub(lambda mark: mark.group(1) or "", match.group(1) or match.group(2)))
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
        for inline, definition in _LINK.findall(prose):
            target = resolve_link(inline or definition, uri, root)
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


def _plain(value: Any) -> Any:
    """JSON values only: dates become text, anything else strange too."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value not in (float("inf"), float("-inf")) and value == value:
        return value
    return value if isinstance(value, str | int | bool) or value is None else str(value)
