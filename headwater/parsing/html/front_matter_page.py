"""HTML files of static site generators, such as Jekyll: front matter above HTML, the page around which is made later.

Belongs here: what front matter and the tags of templates mean in an HTML file. Not here: finding them
(`headwater.parsing.markdown`), pages (`page`). Guarantee: HTML without a page around it is all content; the front
matter of a file changes nothing of what its HTML says.
"""

import re
from dataclasses import replace
from html import escape

from headwater.domain.documents import ParsedDocument
from headwater.parsing.html.page import HtmlPage, parse_page
from headwater.parsing.markdown.front_matter import FrontMatter
from headwater.parsing.markdown.front_matter_text import front_matter_text
from headwater.parsing.markdown.headings import without_tags
from headwater.parsing.markdown.template_tags import template_tag

_PAGE = re.compile(r"<(?:!doctype|html|head|body)(?=[\s>])", re.IGNORECASE)
_TITLE = re.compile(r"\A\s*\*\*(.+)\*\*\n{1,2}\Z")
_RAW = re.compile(r"\{%-?[ \t]*raw\b")
_TAG = re.compile(r"\{[%{]")


def read_generator_page(body: str, uri: str) -> HtmlPage:
    """Read the HTML below front matter, at an address or a path.

    Raises:
        DocumentError: it has too many elements, or they are nested too deeply.
    """
    html = _without_template_tags(body)
    if _PAGE.search(html):
        return parse_page(html, uri)
    return parse_page(f"<body>{html}</body>", uri, is_fragment=True)


def add_front_matter(document: ParsedDocument, front_matter: FrontMatter) -> ParsedDocument:
    """Add the values of front matter to a document, and its sentences above the text; it knows more than the HTML."""
    return replace(
        document,
        title=without_tags(front_matter.read_text("title")) or document.title or front_matter.read_text("name"),
        text=front_matter_text(front_matter.values, document.text) + document.text,
        category=front_matter.read_text("category").strip("/") or document.category,
        language=front_matter.read_text("language", "lang") or document.language,
        metadata={**document.metadata, **front_matter.values},
        notes=front_matter.notes,
    )


def _without_template_tags(text: str) -> str:
    """HTML without the tags of Liquid and Hugo: the words that stand for them, and code as it is."""
    pieces: list[str] = []
    begin = 0
    for opening in _TAG.finditer(text):
        tag = template_tag(text, opening.start()) if opening.start() >= begin else None
        if tag is not None:
            code = f"<pre><code>{escape(tag.code)}</code></pre>" if tag.code.strip() else ""
            words = (
                tag.words if _RAW.match(text, opening.start()) else _TITLE.sub(r"<p><b>\1</b></p>", escape(tag.words))
            )
            pieces += [text[begin : opening.start()], words, code]
            begin = tag.end
    return "".join((*pieces, text[begin:]))
