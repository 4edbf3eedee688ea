"""Who says what: the speakers that subtitles name, and where another one begins.

Belongs here: names before a text, marks of a new speaker, lines that only describe a sound. Not here: reading cues
(`cues`), lines that captions repeat (`roll_up_captions`), the text (`transcript`). Guarantee: no spoken word is lost;
the work is linear.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from headwater.parsing.subtitles.roll_up_captions import Line

_SOUND = re.compile(r"\[[^\[\]]{0,80}\]")
_NAMED = re.compile(r"(?P<name>[^\s:：\[(][^:：]{0,59}?)(?::(?:\s+|\Z)|：\s*)(?P<text>.*)", re.DOTALL)
_BRACKETED = re.compile(r"\[(?P<name>[^\[\]:]{1,60})\]:?\s+(?P<text>\S.*)", re.DOTALL)
_SENTENCE = re.compile(r"[?!…\"“”]|[.,]\s[^.,]*\s|://")
_CAPITALS = re.compile(r"(?=.*[A-Z]{2})[^a-z]+")
_MARK = re.compile(r">{2,3}\s*|[-–—]\s?(?=[^\W\d_a-z]|[\[“\"'¿¡…])")
_INNER_MARK = re.compile(r"\s>{2,3}\s")
_MAX_NAME_WORDS = 6
_MIN_REPEATS = 3
_MIN_SHARE = 0.3  # of the lines that begin with a name, if each cue says who speaks, as those of meetings do


def name_speakers(lines: Sequence[Line]) -> list[Line]:
    """Take the speakers' names out of lines that begin with them, and tell where a speaker begins.

    A line without a name is said by the speaker of the one before, unless it begins with `>>` or a dash, by which
    captions mark another speaker. Lines that only describe a sound (`[Applause]`) are left out.

    Returns:
        The lines, with `speaker` and `is_turn`.
    """
    utterances = list(_split_turns(lines))
    names = _find_names([utterance.text for utterance in utterances])
    spoken: list[Line] = []
    speaker = ""
    is_turn = False
    for utterance in utterances:
        name, words = _split_name(utterance, names)
        if utterance.mark or (name and name != speaker):
            is_turn, speaker = True, name
        if words and not _SOUND.fullmatch(words):
            spoken.append(Line(utterance.start, words, speaker, is_turn))
            is_turn = False
    return spoken


class _Utterance(NamedTuple):
    """What one speaker says in a line; `mark` is what says that it is another one, empty if nothing does."""

    start: int
    mark: str
    text: str


def _split_turns(lines: Sequence[Line]) -> Iterator[_Utterance]:
    has_marks = any(line.text.startswith(">>") for line in lines)
    for line in lines:
        for index, text in enumerate(_INNER_MARK.split(line.text) if has_marks else [line.text]):
            match = _MARK.match(text)
            mark = match[0] if match else ">>" if index else ""
            yield _Utterance(line.start, mark, text[match.end() if match else 0 :].strip())


def _find_names(texts: Sequence[str]) -> frozenset[str]:
    """What stands before a colon and is a speaker."""
    counts = Counter(match["name"] for text in texts if (match := _match_name(text)) is not None)
    repeated = {name for name, count in counts.items() if count >= _MIN_REPEATS}
    if sum(counts[name] for name in repeated) >= _MIN_SHARE * len(texts):
        return frozenset(counts)
    titled = {name for name in repeated if _is_titled(name)}
    return frozenset(name for name in counts if _CAPITALS.fullmatch(name)) | (titled if len(titled) > 1 else set())


def _match_name(text: str) -> re.Match[str] | None:
    match = _NAMED.match(text)
    if match is None or len(match["name"].split()) > _MAX_NAME_WORDS or _SENTENCE.search(match["name"]):
        return None
    return match if any(letter.isalpha() for letter in match["name"]) else None


def _is_titled(name: str) -> bool:
    return not any(word[0].islower() for word in name.split())


def _split_name(utterance: _Utterance, names: frozenset[str]) -> tuple[str, str]:
    """The speaker's name, empty if the line has none, and what is said."""
    match = _match_name(utterance.text)
    if match is not None and (match["name"] in names or (utterance.mark and _is_titled(match["name"]))):
        return match["name"].strip(), match["text"].strip()
    bracketed = _BRACKETED.fullmatch(utterance.text) if utterance.mark[:1] in tuple("-–—") else None
    return (bracketed["name"].strip(), bracketed["text"]) if bracketed else ("", utterance.text)
