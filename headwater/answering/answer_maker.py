"""Making one answer, step by step.

Belongs here: the order of the steps, and their results. Not here: the steps (`question_reader`, `answer_evidence`,
`answerer`), storing the answer (`record`). Guarantee: each step is announced by an event; nothing is stored here.
"""

import time
from collections.abc import Generator

from headwater.answering.answer_evidence import Evidence, gather_evidence, no_evidence
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerer import Answerer, Cancellable
from headwater.answering.clarification import ask_which
from headwater.answering.corpus_readiness import require_documents
from headwater.answering.events import Event, Sources, Status
from headwater.answering.passage_grades import grade_evidence
from headwater.answering.question_reader import ReadQuestion, finish_reading, read_question
from headwater.answering.refusal import refuse
from headwater.answering.reuse import Lookup, find_reusable
from headwater.answering.turn_evidence import search_turn
from headwater.domain.answers import StoredAnswer
from headwater.models_gateway.cancellation import Cancellation
from headwater.settings import Settings
from headwater.store.store import Store


class AnswerMaker:
    """One answer while it is made; `lookup`, `read` and `evidence` are set once their steps are over."""

    def __init__(self, store: Store, settings: Settings, request: AnswerRequest, answerer: Answerer) -> None:
        self.request = request
        self.answerer = answerer
        self.started = time.perf_counter()
        self.lookup: Lookup | None = None
        self.read: ReadQuestion | None = None
        self.evidence: Evidence | None = None
        self._store = store
        self._settings = settings
        self._closing = Cancellation()  # of calls of the cheap model

    @property
    def is_begun(self) -> bool:
        """Whether it is known that no stored answer serves the request."""
        return self.lookup is not None and self.lookup.kept is None

    @property
    def waits_for_model(self) -> bool:
        """Whether it is made by a chat model, and so takes seconds."""
        return isinstance(self.answerer, Cancellable)

    def find_reusable(self) -> StoredAnswer | None:
        """The stored answer that serves the request; None if it must be made."""
        self.lookup = find_reusable(self._store, self._settings, self.request)
        return self.lookup.kept

    def events(self) -> Generator[Event]:
        """Make the answer; yields what happens. Closing the iterator ends the request of a model.

        Raises:
            InvalidInputError: a filter names an unknown source, or the time is in the future.
            NoDocumentsError, ProcessingIncompleteError: there is nothing to answer from.
            ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed.
        """
        if self.lookup is None:
            self.find_reusable()
        yield Status(stage="understanding")
        self.read = read_question(self._settings, self.request, self._closing)
        if self.read.is_small_talk:
            self.evidence = no_evidence(self.request.knowledge_base, self.request.question, as_of=self.request.as_of)
            yield Sources(passages=())
            yield from refuse(self.evidence)
            return
        yield Status(stage="searching")
        turn = search_turn(self._search, self.read)
        self.read, self.evidence = turn.read, turn.evidence
        require_documents(self._store, self.evidence)
        self.read = finish_reading(self.read)
        yield self.read.usage
        if turn.readings and self.request.knowledge_base.settings.store_questions:  # the answer repeats the question
            yield from ask_which(self.evidence, turn.readings)
            return
        if self.request.knowledge_base.settings.cheap_model:
            yield Status(stage="grading")
            self.evidence, usage = grade_evidence(self._settings, self.evidence, self._closing)
            yield usage
        evidence = self.evidence
        yield Sources(passages=evidence.passages)
        yield Status(stage="answering")
        overview = evidence.found.overview
        has_any = evidence.passages or evidence.summaries or overview.changes or overview.sections
        yield from self.answerer.answer(evidence, self.read) if has_any else refuse(evidence)

    def cancel(self) -> None:
        """End the requests of models; any thread may call this."""
        self._closing.close()
        if isinstance(self.answerer, Cancellable):
            self.answerer.cancel()

    def _search(self, read: ReadQuestion) -> Evidence:
        lookup = self.lookup if read.search_text == self.request.question else None
        index = self._store.search_indexes.active(self.request.knowledge_base.slug)
        is_same = lookup is not None and index is not None and lookup.index_id == index.id
        return gather_evidence(
            self._store,
            self._settings,
            self.request.knowledge_base,
            read.search_text,
            self.request.filters,
            as_of=self.request.as_of,
            mode=self.request.mode,
            index=index,
            vector=lookup.identity.question_vector if lookup and is_same else None,
            concept_model=read.concepts,
            unsaid=read.unsaid,
            spoken_of=read.spoken_of,
        )
