"""Answers without a language model: the blocks that decide, each with its citation (ANS-4).

Belongs here: turning chosen units into cited text. Not here: choosing them (`choosing`), writing them (`rendering`).
Guarantee: every marker in an answer has a citation and every citation a marker; a citation's span is verbatim text of
the document version.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater.answering.answerer import refuse
from headwater.quote.breadcrumbs import breadcrumb_at
from headwater.answering.choosing import Choice, choose_units
from headwater.answering.comparing import Compared, compare, compare_kind, heading
from headwater.answering.events import Delta, Done, Event
from headwater.answering.evidence import Evidence
from headwater.answering.overviews import overview
from headwater.answering.reading import ReadQuestion
from headwater.quote.rendering import render
from headwater.domain.answers import Citation
from headwater.domain.places import PlaceKind, PlaceRange
from headwater.understanding.words import content_words

_WHICH = re.compile(
    r"\b(?:which|whose) ((?:[\w-]+ ){1,3}?)"
    r"(?:is|are|was|were|has|have|had|do|does|can|may|must|should|will|[a-z]+s)\b",
    re.IGNORECASE,
)
"""Finds the kind of thing: `vice president` in `Which vice president speaks at conferences?`."""
_LEAST_WORDS = 50  # that are wanted of each of several documents


class ExtractiveAnswerer:
    """Quotes the blocks that answer best."""

    name: str = "builtin/extractive"

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:
        """Yield the blocks, each followed by its marker and citation; by document if several are selected.

        A broad question is answered with summaries instead.
        """
        if evidence.summaries:
            yield from overview(evidence.summaries)
            return
        shown, evidence = evidence, evidence.widened()
        compared = compare(evidence, read) if len(evidence.filters.documents) > 1 else compare_kind(evidence)
        is_grouped = bool(compared.groups)
        limit = read.word_limit
        choices = _by_document(evidence, compared, limit) if is_grouped else _labelled(choose_units(evidence, limit))
        if not choices:
            yield from refuse(shown)
            return
        yield from compose([_with_name(choice, evidence.question) for choice in choices])
        answering = {choice.title for choice in choices}
        mute = [heading(group) for group in compared.groups if is_grouped and heading(group) not in answering]
        notes = (compared.note, f"No block decides in {', '.join(mute)}." if mute else "")
        yield Done(notes=tuple(filter(None, notes)))


def _by_document(evidence: Evidence, compared: Compared, word_limit: int) -> list[Choice]:
    """The units that answer best in each document, the first of each under its title (ANS-5)."""
    each = max(word_limit // len(compared.groups), _LEAST_WORDS)
    choices: list[Choice] = []
    for group in compared.groups:
        own = choose_units(replace(evidence, trusted=replace(evidence.trusted, kept=group)), each)
        choices += [replace(choice, title="" if number else heading(group)) for number, choice in enumerate(own)]
    return choices


def _labelled(choices: Sequence[Choice]) -> list[Choice]:
    """The units of several documents, each under its document's title: a rule of one plan is none of the other's."""
    documents = [choice.unit.stretch.chunks[0] for choice in choices]
    if len({one.document_id for one in documents}) < 2 or any(choice.title for choice in choices):
        return list(choices)
    return [
        choice
        if number and documents[number - 1].document_id == own.document_id
        else replace(choice, title=heading([own]))
        for number, (choice, own) in enumerate(zip(choices, documents, strict=True))
    ]


def _with_name(choice: Choice, question: str) -> Choice:
    """A unit under its heading, if the question asks which one of a kind, and only the heading names it.

    The item `Speaks at conferences` alone does not say which vice president does.
    """
    kind = content_words(match[1]) if (match := _WHICH.search(question)) else set()
    if not kind or kind <= content_words(choice.unit.text):
        return choice
    above = (*_breadcrumb(choice)[1:], *choice.unit.headings)
    title = choice.unit.stretch.chunks[0].title  # `_labelled` shows it where documents differ
    named = next((one for one in reversed(above) if one != title and kind < content_words(one)), "")
    return replace(choice, title=" – ".join(filter(None, (choice.title, named))))


def compose(choices: Sequence[Choice]) -> Iterator[Delta | Citation]:
    """Join units into a text with markers, numbered from 1, and yield the citation of each marker."""
    gap = ""
    for number, choice in enumerate(choices, start=1):
        marker = f"[{number}]"
        shown = render(choice.unit, choice.deciding)
        title = f"**{choice.title}**\n\n" if choice.title else ""
        yield Delta(text=f"{gap}{title}{shown.text}{' ' if shown.is_open else chr(10) * 2}{marker}")
        yield _citation(marker, choice)
        gap = "\n\n"


def _citation(marker: str, choice: Choice) -> Citation:
    unit = choice.unit
    stretch = unit.stretch
    chunk = stretch.passage_of(unit.start, unit.end) or stretch.chunk_at(unit.start)
    return Citation(
        marker=marker,
        title=chunk.title,
        uri=chunk.uri,
        source=chunk.source,
        chunk_id=chunk.chunk_id,
        document_id=chunk.document_id,
        document_version_id=chunk.document_version_id,
        breadcrumb=_breadcrumb(choice),
        start=stretch.start + unit.start,
        end=stretch.start + unit.end,
        score=choice.score,
        place=_place(choice),
    )


def _breadcrumb(choice: Choice) -> tuple[str, ...]:
    """The title and the headings above a unit."""
    stretch, start = choice.unit.stretch, choice.unit.start
    first = stretch.chunk_at(start)
    return breadcrumb_at(first.text, first.breadcrumb, stretch.start + start - first.start)


def _place(choice: Choice) -> PlaceRange | None:
    """The place of the unit; in a transcript that of what decides, so that a link opens where it is said."""
    unit = choice.unit
    place = unit.stretch.place_of(unit.start, unit.end)
    if place is not None and place.kind == PlaceKind.SECOND and choice.deciding:
        return unit.stretch.place_of(choice.deciding[0][0], choice.deciding[-1][1]) or place
    return place
