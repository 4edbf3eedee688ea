"""Turning events into a stored answer.

Belongs here: the answer of the events so far with its evidence, and storing it. Not here: making the events
(`answer_maker`), answers that are followed while they grow (`answer_task`). Guarantee: an answer is stored before it is
returned, with the versions it cites and the cost and duration of each step; if the events break off, `record` stores
nothing.
"""

import dataclasses
import time
from datetime import UTC, datetime
from typing import Any

from headwater.answering.answer_assembly import AssembledAnswer, fold
from headwater.answering.answer_maker import AnswerMaker
from headwater.domain.answers import Answer, AnswerState
from headwater.domain.corpus import Lineage
from headwater.errors import CancelledError, HeadwaterError
from headwater.store.store import Store
from headwater.store.work.answer_reuse import AnswerIdentity


def record(store: Store, making: AnswerMaker, *, ahead: Lineage | None = None) -> Answer:
    """Make an answer to its end, and store it.

    Args:
        store: the store of the knowledge base.
        making: the answer, not begun.
        ahead: the run that makes it before anybody asks; None if somebody did.

    Raises:
        ConflictError: a cited document was deleted meanwhile; nothing was stored.
        HeadwaterError: a step failed, as `AnswerMaker.events` says; nothing was stored.
    """
    answer = answer_of(making, fold(making.events()))
    with store.database.together():  # a process that is killed leaves no answer that seems to be a reader's
        if not store_answer(store, making, answer):
            raise CancelledError("The answer was cancelled while it was made. Ask again.")
        if ahead is not None:
            store.suggestions.put_ahead(answer.id, ahead)
    return answer


def store_answer(
    store: Store,
    making: AnswerMaker,
    answer: Answer,
    *,
    cited: int = 0,
    is_stored: bool = False,
    has_passages: bool = False,
) -> bool:
    """Store an answer that was made, or that still grows.

    Args:
        store: the store of the knowledge base.
        making: how it is made.
        answer: the answer.
        cited: how many of its citations are stored already.
        is_stored: whether its row is stored already.
        has_passages: whether it still grows, and its passages are stored already.

    Returns:
        False if the stored answer has ended, such as by a cancellation; then nothing was stored.

    Raises:
        ConflictError, NotFoundError: a cited document, the knowledge base or the stored row was deleted; nothing was
            stored.
    """
    embedder = making.evidence.found.embedder if making.evidence else None
    model = embedder.model if embedder else ""
    if has_passages:
        return store.answers.grow(answer, model, cited=cited)
    identity = making.lookup.identity if making.lookup else AnswerIdentity()
    if not _may_serve(answer, making):
        identity = dataclasses.replace(identity, request_hash=None, options_hash=None, question_vector=None)
    return store.answers.put(making.request.knowledge_base, answer, model, identity, cited=cited, is_stored=is_stored)


def _may_serve(answer: Answer, making: AnswerMaker) -> bool:
    """Whether it may be served again. The others are not in the indexes that are searched, however many there are.

    If a fallback made it, or a quote stands in for the model, the model itself may do so next time.
    """
    has_ended_well = answer.state in ("generating", "done") and not answer.refused and answer.degraded is None
    return has_ended_well and answer.model == making.answerer.name


def answer_of(
    making: AnswerMaker, folded: AssembledAnswer, state: AnswerState = "done", error: HeadwaterError | None = None
) -> Answer:
    """The answer that events make.

    Args:
        making: how it is made.
        folded: its events so far.
        state: what has become of it.
        error: why it failed.
    """
    evidence, read = making.evidence, making.read
    result = evidence.found if evidence else None
    is_told = making.request.knowledge_base.settings.store_questions
    now = datetime.now(UTC)
    return Answer(
        id=making.request.id,
        knowledge_base=making.request.knowledge_base.slug,
        question=making.request.question if is_told else "",
        answer=folded.text,
        refused=folded.reason is not None,
        reason=folded.reason,
        citations=folded.citations,
        summaries=folded.summaries,
        passages=evidence.trusted.passages if evidence else (),
        model=folded.model or making.answerer.name,
        usage=_usage(making, folded),
        timings_ms=_timings(making, folded),
        created_at=now,
        as_of=result.as_of if result else making.request.as_of,
        notes=(*(read.notes if read else ()), *(result.notes if result else ()), *folded.notes),
        state=state,
        saved_at=None if state == "done" else now,
        error_code=error.code if error else None,
        error_detail=str(error) if error else None,
        title=read.title if read and is_told else "",
        slug=read.slug if read and is_told else "",
        description=read.description if read and is_told else "",
        intent=read.intent if read else "",
        prompt_version=folded.done.prompt_version if folded.done else None,
        search_text=read.search_text if read and is_told else "",
        conversation_id=making.request.conversation_id,
        parent_id=making.request.parent_id,
        statements=folded.done.statements if folded.done else (),
        further=folded.further,
        quote=folded.done.quote if folded.done else "",
        degraded=folded.done.degraded if folded.done else None,
        readings=folded.done.readings if folded.done else (),
        asked_by=making.request.asked_by if state == "generating" else None,
    )


def _usage(making: AnswerMaker, folded: AssembledAnswer) -> dict[str, Any]:
    """The sum of all calls, and `stages`: the model and the calls of each step that called one."""
    answered = folded.model or making.answerer.name
    cheap = making.request.knowledge_base.settings.cheap_model
    stages = {
        stage: {"model": answered if stage == "answering" else cheap, **dataclasses.asdict(usage)}
        for stage, usage in folded.stages.items()
        if usage.prompt_tokens or usage.completion_tokens
    }
    return {**dataclasses.asdict(folded.usage), "stages": stages}


def _timings(making: AnswerMaker, folded: AssembledAnswer) -> dict[str, float]:
    """Milliseconds: the look for a stored answer, the parts of the search, other steps, the rest as `answer`, all."""
    looked = dict(making.lookup.timings_ms) if making.lookup else {}
    timings = dict(looked)
    for step, took in (making.evidence.found.timings_ms if making.evidence else {}).items():
        timings[step] = round(timings.get(step, 0.0) + took, 1)
    steps = {str(stage): took for stage, took in folded.milliseconds.items() if stage in ("understanding", "grading")}
    if "understanding" in steps:  # the look for a stored answer comes before it
        steps["understanding"] = max(0.0, steps["understanding"] - sum(looked.values()))
    total = (time.perf_counter() - making.started) * 1000
    answer_ms = max(0.0, total - sum(timings.values()) - sum(steps.values()))
    rounded = {name: round(took, 1) for name, took in {**steps, "answer": answer_ms, "total": total}.items()}
    return {**timings, **rounded}
