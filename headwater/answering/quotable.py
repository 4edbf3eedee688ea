"""Which spans of a passage can be quoted as sentences.

Belongs here: markdown's lines that say something (paragraphs, list items) against those that do not (code, headings,
tables, markup). Not here: which sentence answers. Guarantee: `text[start:end]` is verbatim, trimmed, and no part of a
code block.
"""

import re

from headwater.chunking.sentences import sentence_spans
from headwater.models import ChunkKind

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_SKIP = re.compile(r"^\s*(?:#{1,6}\s|\||:::|<[^>]*>\s*$|\[[^\]]+\]:\s|!\[[^\]]*\]\([^)]*\)\s*$|[-*_=\s]{3,}$)")
_MARKER = re.compile(r"\s*(?:>\s*)*(?:[-*+]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_STARTS = re.compile(r"^\s*(?:[-*+]\s|\d{1,3}[.)]\s|>)")
_WORD = re.compile(r"\w+")
_LIMIT = 600  # characters; what is longer is no sentence


def quotable_spans(text: str, kind: ChunkKind | str) -> list[tuple[int, int]]:
    """Find the sentences of a chunk.

    Args:
        text: the chunk, code and all.
        kind: markdown's lines are told apart; prose is sentences throughout.
    """
    blocks = [(0, len(text))] if kind == ChunkKind.PROSE else _blocks(text)
    spans = []
    for block_start, block_end in blocks:
        for start, end in sentence_spans(text, block_start, block_end):
            begin = min(_MARKER.match(text, start, end).end(), end) if kind != ChunkKind.PROSE else start  # type: ignore[union-attr]
            stripped = text[begin:end].strip()
            begin += len(text[begin:end]) - len(text[begin:end].lstrip())
            if len(stripped) <= _LIMIT and len(_WORD.findall(stripped)) >= 3:
                spans.append((begin, begin + len(stripped)))
    return spans


def _blocks(text: str) -> list[tuple[int, int]]:
    """Runs of lines that belong together: a paragraph, or one item."""
    blocks: list[tuple[int, int]] = []
    begin: int | None = None
    fence, position = "", 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        is_code = bool(fence or mark)
        if mark:
            fence = "" if fence and mark.group(1).startswith(fence) else fence or mark.group(1)
        breaks = is_code or not line.strip() or _SKIP.match(line) is not None
        if begin is not None and (breaks or _STARTS.match(line)):
            blocks.append((begin, position))
            begin = None
        if not breaks and begin is None:
            begin = position
        position += len(line)
    if begin is not None:
        blocks.append((begin, position))
    return blocks
