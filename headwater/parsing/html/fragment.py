"""A piece of HTML that is all content, such as a post, as markdown.

Belongs here: a piece without a page around it. Not here: pages, whose content must be found first (`page`). Guarantee:
headings stay below the one that the piece stands under; no text is left out.
"""

from headwater.errors import DocumentError
from headwater.parsing.html.blocks import Block, blocks_of, join_blocks
from headwater.parsing.html.html_tree import html_text, html_tree
from headwater.parsing.html.inline import Page

_MAX_DEPTH = 6


def fragment_markdown(content: str, uri: str, *, below: int = 0) -> tuple[str, tuple[str, ...]]:
    """Read a piece of HTML.

    Args:
        content: the HTML.
        uri: the address that its links are relative to.
        below: the level of the heading that it stands under; its own begin one level deeper.

    Returns:
        Its markdown, and the addresses that it links to.

    Raises:
        DocumentError: it has too many elements, or they are nested too deeply.
    """
    text = html_text(content.encode("utf-8", "replace"))
    if not text.strip():
        return "", ()
    try:
        body = html_tree(f"<body>{text}</body>").find("body")
    except AssertionError as error:
        raise DocumentError("The text is not HTML.") from error
    if body is None:
        return "", ()
    page = Page(uri=uri, base=uri)
    return join_blocks([_deeper(block, below) for block in blocks_of(body, page)]), tuple(page.links)


def _deeper(block: Block, below: int) -> Block:
    if block.kind != "heading":
        return block
    level = min(block.level + below, _MAX_DEPTH)
    return Block("heading", "#" * level + block.text[block.level :], level)
