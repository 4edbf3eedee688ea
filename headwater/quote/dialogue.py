"""Who speaks in a transcript or an interview.

Belongs here: telling a dialogue from other texts, and the names before what people say. Not here: subtitles
(`headwater.parsing.subtitles`), what is quoted (`windows`, `extension`). Guarantee: pure; the work is linear.
"""

import re
from bisect import bisect_right
from collections import Counter
from typing import NamedTuple

_PARAGRAPH = re.compile(r"\S(?:.|\n(?![ \t]*\n))*")
_TIME = r"\[?\(?\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?\)?\]?"
_NAME = r"[^\W\d_](?:[^\n:*`|#<>=]|\\.){1,58}?"
_LABEL = re.compile(
    rf"(?:\*\*(?P<bold>{_NAME}):\*\*|(?P<plain>{_NAME})(?:[ \t]*{_TIME})?:(?:[ \t]+{_TIME}(?=\s|\Z))?)(?:[ \t]+|\n|\Z)"
)
_ENDS = re.compile(r"[.?!…—–-][\"'”’)\]*_]*\Z")
_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
_MAX_NAME_WORDS = 5
_MIN_TURNS, _MIN_SHARE = 3, 0.4  # of the paragraphs of a dialogue begin with a name
_MIN_SENTENCES = 0.6  # of what follows names ends as a sentence, so it is no field of a form


class _Turn(NamedTuple):
    start: int
    name: str
    text: str


class Dialogue:
    """The speakers of a text.

    A text is a dialogue if many of its paragraphs begin with a name and a colon, if there are several names, if one
    of them returns, and if sentences follow them.
    """

    def __init__(self, text: str) -> None:
        """Find them."""
        paragraphs = list(_PARAGRAPH.finditer(text))
        turns = [turn for paragraph in paragraphs if (turn := _read_turn(paragraph)) is not None]
        if not _is_dialogue(turns, len(paragraphs)):
            turns = []
        borders = {match.start(): "" for match in _HEADING.finditer(text)} | {turn.start: turn.name for turn in turns}
        self._starts = sorted(borders)
        self._names = [borders[start] for start in self._starts]

    def speaker_at(self, offset: int) -> str:
        """Who says what stands at an offset: the name before it and below its heading; empty if there is none."""
        index = bisect_right(self._starts, offset) - 1
        return self._names[index] if index >= 0 else ""


def _read_turn(paragraph: re.Match[str]) -> _Turn | None:
    label = _LABEL.match(paragraph[0])
    name = (label["bold"] or label["plain"]).strip() if label else ""
    if label is None or len(name.split()) > _MAX_NAME_WORDS:
        return None
    return _Turn(paragraph.start(), name, paragraph[0][label.end() :].rstrip())


def _is_dialogue(turns: list[_Turn], paragraph_count: int) -> bool:
    counts = Counter(turn.name for turn in turns)
    if len(turns) < max(_MIN_TURNS, _MIN_SHARE * paragraph_count) or not 1 < len(counts) < len(turns):
        return False
    texts = [turn.text for turn in turns if turn.text]  # a name may stand alone above what is said
    return sum(_ENDS.search(text) is not None for text in texts) >= _MIN_SENTENCES * len(texts)
