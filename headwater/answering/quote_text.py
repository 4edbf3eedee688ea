"""The text of quotes with their markers.

Belongs here: joining quotes under their headings. Not here: choosing them (`answer_quotes`). Guarantee: every marker
has a citation and every citation a marker.
"""

import re
from collections.abc import Iterator, Sequence

from headwater.answering.events import Delta
from headwater.domain.answers import Citation
from headwater.domain.documents import ChunkKind
from headwater.quote.breadcrumbs import format_heading
from headwater.quote.citation import cite_quote
from headwater.quote.inline_cleanup import plain_path
from headwater.quote.quotes import Quote

_NO_CODE_SPAN = re.compile(r"`|\[\d{1,3}\]|^\s*$")  # would end it, or be taken for a marker


def compose(quotes: Sequence[Quote], first: int = 1) -> Iterator[Delta | Citation]:
    """Join quotes into a text with markers, and yield the citation of each marker.

    Args:
        quotes: each stands under its path of headings.
        first: the number of the first marker.
    """
    gap = ""
    for position, quote in enumerate(quotes, start=first):
        marker = f"[{position}]"
        end = " " if quote.is_open else "\n\n"
        yield Delta(text=f"{gap}**{heading_path(quote)}**\n\n{quote.text}{end}{marker}")
        yield cite_quote(quote, marker)
        gap = "\n\n"


def heading_path(quote: Quote) -> str:
    """The headings above a quote, the document's title first, as one line of markdown; a signature stays as it is."""
    title, *names = quote.headings or ("",)
    if quote.passage.kind == ChunkKind.CODE and names and not any(map(_NO_CODE_SPAN.search, names)):
        return " › ".join([plain_path([title]), *(f"`{' '.join(name.split())}`" for name in names)])
    return plain_path(quote.headings) or plain_path([format_heading(quote.passage.uri, quote.passage.uri)])
