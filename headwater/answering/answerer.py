"""The answerer's role.

Belongs here: the protocol, and the refusal that all answerers share. Not here: the answerers (`quote_answerer`,
`generative_answerer`), choosing one (`answerers`). Guarantee: a refusal gives a reason and cites nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from headwater.answering.answer_evidence import SMALL_TALK, Evidence
from headwater.answering.closest_passages import closest_text
from headwater.answering.events import Delta, Done, Event, Further
from headwater.answering.next_passages import nearest_passages
from headwater.answering.question_reader import ReadQuestion
from headwater.quote.quotes import Quote
from headwater.retrieval.model_languages import sure_language
from headwater.understanding.reader_texts import GREETING, PAST_REFUSAL, REFUSAL, reader_text


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


def refusal_text(evidence: Evidence) -> str:
    """The first sentence of a refusal: why there is no answer, in the question's language."""
    language = sure_language(evidence.found.understanding)
    if evidence.refusal_reason == SMALL_TALK:
        return reader_text(GREETING, language)
    as_of = evidence.found.as_of
    if as_of is None:
        return reader_text(REFUSAL, language)
    return reader_text(PAST_REFUSAL, language, time=as_of.isoformat())


def refuse(evidence: Evidence, quotes: Sequence[Quote] = ()) -> Iterator[Event]:
    """Yield the events of a refusal, which names the documents that came closest, and shows the nearest passages."""
    if nearest := nearest_passages(evidence, quotes):
        yield Further(passages=nearest)
    yield Delta(text=" ".join(filter(None, (refusal_text(evidence), closest_text(evidence)))))
    yield Done(reason=evidence.refusal_reason)
