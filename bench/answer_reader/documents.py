"""Questions with the windows that the product reads for them, from documents in knowledge bases.

Belongs here: from `questions.jsonl` and a home with their documents to groups, written as JSON lines.
Not here: public collections (`groups`, `tables`), training (`train`).
Guarantee: the windows are such as an answer would read, as it would read them. A knowledge base that the home does not
have is synced; nothing else is changed there.

    python -m bench.answer_reader.documents --home HOME --documents KB=FOLDER … --out FILE.jsonl

A question has `kb`, `document` (its path below the folder), `question`, `spans` (where the file answers, as offsets in
characters, of which the end of a line is one; none if no document answers) and `must` (strings that an answer has).
"""

import argparse
import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from bench.answer_reader.groups import UNANSWERED, Group
from bench.exam.corpora import add_missing, open_home, read_folder
from cli.environment import Environment
from headwater.answering.answer_evidence import gather_evidence
from headwater.answering.answer_quotes import find_quotes
from headwater.domain.search import SearchFilters

WINDOWS = 6  # of a group, at most
_SEED = 3
_MOST = 0.8
_WORD = re.compile(r"[^\W_]+")
_QUESTIONS = Path(__file__).with_name("questions.jsonl")


class WindowRecorder:
    """Reads nothing, and remembers what it was given to read."""

    model = "none"

    def __init__(self) -> None:
        """Begin with nothing."""
        self.windows: list[str] = []

    def score(self, _question: str, texts: Sequence[str]) -> list[float]:
        """Remember the texts; none of them is likely to answer, so that all are given."""
        self.windows.extend(texts)
        return [0.0] * len(texts)


def find_windows(env: Environment, question: str, knowledge_base: str, document: str | None = None) -> list[str]:
    """Find the windows that an answer to a question would read, the most promising first.

    Args:
        env: the home's settings and store.
        question: the question.
        knowledge_base: its slug.
        document: the URI of the only document to search; all of them by default.

    Raises:
        HeadwaterError: the search failed.
    """
    corpus = env.store.knowledge_bases.get(knowledge_base)
    filters = SearchFilters(documents=(document,)) if document else SearchFilters()
    evidence = gather_evidence(env.store, env.settings, corpus, question, filters)
    recorder = WindowRecorder()
    find_quotes(evidence, env.settings, load_reader=lambda: recorder)
    return recorder.windows


def make_group(
    entry: dict[str, Any], text: str, find: Callable[[str | None], Sequence[str]], rng: random.Random
) -> Group | None:
    """Make the group of a question; None if no window is left that does not answer it.

    The windows that answer are those with most words of a span; the most promising one is taken. Others that have a
    string of the answer may answer or not, and are left out.

    Args:
        entry: the question.
        text: of its document.
        find: finds windows, in a document or in all of them.
        rng: takes the windows that answer away from some questions.
    """
    right_texts = [_letters(text[start:end]) for start, end in entry["spans"]]
    windows = list(find(None))
    if right_texts and not _find_answering(windows, right_texts):
        windows += find(entry["document"])
    windows = list(dict.fromkeys(windows))
    answering = _find_answering(windows, right_texts)
    wrong = [window for window in windows if window not in answering and not _has_any(window, entry["must"])]
    is_answered = bool(answering) and rng.random() >= UNANSWERED / 2
    if not wrong or (right_texts and not answering):
        return None
    wrong = wrong[: WINDOWS - is_answered]
    right = answering[:1] if is_answered else []
    return Group(question=entry["question"], windows=[*right, *wrong], is_answered=is_answered)


def _find_answering(windows: Sequence[str], right_texts: Sequence[str]) -> list[str]:
    return [window for window in windows if any(_has_most(window, text) for text in right_texts)]


def _has_most(window: str, text: str) -> bool:
    """Whether a window has most words of a text; what the text has of markup, a window has not."""
    words, window_words = text.split(), set(_letters(window).split())
    return sum(word in window_words for word in words) >= _MOST * len(words)


def _has_any(window: str, strings: Sequence[str]) -> bool:
    """Whether a window has one of some strings as whole words, or as it stands if it is made of signs."""
    words = f" {_letters(window)} "
    return any(f" {_letters(string)} " in words if _letters(string) else string in window for string in strings)


def _letters(text: str) -> str:
    return " ".join(word.lower() for word in _WORD.findall(text))


def main() -> None:
    """Sync what is not synced yet, ask, and write the groups."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="for the knowledge bases")
    parser.add_argument("--documents", nargs="+", type=read_folder, required=True, metavar="KB=FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    options = parser.parse_args()
    folders = dict(options.documents)
    rng = random.Random(_SEED)  # noqa: S311 -- it chooses what is learnt from
    every_entry = (json.loads(line) for line in _QUESTIONS.read_text("utf-8").splitlines())
    entries = [entry for entry in every_entry if entry["kb"] in folders]
    count = 0
    with open_home(options.home) as env, options.out.open("w", encoding="utf-8") as out:
        add_missing(env, folders)
        for entry in entries:
            text = (folders[entry["kb"]] / entry["document"]).read_text("utf-8", errors="replace")
            find = partial(find_windows, env, entry["question"], entry["kb"])
            if group := make_group(entry, text, find, rng):
                out.write(json.dumps(asdict(group)) + "\n")
                count += 1
    print(f"{count:,} groups of {len(entries):,} questions")


if __name__ == "__main__":
    main()
