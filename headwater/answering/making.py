"""Making one answer, step by step.

Belongs here: the order of the steps, and their results. Not here: the steps (`reading`, `evidence`, `answerer`),
storing the answer (`record`). Guarantee: each step is announced by an event; nothing is stored here.
"""

import time
from collections.abc import Iterator

from headwater.answering.answerer import Answerer, refuse
from headwater.answering.events import Event, Sources, Status
from headwater.answering.evidence import Evidence, gather_evidence
from headwater.answering.reading import ReadQuestion, read_question
from headwater.answering.request import AnswerRequest
from headwater.settings import Settings
from headwater.store.store import Store


class Making:
    """One answer while it is made; `read` and `evidence` are set once their steps are over."""

    def __init__(self, store: Store, settings: Settings, request: AnswerRequest, answerer: Answerer) -> None:
        self.request = request
        self.answerer = answerer
        self.started = time.perf_counter()
        self.read: ReadQuestion | None = None
        self.evidence: Evidence | None = None
        self._store = store
        self._settings = settings

    def events(self) -> Iterator[Event]:
        """Make the answer; yields what happens.

        Raises:
            InvalidInputError: a filter names an unknown source, or the time is in the future.
            NoDocumentsError, ProcessingIncompleteError: there is nothing to answer from.
            ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed.
        """
        yield Status(stage="understanding")
        self.read = read_question(self._settings, self.request)
        yield self.read.usage
        yield Status(stage="searching")
        evidence = self.evidence = gather_evidence(
            self._store,
            self._settings,
            self.request.knowledge_base,
            self.read.search_text,
            self.request.filters,
            as_of=self.request.as_of,
        )
        yield Sources(passages=evidence.passages)
        yield Status(stage="answering")
        yield from self.answerer.answer(evidence, self.read) if evidence.passages else refuse(evidence)
