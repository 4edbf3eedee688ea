"""The answer to a broad question without a chat model (SUM-4).

Belongs here: what such an answer says, and in which order. Not here: what answers it
(`headwater.retrieval.broad_summaries`), what changed (`change_list`), citations of summaries (`answer_summaries`).
Guarantee: every line that says something has a citation; titles and sentences are those of the documents; at most about
`WORDS` words, unless the names of a list need more.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from headwater.answering.answer_evidence import Evidence
from headwater.answering.answer_summaries import (
    SummaryWriting,
    cut_words,
    distinguish_titles,
    first_sentence,
    plain_text,
    plain_title,
    summary_title,
    translate_frame,
    without_title,
)
from headwater.answering.change_list import list_changes
from headwater.answering.events import Delta, Done, Event
from headwater.answering.quote_text import compose
from headwater.domain.plurals import pluralize
from headwater.domain.search import Passage
from headwater.domain.summaries import SECTIONS, RankedSummary
from headwater.quote.citation import cite_part
from headwater.quote.inline_cleanup import clean_inline
from headwater.quote.quotes import Quote
from headwater.retrieval.broad_summaries import Overview
from headwater.retrieval.introductions import Introduction
from headwater.retrieval.members import Family
from headwater.retrieval.parts import Part
from headwater.retrieval.section_lists import SectionList
from headwater.understanding.reader_texts import (
    DOCUMENTS,
    IN_PARTS,
    MORE,
    NOTHING,
    OTHERS,
    SUCH_AS,
    WITHIN,
    has_texts,
    reader_text,
)
from headwater.understanding.words import content_words

WORDS = 150
"""About how many words an answer has."""
_OF_SIDE = 55  # words of each side of a comparison
_OF_LINE = 18  # words about a document in a list without parts
_OF_INTRODUCTION, _OF_TITLE = 40, 5  # words of the introduction, and of a title among others
_MAX_SMALLER = 10
_MIN_TITLE_WORDS = 4
_NUMBER = re.compile(r"^(\d{1,9})([.)])(?=\s)")

FindQuotes = Callable[[str], Sequence[Quote]]
"""The quotes that answer a part of the question, best first; none if none is likely to."""


def answer_broadly(evidence: Evidence, find_quotes: FindQuotes) -> Iterator[Event]:
    """Yield the answer to a broad question; nothing if what was found does not answer it.

    Args:
        evidence: of the question.
        find_quotes: finds what a side of a comparison says, where no document is called so.
    """
    overview, language = evidence.found.overview, evidence.language
    if overview.kind == "whole":
        events = _whole(evidence.knowledge_base.description, overview, language)
    elif overview.kind == "changes" and overview.changes is not None:
        events = list_changes(overview.changes, words=WORDS)
    elif overview.family is not None:
        events = _list_members(overview.family, overview, language)
    elif overview.sections is not None:
        events = _list_sections(overview.sections, language)
    elif overview.kind == "comparison":
        events = _compare_sides(overview, find_quotes, evidence.passages, language)
    else:
        events = _summaries(overview.summaries, language)
    is_any = False
    for event in events:
        is_any = True
        yield event
    if is_any:
        yield Done()


def _whole(description: str, overview: Overview, language: str) -> Iterator[Event]:
    """What it is about, how many documents there are, and its parts."""
    writing = SummaryWriting()
    if description:
        yield Delta(text=f"{plain_text(description)}\n\n")
    elif overview.introduction is not None:
        yield from _quote_introduction(overview.introduction, writing.take())
    elif overview.introducing is not None:
        introduction = _body(overview.introducing).partition(f" {SECTIONS}")[0]
        if content_words(introduction) - content_words(overview.introducing.title):
            yield Delta(text=f"{cut_words(introduction, _OF_INTRODUCTION)} ")
            yield from writing.cite(overview.introducing)
            yield Delta(text="\n\n")
    count = sum(section.count for section in overview.parts)
    top = overview.summaries[0] if overview.summaries else None
    sections = [section for section in overview.parts if section.label]
    said_parts = reader_text(IN_PARTS if sections else SUCH_AS, language)
    yield Delta(text=f"{_count_documents(count, language, images=overview.image_count)}{said_parts} ")
    if top is not None:
        yield from writing.cite(top)
    yield Delta(text=":\n")
    sources = {summary.source: summary for summary in overview.summaries[1:]}
    for section in overview.parts:
        yield from _part(section, overview, writing, sources.get(section.label), language)


def _count_documents(count: int, language: str, *, images: int = 0) -> str:
    """How many documents there are, in a language; in English also how many of these are images."""
    of_images = f" and {pluralize(images, 'image')}" if images else ""
    english = f"{pluralize(count, 'document')}{of_images}"
    return reader_text(DOCUMENTS, language, documents=f"{count + images:,}" if has_texts(language) else english)


def _quote_introduction(introduction: Introduction, number: int) -> Iterator[Event]:
    """The sentence that introduces everything, with the citation of its place."""
    marker = f"[{number}]"
    yield Delta(text=f"{plain_text(clean_inline(introduction.text))} {marker}")
    yield cite_part(introduction.passage, marker, introduction.start, introduction.end, score=1.0)
    yield Delta(text="\n\n")


def _part(
    part: Part, overview: Overview, writing: SummaryWriting, source: RankedSummary | None, language: str
) -> Iterator[Event]:
    summaries = [overview.shown[id_] for id_ in part.shown if id_ in overview.shown]
    is_all = not any(section.label for section in overview.parts)
    words_per_title = WORDS if is_all else _OF_TITLE
    titles = distinguish_titles(
        summaries, [cut_words(summary_title(summary), words_per_title) for summary in summaries]
    )
    if is_all:
        for summary, title in zip(summaries, titles, strict=True):
            line = cut_words(first_sentence(_body(summary, language)), _OF_LINE)
            yield Delta(text=f"\n- **{title}**{f': {line}' if line else ''} ")
            yield from writing.cite(summary)
        return
    yield Delta(text=f"\n- **{plain_title(part.label) or reader_text(OTHERS, language)}** ({part.count:,})")
    if part.smaller:
        names = ", ".join(map(plain_title, part.smaller[:_MAX_SMALLER]))
        yield Delta(text=f"{reader_text(WITHIN, language)}{names}{', …' if len(part.smaller) > _MAX_SMALLER else ''}")
    if source is not None:
        yield Delta(text=" ")
        yield from writing.cite(source)
    for place, (summary, title) in enumerate(zip(summaries, titles, strict=True)):
        yield Delta(text=f"{'; ' if place else ': '}{title} ")
        yield from writing.cite(summary)
    yield Delta(text="; …" if len(summaries) < part.count else "")


def _list_members(family: Family, overview: Overview, language: str) -> Iterator[Event]:
    """The members of a family, each with its citation, and how many more there are."""
    count = len(family.members)
    family_words = f"{reader_text(WITHIN, language)}{plain_title(family.label)}" if family.label else ""
    yield Delta(text=f"**{_count_documents(count, language)}**{family_words}:\n")
    writing = SummaryWriting()
    titles = [summary_title(summary) for summary in overview.summaries]
    is_long = sum(len(title.split()) for title in titles) > WORDS
    words_per_title = max(_MIN_TITLE_WORDS, WORDS // max(1, len(titles))) if is_long else WORDS
    titles = distinguish_titles(overview.summaries, [cut_words(title, words_per_title) for title in titles])
    for summary, title in zip(overview.summaries, titles, strict=True):
        yield Delta(text=f"\n- {_as_item(title)} ")
        yield from writing.cite(summary)
    if count > len(titles):
        yield Delta(text=f"\n\n{reader_text(MORE, language, count=f'{count - len(titles):,}')}")


def _as_item(title: str) -> str:
    """A title as an item of a list: one that begins with "15. " would open a list of its own."""
    return _NUMBER.sub(r"\1\\\2", title)


def _list_sections(sections: SectionList, language: str) -> Iterator[Event]:
    """What stands below a heading, each with its citation, and how much more there is."""
    path = " › ".join(map(plain_title, sections.headings))
    count = f"{sections.count:,}" if has_texts(language) else pluralize(sections.count, sections.unit)
    yield Delta(text=f"**{count}**{reader_text(WITHIN, language)}{path}:\n")
    words_per_member = max(_MIN_TITLE_WORDS, min(_OF_LINE, WORDS // len(sections.members)))
    for number, member in enumerate(sections.members, start=1):
        marker = f"[{number}]"
        name = clean_inline(member.text) if sections.unit == "item" else member.text
        text = _as_item(cut_words(plain_title(name), words_per_member))
        yield Delta(text=f"\n- {text} {marker}")
        yield cite_part(member.passage, marker, member.start, member.end, score=1.0)
    if sections.count > len(sections.members):
        yield Delta(text=f"\n\n{reader_text(MORE, language, count=f'{sections.count - len(sections.members):,}')}")


def _compare_sides(
    overview: Overview, find_quotes: FindQuotes, passages: Sequence[Passage], language: str
) -> Iterator[Event]:
    """Yield each side with its citation, or that nothing is said about it.

    Yields nothing if that holds for both, or if passages speak of a side that is missing: then these may answer.
    """
    quotes = {side: list(find_quotes(side))[:1] for side, summary in overview.sides if summary is None}
    missing_sides = [side for side, side_quotes in quotes.items() if not side_quotes]
    texts = [content_words(passage.text) for passage in passages]
    if len(missing_sides) == len(overview.sides) or any(
        side_words and side_words <= text for side_words in map(content_words, missing_sides) for text in texts
    ):
        return
    side_words = set().union(*(content_words(side) for side, _ in overview.sides))
    complete_quote = next(
        (quote for side_quotes in quotes.values() for quote in side_quotes if side_words <= content_words(quote.text)),
        None,
    )
    chunk_ids = {quote.passage.chunk_id for side_quotes in quotes.values() for quote in side_quotes}
    if complete_quote is not None and not overview.summaries and len(chunk_ids) == 1:  # it says what is different
        yield from compose([complete_quote])
        return
    writing, gap = SummaryWriting(), ""
    for side, summary in overview.sides:
        yield Delta(text=gap)
        gap = "\n\n"
        if summary is not None:
            body = _body(summary).partition(f" {SECTIONS}")[0]  # that both have sections is no difference
            yield Delta(text=f"**{summary_title(summary)}**\n\n{cut_words(translate_frame(body, language), _OF_SIDE)} ")
            yield from writing.cite(summary)
        elif quotes[side]:
            yield from compose(quotes[side], first=writing.take())
        else:
            yield Delta(text=reader_text(NOTHING, language, thing=plain_title(side)))


def _summaries(summaries: Sequence[RankedSummary], language: str) -> Iterator[Event]:
    """Each summary below its title."""
    writing = SummaryWriting()
    words_per_summary = WORDS // max(1, len(summaries))
    for index, summary in enumerate(summaries):
        gap = "\n\n" if index else ""
        yield Delta(
            text=f"{gap}**{summary_title(summary)}**\n\n{cut_words(_body(summary, language), words_per_summary)} "
        )
        yield from writing.cite(summary)


def _body(summary: RankedSummary, language: str = "") -> str:
    return translate_frame(plain_text(without_title(summary.text, summary.title)), language)
