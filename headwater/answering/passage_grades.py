"""Grading passages with a knowledge base's cheap model (RET-7).

Belongs here: one call for all passages of a question, and what it changes. Not here: the calibrated trust
(`headwater.retrieval.trust`), dropping (the same). Guarantee: without a cheap model nothing changes; a passage that the
model does not grade keeps its calibrated trust; no passage is added and none moves.
"""

from dataclasses import replace

from pydantic import BaseModel, Field

from headwater.answering.answer_evidence import Evidence
from headwater.domain.search import Passage
from headwater.domain.usage import Usage
from headwater.errors import UnknownModelError
from headwater.models_gateway.cancellation import Cancellation
from headwater.models_gateway.chat_model import ChatModel, Message
from headwater.models_gateway.chat_registry import load_chat_model
from headwater.models_gateway.model_failures import MODEL_ERRORS
from headwater.prompts.prompt import data_blocks, fill
from headwater.retrieval.trust import select_trusted
from headwater.settings import Settings

_MAX_PASSAGES = 20  # passages that are graded, the best first
_TEXT = 2_000  # characters of each that the model gets
_REPLY_TOKENS = 200, 40  # at first, and for each passage


class PassageGrade(BaseModel):
    """How relevant a passage is."""

    passage: int
    relevance: float = Field(ge=0, le=1)


class Grades(BaseModel):
    """The grades of all passages."""

    grades: list[PassageGrade] = Field(max_length=200)


def grade_evidence(
    settings: Settings, evidence: Evidence, closing: Cancellation | None = None
) -> tuple[Evidence, Usage]:
    """Replace the trust of passages by the grades of the knowledge base's cheap model, and choose the usable ones anew.

    Args:
        settings: says where models are.
        evidence: of a search.
        closing: ends the call.

    Returns:
        The evidence, with a note if the model failed, and what the call has cost.
    """
    knowledge_base_settings = evidence.knowledge_base.settings
    passages = evidence.trusted.passages
    if knowledge_base_settings.cheap_model is None or not passages:
        return evidence, Usage()
    try:
        grades, usage = _ask_model(
            load_chat_model([knowledge_base_settings.cheap_model], settings),
            evidence,
            passages[:_MAX_PASSAGES],
            closing,
        )
    except (*MODEL_ERRORS, UnknownModelError) as error:
        return _add_note(
            evidence, f"Passages keep their calculated trust, because no model graded them: {error}"
        ), Usage()
    trusts = [grades.get(position, passage.scores.trust or 0.0) for position, passage in enumerate(passages, start=1)]
    trusted = select_trusted(passages, trusts, floor=knowledge_base_settings.trust_floor)
    return replace(evidence, trusted=trusted, load_further=tuple), usage  # the model has graded no further ones


def _ask_model(
    chat: ChatModel, evidence: Evidence, passages: tuple[Passage, ...], closing: Cancellation | None
) -> tuple[dict[int, float], Usage]:
    """The grade of each passage by its number; of a passage that is graded twice, the lower one."""
    texts = {f"passage-{position}": _format_passage(passage) for position, passage in enumerate(passages, start=1)}
    blocks = data_blocks({"question": evidence.asked, **texts})
    question = blocks.pop("question")
    prompt = fill("grade", evidence.knowledge_base.settings, question=question, context="\n\n".join(blocks.values()))
    first, per_passage = _REPLY_TOKENS
    reply, usage = chat.complete_as(
        [Message(role="user", content=prompt.text)],
        Grades,
        max_tokens=first + per_passage * len(passages),
        closing=closing,
    )
    grades: dict[int, float] = {}
    for grade in reply.grades:
        if 1 <= grade.passage <= len(passages):
            grades[grade.passage] = min(grade.relevance, grades.get(grade.passage, 1.0))
    return grades, usage


def _format_passage(passage: Passage) -> str:
    return "\n".join(filter(None, (_path(passage), passage.text[:_TEXT])))


def _path(passage: Passage) -> str:
    return " > ".join(filter(None, (passage.title, *passage.breadcrumb, passage.table_header)))


def _add_note(evidence: Evidence, note: str) -> Evidence:
    return replace(evidence, found=replace(evidence.found, notes=(*evidence.found.notes, note)))
