"""Splitting markdown into parts that a message can hold.

Belongs here: where to cut. Not here: dialects (`dialects`), messages (`answer_messages`). Guarantee: no part is longer
than the limit; a part that begins inside a code block opens it again, and one that ends inside closes it; nothing is
lost but blank lines.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})(.*)$")
_STEPS = (r"(?<=\n)", r"(?<=[.!?。！？]) +", r"(?<= )")
Measure = Callable[[str], int]


def split(text: str, limit: int, measure: Measure = len) -> list[str]:
    """Split markdown at blank lines; a longer block at lines, sentences, words, and last between characters.

    Args:
        text: the markdown.
        limit: the most that a part may measure; at least 40.
        measure: how long a part is once it is written in a dialect, in characters.
    """
    chunks: list[str] = []
    current = ""
    for block in blocks(text):
        joined = f"{current}\n\n{block}" if current else block
        if measure(joined) <= limit:
            current = joined
            continue
        if current:
            chunks.append(current)
        *full_chunks, current = _cut(block, limit, measure)
        chunks += full_chunks
    return [*chunks, current] if current else chunks


def blocks(text: str) -> Iterator[str]:
    """Paragraphs and code blocks, in order; a code block that is still open is closed."""
    lines: list[str] = []
    closing = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if closing:
            lines.append(line)
            if fence and fence[1].startswith(closing) and not fence[2].strip():
                yield "\n".join(lines)
                lines, closing = [], ""
        elif fence and (fence[1][0] == "~" or "`" not in fence[2]):
            if lines:
                yield "\n".join(lines)
            lines, closing = [line], fence[1]
        elif line.strip():
            lines.append(line)
        elif lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join([*lines, closing] if closing else lines)


def is_code(block: str) -> bool:
    """Whether a block is a code block."""
    return bool(_FENCE.match(block.partition("\n")[0])) and "\n" in block


def _cut(block: str, limit: int, measure: Measure) -> list[str]:
    if measure(block) <= limit:
        return [block]
    if not is_code(block):
        return _fill_parts([block], limit, measure, _STEPS)
    first, *lines, _ = block.split("\n")
    fence = _FENCE.match(first)
    mark = fence[1] if fence else "```"
    # Longer than any in the code: a cut may put one of those at the beginning of a line.
    runs = re.findall(rf"{mark[0]}+", "\n".join(lines))
    closing = mark[0] * max(len(mark), *(len(run) + 1 for run in runs), 3)
    first = f"{closing}{(fence[2] if fence else '')[:20]}"

    def wrapped(code: str) -> str:
        return f"{first}\n{code.rstrip(chr(10))}\n{closing}"

    codes = _fill_parts(["\n".join(lines)], limit, lambda code: measure(wrapped(code)), _STEPS[:1])
    return [wrapped(code) for code in codes]


def _fill_parts(texts: Sequence[str], limit: int, measure: Measure, steps: Sequence[str]) -> list[str]:
    """Join texts to parts of at most the limit; a text that is longer is split at the next, finer step."""
    chunks: list[str] = []
    current = ""
    for text in texts:
        if measure(current + text) <= limit:
            current += text
            continue
        if current.strip():
            chunks.append(current)
        current = ""
        if measure(text) <= limit:
            current = text
        elif steps:
            *full_chunks, current = _fill_parts(_split_after(steps[0], text), limit, measure, steps[1:]) or [""]
            chunks += full_chunks
        else:
            *full_chunks, current = _chop(text, limit, measure)
            chunks += full_chunks
    return [*chunks, current] if current.strip() else chunks


def _split_after(pattern: str, text: str) -> list[str]:
    """The pieces of a text, each with the blanks behind it."""
    ends = [match.end() for match in re.finditer(pattern, text)]
    return [section for start, end in zip([0, *ends], [*ends, len(text)], strict=True) if (section := text[start:end])]


def _chop(text: str, limit: int, measure: Measure) -> list[str]:
    """Cut between characters; escaping may make one character several, so each is measured alone."""
    sizes = list(accumulate(max(1, measure(character) - measure("")) for character in text))
    room, chunks, start = max(1, limit - measure("")), [], 0
    while start < len(text):
        used = sizes[start - 1] if start else 0
        end = start + 1
        while end < len(text) and sizes[end] - used <= room:
            end += 1
        chunks.append(text[start:end])
        start = end
    return chunks
