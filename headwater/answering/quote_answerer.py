"""Answers without a language model: one quote (ANS-4).

Belongs here: from evidence to the events of an answer that is a quote. Not here: choosing quotes (`answer_quotes`,
`headwater.quote`), answers written by a model. Guarantee: every marker has a citation and every citation a marker; a
citation's span is verbatim text of the document version.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from headwater.answering.answer_evidence import Evidence
from headwater.answering.answer_quotes import find_quotes
from headwater.answering.broad_answers import answer_broadly
from headwater.answering.compared_documents import Compared, compare, heading
from headwater.answering.events import Done, Event, Further
from headwater.answering.next_passages import chunks_of, further_passages
from headwater.answering.question_reader import ReadQuestion
from headwater.answering.quote_text import compose
from headwater.answering.refusal import is_answered, refuse
from headwater.quote.quotes import Quote
from headwater.settings import Settings
from headwater.understanding.change_questions import since_of, tells_version
from headwater.understanding.sub_questions import find_questions
from headwater.understanding.words import content_words


class QuoteAnswerer:
    """Quotes the words that answer best; one quote for each document, if several were selected."""

    name: str = "builtin/extractive"

    def __init__(self, settings: Settings) -> None:
        """Take the settings, which say where the local model is."""
        self._settings = settings

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:
        """Yield the quote with its citation; a broad question is answered from summaries and names instead."""
        if evidence.is_broad:
            is_any = False
            for event in answer_broadly(evidence, lambda side: self._quotes_of(evidence, side)):
                is_any = True
                yield event
            if is_any:
                return
        compared = compare(evidence, read) if len(evidence.filters.documents) > 1 else Compared()
        quotes = find_quotes(evidence, self._settings)
        shown_quotes = self._by_document(evidence, compared) if compared.groups else self._by_question(evidence, quotes)
        if not shown_quotes:
            yield from refuse(evidence, quotes)
            return
        if further := further_passages(evidence, [*shown_quotes, *quotes], chunks_of(shown_quotes)):
            yield Further(passages=further)
        yield from compose(shown_quotes)
        answering = {quote.passage.document_id for quote in shown_quotes}
        mute = [heading(group) for group in compared.groups if group[0].document_id not in answering]
        notes = (compared.note, f"Nothing in {', '.join(mute)} answers the question." if mute else "")
        yield Done(notes=tuple(filter(None, notes)))

    def _by_question(self, evidence: Evidence, quotes: Sequence[Quote]) -> list[Quote]:
        """The best quote, or the best one of each of several questions; none if it is not likely to answer.

        What a version changed is only said where it is named, and when it was released where a date stands beside it.
        """
        questions = find_questions(evidence.found.understanding)
        since = since_of(evidence.question)
        if since is not None and since.scope in ("in", "released"):
            quotes = [quote for quote in quotes if tells_version(" ".join((*quote.headings, quote.plain)), since)]
        if len(questions) < 2:
            return list(quotes[:1]) if is_answered(evidence, quotes) else []
        best = [quote for question in questions for quote in find_quotes(evidence, self._settings, question)[:1]]
        return list({(quote.passage.document_version_id, quote.start, quote.end): quote for quote in best}.values())

    def _quotes_of(self, evidence: Evidence, side: str) -> Sequence[Quote]:
        """The quotes about one side of a comparison, which name it; none if the best is not likely to be about it."""
        side_evidence, side_words = evidence.load_other(side), content_words(side)
        quotes = find_quotes(side_evidence, self._settings)
        fitting = [
            quote
            for quote in quotes
            if not quote.text.startswith("```")
            and side_words <= content_words(" ".join((*quote.headings, quote.passage.text)))
        ]
        return fitting if is_answered(side_evidence, fitting) else ()

    def _by_document(self, evidence: Evidence, compared: Compared) -> list[Quote]:
        """The best quote of each selected document (ANS-5)."""
        quotes: list[Quote] = []
        for group in compared.groups:
            group_evidence = replace(evidence, trusted=replace(evidence.trusted, kept=group), load_further=tuple)
            quotes += find_quotes(group_evidence, self._settings)[:1]
        return quotes
