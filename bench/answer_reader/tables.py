"""Questions about tables, with rows that answer and rows that do not, from public collections.

Belongs here: FeTaQA, whose answers name their cells, and WikiTableQuestions, of which the rows are looked up whose
labels are in the question. Not here: collections of text (`groups`), training (`train`).
Guarantee: pure but for reading; the same files and seed give the same groups.

Sources: Nan et al., FeTaQA (https://arxiv.org/abs/2104.00369); Pasupat and Liang, Compositional Semantic Parsing on
Semi-Structured Tables (https://arxiv.org/abs/1508.00305).
"""

import csv
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.answer_reader.groups import UNANSWERED, WINDOW_WORDS, WINDOWS, Group, choose_hard

_LABEL_LETTERS = 4  # of a cell that is looked up, at least


def read_fetaqa(path: Path, rng: random.Random) -> Iterator[Group]:
    """Groups of FeTaQA: the questions whose cells are all in one row.

    Args:
        path: the file, one question in a line.
        rng: chooses among equals, and takes the row that answers away from some questions.
    """
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        rows = {row for row, _ in entry["highlighted_cell_ids"]}
        if len(rows) == 1 and (row := rows.pop()) > 0:
            title = f"{entry['table_page_title']} > {entry['table_section_title']}"
            if group := _make_group(entry["question"], title, entry["table_array"], row, rng):
                yield group


def read_wikitables(path: Path, rng: random.Random) -> Iterator[Group]:
    """Groups of WikiTableQuestions: the questions that name the label of one row and want another cell of it.

    Args:
        path: the table of questions; the paths in it begin in the folder above its own.
        rng: chooses among equals, and takes the row that answers away from some questions.
    """
    with path.open(encoding="utf-8", newline="") as file:
        for entry in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            with (path.parent.parent / entry["context"]).open(encoding="utf-8", newline="") as table_file:
                table = [[" ".join(cell.split()) for cell in row] for row in csv.reader(table_file, escapechar="\\")]
            row = _find_row(entry["utterance"].lower(), entry["targetValue"], table)
            if row is not None and (group := _make_group(entry["utterance"], "", table, row, rng)):
                yield group


def _find_row(question: str, answer: str, table: Sequence[Sequence[str]]) -> int | None:
    """The only row below the header of which the question has another cell than the answer; it has the answer, too."""
    named_rows = {
        position
        for position, row in enumerate(table[1:], start=1)
        if any(_has_words(question, cell.lower()) for cell in row if cell != answer)
    }
    return next(iter(named_rows)) if len(named_rows) == 1 and answer in table[min(named_rows)] else None


def _has_words(question: str, cell: str) -> bool:
    return len(cell) >= _LABEL_LETTERS and re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", question) is not None


def _make_group(
    question: str, title: str, table: Sequence[Sequence[str]], row: int, rng: random.Random
) -> Group | None:
    is_answered = rng.random() >= UNANSWERED
    answering: list[str] = []
    other_windows: list[str] = []
    for start, end in _cut_windows(table, rng):
        text = ", ".join(_row_text(table[0], table[position]) for position in range(start, end))
        window = f"{title}: {text}" if title else text
        (answering if start <= row < end else other_windows).append(window)
    wrong = choose_hard(question, other_windows, WINDOWS - is_answered, rng)
    if not wrong or not answering:
        return None
    windows = [rng.choice(answering), *wrong] if is_answered else wrong
    return Group(question=question, windows=windows, is_answered=is_answered)


def _cut_windows(table: Sequence[Sequence[str]], rng: random.Random) -> Iterator[tuple[int, int]]:
    """Rows until they have as many words as a window, or one alone: parts of documents often have one row."""
    start = 1
    while start < len(table):
        end, words, limit = start, 0, rng.choice((1, WINDOW_WORDS))
        while end < len(table) and (end == start or words < limit):
            words += len(_row_text(table[0], table[end]).split())
            end += 1
        yield start, end
        start = end


def _row_text(names: Sequence[str], cells: Sequence[str]) -> str:
    """As `headwater.quote.fragments` writes a row."""
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=False) if cell)
