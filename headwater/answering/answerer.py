"""The answerer's role.

Belongs here: the protocol. Not here: the answerers (`quote_answerer`, `generative_answerer`), choosing one
(`answerers`), refusing (`refusal`). Guarantee: none; answerers keep what the protocol says.
"""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from headwater.answering.answer_evidence import Evidence
from headwater.answering.events import Event
from headwater.answering.question_reader import ReadQuestion


class Answerer(Protocol):
    """Makes an answer from evidence."""

    name: str
    """Stored with each answer: `builtin/…`, or `provider/model`."""

    def answer(self, evidence: Evidence, read: ReadQuestion) -> Iterator[Event]:
        """Yield the answer's events while it is made.

        Args:
            evidence: a question with at least one usable passage. An answerer that finds no answer in the passages
                yields the events of a refusal.
            read: what is known about the question: the kind and length of answer that it wants.

        Raises:
            ModelUnavailableError, RateLimitedError, GenerationFailedError: the model failed; then nothing is stored.
        """
        ...


@runtime_checkable
class Cancellable(Protocol):
    """An answerer that waits for a model."""

    def cancel(self) -> None:
        """End the model's request; another thread that waits for it stops waiting."""
        ...
