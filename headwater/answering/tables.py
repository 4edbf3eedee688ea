"""Tables that answer a question better than any sentence does.

Belongs here: finding markdown tables in passages, and choosing the rows that fit a question. Not here: quoting
sentences (`quotes`). Guarantee: pure; a table is shown but never cited, and never decides whether a question is
refused.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from headwater.answering.closest import document_name
from headwater.domain.documents import ChunkKind
from headwater.domain.search import Passage
from headwater.lexical.bm25 import mild_idf
from headwater.retrieval.words import asked_words, content_words, stem

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_ROWS = 3  # rows that are shown
_ENOUGH, _SURE = 0.5, 0.8  # share of the question's words that a row must contain: in a trusted passage, in others
_AHEAD = 0.1  # how much larger the share must be than that of the best sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table of a passage: the line with its columns, the rule below it, and its rows."""

    passage: Passage
    header: str
    rule: str
    rows: tuple[str, ...]


def table_note(
    question: str, trusted: Sequence[Passage], others: Sequence[Passage], quoted: Sequence[tuple[Passage, str]]
) -> str:
    """Show the table that fits a question best, if it fits better than every quote; otherwise return an empty text.

    Args:
        question: the question as it was asked.
        trusted: the passages to answer from.
        others: passages that are not trusted; their rows must contain nearly all words of the question.
        quoted: sentences of the answer, each with its passage.
    """
    weights = _weights(question, (*trusted, *others))
    least = max((_share(weights, _words(passage, text)) for passage, text in quoted), default=0.0) + _AHEAD
    found = [
        (share, table)
        for passages, enough in ((trusted, _ENOUGH), (others, _SURE))
        for passage in passages
        for table in find_tables(passage)
        for row in table.rows
        if (share := _share(weights, _words(passage, f"{table.header} {row}"))) >= max(enough, least)
        and weights.keys() & content_words(row, passage.language)
    ]
    if not found:
        return ""
    table = max(found, key=lambda one: one[0])[1]
    shown = sorted(table.rows, key=lambda row: -_share(weights, _words(table.passage, row)))[:_ROWS]
    lines = [table.header, table.rule, *(row for row in table.rows if row in shown)]
    return (
        f"A table in {document_name(table.passage)} fits the question; answers cannot quote tables yet:\n\n"
        + "\n".join(lines)
    )


def find_tables(passage: Passage) -> Iterator[Table]:
    """The tables of a passage of markdown, outside code."""
    if passage.kind in (ChunkKind.CODE, ChunkKind.PROSE):
        return
    lines, fence = passage.text.splitlines(), ""
    if continued := _continued(passage, lines):
        yield continued
    for number, line in enumerate(lines):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and number and _is_rule(line) and "|" in lines[number - 1]:
            rows = []
            for row in lines[number + 1 :]:
                if "|" not in row:
                    break
                rows.append(row.strip())
            yield Table(passage=passage, header=lines[number - 1].strip(), rule=line.strip(), rows=tuple(rows))


def _continued(passage: Passage, lines: Sequence[str]) -> Table | None:
    """The table that a passage begins within: its header is the last part of the breadcrumb (`chunking.markdown`)."""
    header = passage.breadcrumb[-1] if passage.breadcrumb else ""
    rows = list(takewhile(lambda line: line.startswith("|"), map(str.strip, lines)))
    if "|" not in header or not rows or any(map(_is_rule, rows[:2])):
        return None
    rule = "|" + "---|" * (header.replace("\\|", "").count("|") + 1)
    return Table(passage=passage, header=f"| {header} |", rule=rule, rows=tuple(rows))


def _is_rule(line: str) -> bool:
    return "|" in line and "-" in line and _RULE.fullmatch(line) is not None


def _weights(question: str, passages: Sequence[Passage]) -> Mapping[str, float]:
    asked = {stem(word, passage.language) for passage in passages for word in asked_words(question)}
    contexts = [content_words(f"{passage.title} {passage.text}", passage.language) for passage in passages]
    return mild_idf(asked, contexts)


def _words(passage: Passage, text: str) -> set[str]:
    above = f"{passage.title} {' '.join(passage.breadcrumb)}"
    return content_words(f"{above} {text}", passage.language)


def _share(weights: Mapping[str, float], words: set[str]) -> float:
    return sum(weight for word, weight in weights.items() if word in words) / (sum(weights.values()) or 1.0)
