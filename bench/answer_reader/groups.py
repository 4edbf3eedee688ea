"""Questions with windows that answer and windows that do not, from public collections.

Belongs here: reading collections in the form of SQuAD, and headings that are questions. Not here: training (`train`).
Guarantee: pure but for reading; the same files and seed give the same groups.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from headwater.understanding.words import content_words

WINDOWS = 5  # of a group, at most
WINDOW_WORDS = 40  # as in headwater.quote.windows
UNANSWERED = 0.3  # of the groups lose the window that answers, if the collection has an answer to every question
_TITLED = 0.8  # of the windows stand behind a title
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])|\n+")
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_ASKING = re.compile(r"(?:how|what|why|can|is|are|do|does|where|when|which)\b|.*\?$", re.IGNORECASE)
_MARKUP = re.compile(
    r"```.*?```|<[^>]+>|!\[[^\]]*\]\([^)]*\)|\{/\*?[^}]*\}|[*_`|]|^\s*[-+>]\s", re.DOTALL | re.MULTILINE
)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")

Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """A question and its windows; the first one answers if `is_answered`, else none."""

    question: str
    windows: Sequence[str]
    is_answered: bool


def read_squad(path: Path, rng: random.Random, *, is_titled: bool) -> Iterator[Group]:
    """Groups of a collection in the form of SQuAD.

    Args:
        path: the file.
        rng: chooses among equals.
        is_titled: whether its articles have titles that mean something.
    """
    articles = json.loads(path.read_text("utf-8"))["data"]
    every = [question for article in articles for paragraph in article["paragraphs"] for question in paragraph["qas"]]
    unanswered = 0.0 if any(question.get("is_impossible") for question in every) else UNANSWERED
    for article in articles:
        title = article.get("title", "").replace("_", " ") if is_titled else ""
        paragraphs = article["paragraphs"]
        for paragraph in paragraphs:
            for question in paragraph["qas"]:
                hides_answer = rng.random() < unanswered
                if group := _make_group(question, paragraph["context"], paragraphs, title, rng, hides_answer):
                    yield group


def read_faq(folder: Path, rng: random.Random) -> Iterator[Group]:
    """Groups of a folder of markdown: a heading that asks, and the beginning of its section."""
    for path in sorted(folder.rglob("*.md*")):
        text = path.read_text("utf-8", errors="replace")
        if not (headings := list(_HEADING.finditer(text))):
            continue
        ends = [heading.start() for heading in headings[1:]] + [len(text)]
        sections = [
            (_plain(heading[1]), _plain(text[heading.end() : end])) for heading, end in zip(headings, ends, strict=True)
        ]
        asking = [(question, body) for question, body in sections if _ASKING.match(question) and len(body.split()) > 5]
        for question, body in asking:
            other_windows = [
                body[slice(*span)] for title, body in asking if title != question for span in cut_windows(body)
            ]
            is_answered = rng.random() >= UNANSWERED
            answer = [body[slice(*cut_windows(body)[0])]] if is_answered else []
            if len(other_windows) >= WINDOWS:
                windows = [*answer, *choose_hard(question, other_windows, WINDOWS - len(answer), rng)]
                yield Group(question=question, windows=_under(path.stem, windows, rng), is_answered=is_answered)


def read_groups(path: Path) -> Iterator[Group]:
    """Groups as `documents` writes them, one in a line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Group(**json.loads(line))


def cut_windows(text: str) -> list[Span]:
    """Neighbouring sentences of up to 40 words; the next window begins in the middle of the last one."""
    sentences = _cut_sentences(text)
    counts = [len(text[start:end].split()) for start, end in sentences]
    windows, first = [], 0
    while first < len(sentences):
        last, words = first, 0
        while last < len(sentences) and (last == first or words + counts[last] <= WINDOW_WORDS):
            words += counts[last]
            last += 1
        windows.append((sentences[first][0], sentences[last - 1][1]))
        if last == len(sentences):
            break
        passed, first = counts[first], first + 1
        while first < last and passed < words / 2:
            passed += counts[first]
            first += 1
    return windows


def _cut_sentences(text: str) -> list[Span]:
    borders = [(0, 0), *(match.span() for match in _SENTENCE_END.finditer(text)), (len(text), len(text))]
    spans = [(start, end) for (_, start), (end, _) in pairwise(borders)]
    return [(start, end) for start, end in spans if text[start:end].strip()]


def _make_group(
    question: dict[str, Any],
    text: str,
    paragraphs: Sequence[dict[str, Any]],
    title: str,
    rng: random.Random,
    hides_answer: bool,
) -> Group | None:
    answers = [answer["text"].lower() for answer in question.get("answers") or ()]
    spans = [
        (answer["answer_start"], answer["answer_start"] + len(answer["text"]))
        for answer in question.get("answers") or ()
    ]
    answering, beside = [], []
    for start, end in cut_windows(text):
        if any(start <= begin and stop <= end for begin, stop in spans):
            answering.append(text[start:end])
        elif not any(begin < end and start < stop for begin, stop in spans):
            beside.append(text[start:end])
    if question.get("is_impossible"):
        answering = []
    elif not answering:
        return None
    elif hides_answer:
        answering = []
    neighbours = rng.sample(paragraphs, min(4, len(paragraphs)))
    elsewhere = [
        neighbour["context"][slice(*span)]
        for neighbour in neighbours
        if neighbour["context"] != text
        for span in cut_windows(neighbour["context"])
    ]
    elsewhere = [window for window in elsewhere if not any(answer in window.lower() for answer in answers)]
    wrong = choose_hard(question["question"], beside, WINDOWS - 2, rng)
    wrong += choose_hard(question["question"], elsewhere, WINDOWS - 1 - len(wrong), rng)
    right = [rng.choice(answering)] if answering else []
    windows = _under(title, [*right, *wrong], rng)
    return Group(question=question["question"].strip(), windows=windows, is_answered=bool(right)) if wrong else None


def choose_hard(question: str, windows: Sequence[str], count: int, rng: random.Random) -> list[str]:
    """Choose some of the windows that share most words with the question.

    Args:
        question: the question.
        windows: windows that do not answer it.
        count: how many, at most.
        rng: chooses among twice as many.
    """
    asked_words = content_words(question)
    hard = sorted(windows, key=lambda window: -len(asked_words & content_words(window)) - rng.random())[: 2 * count]
    return rng.sample(hard, min(count, len(hard)))


def _under(title: str, windows: Sequence[str], rng: random.Random) -> list[str]:
    return [f"{title}: {window}" if title and rng.random() < _TITLED else window for window in windows]


def _plain(markdown: str) -> str:
    return " ".join(_MARKUP.sub(" ", _LINK.sub(r"\1", markdown)).split())
