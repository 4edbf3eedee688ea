"""The answerer's role.

Belongs here: the protocol, and the refusal that all answerers share. Not here: the answerers (`extractive`), choosing
one (`asking`). Guarantee: a refusal gives a reason and cites nothing.
"""

from collections.abc import Iterator
from typing import Protocol

from headwater.answering.closest import closest_text
from headwater.answering.events import Delta, Done, Event
from headwater.answering.evidence import NOTHING_INDEXED, NOTHING_MATCHES, NOTHING_RELEVANT, SMALL_TALK, Evidence
from headwater.answering.reading import ReadQuestion

_GREETING = "I answer questions from the documents of this knowledge base. What would you like to know about them?"
_REFUSALS = {
    NOTHING_INDEXED: (
        "This knowledge base has no documents to answer from yet. `headwater sync {}` reads its sources; if it has "
        "none, that says how to add one."
    ),
    NOTHING_MATCHES: "Nothing in this knowledge base matches the filters. Widen or drop them.",
    NOTHING_RELEVANT: "The documents of this knowledge base do not answer this question.",
    SMALL_TALK: _GREETING,
}
_PAST_REFUSALS = {
    NOTHING_INDEXED: "This knowledge base showed no such documents as of {}.",
    NOTHING_MATCHES: "Nothing that this knowledge base showed as of {} matches the filters. Widen or drop them.",
    NOTHING_RELEVANT: "The documents that this knowledge base showed as of {} do not answer this question.",
    SMALL_TALK: _GREETING,
}


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


def refusal_text(evidence: Evidence) -> str:
    """The first sentence of a refusal: why there is no answer."""
    reason, as_of = evidence.refusal_reason, evidence.found.as_of
    if as_of is None:
        return _REFUSALS[reason].format(evidence.knowledge_base.slug)
    return _PAST_REFUSALS[reason].format(as_of.isoformat())


def refuse(evidence: Evidence) -> Iterator[Event]:
    """Yield the events of a refusal, which names the documents that came closest."""
    yield Delta(text=" ".join(filter(None, (refusal_text(evidence), closest_text(evidence)))))
    yield Done(reason=evidence.refusal_reason)
