"""The quote beneath a reply, as markdown.

Belongs here: the blockquote with its heading path and its marker, and whether a reply needs one. Not here: choosing the
quote (`headwater.quote`), its citation (`citations`). Guarantee: pure; the words are the quote's; code and tables in it
stay what they are; the marker stands outside of both.
"""

import re
from collections.abc import Iterable
from itertools import pairwise

from headwater.domain.answers import Citation
from headwater.quote.inline_cleanup import plain_headings
from headwater.quote.quote_markdown import Rendered
from headwater.quote.quotes import Quote
from headwater.understanding.words import every_word

_BLOCK = re.compile(r"(?:[-*+•][ \t]|\d{1,9}[.)][ \t]|\||`{3}|~{3}|#{1,6}[ \t]|>)")
_NEARLY = 0.9
"""Share of a quote's words, in their order, with which a reply contains it."""
_MAX_HEADINGS = 3  # the title and the last ones


def quote_block(quote: Quote, marker: str, *, is_short: bool = False) -> str:
    """Write a quote, or the most important part of it, as a blockquote below its headings, its marker at its end."""
    rendered = quote.core if is_short and quote.core else Rendered(text=quote.text, is_open=quote.is_open)
    path = " › ".join(_format_headings(quote.headings))
    text = rendered.text.strip()
    is_block = _BLOCK.match(text) is not None
    head = f"**{path}:**" if path else ""
    begin = f"{head}\n\n{text}" if head and is_block else " ".join(filter(None, (head, text)))
    text_with_marker = f"{begin} {marker}" if rendered.is_open else f"{begin}\n\n{marker}"
    return "\n".join(f"> {line}".rstrip() for line in text_with_marker.split("\n"))


def is_said(quote: Quote, reply: str, citations: Iterable[Citation]) -> bool:
    """Whether a reply cites the span of a quote and contains it nearly word for word."""
    version = quote.passage.document_version_id
    overlapping = [
        citation
        for citation in citations
        if citation.document_version_id == version and citation.start < quote.end and quote.start < citation.end
    ]
    return bool(overlapping) and _overlap_share(every_word(quote.plain or quote.text), every_word(reply)) >= _NEARLY


def _format_headings(headings: tuple[str, ...]) -> list[str]:
    names = plain_headings(headings)
    return names if len(names) <= _MAX_HEADINGS else [names[0], "…", *names[-_MAX_HEADINGS + 1 :]]


def _overlap_share(quoted: list[str], reply_words: list[str]) -> float:
    """The share of pairs of neighbouring words that a text has, too; of a single word, whether it has that."""
    if len(quoted) < 2:
        return float(set(quoted) <= set(reply_words))
    pairs = set(pairwise(quoted))
    return len(pairs & set(pairwise(reply_words))) / len(pairs)
