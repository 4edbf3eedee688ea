"""Who speaks in a transcript or an interview.

Belongs here: telling a dialogue from other texts, and the names before what people say. Not here: subtitles
(`headwater.parsing.subtitles`), what is quoted (`windows`, `extension`). Guarantee: pure; the work is linear.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

_PARAGRAPH = re.compile(r"\S(?:.|\n(?![ \t]*\n))*")
_TIME = r"\[?\(?\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?\)?\]?"
_BOLD = re.compile(
    rf"\*\*(?P<name>(?:[^*\n\\]|\\.){{1,90}}?)(?P<time>[ \t]*{_TIME})?"
    rf"(?:[:：]\*\*|\*\*(?P<behind>[ \t]*{_TIME})?[:：])(?:\s+|\Z)"
)
_PLAIN = re.compile(
    rf"(?:{_TIME}[ \t]+)?(?P<name>[^\W\d_][^\n:：*`|#<>=\\]{{0,58}}?)(?P<time>[ \t]*{_TIME})?"
    rf"(?::(?P<behind>[ \t]+{_TIME}(?=\s|\Z))?(?:\s+|\Z)|：\s*)"
)
_BREAK = re.compile(r"#{1,6}[ \t]|(?:-{3,}|\*{3,}|_{3,})[ \t]*(?:\n|\Z)")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_ENDS = re.compile(r"[.?!…—–。？！।؟-][\"'”’)\]*_]*\Z")
_MAX_NAME_WORDS = 8
_MIN_TURNS, _MIN_SHARE = 3, 0.4  # of the paragraphs of a dialogue begin with a name
_MIN_SENTENCES = 0.6  # of what follows names ends as a sentence, so it is no field of a form


class Turn(NamedTuple):
    """What somebody says, from `start` to the next turn; `name` is empty below a heading or a rule."""

    start: int
    name: str
    text: str = ""
    has_time: bool = False


class Dialogue:
    """The turns of a text.

    A transcript names its speakers in bold. Another text is a dialogue if many of its paragraphs begin with a name and
    a colon, if there are several names, if one of them returns and one is a full name or stands beside a time, and if
    sentences follow them.
    """

    def __init__(self, text: str, *, is_transcript: bool = False) -> None:
        """Find them.

        Args:
            text: the text.
            is_transcript: whether it is known to be what people say.
        """
        paragraphs = list(_iterate_prose(text))
        patterns = (_BOLD,) if is_transcript else (_BOLD, _PLAIN)
        turns = [turn for paragraph in paragraphs if (turn := _read_turn(paragraph, patterns)) is not None]
        if not is_transcript and not _is_dialogue(turns, len(paragraphs)):
            turns = []
        breaks = [Turn(paragraph.start(), "") for paragraph in paragraphs if _BREAK.match(paragraph[0])]
        self._turns = sorted([*turns, *breaks])
        self._starts = [turn.start for turn in self._turns]

    def turn_at(self, offset: int) -> Turn | None:
        """What somebody says at an offset; None before the first name, and below a heading or a rule."""
        index = bisect_right(self._starts, offset) - 1
        return self._turns[index] if index >= 0 and self._turns[index].name else None


def _iterate_prose(text: str) -> Iterator[re.Match[str]]:
    """The paragraphs that are no code."""
    is_code = False
    for paragraph in _PARAGRAPH.finditer(text):
        fence_count = len(_FENCE.findall(paragraph[0]))
        if not is_code and not fence_count:
            yield paragraph
        is_code ^= fence_count % 2 == 1


def _read_turn(paragraph: re.Match[str], patterns: tuple[re.Pattern[str], ...]) -> Turn | None:
    label = next((match for pattern in patterns if (match := pattern.match(paragraph[0]))), None)
    name = label["name"].strip() if label else ""
    if label is None or not name or len(name.split()) > _MAX_NAME_WORDS:
        return None
    has_time = label["time"] is not None or label["behind"] is not None
    return Turn(paragraph.start(), name, paragraph[0][label.end() :].rstrip(), has_time)


def _is_dialogue(turns: list[Turn], paragraph_count: int) -> bool:
    counts = Counter(turn.name for turn in turns)
    if len(turns) < max(_MIN_TURNS, _MIN_SHARE * paragraph_count) or not 1 < len(counts) < len(turns):
        return False
    if not any(turn.has_time or _is_full_name(turn.name) for turn in turns):
        return False
    texts = [turn.text for turn in turns if turn.text]  # a name may stand alone above what is said
    return sum(_ENDS.search(text) is not None for text in texts) >= _MIN_SENTENCES * len(texts)


def _is_full_name(name: str) -> bool:
    words = name.split()
    return len(words) > 1 and all(word[0].isupper() and word[1:].strip(".").isalpha() for word in (words[0], words[-1]))
