"""Asking a reader which of two questions a turn means (RET-4).

Belongs here: the events of the answer that asks. Not here: whether to ask, and the two questions (`turn_evidence`), the
sentence in each language (`headwater.understanding.reader_texts`). Guarantee: both questions stand alone when they are
asked next in the same conversation, because the answer quotes them (`read_turn`).
"""

from collections.abc import Iterator, Sequence

from headwater.answering.answer_evidence import Evidence
from headwater.answering.events import Delta, Done, Event, Sources
from headwater.understanding.reader_texts import WHICH, reader_text

UNCLEAR = "unclear"
"""The reason of an answer that asks which question is meant."""


def ask_which(evidence: Evidence, readings: Sequence[str]) -> Iterator[Event]:
    """Yield the events of an answer that asks.

    Args:
        evidence: of one of the readings, whose language is the reader's.
        readings: the two questions that may be meant.
    """
    first, second = readings
    language = evidence.language
    yield Sources(passages=())
    yield Delta(text=reader_text(WHICH, language, first=first, second=second))
    yield Done(reason=UNCLEAR, readings=(first, second))
