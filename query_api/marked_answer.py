"""An answer as HTML, with what no passage supports marked, and its citations as links.

Belongs here: where the marks stand in markdown and in HTML. Not here: rendering (`markdown_stream`), what is supported
(`headwater.generation`). Guarantee: pure; the marks change no other text, and the HTML stays as safe as it was.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape

from query_api.markdown_stream import MarkdownStream

_OPEN, _CLOSE = "⁅", "⁆"  # punctuation, so that emphasis next to it stays what it is
_ENDERS = ".!?…。！？"
_PREFIX = re.compile(r"[ \t>]*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)*(?:#{1,6}[ \t]+)?")
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_ROW = re.compile(r"(\s*\|\s*)(\S.*?)(\s*\|\s*)")
_RULER = re.compile(r"[ \t|:-]+")
_TAG = re.compile(r'(<(?:[^<>"]|"[^"]*")*>)')
_WHOLE, _WHOLE_ENDS = ("<code", "<pre", "<a", "<math"), ("</code", "</pre", "</a", "</math")
_MARKER = re.compile(r"\[\d{1,3}\]")
MARKED = '<span class="unsupported"'
"""What HTML with a mark contains."""
_MARK = f'{MARKED} title="No passage supports this">'
_SAID = '<span class="visually-hidden"> (no passage supports this)</span>'


def answer_blocks(
    markdown: str, statements: Iterable[tuple[str, bool]] = (), is_known: Callable[[str], bool] | None = None
) -> list[str]:
    """Render an answer, block by block.

    Args:
        markdown: the answer's text.
        statements: those in it, in their order, each with whether a passage supports it.
        is_known: whether an address that stands in the text may be a link; None if none may.
    """
    can_mark = _OPEN not in markdown and _CLOSE not in markdown
    growing = MarkdownStream(is_coloured=True, is_known=is_known)
    growing.add(_with_signs(markdown, statements) if can_mark else markdown)
    blocks = [block.html for block in growing.changed(is_complete=True)]
    return [_mark_signs(html) for html in blocks] if can_mark else blocks


def link_markers(html: str, addresses: Mapping[str, str]) -> str:
    """HTML in which the markers of citations are links, for pages without a script; not those within code."""
    pieces, depth = [], 0
    for token in _TAG.split(html):
        if token.startswith("<"):
            depth += token.startswith(_WHOLE) - token.startswith(_WHOLE_ENDS)
            pieces.append(token)
        else:
            pieces.append(token if depth else _MARKER.sub(lambda match: _link(match[0], addresses), token))
    return "".join(pieces)


def _link(marker: str, addresses: Mapping[str, str]) -> str:
    address = addresses.get(marker)
    return f'<a class="cite" href="{escape(address)}">{marker.strip("[]")}</a>' if address else marker


def quote_number(blocks: Sequence[str]) -> int:
    """The number of the block that quotes a document beneath a written answer: the last blockquote; -1 without one."""
    return max((index for index, html in enumerate(blocks) if html.startswith("<blockquote>")), default=-1)


def find_quotation(markdown: str) -> str:
    """The last quotation of a text, as markdown; empty without one."""
    quotations = re.findall(r"(?:^>.*\n?)+", markdown, re.MULTILINE)
    return quotations[-1] if quotations else ""


def _with_signs(markdown: str, statements: Iterable[tuple[str, bool]]) -> str:
    """Put signs around statements without support; one that is not there is left out.

    The others are looked for too, so that none of their words is taken for a shorter statement behind them.
    """
    pieces, position = [], 0
    for text, is_supported in statements:
        statement = text.rstrip(_ENDERS) if is_supported else text  # a marker stands before its last sign
        start = markdown.find(statement, position)
        if start >= 0:
            pieces += [markdown[position:start], statement if is_supported else _add_signs(text)]
            position = start + len(statement)
    return "".join([*pieces, markdown[position:]])


def _add_signs(text: str) -> str:
    lines = text.split("\n")
    if _FENCE.match(text):
        inside = "\n".join(lines[1:-1])
        return "\n".join([lines[0], f"{_OPEN}{inside}{_CLOSE}", lines[-1]]) if inside else text
    if text.lstrip().startswith("|"):
        return "\n".join(map(_add_signs_to_row, lines))
    begin = _PREFIX.match(text)
    start = begin.end() if begin else 0
    return f"{text[:start]}{_OPEN}{text[start:]}{_CLOSE}"


def _add_signs_to_row(row: str) -> str:
    """A row of a table with the signs inside of its first and its last cell."""
    cells = None if _RULER.fullmatch(row) else _ROW.fullmatch(row)
    return f"{cells[1]}{_OPEN}{cells[2]}{_CLOSE}{cells[3]}" if cells else row


def _mark_signs(html: str) -> str:
    """HTML with spans instead of signs; each text between two tags has its own, so that they never cross."""
    return "".join(_spans(html)) if _OPEN in html else html.replace(_CLOSE, "")


def _spans(html: str) -> Iterator[str]:
    is_open = False
    for token in _TAG.split(html):
        if token.startswith("<"):
            yield token.replace(_OPEN, "").replace(_CLOSE, "")  # the language of a fence may have a sign in it
            continue
        for segment in re.split(f"([{_OPEN}{_CLOSE}])", token):
            if segment in (_OPEN, _CLOSE):
                yield _SAID if is_open and segment == _CLOSE else ""
                is_open = segment == _OPEN
            else:
                yield f"{_MARK}{segment}</span>" if is_open and segment.strip() else segment
