"""Turning events into a stored answer.

Belongs here: folding the events of an answer, and storing it with its evidence. Not here: making the events
(`answerer`). Guarantee: an answer is stored before it is returned, with the versions it cites and the duration of each
step; if the events break off, nothing is stored.
"""

import dataclasses
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from headwater.answering.events import Delta, Done, Event
from headwater.answering.evidence import Evidence
from headwater.domain.answers import Answer, Citation
from headwater.domain.usage import Usage
from headwater.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Folded:
    """The result of an answer's events."""

    text: str
    citations: tuple[Citation, ...]
    usage: Usage
    reason: str | None
    notes: tuple[str, ...]


def fold(events: Iterable[Event]) -> Folded:
    """Combine the events of an answer.

    Raises:
        RuntimeError: they ended without `Done`.
    """
    texts, citations, usage = [], [], Usage()
    for event in events:
        match event:
            case Delta():
                texts.append(event.text)
            case Citation():
                citations.append(event)
            case Usage():
                usage += event
            case Done():
                return Folded(
                    text="".join(texts),
                    citations=tuple(citations),
                    usage=usage,
                    reason=event.reason,
                    notes=event.notes,
                )
    raise RuntimeError("The events of an answer ended without Done.")


def record(store: Store, evidence: Evidence, model: str, events: Iterable[Event]) -> Answer:
    """Store the answer that events make.

    Args:
        store: the store of the knowledge base.
        evidence: the evidence for the answer.
        model: the name of the answerer.
        events: the events of an answerer, or of a refusal; they are processed as they arrive.

    Raises:
        ConflictError: a cited document was deleted meanwhile; nothing was stored.
        ModelUnavailableError: the answerer's model does not answer; nothing was stored.
    """
    searched = time.perf_counter()
    folded = fold(events)
    finished = time.perf_counter()
    found = evidence.found
    answer = Answer(
        id=uuid.uuid4(),
        knowledge_base=evidence.knowledge_base.slug,
        question=evidence.question,
        answer=folded.text,
        refused=folded.reason is not None,
        reason=folded.reason,
        citations=folded.citations,
        passages=evidence.trusted.passages,
        model=model,
        usage=dataclasses.asdict(folded.usage),
        timings_ms={
            **found.timings_ms,
            "answer": round((finished - searched) * 1000, 1),
            "total": round((finished - evidence.started) * 1000, 1),
        },
        created_at=datetime.now(UTC),
        as_of=found.as_of,
        notes=(*found.notes, *folded.notes),
    )
    store.answers.add(evidence.knowledge_base, answer, found.embedder.model if found.embedder else "")
    return answer
