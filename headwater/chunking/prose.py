"""Plain text into chunks: by paragraph, then by sentence (CHK-1 prose).

Belongs here: paragraphs, and the overlap between neighbours. Not here: sizes of other chunkers. Guarantee: see the
package; the overlap is whole sentences where one fits, else whole words.
"""

import re
from bisect import bisect_right
from itertools import pairwise

from headwater.chunking.packing import Sizes, Unit, cut_sentences, pack
from headwater.chunking.sentences import sentence_spans
from headwater.models import Chunk, ChunkKind

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_WORD = re.compile(r"\S+")
_LINE_END = re.compile("\n")


class ProseCut:
    """A plain text cut by its paragraphs and sentences."""

    def __init__(self, text: str, title: str, sizes: Sizes) -> None:
        """Cut a text.

        Args:
            text: the whole document; it has a visible character.
            title: its title, or nothing; it becomes the breadcrumb.
            sizes: characters per chunk, the overlap included.
        """
        self._text = text
        self._title = title
        room = sizes.maximum if len(text) <= sizes.maximum else sizes.maximum - sizes.overlap
        self._sizes = Sizes(maximum=room, minimum=sizes.minimum, overlap=sizes.overlap)
        self._lines = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def ends(self) -> list[int]:
        """Where the pieces of a fresh cut end."""
        sizes = self._sizes if len(self._text) <= self._sizes.maximum else self._sizes.fresh()
        return [piece[-1].end for piece in pack(self._text, _units(self._text, sizes.maximum), sizes)]

    def weigh(self, start: int, end: int) -> int:
        """What a span counts towards the size."""
        return end - start

    def fits(self, start: int, end: int) -> bool:
        """Whether a span may be one piece."""
        return end - start <= self._sizes.maximum

    def headings(self, start: int, end: int) -> int:  # noqa: ARG002 - plain text has none
        """How many headings begin in a span."""
        return 0

    def headings_of(self, piece: str) -> int:  # noqa: ARG002 - as above
        """How many headings a piece of an earlier version had."""
        return 0

    def chunk(self, start: int, end: int) -> Chunk:
        """Make the chunk of a span, with what it repeats of the one before."""
        overlap = _overlap(self._text, start, self._sizes.overlap)
        body = self._text[start - overlap : end]
        return Chunk(
            kind=ChunkKind.PROSE,
            start=start - overlap,
            end=end,
            text=body,
            prose=body,
            breadcrumb=(self._title,) if self._title else (),
            line=bisect_right(self._lines, start - overlap),
            overlap=overlap,
        )


def _units(text: str, maximum: int) -> list[Unit]:
    borders = [0, *(match.end() for match in _PARAGRAPH.finditer(text) if match.end() < len(text)), len(text)]
    units: list[Unit] = []
    for start, end in pairwise(borders):
        if end - start <= maximum:
            units.append(Unit(start=start, end=end, weight=end - start, strength=1))
        else:
            first, *rest = cut_sentences(text, start, end, maximum, lambda a, b: b - a)
            units += [Unit(start=first.start, end=first.end, weight=first.weight, strength=1), *rest]
    return units


def _overlap(text: str, start: int, wanted: int) -> int:
    """How many characters before `start` to repeat: sentences that fit, else words that do."""
    if start == 0 or wanted == 0:
        return 0
    window = max(0, start - wanted)
    spans = sentence_spans(text, max(0, start - 2 * wanted), start)
    fitting = [begin for begin, _ in spans[1:] if begin >= window]
    if fitting:
        return start - fitting[0]
    words = [match.start() for match in _WORD.finditer(text, window, start)]
    at_border = window == 0 or text[window - 1].isspace()
    words = words if at_border else words[1:]
    return start - words[0] if words else 0
