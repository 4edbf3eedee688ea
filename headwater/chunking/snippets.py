"""Snippets: code of several lines inside a text, which is shown with a chunk but not embedded (CHK-4).

Belongs here: the prose of a span, and finding code in plain text. Not here: finding code in markdown, which the
parser does; code files. Guarantee: plain text without a fence and without indented lines that look like code has none.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from headwater.chunking.packer import SNIPPET_LIMIT

Span = tuple[int, int]

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^`\n]*$", re.MULTILINE)
_INDENTED = re.compile(r"(?:^(?: {4}|\t)[ \t]*\S[^\n]*(?:\n|\Z)(?:[ \t]*\n(?=(?: {4}|\t)))*)+", re.MULTILINE)
_CODE_LINE = re.compile(
    r"[;{}\\]\s*+$|[\w\])]\((?:[^()]|\([^()]*\))*\)\s*+[:;{.]?\s*+$|^\s*(?:[$#>%]|>>>|\.\.\.|//|/\*|</?\w|@\w)\s?\S"
    r"|[\w\])]\s*(?:[-+*/|&]?=|:=|==|!=|=>|->|::|&&|\|\|)\s*\S"
    r"|^\s*(?:def|class|import|from|return|if|elif|else|for|while|try|except|func|fn|let|const|var|public|private|static"
    r"|void|int|end|SELECT|INSERT|UPDATE|CREATE|FROM|WHERE|pip|git|cd|npm|sudo|docker|curl)\b(?![^\n]*[.!?]\s*+$)"
)
_CODE_SHARE = 0.6  # share of a block's lines that must look like code


class Snippets:
    """The spans of a text that are code of several lines, in order."""

    def __init__(self, text: str, spans: Sequence[Span], atoms: Sequence[Span] | None = None) -> None:
        """Store the snippets.

        Args:
            text: the document.
            spans: its code of several lines.
            atoms: all of its code, including code of one line, which counts as prose; by default the same as `spans`.
        """
        self.spans = spans
        self._atoms = spans if atoms is None else atoms
        self._text = text
        self._ends = [end for _, end in spans]

    def prose(self, start: int, end: int) -> str:
        """A span without its snippets."""
        texts, begin = [], start
        for index in range(bisect_right(self._ends, start), len(self.spans)):
            snippet_start, snippet_end = self.spans[index]
            if snippet_start >= end:
                break
            texts.append(self._text[begin : max(begin, snippet_start)])
            begin = min(snippet_end, end)
        return "".join([*texts, self._text[begin:end]])

    def weigh(self, start: int, end: int) -> int:
        """How much a span counts towards the size: its prose; snippets count separately."""
        return len(self.prose(start, end))

    def fit(self, start: int, end: int, maximum: int) -> bool:
        """Whether a span has no more prose and no more code than a piece may have."""
        weight = self.weigh(start, end)
        return weight <= maximum and end - start - weight <= SNIPPET_LIMIT * maximum

    def splits(self, offset: int, maximum: int) -> bool:
        """Whether an offset is inside code that stays whole."""
        index = bisect_right(self._atoms, offset, key=_end)
        start, end = self._atoms[index] if index < len(self._atoms) else (offset, offset)
        return start < offset and end - start <= SNIPPET_LIMIT * maximum

    def parts(self, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
        """A span in parts, each with whether it is code; blank text belongs to the part before it."""
        index, begin = bisect_right(self._atoms, start, key=_end), start
        pending: tuple[int, int, bool] | None = None
        while begin < end:
            is_next = index < len(self._atoms) and self._atoms[index][0] < end
            code_start, code_end = self._atoms[index] if is_next else (end, end)
            is_code = is_next and code_start <= begin
            stop = min(code_end, end) if is_code else max(code_start, begin + 1)
            index += is_code
            if pending and not self._text[begin:stop].strip():
                pending = (pending[0], stop, pending[2])
            else:
                if pending:
                    yield pending
                pending = (begin, stop, is_code)
            begin = stop
        if pending:
            yield pending

    def last_end(self, start: int, end: int) -> int:
        """The end of the last snippet that reaches into a span, at most the span's end; its start if there is none."""
        index = bisect_right(self._ends, start)
        while index < len(self.spans) and self.spans[index][0] < end:
            start = min(end, self._ends[index])
            index += 1
        return start


def _end(span: Span) -> int:
    return span[1]


def plain_snippets(text: str) -> list[Span]:
    """The code of several lines in plain text: between fences, and indented text that looks like code."""
    fenced = _find_fenced_code(text)
    between, position = [], 0
    for start, end in [*fenced, (len(text), len(text))]:
        between += _find_indented_code(text, position, start)
        position = end
    return sorted(fenced + between)


def _find_fenced_code(text: str) -> list[Span]:
    spans: list[Span] = []
    opening_fence: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opening_fence is None:
            opening_fence = match
        elif match[0].strip().startswith(opening_fence[1]) and not match[0].strip().strip(opening_fence[1][0]):
            end = min(len(text), match.end() + 1)
            if text.count("\n", opening_fence.end(), match.start()) > 2:  # more than one line between
                spans.append((opening_fence.start(), end))
            opening_fence = None
    return spans


def _find_indented_code(text: str, start: int, end: int) -> list[Span]:
    spans = []
    for match in _INDENTED.finditer(text, start, end):
        follows_blank = match.start() == 0 or text.endswith("\n\n", 0, match.start())
        lines = [line for line in match[0].split("\n") if line.strip()]
        alike = sum(bool(_CODE_LINE.search(line)) for line in lines) if follows_blank else 0
        if len(lines) > 1 and alike >= _CODE_SHARE * len(lines):
            spans.append(match.span())
    return spans
