"""Captions that roll: each cue shows the lines before it again.

Belongs here: what of each cue is new. Not here: reading cues (`cues`). Guarantee: in captions that roll, a line that
stays on the screen is said once; in all others, every line is kept.
"""

from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from headwater.parsing.subtitles.cues import Cue

_MIN_REPEATS = 2  # cues that repeat; a single one may be someone who says a thing twice
_SHARE = 0.25


class Line(NamedTuple):
    """Something that is said at a time, in milliseconds.

    `speaker` is the name of who says it, empty if unknown. `is_turn` tells that another one spoke before.
    """

    start: int
    text: str
    speaker: str = ""
    is_turn: bool = False


def to_spoken_lines(cues: Sequence[Cue]) -> list[Line]:
    """What is said, each line once.

    Automatic captions show a line while it is said, and once more above the next one. Such captions have times within
    their lines, or at least a quarter of their cues begin with the end of the cue before.
    """
    is_rolling = any(cue.is_timed for cue in cues) or _repeats(cues)
    spoken_lines: list[Line] = []
    previous_lines: tuple[str, ...] = ()
    for cue in cues:
        first = _overlap(previous_lines, cue.lines) if is_rolling else 0
        for text, voice in zip_longest(cue.lines[first:], cue.voices[first:], fillvalue=""):
            if is_rolling and spoken_lines and _grows(previous_lines, spoken_lines[-1], text):
                spoken_lines[-1] = Line(spoken_lines[-1].start, text, voice)
            else:
                spoken_lines.append(Line(cue.start, text, voice))
        previous_lines = cue.lines or previous_lines
    return spoken_lines


def _repeats(cues: Sequence[Cue]) -> bool:
    pairs = list(pairwise(cues))
    count = sum(_overlap(first.lines, second.lines) > 0 or _extends(first, second) for first, second in pairs)
    return count >= max(_MIN_REPEATS, _SHARE * len(pairs))


def _extends(first: Cue, two: Cue) -> bool:
    return bool(first.lines and two.lines) and two.lines[0].startswith(f"{first.lines[-1]} ")


def _overlap(shown: tuple[str, ...], lines: tuple[str, ...]) -> int:
    """How many lines at the beginning of a cue are those that were shown last."""
    for count in range(min(len(shown), len(lines)), 0, -1):
        if shown[-count:] == lines[:count]:
            return count
    return 0


def _grows(shown: tuple[str, ...], last: Line, text: str) -> bool:
    """Whether a line is the last one with more words, as captions that are painted word by word."""
    return shown[-1:] == (last.text,) and text.startswith(f"{last.text} ")
