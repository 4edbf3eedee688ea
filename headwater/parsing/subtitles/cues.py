"""Reading the cues of subtitles: WebVTT, SubRip, and YouTube's json3 and SBV.

Belongs here: these formats. Not here: what else is written about speech (`speech_data`), TTML (`timed_text`), lines
that captions repeat (`roll_up_captions`), the text (`transcript`). Guarantee: cues are in the order of their times,
each once; a cue that cannot be read is left out; the work is linear.
"""

import html
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from headwater.errors import DocumentError
from headwater.parsing.subtitles.speech_data import Speech, read_script, read_segments
from headwater.parsing.subtitles.timed_text import is_timed_text, read_timed_text
from headwater.parsing.text import decode

MAX_CUES = 200_000  # a day of captions has about 30,000
_MAX_CUE_MS = 1_000 * 3_600_000  # milliseconds
_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{3})"
_TIMING = re.compile(rf"\s*{_TIME}[ \t]*-->[ \t]*{_TIME}(?:\s|$)", re.ASCII)
_PAIR = re.compile(rf"{_TIME},{_TIME}[ \t]*", re.ASCII)  # of SBV
_SBV_BREAK = "[br]"
_SCRIPT = re.compile(r"^\[(?:Script Info|Events)\]", re.MULTILINE)
_WORD_TIME = re.compile(r"<(?:\d{1,3}:)?\d{2}:\d{2}\.\d{3}>", re.ASCII)
_VOICE = re.compile(r"<v(?:\.[^\s<>]{1,100})?[ \t]+([^<>]{1,100})>|</v>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]{0,200}>|\{\\[^{}]{0,100}\}", re.IGNORECASE)
_LANGUAGE = re.compile(r"^Language:[ \t]*([\w-]{2,20})[ \t]*$", re.MULTILINE)


class Cue(NamedTuple):
    """What is shown from one time to another, in milliseconds.

    `is_timed` tells whether its words have times of their own, as in automatic captions that roll. `voices` are the
    names of those who say its lines, as WebVTT has them, one for each line; there is none if no line has any.
    """

    start: int
    end: int
    lines: tuple[str, ...]
    is_timed: bool = False
    voices: tuple[str, ...] = ()


class Subtitles(NamedTuple):
    """A file of subtitles; `language` is empty if it names none."""

    cues: tuple[Cue, ...]
    language: str = ""


def read_subtitles(content: bytes) -> Subtitles:
    """Read subtitles, whose format is told by their content.

    Raises:
        DocumentError: they are none, have no cue, or more than 200,000.
    """
    text = decode(content)
    start = text.lstrip("\ufeff \t\r\n")[:1]
    speeches, language = read_timed_text(content) if start == "<" and is_timed_text(text) else ([], "")
    cues: list[Cue] = []
    for cue in map(_as_cue, speeches) if speeches else _read_cues(text, start):
        if len(cues) == MAX_CUES:
            raise DocumentError(f"The subtitles have more than {MAX_CUES:,} cues.")
        cues.append(cue)
    if not cues:
        raise DocumentError("These are no subtitles: WebVTT, SubRip, TTML and json3 with at least one cue are read.")
    if not language and start not in ("{", "<") and (field := _LANGUAGE.search(text[:1_000])):
        language = field[1]
    # Files that were joined from pieces, as streams come in, have the last cue of a piece once more in the next one.
    return Subtitles(tuple(dict.fromkeys(sorted(cues, key=lambda cue: cue.start))), language)


def _read_cues(text: str, start: str) -> Iterator[Cue]:
    if start == "{":
        data = _load_json(text)
        yield from _json3(data)
        yield from map(_as_cue, read_segments(data))
    elif _SCRIPT.search(text[:1_000]):  # comments may stand above it
        yield from map(_as_cue, read_script(text))
    else:
        yield from _parse_timed(text)


def _as_cue(speech: Speech) -> Cue:
    voices = (speech.name,) * len(speech.lines) if speech.name else ()
    return Cue(speech.start, speech.end, speech.lines, voices=voices)


def _parse_timed(text: str) -> Iterator[Cue]:
    """The cues of WebVTT and SubRip, which differ in what stands around them."""
    times: tuple[int, int] | None = None
    lines: list[str] = []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        timing = _TIMING.match(line) if "-->" in line else _PAIR.fullmatch(line) if line[:1].isdigit() else None
        if timing is None and line:
            lines.append(line)
            continue
        if times is not None:
            if timing is not None and lines and lines[-1].strip().isdecimal():
                lines.pop()  # the next cue's number, if no empty line stands before it
            yield from _cue(times, lines)
        times = None if timing is None else (_milliseconds(timing.groups()[:4]), _milliseconds(timing.groups()[4:]))
        lines = []


def _cue(times: tuple[int, int], raw: list[str]) -> Iterator[Cue]:
    is_timed = any(_WORD_TIME.search(line) for line in raw)
    spoken = list(_split_voices("\n".join(raw).replace(_SBV_BREAK, "\n").split("\n")))
    lines, voices = tuple(text for _, text in spoken), tuple(voice for voice, _ in spoken)
    if lines or is_timed:
        yield Cue(times[0], max(times), lines, is_timed, voices if any(voices) else ())


def _split_voices(raw: list[str]) -> Iterator[tuple[str, str]]:
    """Each line without tags, with the name of who says it; a line of several voices is several lines."""
    voice = ""
    for line in raw:
        texts = _VOICE.split(line)  # what stands between voices, and their names; None for the end of one
        for index in range(0, len(texts), 2):
            if index:
                voice = _plain(texts[index - 1] or "")
            if text := _plain(texts[index]):
                yield voice, text


def _plain(line: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", _WORD_TIME.sub("", line))).split())


def _milliseconds(parts: tuple[str | None, ...]) -> int:
    hours, minutes, seconds, milliseconds = (int(text or 0) for text in parts)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds


def _load_json(text: str) -> Any:
    try:
        return json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        raise DocumentError("The subtitles look like JSON, but cannot be read as JSON.") from None


def _json3(data: Any) -> Iterator[Cue]:
    events = data.get("events") if isinstance(data, dict) else None
    for event in events if isinstance(events, list) else ():
        start = _number(event.get("tStartMs", 0)) if isinstance(event, dict) else None
        if start is None:
            continue
        segments = event.get("segs")
        pieces = [segment for segment in segments if isinstance(segment, dict)] if isinstance(segments, list) else []
        cue_text = "".join(segment["utf8"] for segment in pieces if isinstance(segment.get("utf8"), str))
        lines = tuple(filter(None, (" ".join(line.split()) for line in cue_text.split("\n"))))
        if lines:
            yield Cue(start, start + (_number(event.get("dDurationMs", 0)) or 0), lines)


def _number(value: Any) -> int | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= _MAX_CUE_MS else None
