"""Who says what: the speakers that subtitles name, and where another one begins.

Belongs here: names before a text, marks of a new speaker, lines that only describe a sound. Not here: reading cues
(`cues`), lines that captions repeat (`roll_up_captions`), the text (`transcript`). Guarantee: no spoken word is lost,
unless brackets enclose the few words of a line; the work is linear.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from headwater.parsing.subtitles.roll_up_captions import Line

_SOUND = re.compile(r"\[\s*[^\W\d]+(?:[ ,&'’-]+[^\W\d]+){0,3}\s*\]")
_NAMED = re.compile(r"(?P<name>[^\s:：\[(][^:：]{0,59}?)(?::(?:\s+|\Z)|：\s*)(?P<text>.*)", re.DOTALL)
_BRACKETED = re.compile(r"\[(?P<name>[^\[\]:]{1,60})\]:?\s+(?P<text>\S.*)", re.DOTALL)
_SENTENCE = re.compile(r"[?!…\"“”]|[.,]\s[^.,]*\s|://")
_ANGLES = re.compile(r">{2,3}\s*")
_DASH = re.compile(r"[-–—]\s(?=[\w\[“\"'¿¡…♪])")
_CLOSE_DASH = re.compile(r"[-–—](?=[^\W\d_]|[\[“\"'¿¡…♪])")  # in films; elsewhere it may be that of `-Wall`
_INNER_ANGLES = re.compile(r"\s>{2,3}\s")
_MAX_NAME_WORDS = 6
_MIN_REPEATS = 3
_MIN_MARKS = 2  # lines that begin with angles, if those within lines count, too; with a dash without a space, if any
_MIN_SHARE = 0.3  # of the lines that begin with a name, if each cue says who speaks, as those of meetings do


def name_speakers(lines: Sequence[Line]) -> list[Line]:
    """Take the speakers' names out of lines that begin with them, and tell where a speaker begins.

    Where subtitles have voices, those are the speakers. Else a line without a name is said by the speaker of the one
    before, unless it begins with `>>` or a dash, by which captions mark another speaker. Lines that only describe a
    sound (`[Applause]`) are left out.

    Returns:
        The lines, with `speaker` and `is_turn`.
    """
    if any(line.speaker for line in lines):
        return _mark_voices(lines)
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


def _mark_voices(lines: Sequence[Line]) -> list[Line]:
    spoken = [line for line in lines if not _SOUND.fullmatch(line.text)]
    return [
        line._replace(is_turn=previous is None or line.speaker != previous.speaker)
        for previous, line in zip([None, *spoken], spoken, strict=False)
    ]


class _Utterance(NamedTuple):
    """What one speaker says in a line; `mark` is what says that it is another one, empty if nothing does."""

    start: int
    mark: str
    text: str


def _split_turns(lines: Sequence[Line]) -> Iterator[_Utterance]:
    has_angles = sum(line.text.startswith(">>") for line in lines) >= _MIN_MARKS
    has_close_dashes = sum(_match_dash(_CLOSE_DASH, line.text) is not None for line in lines) >= _MIN_MARKS
    dashes = (_DASH, _CLOSE_DASH) if has_close_dashes else (_DASH,)
    for line in lines:
        for index, text in enumerate(_INNER_ANGLES.split(line.text) if has_angles else [line.text]):
            matches = (_ANGLES.match(text), *(_match_dash(dash, text) for dash in dashes))
            match = next(filter(None, matches), None)
            mark = match[0] if match else ">>" if index else ""
            yield _Utterance(line.start, mark, text[match.end() if match else 0 :].strip())


def _match_dash(dash: re.Pattern[str], text: str) -> re.Match[str] | None:
    """A dash that begins what another one says; one before a word in small letters only goes on."""
    match = dash.match(text)
    return None if match is None or text[match.end()].islower() else match


def _find_names(texts: Sequence[str]) -> frozenset[str]:
    """What stands before a colon and is a speaker."""
    counts = Counter(match["name"] for text in texts if (match := _match_name(text)) is not None)
    repeated = {name for name, count in counts.items() if count >= _MIN_REPEATS}
    if sum(counts[name] for name in repeated) >= _MIN_SHARE * len(texts):
        return frozenset(name for name, count in counts.items() if count > 1 or _is_titled(name))
    capitals = {name for name in counts if _is_in_capitals(name)}
    titled = {name for name in repeated if _is_titled(name)}
    return frozenset(
        (capitals if sum(counts[name] for name in capitals) > 1 else set()) | (titled if len(titled) > 1 else set())
    )


def _match_name(text: str) -> re.Match[str] | None:
    match = _NAMED.match(text)
    if match is None or len(match["name"].split()) > _MAX_NAME_WORDS or _SENTENCE.search(match["name"]):
        return None
    return match if any(letter.isalpha() for letter in match["name"]) else None


def _is_titled(name: str) -> bool:
    return not any(word[0].islower() for word in name.split())


def _is_person(name: str) -> bool:
    return _is_in_capitals(name) or (" " in name and _is_titled(name))


def _is_in_capitals(name: str) -> bool:
    return name.isupper() and sum(letter.isalpha() for letter in name) > 1


def _split_name(utterance: _Utterance, names: frozenset[str]) -> tuple[str, str]:
    """The speaker's name, empty if the line has none, and what is said."""
    match = _match_name(utterance.text)
    if match is not None and (match["name"] in names or (utterance.mark and _is_person(match["name"]))):
        return match["name"].strip(), match["text"].strip()
    bracketed = _BRACKETED.fullmatch(utterance.text) if utterance.mark[:1] in tuple("-–—") else None
    return (bracketed["name"].strip(), bracketed["text"]) if bracketed else ("", utterance.text)
