"""Turning events into a stored answer.

Belongs here: folding the events of an answer, and storing it with its evidence. Not here: making the events
(`answerer`). Guarantee: an answer is stored before it is returned, with the versions it cites and the duration of each
step; if the events break off, nothing is stored.
"""

import dataclasses
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from headwater.answering.events import Delta, Done, Event
from headwater.answering.making import Making
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
    model: str | None


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
                    text="".join(texts) if event.text is None else event.text,
                    citations=tuple(citations),
                    usage=usage,
                    reason=event.reason,
                    notes=event.notes,
                    model=event.model,
                )
    raise RuntimeError("The events of an answer ended without Done.")


def record(store: Store, making: Making) -> Answer:
    """Make an answer to its end, and store it.

    Args:
        store: the store of the knowledge base.
        making: the answer, not begun.

    Raises:
        ConflictError: a cited document was deleted meanwhile; nothing was stored.
        HeadwaterError: a step failed, as `Making.events` says; nothing was stored.
    """
    folded = fold(making.events())
    finished = time.perf_counter()
    evidence = making.evidence
    assert evidence is not None  # noqa: S101 - `fold` saw the last event
    found = evidence.found
    searched = sum(found.timings_ms.values())
    total = (finished - making.started) * 1000
    answer = Answer(
        id=making.request.id,
        knowledge_base=evidence.knowledge_base.slug,
        question=making.request.question,
        answer=folded.text,
        refused=folded.reason is not None,
        reason=folded.reason,
        citations=folded.citations,
        passages=evidence.trusted.passages,
        model=folded.model or making.answerer.name,
        usage=dataclasses.asdict(folded.usage),
        timings_ms={**found.timings_ms, "answer": round(total - searched, 1), "total": round(total, 1)},
        created_at=datetime.now(UTC),
        as_of=found.as_of,
        notes=(*found.notes, *folded.notes),
    )
    store.answers.add(evidence.knowledge_base, answer, found.embedder.model if found.embedder else "")
    return answer
