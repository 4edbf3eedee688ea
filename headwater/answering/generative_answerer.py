"""Answers that a chat model writes, with the best quote beneath.

Belongs here: from evidence to the events of an answer. Not here: what the model is sent and what becomes of its reply
(`headwater.generation`), what stands in for a reply that fails (`stand_in`). Guarantee: every marker in an answer has a
citation of a passage that the model was given, or of the quote; an answer without one is a refusal.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from headwater.answering.answer_evidence import Evidence
from headwater.answering.answer_quotes import find_quotes
from headwater.answering.answer_summaries import Summarized
from headwater.answering.broad_answers import answer_broadly
from headwater.answering.compared_documents import Compared, compare, heading
from headwater.answering.events import Delta, Done, Event, Further
from headwater.answering.next_passages import chunks_of, further_passages, nearest_passages
from headwater.answering.question_reader import ReadQuestion
from headwater.answering.stand_in import decide_stand_in, stand_in
from headwater.domain.answers import Citation, Degraded, FurtherPassage
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import GenerationFailedError
from headwater.generation.disagreement import find_disagreement
from headwater.generation.leak_guard import RepeatedPromptError
from headwater.generation.pace import pace_book
from headwater.generation.prompt_messages import AnswerPrompt, answer_prompt
from headwater.generation.prompt_sources import PromptSource, sources_of_context, sources_of_quotes
from headwater.generation.quote_block import is_said, quote_block
from headwater.generation.reply import ReplyReading
from headwater.generation.support import Similarity
from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.chat_model import ChatModel, Ended, ReplyDelta, ReplyStream
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.embedder_registry import is_local
from headwater.models_gateway.model_failures import MODEL_ERRORS, find_degradation
from headwater.quote.quotes import Quote
from headwater.retrieval.context_builder import with_nearby
from headwater.settings import Settings
from headwater.spans import leaf_span
from headwater.store.store import Store


@dataclass(kw_only=True, slots=True)
class _Task:
    """One answer while it is written."""

    evidence: Evidence
    read: ReadQuestion
    compared: Compared
    quotes: list[Quote]
    summarized: Summarized
    prompt: AnswerPrompt
    reading: ReplyReading
    model: str | None = None
    """The fallback that wrote it."""
    notes: list[str] = field(default_factory=list)
    further: tuple[FurtherPassage, ...] = ()
    """The passages that were shown before the text."""

    @property
    def settings(self) -> KnowledgeBaseSettings:
        """Those of the knowledge base."""
        return self.evidence.knowledge_base.settings


class GenerativeAnswerer:
    """Has a chat model write the answer.

    Args:
        store: the store of the passages' neighbours.
        settings: says where the models are that choose quotes.
        model: writes the answer.
    """

    def __init__(self, store: Store, settings: Settings, model: ChatModel) -> None:
        self.name = model.model
        self._store = store
        self._settings = settings
        self._model = model
        self._request: ReplyStream | None = None
        self._is_cancelled = False

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:
        """Yield the answer while the model writes it; if that fails, the best quote instead.

        Raises:
            ModelUnavailableError, RateLimitedError: the model does not answer, and no quote may stand in for it.
            GenerationFailedError: its reply broke off, was empty, or repeated the prompt, and no quote may stand in.
        """
        changes = evidence.found.overview.changes
        if changes is not None and not changes.later:  # a model would tell what it was not asked for
            yield from answer_broadly(evidence, lambda _side: ())
            return
        task = self._prepare(evidence, read)
        task.further = further_passages(evidence, task.quotes, chunks_of(task.quotes[:1])) if task.quotes else ()
        if task.further:
            yield Further(passages=task.further)
        try:
            yield from self._write_reply(task)
        except MODEL_ERRORS as error:
            if self._is_cancelled or not task.quotes or not task.settings.quote_when_model_fails:
                raise
            yield from self._fail(task, error)
            return
        yield from self._finish_reply(task) if task.reading.has_support else self._decline(task)

    def cancel(self) -> None:
        """End the model's request; another thread that waits for it stops waiting."""
        self._is_cancelled = True
        if self._request is not None:
            self._request.close()

    def _prepare(self, evidence: Evidence, read: ReadQuestion) -> _Task:
        """Choose what the model is given, as much as it reads in time."""
        compared = compare(evidence, read)
        is_broad = evidence.is_broad and bool(evidence.summaries or evidence.found.overview.changes)
        quotes = [] if is_broad else find_quotes(evidence, self._settings)
        summarized = Summarized(evidence.found.overview)
        groups = () if is_broad else compared.groups

        def written(sources: Sequence[PromptSource]) -> AnswerPrompt:
            return answer_prompt(
                evidence.knowledge_base.settings,
                evidence.asked,
                sources,
                word_limit=read.word_limit,
                documents=[heading(group) for group in groups],
                instructions=read.instructions,
            )

        limit = pace_book().source_tokens(self.name, _token_count(written(())))
        sources = self._sources(evidence, summarized, [] if groups else quotes, limit)
        prompt = written(sources)
        return _Task(
            evidence=evidence,
            read=read,
            compared=compared,
            quotes=quotes,
            summarized=summarized,
            prompt=prompt,
            reading=ReplyReading(
                sources,
                evidence.asked,
                own_words=prompt.own_words,
                model=self.name,
                similarity=_similarity(evidence.embedder),
            ),
        )

    def _sources(
        self, evidence: Evidence, summarized: Summarized, quotes: Sequence[Quote], limit: int | None
    ) -> tuple[PromptSource, ...]:
        """The passages if the model reads them in time, otherwise as many quotes as it can."""
        budget = evidence.knowledge_base.settings.context_tokens
        context = summarized.context(with_nearby(self._store, evidence.model_passages), budget)
        if limit is None or context.token_count <= limit:
            return sources_of_context(context)
        if quotes:
            wide = evidence.widen()
            return sources_of_quotes(quotes, limit, (*wide.passages, *wide.nearby))
        return sources_of_context(summarized.context(with_nearby(self._store, evidence.model_passages), limit))

    def _write_reply(self, task: _Task) -> Iterator[Event]:
        """The model's reply with its citations, as far as it comes."""
        ended: Ended | None = None
        for item in self._reply(task):
            if isinstance(item, Ended):
                ended = item
                yield item.usage
            else:
                yield from self._events(task, task.reading.feed(item.text))
        if ended is None:
            raise GenerationFailedError(f"The reply of {self.name} ended before it was complete. Ask again.")
        yield from self._events(task, task.reading.end())
        task.model = ended.model if ended.model != self.name else None
        if ended.is_cut:
            limit = task.settings.answer_tokens
            task.notes.append(f"The answer reached its limit of {limit:,} tokens (answer_tokens) and breaks off.")

    def _reply(self, task: _Task) -> Iterator[ReplyDelta | Ended]:
        """The model's reply; the request ends when nobody reads it any more."""
        book, settings, tokens = pace_book(), task.settings, _token_count(task.prompt)
        request = self._model.stream(
            task.prompt.messages,
            max_tokens=settings.answer_tokens,
            temperature=settings.temperature,
            first_token_limit=book.first_token_limit(self.name, tokens),
        )
        with closing(request), leaf_span("generate", model=self.name):
            self._request = request
            if self._is_cancelled:
                return
            started_at, first = time.perf_counter(), 0.0
            for item in request:
                first = first or time.perf_counter() - started_at
                if isinstance(item, Ended) and item.model == self.name:
                    book.note(self.name, prompt_tokens=item.usage.prompt_tokens, first_token_seconds=first)
                yield item

    @staticmethod
    def _events(task: _Task, pieces: Iterator[str | Citation]) -> Iterator[Event]:
        """The events of what a reply lets out, with the citations of summaries."""
        events = (Delta(text=item) if isinstance(item, str) else item for item in pieces)
        yield from task.summarized.cited(iter(events))

    def _finish_reply(self, task: _Task) -> Iterator[Event]:
        """The quote beneath a reply, the passages that are not cited, and the end."""
        reading, evidence = task.reading, task.evidence
        quote = task.quotes[0] if task.quotes and not task.compared.groups else None
        marker = ""
        if quote is not None:
            language = quote.passage.language
            task.notes.append(find_disagreement(evidence.asked, reading.text, quote.plain or quote.text, language))
            if not is_said(quote, reading.text, reading.cited.citations):
                marker, citation = reading.cited.cite_quote(quote)
                yield Delta(text=f"\n\n{quote_block(quote, marker, is_short=True)}")
                if citation is not None:
                    yield citation
        uncited = further_passages(evidence, task.quotes, chunks_of(reading.cited.citations)) if task.quotes else ()
        if uncited != task.further:
            yield Further(passages=uncited)
        yield self._end_events(task, quote=marker)

    def _decline(self, task: _Task) -> Iterator[Event]:
        """The best quote below a reply that found no answer, or a refusal."""
        fallback = decide_stand_in(task.evidence, task.quotes, task.reading)
        if fallback.quote is None:
            if not task.reading.text:
                yield Delta(text=fallback.text)
            if nearest := nearest_passages(task.evidence, task.quotes):
                yield Further(passages=nearest)
            yield self._end_events(
                task, reason=task.evidence.refusal_reason, text=fallback.text if task.reading.text else None
            )
            return
        marker, citation = task.reading.cited.cite_quote(fallback.quote)
        text = f"{fallback.text}\n\n{quote_block(fallback.quote, marker)}"
        yield from () if task.reading.text else (Delta(text=text),)
        yield from (citation,) if citation else ()
        yield self._end_events(task, quote=marker, text=text if task.reading.text else None, degraded="declined")

    def _fail(self, task: _Task, error: Exception) -> Iterator[Event]:
        """What came so far, and the best quote."""
        task.notes.append(str(error))
        is_leak = isinstance(error, RepeatedPromptError)
        marker, citation = task.reading.cited.cite_quote(task.quotes[0])
        visible_text = "" if is_leak else task.reading.text
        text = stand_in(task.quotes[0], marker, task.evidence.language, shown=visible_text)
        if not is_leak or not task.reading.text:
            yield Delta(text=text)
        yield from (citation,) if citation else ()
        replaced = text if is_leak and task.reading.text else None
        yield self._end_events(task, quote=marker, text=replaced, degraded=find_degradation(error))

    def _end_events(
        self,
        task: _Task,
        *,
        reason: str | None = None,
        text: str | None = None,
        quote: str = "",
        degraded: Degraded | None = None,
    ) -> Done:
        is_replaced = reason is not None or text is not None
        notes = (task.compared.note, *task.notes, *(() if is_replaced else task.reading.notes()))
        return Done(
            reason=reason,
            notes=tuple(dict.fromkeys(filter(None, notes))),
            text=text,
            model=task.model,
            prompt_version=task.prompt.version,
            statements=task.reading.statements if task.reading.text and not is_replaced else (),
            quote=quote,
            degraded=degraded,
        )


def _token_count(prompt: AnswerPrompt) -> int:
    return sum(estimate_tokens(message.content) for message in prompt.messages)


def _similarity(embedder: Embedder | None) -> Similarity | None:
    """The likeness of two sentences by a model of this process; None if there is none, or a call would cost."""
    if embedder is None or not is_local(embedder.model):
        return None

    def similarity(one: str, other: str) -> float:
        vectors = embedder.embed([one, other])
        return float(vectors[0] @ vectors[1])

    return similarity
