"""What programs write about speech: the JSON of Whisper and of podcasts, and scripts of SubStation Alpha.

Belongs here: telling such JSON, and reading when who says what. Not here: WebVTT, SubRip and json3 (`cues`). Guarantee:
pure; a segment or line that cannot be read is left out; the work is linear.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

MAX_SECONDS = 1_000 * 3_600
_SEGMENTS = re.compile(
    rb'"segments"\s*+:\s*+\[\s*+\{(?=[^{}]{0,2000}"start(?:Time)?"\s*+:\s*+\d)(?=[^{}]{0,2000}"end(?:Time)?"\s*+:\s*+\d)'
    rb'(?=[^{}]{0,4000}"(?:text|body)"\s*+:\s*+")'
)
_SIGN = re.compile(
    rb'"(?:language|duration|version|word_segments|speaker|tokens|seek|startTime|avg_logprob)"\s*+:|"words"\s*+:\s*+\['
)
_CLOCK = re.compile(r"\s*(\d{1,3}):(\d{1,2}):(\d{1,2})[.:](\d{1,3})\s*", re.ASCII)
_OVERRIDES = re.compile(r"\{[^{}]{0,2000}\}")
_DRAWING = re.compile(r"\{[^{}]{0,2000}\\p[1-9]")
_BREAK = re.compile(r"\\[Nn]")
_FIELDS = ("layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text")


class Speech(NamedTuple):
    """What is said from one time to another, in milliseconds; the name is empty if nobody is named."""

    start: int
    end: int
    lines: tuple[str, ...]
    name: str = ""


def has_segments(content: bytes) -> bool:
    """Whether JSON is a transcript: its segments have a beginning, an end and a text, and it says more of the speech.

    Segments of texts have a beginning and an end, too, as numbers of characters.
    """
    return b'"segments"' in content and bool(_SEGMENTS.search(content) and _SIGN.search(content))


def read_segments(data: Any) -> Iterator[Speech]:
    """The segments of Whisper (`start`, `text`) and of podcasts (`startTime`, `body`)."""
    segments = data.get("segments") if isinstance(data, dict) else None
    for segment in segments if isinstance(segments, list) else ():
        if not isinstance(segment, dict):
            continue
        start, end = (_milliseconds(segment.get(key, segment.get(f"{key}Time"))) for key in ("start", "end"))
        text, name = segment.get("text", segment.get("body")), segment.get("speaker")
        if start is not None and isinstance(text, str) and text.strip():
            words = " ".join(text.split())
            yield Speech(start, max(start, end or 0), (words,), name if isinstance(name, str) else "")


def read_script(text: str) -> Iterator[Speech]:
    """The lines of a script of SubStation Alpha (`.ass`, `.ssa`)."""
    fields: tuple[str, ...] = _FIELDS
    for line in text.split("\n"):
        kind, _, values = line.partition(":")
        if kind == "Format" and "text" in values.lower():
            fields = tuple(field.strip().lower() for field in values.split(","))
        elif kind == "Dialogue" and not _DRAWING.search(values):
            record = dict(zip(fields, values.split(",", len(fields) - 1), strict=False))
            start, end = _CLOCK.fullmatch(record.get("start", "")), _CLOCK.fullmatch(record.get("end", ""))
            spoken = _BREAK.split(_OVERRIDES.sub("", record.get("text", "")).replace("\\h", " "))
            lines = tuple(filter(None, (" ".join(row.split()) for row in spoken)))
            if start and lines:
                first = _count(start)
                name = record.get("name", record.get("actor", "")).strip()
                yield Speech(first, max(first, _count(end) if end else 0), lines, name)


def _count(clock: re.Match[str]) -> int:
    hours, minutes, seconds = (int(text) for text in clock.groups()[:3])
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + int(clock[4].ljust(3, "0"))


def _milliseconds(seconds: Any) -> int | None:
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return round(seconds * 1000) if is_number and 0 <= seconds <= MAX_SECONDS else None
