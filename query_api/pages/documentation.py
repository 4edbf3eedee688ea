"""`/docs/<name>.md`: a page of the documentation, which links in Dagster lead to (UI-3).

Belongs here: finding the page, its HTML. Not here: its text (the folder `docs` of the repository). Guarantee: only
pages of that folder are read; links between them lead to one another, and those into a page to its headings.
"""

import re
from pathlib import Path

import nh3
from flask import Blueprint, Response
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

from headwater.domain.access import Scope
from headwater.errors import NotFoundError
from headwater.settings import REPOSITORY
from query_api.guards.route_facts import allow
from query_api.pages.page_renderer import render

routes = Blueprint("documentation_page", __name__)

_NAME = re.compile(r"[a-z0-9-]{1,60}\.md", re.ASCII)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TAGS = {
    "a", "blockquote", "br", "code", "em", "hr", "li", "ol", "p", "pre", "strong", "table", "tbody", "td", "th",
    "thead", "tr", "ul", *_HEADINGS,
}  # fmt: skip
_ATTRIBUTES = {"a": {"href"}, **{name: {"id"} for name in _HEADINGS}}


@routes.get("/docs/<name>")
@allow(Scope.READ, about="visible")  # it says nothing about what is stored here
def show_documentation(name: str) -> Response:
    """Show a page of the documentation."""
    file = REPOSITORY / "docs" / name
    if not _NAME.fullmatch(name) or not file.is_file():
        raise NotFoundError(f"The documentation here has no page {name}. The project's repository has all of it.")
    title, html = render_documentation(file)
    return render("documentation.html", title=title, html=html)


def render_documentation(file: Path) -> tuple[str, str]:
    """A page's title and its HTML."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("image", lambda _, tokens, position, *__: escapeHtml(tokens[position].content))
    text = re.sub(r"<!--.*?-->\n?", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
    tokens = parser.parse(text)
    headings = [_heading_text(tokens[place + 1]) for place, token in enumerate(tokens) if token.type == "heading_open"]
    for token, words in zip([token for token in tokens if token.type == "heading_open"], headings, strict=True):
        token.attrSet("id", _anchor(words))
    html = parser.renderer.render(tokens, parser.options, {})
    return headings[0] if headings else file.stem, nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES)


def _heading_text(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _anchor(heading: str) -> str:
    """The name of a heading in links to it, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
