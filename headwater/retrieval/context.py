"""Building the text that a language model answers from, within a budget of tokens (RET-5).

Belongs here: which passages are used, their order, joins and headings. Not here: which are trusted
(`trust`), prompts. Guarantee: pure; the text never exceeds its budget, by `estimate_tokens`, headings included; no
character of a document occurs twice; the same passages give the same text.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest

from headwater.chunking.sentences import sentence_spans
from headwater.domain.search import Passage
from headwater.lexical.token_estimate import estimate_tokens

_SEPARATOR = "\n\n"
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextPart:
    """A span of one document version: `text` is its text from `start` to `end`, including code.

    `passages` are the passages it consists of, in document order; `number` counts from 1 and precedes it in the
    context, so that an answer can cite it.
    """

    number: int
    passages: tuple[Passage, ...]
    start: int
    end: int
    text: str

    @property
    def heading(self) -> str:
        """Its first line in the context: number, title, headings above, link."""
        first = self.passages[0]
        title = " ".join(first.title.split())
        headings = [" ".join(heading.split()) for heading in first.breadcrumb]
        columns = [first.table_header] if first.table_header else []  # a model needs them to read the rows
        path = " > ".join([title, *(headings[1:] if headings[:1] == [title] else headings), *columns])
        return f"[{self.number}] {path} ({' '.join(first.uri.split())})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """The text that a model gets; `token_count` is the estimate for the whole text."""

    text: str
    parts: tuple[ContextPart, ...]
    token_count: int


def by_document(passages: Iterable[Passage]) -> list[list[Passage]]:
    """A bucket for each document, in the passages' order."""
    return _group_passages(passages, lambda passage: passage.document_id)


def assemble(buckets: Sequence[Sequence[Passage]], budget: int) -> Context:
    """Put passages together: one from each bucket in turn, until the budget is used.

    A passage that overlaps or touches one that is already included is joined to it. A passage that does not fit is left
    out; at the end, the first of those is cut at the end of a sentence to fill the rest.

    Args:
        buckets: one for each concept, document or source, the best first; in each the best passage first. A passage may
            be in several.
        budget: tokens.
    """
    context_parts: list[ContextPart] = []
    left_out: list[Passage] = []
    for passage in _in_turn(buckets):
        joined = _join_passage(context_parts, passage)
        if _cost(joined) <= budget:
            context_parts = joined
        else:
            left_out.append(passage)
    for passage in left_out[:1]:
        context_parts = _cut_to_fit(context_parts, passage, budget)
    text = _SEPARATOR.join(f"{context_part.heading}\n{context_part.text}" for context_part in context_parts)
    return Context(text=text, parts=tuple(context_parts), token_count=_cost(context_parts))


def _group_passages(passages: Iterable[Passage], key: Callable[[Passage], Hashable]) -> list[list[Passage]]:
    buckets: dict[Hashable, list[Passage]] = {}
    for passage in passages:
        buckets.setdefault(key(passage), []).append(passage)
    return list(buckets.values())


def _in_turn(buckets: Sequence[Sequence[Passage]]) -> Iterator[Passage]:
    for turn in zip_longest(*buckets):
        yield from (passage for passage in turn if passage is not None and passage.text.strip())


def _cost(parts: Iterable[ContextPart]) -> int:
    """The tokens of all parts: estimates add up, and only white space separates parts."""
    return sum(_tokens(context_part.heading) + _tokens(context_part.text) for context_part in parts)


_tokens = lru_cache(maxsize=1024)(estimate_tokens)  # most parts are counted again with each passage that joins


def _join_passage(parts: Sequence[ContextPart], passage: Passage) -> list[ContextPart]:
    """The parts with one more passage, joined to the parts that it touches (perhaps two), or added at the end."""
    touching = [context_part for context_part in parts if _touch(context_part, passage)]
    if any(context_part.start <= passage.start and passage.end <= context_part.end for context_part in touching):
        return list(parts)
    joined = _join([passage, *(mine for touching_part in touching for mine in touching_part.passages)])
    context_parts = [
        joined if context_part in touching[:1] else context_part
        for context_part in parts
        if context_part not in touching[1:]
    ]
    context_parts = context_parts if touching else [*parts, joined]
    return [replace(context_part, number=position) for position, context_part in enumerate(context_parts, start=1)]


def _touch(part: ContextPart, passage: Passage) -> bool:
    is_same = part.passages[0].document_version_id == passage.document_version_id
    return is_same and passage.start <= part.end and part.start <= passage.end


def _join(passages: Iterable[Passage]) -> ContextPart:
    ordered = sorted(passages, key=lambda passage: (passage.start, -passage.end))
    text, end = "", ordered[0].start
    used = []
    for passage in ordered:
        if passage.end > end:
            text += passage.text[end - passage.start :]
            end = passage.end
            used.append(passage)
    return ContextPart(number=0, passages=tuple(used), start=ordered[0].start, end=end, text=text)


def _cut_to_fit(parts: list[ContextPart], passage: Passage, budget: int) -> list[ContextPart]:
    """The parts with as many sentences of a passage as fit; if it alone is too long, as many words."""

    def with_first(end: int) -> list[ContextPart]:
        text = passage.text[:end].rstrip()
        return _join_passage(parts, replace(passage, text=text, end=passage.start + len(text)))

    for ends in ([end for _, end in sentence_spans(passage.text)], [] if parts else _word_ends(passage.text)):
        fitting = bisect_right(ends, budget, key=lambda end: _cost(with_first(end)))
        if fitting and _cost(with_first(ends[fitting - 1])) <= budget:
            return with_first(ends[fitting - 1])
    return parts


def _word_ends(text: str) -> list[int]:
    return [match.end() for match in _WORD.finditer(text)]
