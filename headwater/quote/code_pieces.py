"""Long code, such as the options that a command prints, in pieces of some lines.

Belongs here: where code may be cut. Not here: which piece answers (`windows`), how a quote of some is written
(`quote_markdown`). Guarantee: pure; a piece is whole lines of the code, in order, and none is left out.
"""

from collections.abc import Iterator
from itertools import pairwise

from headwater.quote.block_reader import Block
from headwater.understanding.words import count_words

_MAX_WHOLE_WORDS = 150  # of code that stays in one piece; as many as of a list that is quoted
_PIECE_WORDS = 25  # a piece with so many ends before the next line that is hardly indented
_MAX_PIECE_WORDS = 60  # a piece with so many ends before any line


def split_code(block: Block, text: str) -> list[Block]:
    """The pieces of a block of code; the block itself if it is short.

    Args:
        block: the code.
        text: what the block is a part of.
    """
    if count_words(block.content) <= _MAX_WHOLE_WORDS:
        return [block]
    lines = list(_place_lines(block, text))
    least_indent = min((_indent(line) for line, _, _ in lines if line.strip()), default=0)
    borders = [0]
    words = 0
    for index, (line, _, _) in enumerate(lines):
        is_outer = bool(line.strip()) and _indent(line) <= least_indent + 2
        if (is_outer and words >= _PIECE_WORDS) or words >= _MAX_PIECE_WORDS:
            borders.append(index)
            words = 0
        words += count_words(line)
    if words < _PIECE_WORDS and len(borders) > 1:  # such as a bracket that closes all of it
        borders.pop()
    return [_make_piece(block, lines[begin:end]) for begin, end in pairwise([*borders, len(lines)])]


def _place_lines(block: Block, text: str) -> Iterator[tuple[str, int, int]]:
    """Each line of the code with its span in the text, where it may be indented or quoted."""
    position = block.start
    for line in block.content.split("\n"):
        words = line.strip()
        begin = text.find(words, position, block.end) if words else position
        begin = max(begin, position)
        position = min(begin + len(words), block.end)
        yield line, begin, position


def _make_piece(block: Block, lines: list[tuple[str, int, int]]) -> Block:
    content = "\n".join(line for line, _, _ in lines)
    start = next((begin for line, begin, _ in lines if line.strip()), lines[0][1])
    return Block(kind=block.kind, start=start, end=lines[-1][2], content=content, language=block.language)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
