"""Parsing markdown and MDX files (SRC-6).

Belongs here: their parsers, titles, categories, links between documents. Not here: front matter, JSX and HTML
(`front_matter`, `markup`), chunks. Guarantee: code blocks stay as they are; bad front matter does not fail the
document.
"""

import posixpath
import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import ClassVar
from urllib.parse import unquote, urlsplit

from headwater.domain.documents import ParsedDocument
from headwater.domain.media_types import MARKDOWN_ENDINGS
from headwater.parsing.markdown.edits import Edits, new_step
from headwater.parsing.markdown.fences import outside_code
from headwater.parsing.markdown.front_matter import split_front_matter
from headwater.parsing.markdown.front_matter_text import front_matter_text
from headwater.parsing.markdown.headings import without_tags
from headwater.parsing.markdown.markup import without_markup
from headwater.parsing.markdown.release_sections import lower_sections
from headwater.parsing.markdown.shortcodes import find_included
from headwater.parsing.markdown.title_headings import find_opening_heading, find_top_heading
from headwater.parsing.parser import File, Parser
from headwater.parsing.registry import folder_category
from headwater.parsing.text import decode
from headwater.parsing.title_fields import find_title, read_fields

PARSER_VERSION = "markdown-16"

# Every expression here takes linear time for any text: possessive where it repeats, and without a search to the end of
# the text that could start again at every position.
_CODE = r"(?P<code>(?<!`)(?:`[^`\n]+`|``[^`\n]+``)(?!`))"
_OWN_ENDINGS = tuple(ending for ending in MARKDOWN_ENDINGS if ending != ".mdx")
_VISIBLE = re.compile(r"\S")
_LINK = re.compile(
    rf"{_CODE}|\]\(\s*+(?:<(?P<angled>[^<>\n]+)>|(?P<inline>(?:[^()\s<>]++|\([^()\s<>]*\))++)(?=[\s)]))"
    r"|^ {0,3}\[(?!\^)[^\[\]\n]+\]:[ \t]*+\n?[ \t]*+<?(?P<definition>[^\s<>]++)",
    re.MULTILINE,
)


class MarkdownParser(Parser):
    """Reads markdown."""

    media_types: ClassVar[tuple[str, ...]] = ("text/markdown",)
    suffixes: ClassVar[tuple[str, ...]] = (*_OWN_ENDINGS, ".md.erb", ".md.j2", ".md.tmpl")  # and its templates
    version: ClassVar[str] = PARSER_VERSION

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; see `parse_markdown`."""
        return parse_markdown(decode(file.content), uri=file.uri, root=file.root)


class MdxParser(MarkdownParser):
    """Reads MDX."""

    media_types = ("text/mdx",)
    suffixes = (".mdx",)


def parse_markdown(text: str, *, uri: str, root: str = "") -> ParsedDocument:
    """Parse a markdown or MDX file.

    Args:
        text: the file, lines ended by newlines.
        uri: its path within its source, with forward slashes.
        root: the folder where categories and links with a leading slash start, as a part of `uri`.
    """
    front_matter = split_front_matter(text)
    front, body = front_matter.values, front_matter.body
    edits = Edits()
    words = front_matter_text(front, body)
    if len(text) > len(body):
        edits.add(new_step([(0, len(text) - len(body), len(words))]))
    body = words + body
    body = without_markup(body, is_mdx=uri.lower().endswith(".mdx"), edits=edits)
    body = lower_sections(body, edits)
    heading = find_top_heading(body)
    visible = _from_first_line(body)
    edits.cut(len(body) - len(visible))
    return ParsedDocument(
        uri=uri,
        title=without_tags(front_matter.read_text("title"))
        or heading
        or find_title(read_fields(visible))
        or find_opening_heading(visible, uri)
        or front_matter.read_text("name")
        or _page_name(uri),
        text=visible,
        category=front_matter.read_text("category").strip("/") or folder_category(uri, root),
        language=front_matter.read_text("language", "lang"),
        metadata=dict(front),
        references=_references(body, uri, root, find_included(front_matter.body)),
        notes=front_matter.notes,
        places=edits.lines(text, visible),
    )


def _from_first_line(text: str) -> str:
    """A text without its leading blank lines."""
    visible = _VISIBLE.search(text)
    return text[text.rfind("\n", 0, visible.start()) + 1 :] if visible else text.lstrip("\n")


def _page_name(uri: str) -> str:
    """The name of a markdown file without its ending, as wikis of such files name their pages."""
    path = PurePosixPath(unquote(uri) if "://" in uri else uri)
    return path.stem if path.suffix.lower() in MARKDOWN_ENDINGS else ""


def _references(body: str, uri: str, root: str, included: Iterable[str]) -> tuple[str, ...]:
    """Paths that the text links to or includes within its source, whether or not such a document exists."""
    targets: dict[str, None] = {}

    def add(link: str) -> None:
        target = resolve_link(link, uri, root)
        if target and target != uri:
            targets[target] = None

    def look(prose: str) -> None:
        if "](" not in prose and "]:" not in prose:
            return  # searching takes longer than the rest of the parsing, and most parts have no link
        for match in _LINK.finditer(prose):
            link = match["angled"] or match["inline"] or match["definition"]
            if link:
                add(link)

    outside_code(body, look)
    for path in included:
        add(path)
    return tuple(targets)


def resolve_link(link: str, uri: str, root: str) -> str | None:
    """The path that a link leads to within its source, or None if it leads elsewhere."""
    try:
        url_parts = urlsplit(link)
    except ValueError:
        return None
    path = unquote(url_parts.path)
    if url_parts.scheme or url_parts.netloc or not path:
        return None
    base = root if path.startswith("/") else posixpath.dirname(uri)
    target = posixpath.normpath(posixpath.join(base, path.lstrip("/")))
    return None if target.startswith("../") or target in (".", "..") else target
