"""A document's text as HTML, with one span of it marked.

Belongs here: rendering markdown of documents, and the mark. Not here: which span (`passages`), answers, which grow
(`query_api.markdown_stream`). Guarantee: the HTML is as safe as that of answers; the marked text is the span's.

The ends of the span travel through the rendering as two private characters, because offsets in markdown are none in
HTML.
"""

import re

from query_api.code_colours import colour_code
from query_api.markdown_stream import MarkdownStream

_OPEN, _CLOSE = "\ue000", "\ue001"  # private use: no document's text means anything by them
_PRIVATE = re.compile(f"[{_OPEN}{_CLOSE}]")
_BEGINS_BLOCK = re.compile(r"(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|))*[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,}).*\n")
_ENDING_FENCE = re.compile(r"\n[ \t]*(?:`{3,}|~{3,})[ \t]*\Z")  # a character behind it would keep it from closing
_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"(<[^>]*>)")


def highlight_span(
    text: str, start: int, end: int, *, below: int = 2, is_markdown: bool = True, language: str = ""
) -> str:
    """Render a text with a span of it marked.

    Args:
        text: markdown, or else text whose lines and spaces stay, such as code.
        start: where the span begins, in characters of the text.
        end: where it ends.
        below: the level of the page's heading above the text; the text's own stand below it, and none skips a level.
        is_markdown: which of the two.
        language: of code, as the ending of a file names it.

    Returns:
        HTML, in which `mark` elements hold the span; only its text, not the signs of markdown around it.
    """
    leading, inside, trailing = (_PRIVATE.sub("", stretch) for stretch in (text[:start], text[start:end], text[end:]))
    if not is_markdown:
        signed = f"{leading}{_OPEN}{inside}{_CLOSE}{trailing}" if inside else leading + trailing
        return _mark_span(f"<pre><code>{colour_code(signed, language)}</code></pre>")
    first = _first(leading, inside)
    last = len(_ENDING_FENCE.sub("", inside.rstrip().removesuffix("|").rstrip()))
    if first >= last:
        return _html(leading + inside + trailing, below)
    return _mark_span(
        _html(leading + inside[:first] + _OPEN + inside[first:last] + _CLOSE + inside[last:] + trailing, below)
    )


def _first(before: str, inside: str) -> int:
    """The place in a span after the signs that begin its block, which a character before them would spoil."""
    line = before.rpartition("\n")[2]
    fence = _FENCE.match(inside) if not line.strip() else None
    if fence:
        return fence.end()
    begins = _BEGINS_BLOCK.match(line + inside)
    return max(0, begins.end() - len(line)) if begins else 0


def _html(markdown: str, below: int) -> str:
    growing = MarkdownStream(is_coloured=True, is_known=lambda _: True)
    growing.add(markdown)
    html = "".join(block.html for block in growing.changed(is_complete=True))
    return _beneath(html, below)


def _beneath(html: str, level: int) -> str:
    """Put the headings of a text below a page's, without gaps between levels: a part of a text may begin deep."""
    outer_levels: list[str] = []

    def moved(found: re.Match[str]) -> str:
        while outer_levels and outer_levels[-1] >= found[1]:
            outer_levels.pop()
        outer_levels.append(found[1])
        name = f"h{min(6, level + len(outer_levels))}"
        return f"<{name}>{found[2]}</{name}>"

    return _HEADING.sub(moved, html)


def _mark_span(html: str) -> str:
    """Put each piece of text between the two characters into an element of its own: a mark may not cross elements."""
    pieces: list[str] = []
    is_inside = False
    for token in _TAG.split(html):
        if token.startswith("<"):
            pieces.append(_PRIVATE.sub("", token))
            continue
        for segment in re.split(f"({_OPEN}|{_CLOSE})", token):
            if segment in (_OPEN, _CLOSE):
                is_inside = segment == _OPEN
            else:
                pieces.append(f"<mark>{segment}</mark>" if is_inside and segment.strip() else segment)
    return "".join(pieces)
