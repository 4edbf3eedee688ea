"""Plain text into chunks: by paragraph, then by sentence (CHK-1 prose).

Belongs here: paragraphs, and the overlap between neighbours. Not here: sizes of other chunkers. Guarantee: see the
package; the overlap is whole sentences where one fits, else whole words.
"""

import re
from itertools import pairwise

from headwater.chunking.packing import Sizes, Unit, cut_sentences, pack
from headwater.chunking.sentences import sentence_spans
from headwater.models import Chunk, ChunkKind

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_WORD = re.compile(r"\S+")


def chunk_prose(text: str, title: str, sizes: Sizes) -> list[Chunk]:
    """Cut plain text into chunks.

    Args:
        text: the whole document.
        title: its title, or nothing; it becomes the breadcrumb.
        sizes: characters per chunk; the overlap comes on top of what `maximum` leaves.

    Returns:
        Chunks in order; none for a text without a visible character.
    """
    if not text.strip():
        return []
    room = Sizes(maximum=sizes.maximum - sizes.overlap, minimum=sizes.minimum, overlap=0)
    if len(text) <= sizes.maximum:
        room = sizes
    units = _units(text, room.maximum)
    chunks, line, counted = [], 1, 0
    for piece in pack(text, units, room):
        start = piece[0].start
        overlap = _overlap(text, start, sizes.overlap)
        line += text.count("\n", counted, start - overlap)
        counted = start - overlap
        body = text[start - overlap : piece[-1].end]
        chunks.append(
            Chunk(
                kind=ChunkKind.PROSE,
                start=start - overlap,
                end=piece[-1].end,
                text=body,
                prose=body,
                breadcrumb=(title,) if title else (),
                line=line,
                overlap=overlap,
            )
        )
    return chunks


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
