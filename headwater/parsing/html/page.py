"""A web page as blocks of markdown, with its links and what it says about itself.

Belongs here: putting the parts together, pages that cannot be read. Not here: the parts (`blocks`, `inline`, `tables`),
parsers (`parser`).
Guarantee: a page without content says why; the same bytes and address give the same page.
"""

from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urldefrag

from headwater.errors import DocumentError
from headwater.parsing.html.blocks import Block, blocks_of
from headwater.parsing.html.content import content_root
from headwater.parsing.html.element_text import link_share
from headwater.parsing.html.generators.doxygen import forbid_member_lists
from headwater.parsing.html.generators.page_generators import restore_generated
from headwater.parsing.html.html_tree import html_text, html_tree
from headwater.parsing.html.inline import Page, inline, plain_words, target_of
from headwater.parsing.html.metadata import (
    Head,
    demote_site_heading,
    own_headings,
    read_base,
    read_head,
    read_refresh,
)

_MIN_CONTENT_CHARS = 200  # characters of a page whose content is probably elsewhere
_INDEX_LINKS = 1_000  # of a page that may be an index of words, into other pages
_INDEX_SHARE = 0.5  # share of its text that is links; of long articles and lists with descriptions it is less
_MOUNTS = frozenset({"root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main-app", "react-root", "app-root"})
_LINK_LIMIT = 5_000
NEEDS_JAVASCRIPT = (
    "The page shows its content only with JavaScript, which Headwater does not run. Use another address that has the"
    " text in its HTML: a print version, an export, a feed, or the repository that the site is built from."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class HtmlPage:
    """A page: its content as blocks, every address that it links to in order, and its head."""

    head: Head
    blocks: tuple[Block, ...]
    links: tuple[str, ...]
    needs_javascript: bool = False


def read_page(content: bytes, uri: str, media_type: str = "") -> HtmlPage:
    """Read a page.

    Args:
        content: its bytes.
        uri: its address, or its path.
        media_type: its type as its server says, with the charset.

    Raises:
        DocumentError: it is not text, or empty.
    """
    return parse_page(html_text(content, media_type), uri)


def parse_page(text: str, uri: str, *, is_fragment: bool = False) -> HtmlPage:
    """Read a page that is decoded.

    Args:
        text: its HTML.
        uri: its address, or its path.
        is_fragment: whether it is all content, because what surrounds it is another file.

    Raises:
        DocumentError: it is empty.
    """
    tree = html_tree(text)
    # Without these objects lxml makes one whenever an element is read, and climbs to the root to free it.
    _elements = list(tree.iter())
    page = Page(uri=uri, base=read_base(tree, uri))
    forbid_member_lists(tree)
    redirect = read_refresh(tree, page.base, seconds=1)
    links = _links(tree, page)  # those of the menus, too, which go with what surrounds the content
    restore_generated(tree)
    head = read_head(tree, uri)
    needs_script = _is_empty_application(tree)
    top = next(own_headings(tree, uri, head.base), None)
    demote_site_heading(tree)
    root = content_root(tree, is_fragment=is_fragment)
    if _is_index(root) or (redirect and len(plain_words(root)) < _MIN_CONTENT_CHARS + len(redirect)):
        return HtmlPage(head=head, blocks=(), links=links)
    blocks = blocks_of(root, page)
    if top is not None and not any(block.kind == "heading" and block.level == 1 for block in blocks):
        words = inline([top], page, is_plain=True)
        is_there = any(words in block.text and len(block.text) < 2 * len(words) for block in blocks[:3])
        blocks = [Block("heading", f"# {words}", 1), *blocks] if words and not is_there else blocks
    is_short = sum(len(block.text) for block in blocks) < _MIN_CONTENT_CHARS
    says_something = top is not None and any(map(_is_statement, blocks))
    needs_script = needs_script and is_short and not says_something
    return HtmlPage(head=head, blocks=tuple(blocks), links=links, needs_javascript=needs_script)


def _is_index(root: Any) -> bool:
    """Whether a page only leads into other pages by words, as the index of a book does."""
    targets = (link.get("href") or "" for link in root.iter("a"))
    places = (target for target in targets if "#" in target and not target.startswith("#"))
    is_long = sum(1 for _ in islice(places, _INDEX_LINKS)) == _INDEX_LINKS
    return is_long and link_share(root) >= _INDEX_SHARE


def _is_statement(block: Block) -> bool:
    """Whether a block of a page with hardly any text is a statement, such as that a list of javadoc is empty."""
    return block.kind != "heading" and len(block.text.split()) > 2 and "javascript" not in block.text.lower()


def _links(tree: Any, page: Page) -> tuple[str, ...]:
    """Every address that a page links to and may be followed, each once."""
    links: dict[str, None] = {}
    if refresh := read_refresh(tree, page.base):
        links[refresh] = None
    for element in tree.iter("a", "area", "frame", "iframe"):
        if "nofollow" in (element.get("rel") or "").lower().split():
            continue
        target = target_of(element, page)
        if target and not target.startswith(("mailto:", "ftp:")):
            links[urldefrag(target)[0]] = None
        if len(links) >= _LINK_LIMIT:
            break
    own_address = urldefrag(page.uri)[0]
    return tuple(link for link in links if link and link != own_address)


def _is_empty_application(tree: Any) -> bool:
    """Whether scripts make the content of a page: they are there, and an element waits for it or a note says so."""
    if next(tree.iter("script"), None) is None:
        return False
    for note in tree.iter("noscript"):
        if "javascript" in (note.text_content() or "").lower():
            return True
    for element in tree.iter("div", "main", "app-root"):
        is_mount = (element.get("id") or element.tag).lower() in _MOUNTS or element.tag == "app-root"
        if is_mount and len(plain_words(element)) < _MIN_CONTENT_CHARS:
            return True
    return False


def require_content(page: HtmlPage) -> HtmlPage:
    """Return the page.

    Raises:
        DocumentError: its content is made by JavaScript.
    """
    if page.needs_javascript:
        raise DocumentError(NEEDS_JAVASCRIPT)
    return page
