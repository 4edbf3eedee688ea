"""The results: the file that a person reads, and the table.

Belongs here: writing and reading lines of results, sums, the table. Not here: marks (`attempts`). Guarantee: a result
is in the file before the next question is asked.
"""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, median

from bench.exam.attempts import Outcome, Result

_NONE = "–"
_LABEL_WIDTH = 20
_LEGEND_WIDTH = 120
_COLUMNS: tuple[tuple[str, int], ...] = (
    ("asked", 6), ("right", 6), ("wrong", 6), ("refused", 8), ("errors", 7), ("in all", 7), ("no answer", 10),
    ("words", 6), ("all words", 10), ("cited", 8), ("page", 7), ("prompt", 7), ("reply", 6), ("first s", 8),
    ("end s", 7),
)  # fmt: skip
LEGEND = (
    "right, wrong, refused, errors: of the questions that have an answer; right for a variant without a model: in its "
    "first quote, and `in all` in its whole text. no answer: refusals of questions without an answer. words: median of "
    "the judged text, and of the whole. cited: citations of right answers that lead to the truth; page: right answers "
    "that cite a file with the truth. prompt, reply: mean tokens. first s, end s: median seconds to the first text and "
    "to the end."
)


class ResultFile:
    """A file of results that grows, one line of JSON each; without a path, results are kept in memory alone."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._results = list(_read(path)) if path is not None and path.exists() else []
        self._keys = {result.key for result in self._results}

    def has(self, variant: str, model: str, kb: str, question: str) -> bool:
        """Whether an earlier run asked this already."""
        return (variant, model, kb, question) in self._keys

    def add(self, result: Result) -> None:
        """Keep a result."""
        self._results.append(result)
        self._keys.add(result.key)
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(result.to_json() + "\n")

    def select(self, wanted: Callable[[Result], bool]) -> list[Result]:
        """Some of the results, in the order in which they came."""
        return [result for result in self._results if wanted(result)]


def _read(path: Path) -> Iterator[Result]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield Result.from_json(line)


def table(results: Sequence[Result]) -> str:
    """The figures of each half, and below it of each knowledge base, a line per variant.

    Args:
        results: those of one model.
    """
    lines = [*textwrap.wrap(LEGEND, _LEGEND_WIDTH), ""]
    lines += [f"model: {model}" for model in dict.fromkeys(result.model for result in results) if model]
    head = "".join(f"{name:>{width}}" for name, width in _COLUMNS)
    for half in dict.fromkeys(result.half for result in results):
        own = [result for result in results if result.half == half]
        lines += ["", f"{half:{_LABEL_WIDTH}}{head}", *_lines(own, "")]
        for kb in dict.fromkeys(result.kb for result in own):
            lines += [f"  {kb}", *_lines([result for result in own if result.kb == kb], "    ")]
    return "\n".join(lines)


def _lines(results: Sequence[Result], indent: str) -> Iterator[str]:
    for variant in dict.fromkeys(result.variant for result in results):
        cells = figures([result for result in results if result.variant == variant])
        aligned = [f"{cell:>{width}}" for (_, width), cell in zip(_COLUMNS, cells, strict=True)]
        yield f"{indent + variant:{_LABEL_WIDTH}}" + "".join(aligned)


def figures(results: Sequence[Result]) -> list[str]:
    """The cells of a line, in the order of the columns."""
    answerable = [result for result in results if result.is_answerable]
    others = [result for result in results if not result.is_answerable]
    answered = [result for result in results if result.words]
    right = [result for result in answerable if result.outcome == "right"]
    replied = [result for result in results if not result.error]
    return [
        str(len(answerable)),
        *(str(_count(answerable, outcome)) for outcome in ("right", "wrong", "refused", "error")),
        str(sum(result.is_right_in_all for result in answerable)),
        _share(_count(others, "refused"), len(others)),
        _number(median, (result.words for result in answered), 0),
        _number(median, (result.words_in_all for result in answered), 0),
        _share(sum(result.right_citations for result in right), sum(result.citations for result in right)),
        _share(sum(result.has_right_page for result in right), len(right)),
        _number(fmean, (result.prompt_tokens for result in replied), 0),
        _number(fmean, (result.completion_tokens for result in replied), 0),
        _number(median, _first_texts(replied), 2),
        _number(median, (result.seconds for result in results), 2),
    ]


def _first_texts(results: Sequence[Result]) -> Iterator[float]:
    return (result.first_text_seconds for result in results if result.first_text_seconds is not None)


def _count(results: Sequence[Result], outcome: Outcome) -> int:
    return sum(result.outcome == outcome for result in results)


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole}" if whole else _NONE


def _number(average: Callable[[list[float]], float], values: Iterable[float], digits: int) -> str:
    found = list(values)
    return f"{average(found):.{digits}f}" if found else _NONE
