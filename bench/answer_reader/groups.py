"""Questions with windows that answer and windows that do not, from public collections.

Belongs here: reading collections in the form of SQuAD, and headings that ask or say what to do. Not here: training
(`train`).
Guarantee: pure but for reading; the same files and seed give the same groups.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.chunking.sentences import sentence_spans
from headwater.understanding.words import content_words

WINDOWS = 5  # of a group, at most
_MIN_WORDS = 5  # of the first window of a section
_WINDOW_WORDS = 40  # as in headwater.quote.windows
_UNANSWERED = 0.3  # of the groups lose the window that answers, if the collection has an answer to every question
_TITLED = 0.8  # of the windows stand behind a title
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_ASKING = re.compile(r"(?:how|what|why|can|is|are|do|does|where|when|which)\b|.*\?$", re.IGNORECASE)
_TASK = re.compile(
    r"(?:add|allow|block|build|change|check|choose|configure|connect|convert|copy|create|customize|debug|define|delete"
    r"|deploy|disable|download|enable|exclude|export|extend|find|force|generate|get|ignore|import|include|increase"
    r"|install|limit|list|load|log|make|manage|migrate|monitor|move|open|override|pass|prevent|protect|publish|read"
    r"|register|remove|rename|replace|request|reset|restart|restore|restrict|rotate|run|scale|secure|send|set|share"
    r"|show|specify|start|stop|store|submit|switch|sync|test|troubleshoot|turn|uninstall|update|upgrade|upload|use"
    r"|validate|verify|view|write)\s+\S+",
    re.IGNORECASE,
)
"""How headings begin that say what to do."""
_ASKED_TASK = ("how do i {}?", "How do I {}?", "How can I {}?", "how to {}", "{}")
_CODE = re.compile(r"^\s*(?:```|~~~).*?\n(.*?)^\s*(?:```|~~~)\s*$", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(
    r"\A---\n.*?^---$|<[^>]+>|!\[[^\]]*\]\([^)]*\)|\{/\*?[^}]*\}|\{[#%:][^}]*\}|[*_`|]|^\s*[-+>]\s|^:::.*?$",
    re.MULTILINE | re.DOTALL,
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
    unanswered = 0.0 if any(question.get("is_impossible") for question in every) else _UNANSWERED
    for article in articles:
        title = article.get("title", "").replace("_", " ") if is_titled else ""
        paragraphs = article["paragraphs"]
        for paragraph in paragraphs:
            for question in paragraph["qas"]:
                hides_answer = rng.random() < unanswered
                if group := _make_group(question, paragraph["context"], paragraphs, title, rng, hides_answer):
                    yield group


def read_headings(folder: Path, rng: random.Random) -> Iterator[Group]:
    """Groups of a folder of markdown: a heading that asks or says what to do, and the beginning of its section."""
    for path in sorted(folder.rglob("*.md*")):
        text = _plain(path.read_text("utf-8", errors="replace"))
        headings = list(_HEADING.finditer(text))
        ends = [*(heading.start() for heading in headings), len(text)][1:]
        sections = [
            (heading[1], _read_windows(text[heading.end() : end])) for heading, end in zip(headings, ends, strict=True)
        ]
        name = path.name.partition(".")[0]
        title = path.parent.name if name in ("index", "README") else name
        for heading, windows in sections:
            question = _ask(heading, rng)
            if question is None or not windows or len(windows[0].split()) <= _MIN_WORDS:
                continue
            other_windows = [window for name, windows in sections if name != heading for window in windows]
            is_answered = rng.random() >= _UNANSWERED
            if len(other_windows) >= WINDOWS:
                answer = windows[:1] if is_answered else []
                choice = [*answer, *_choose_hard(question, other_windows, WINDOWS - len(answer), rng)]
                titled = _under(title.replace("-", " "), choice, rng)
                yield Group(question=question, windows=titled, is_answered=is_answered)


def cut_windows(text: str) -> list[Span]:
    """Neighbouring sentences of up to 40 words; the next window begins in the middle of the last one."""
    sentences = _cut_sentences(text)
    counts = [len(text[start:end].split()) for start, end in sentences]
    windows, first = [], 0
    while first < len(sentences):
        last, words = first, 0
        while last < len(sentences) and (last == first or words + counts[last] <= _WINDOW_WORDS):
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
    """Sentences, as the product finds them, of each line."""
    return [
        span
        for line in re.finditer(r"\S.*", text)
        for span in sentence_spans(text, line.start(), line.end())
        if text[slice(*span)].strip()
    ]


def _read_windows(text: str) -> list[str]:
    return [" ".join(text[slice(*span)].split()) for span in cut_windows(text)]


def _ask(heading: str, rng: random.Random) -> str | None:
    """A heading as a question; None if it neither asks nor says what to do."""
    if _ASKING.match(heading):
        return heading
    if not _TASK.match(heading):
        return None
    task = heading if heading[:2].isupper() else heading[0].lower() + heading[1:]
    return rng.choice(_ASKED_TASK).format(task)


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
    wrong = _choose_hard(question["question"], beside, WINDOWS - 2, rng)
    wrong += _choose_hard(question["question"], elsewhere, WINDOWS - 1 - len(wrong), rng)
    right = [rng.choice(answering)] if answering else []
    windows = _under(title, [*right, *wrong], rng)
    return Group(question=question["question"].strip(), windows=windows, is_answered=bool(right)) if wrong else None


def _choose_hard(question: str, windows: Sequence[str], count: int, rng: random.Random) -> list[str]:
    """Some of the windows that share most words with the question."""
    asked_words = content_words(question)
    hard = sorted(windows, key=lambda window: -len(asked_words & content_words(window)) - rng.random())[: 2 * count]
    return rng.sample(hard, min(count, len(hard)))


def _under(title: str, windows: Sequence[str], rng: random.Random) -> list[str]:
    return [f"{title}: {window}" if title and rng.random() < _TITLED else window for window in windows]


def _plain(markdown: str) -> str:
    """Markdown without its marks; headings keep theirs, and each line stays a line."""
    markdown = _CODE.sub(lambda code: code[1].replace("#", " "), markdown)
    lines = _MARKUP.sub(" ", _LINK.sub(r"\1", markdown)).splitlines()
    return "\n".join(" ".join(line.split()) for line in lines)
