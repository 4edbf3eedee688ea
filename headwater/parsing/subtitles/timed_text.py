"""TTML, the subtitles in XML of television and films, which are called DFXP, too.

Belongs here: its times, its paragraphs, and who speaks in them. Not here: other formats (`cues`), what makes XML
dangerous (`headwater.parsing.xml`). Guarantee: XML that is broken raises `DocumentError`; a time that cannot be read is
that of what stands around it; the work is linear.

Times are counted from the beginning of what stands around them, as the standard says. In some files, such as those of
lyrics, all are counted from the beginning of the recording: there, paragraphs would end after what holds them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from headwater.parsing.subtitles.speech_data import MAX_SECONDS, Speech
from headwater.parsing.xml import Element, local_name, parse_xml

_ROOT = re.compile(r"<(?:[\w.-]{1,60}:)?tt[\s>]")
_HEAD = 65_536  # characters before the root, which may be comments
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)(?::(\d{1,3})(?:\.\d{1,9})?)?", re.ASCII)
_OFFSET = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(h|ms|m|s|f|t)?", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}")
_XML = "{http://www.w3.org/XML/1998/namespace}"
_DEFAULT_FRAME_RATE = 30.0  # frames a second, as the standard has it
_BREAK = "\n"
_OTHER_ROLES = ("x-translation", "x-roman")  # what says the same once more, in lyrics
_READINGS = ("text", "textContainer", "delimiter")  # how the signs in front of them are pronounced
_MAX_DEPTH = 100


def is_timed_text(text: str) -> bool:
    """Whether a text is TTML: its root is `tt`."""
    return _ROOT.search(text, 0, _HEAD) is not None


def read_timed_text(content: bytes) -> tuple[list[Speech], str]:
    """What is said, and the language, which is empty if the file names none.

    Raises:
        DocumentError: it is no XML. TooLargeError: it is too large.
    """
    root = parse_xml(content.lstrip())
    if local_name(root) != "tt":
        return [], ""
    clock = _Clock.of(root)
    spans = list(_walk(root, clock, is_nested=True))
    if any(span.is_beyond for span in spans):
        spans = list(_walk(root, clock, is_nested=False))
    names = dict(_read_agents(root))
    return [speech for span in spans for speech in _read_speech(span, names)], root.get(f"{_XML}lang", "")


@dataclass(frozen=True, slots=True)
class _Clock:
    """How many parts a second has."""

    frames: float
    ticks: float

    @classmethod
    def of(cls, root: Element) -> "_Clock":
        rate = _read_number(_attribute(root, "frameRate"))
        numbers = [float(digits) for digits in _NUMBER.findall(_attribute(root, "frameRateMultiplier"))]
        factor = numbers[0] / numbers[1] if len(numbers) > 1 and all(numbers) else 1.0
        frames = (rate or _DEFAULT_FRAME_RATE) * factor
        sub_frames = _read_number(_attribute(root, "subFrameRate")) or 1.0
        return cls(frames, _read_number(_attribute(root, "tickRate")) or (frames * sub_frames if rate else 1.0))

    def milliseconds(self, expression: str) -> int | None:
        """A time; none if it cannot be read."""
        seconds = None
        if clock := _CLOCK.fullmatch(expression.strip()):
            hours, minutes, count, frames = clock.groups(default="0")
            seconds = int(hours) * 3600 + int(minutes) * 60 + float(count) + int(frames) / self.frames
        elif offset := _OFFSET.fullmatch(expression.strip()):
            units = {"h": 3600, "m": 60, "s": 1, "ms": 0.001, "f": 1 / self.frames, "t": 1 / self.ticks}
            seconds = float(offset[1]) * units[offset[2] or "s"]
        return round(seconds * 1000) if seconds is not None and seconds <= MAX_SECONDS else None


@dataclass(frozen=True, slots=True)
class _Span:
    """An element that is shown from one time to another; `is_beyond` tells that it would outlast what holds it."""

    element: Element
    start: int
    end: int
    agent: str
    is_beyond: bool


def _walk(root: Element, clock: _Clock, *, is_nested: bool) -> Iterator[_Span]:
    """The paragraphs, or what stands in them if only that has times."""
    bodies = [child for child in root if local_name(child) == "body"]
    pending: list[tuple[Element, int, int | None, str, int]] = [(body, 0, None, "", 0) for body in reversed(bodies)]
    while pending:
        element, base, limit, agent, depth = pending.pop()
        begin, end, duration = (clock.milliseconds(element.get(name, "")) for name in ("begin", "end", "dur"))
        offset = base if is_nested else 0
        start = base if begin is None else offset + begin
        stop = offset + end if end is not None else start + duration if duration is not None else limit
        agent = _attribute(element, "agent") or agent
        is_beyond = begin is not None and limit is not None and (stop or start) > limit and base > 0
        name = local_name(element)
        children = [child for child in element if local_name(child) in ("div", "p", "span")]
        has_text = any((text or "").strip() for text in (element.text, *(child.tail for child in element)))
        is_whole = begin is not None or has_text or not any(child.get("begin") for child in children)
        if (name == "p" and is_whole) or name == "span" or depth == _MAX_DEPTH:
            yield _Span(element, start, max(start, stop or start), agent, is_beyond)
        else:
            pending += [(child, start, stop, agent, depth + 1) for child in reversed(children)]


def _read_speech(span: _Span, names: Mapping[str, str]) -> Iterator[Speech]:
    """The lines of a paragraph, for each speaker those that stand together."""
    lines: list[tuple[str, str]] = []
    for is_break, group in groupby(_read_text(span.element, span.agent), lambda pair: pair[1] == _BREAK):
        run = [] if is_break else list(group)
        words = " ".join("".join(text for _, text in run).split())
        if words:
            agent = next(agent for agent, text in run if text.strip())
            lines.append((next((names[name] for name in agent.split() if name in names), ""), words))
    for name, spoken in groupby(lines, lambda line: line[0]):
        yield Speech(span.start, span.end, tuple(words for _, words in spoken), name)


def _read_text(element: Element, agent: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The texts of a paragraph with the agents that say them; what only describes it is left out."""
    yield agent, " ".join((element.text or "").split(_BREAK))
    for child in element:
        name = local_name(child)
        is_other = _attribute(child, "role") in _OTHER_ROLES or _attribute(child, "ruby") in _READINGS
        if name == "br":
            yield agent, _BREAK
        elif name == "span" and not is_other and depth < _MAX_DEPTH:
            yield from _read_text(child, _attribute(child, "agent") or agent, depth + 1)
        yield agent, " ".join((child.tail or "").split(_BREAK))


def _read_agents(root: Element) -> Iterator[tuple[str, str]]:
    """The people that the file names, by their ids: their full names, if it has several of one."""
    for agent in root.iter("{*}agent"):
        names = [child for child in agent if local_name(child) == "name"]
        names.sort(key=lambda name: name.get("type") != "full")
        words = " ".join("".join(names[0].itertext()).split()) if names else ""
        if words:
            yield agent.get(f"{_XML}id", ""), words


def _attribute(element: Element, name: str) -> str:
    """An attribute in a namespace of TTML, of which each edition has others."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _read_number(text: str) -> float:
    match = _NUMBER.fullmatch(text.strip())
    return float(match[0]) if match else 0.0
