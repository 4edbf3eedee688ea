"""An answerer that says its words when a test lets it.

Belongs here: a fake of a model that takes its time. Not here: servers of models (`chat_server`). Guarantee: it yields
what a real one does: text, a marker with its citation, the cost, the end.
"""

import threading
from collections.abc import Iterator

from headwater.answering.answer_evidence import Evidence
from headwater.answering.answerer import Answerer
from headwater.answering.events import Delta, Done, Event
from headwater.answering.question_reader import ReadQuestion
from headwater.domain.answers import Citation
from headwater.domain.search import Passage
from headwater.domain.usage import Usage

WORDS = tuple(f"word{number} " for number in range(20))
TEXT = "".join(WORDS) + "[1]"


class Paced(Answerer):
    """Says `WORDS`, one for each `let`, then the marker of its best passage."""

    name = "toy/paced"

    def __init__(self, error: Exception | None = None, *, let: int = 0) -> None:
        """Set what it fails with at its end, and how many words it may say at once."""
        self.is_closed = threading.Event()
        self._error = error
        self._turns = threading.Semaphore(let)

    def let(self, words: int = len(WORDS) + 1) -> None:
        """Let it say more words; by default all, and the end."""
        self._turns.release(words)

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:  # noqa: ARG002 - the protocol's
        """Yield the events."""
        try:
            for word in WORDS:
                self._turns.acquire()
                yield Delta(text=word)
            self._turns.acquire()
            if self._error:
                raise self._error
            yield Delta(text="[1]")
            yield _cited(evidence.passages[0])
            yield Usage(prompt_tokens=100, completion_tokens=20, cost=0.5)
            yield Done()
        finally:
            self.is_closed.set()


def _cited(passage: Passage) -> Citation:
    return Citation(
        marker="[1]",
        title=passage.title,
        uri=passage.uri,
        source=passage.source,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_version_id=passage.document_version_id,
        breadcrumb=passage.breadcrumb,
        start=passage.start,
        end=passage.end,
        score=1.0,
    )
