"""A question in, a stored answer out.

Belongs here: the steps from question to answer, and turning quotes into cited text. Not here: choosing sentences.
Guarantee: an answer is stored before it is returned, with the versions it cites; a refusal says why and cites
nothing.
"""

import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from headwater.answering.extractive import Quote, choose, find_quotes
from headwater.answering.places import breadcrumb_at
from headwater.domain.answers import Answer, Citation
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchFilters
from headwater.retrieval.finding import SearchOptions
from headwater.retrieval.search import Found, check_query, search
from headwater.retrieval.trust import Trusted, keep
from headwater.settings import Settings
from headwater.store.store import Store

MODEL = "builtin/extractive"
NOTHING_INDEXED = "nothing_indexed"
NOTHING_RELEVANT = "nothing_relevant"
_REFUSALS = {
    NOTHING_INDEXED: "This knowledge base has no documents to answer from yet. Sync its sources first.",
    NOTHING_RELEVANT: "The documents of this knowledge base do not answer this question.",
}
_PAST_REFUSALS = {
    NOTHING_INDEXED: "This knowledge base showed no such documents as of {}.",
    NOTHING_RELEVANT: "The documents that this knowledge base showed as of {} do not answer this question.",
}


def ask(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    question: str,
    filters: SearchFilters | None = None,
    *,
    as_of: datetime | None = None,
) -> Answer:
    """Answer a question from a knowledge base, or refuse.

    Args:
        store: where the knowledge base is.
        settings: where the models are.
        knowledge_base: what to ask.
        question: at most `QUERY_LIMIT` characters.
        filters: which part of it to ask; all when not given.
        as_of: ask what readers saw at this past time; the present when not given.

    Raises:
        InvalidInputError: the question is empty or too long, a filter names an unknown source, or the time is still to
        come.
        ModelUnavailableError: the index's model cannot be loaded.
    """
    text = check_query(question)
    started = time.perf_counter()
    options = SearchOptions(filters=filters or SearchFilters(), as_of=as_of, group_by="passage")
    found = search(store, settings, knowledge_base, text, options)
    searched = time.perf_counter()
    chosen = knowledge_base.settings
    grades = [passage.scores.trust or 0.0 for passage in found.passages]
    trusted = keep(found.passages, grades, floor=chosen.trust_floor, margin=chosen.trust_margin)
    quotes = _quotes(text, found, trusted)
    body, citations = compose(quotes)
    reason = None if quotes else _reason(found)
    finished = time.perf_counter()
    answer = Answer(
        id=uuid.uuid4(),
        knowledge_base=knowledge_base.slug,
        question=text,
        answer=body if reason is None else _refusal(reason, found.as_of),
        refused=reason is not None,
        reason=reason,
        citations=tuple(citations),
        passages=trusted.passages,
        model=MODEL,
        usage={"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0},
        timings_ms={
            **found.timings_ms,
            "answer": round((finished - searched) * 1000, 1),
            "total": round((finished - started) * 1000, 1),
        },
        created_at=datetime.now(UTC),
        as_of=found.as_of,
        notes=found.notes,
    )
    store.answers.add(knowledge_base, answer, found.embedder.model if found.embedder else "")
    return answer


def _reason(found: Found) -> str:
    """Why there is no answer; a search by words finds nothing where no document holds a word of the question."""
    is_nothing_there = not found.passages and not found.dropped and not found.is_by_words
    return NOTHING_INDEXED if is_nothing_there else NOTHING_RELEVANT


def _refusal(reason: str, as_of: datetime | None) -> str:
    return _REFUSALS[reason] if as_of is None else _PAST_REFUSALS[reason].format(as_of.isoformat())


def _quotes(question: str, found: Found, trusted: Trusted) -> list[Quote]:
    if found.embedder is None or not trusted.kept:
        return []
    return choose(find_quotes(question, trusted.kept, None if found.is_by_words else found.embedder))


def compose(quotes: Sequence[Quote]) -> tuple[str, list[Citation]]:
    """Put quotes into a text with markers, and say what each marker stands for.

    One marker is one passage; its citation spans from the first to the last sentence quoted from it.
    """
    by_passage: dict[uuid.UUID, list[Quote]] = {}
    for quote in quotes:
        by_passage.setdefault(quote.passage.chunk_id, []).append(quote)
    lines, citations = [], []
    for number, group in enumerate(by_passage.values(), start=1):
        group.sort(key=lambda quote: quote.start)
        marker = f"[{number}]"
        lines += [f"{quote.text} {marker}" for quote in group]
        citations.append(_citation(marker, group))
    return "\n\n".join(lines), citations


def _citation(marker: str, group: Sequence[Quote]) -> Citation:
    passage = group[0].passage
    return Citation(
        marker=marker,
        title=passage.title,
        uri=passage.uri,
        source=passage.source,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_version_id=passage.document_version_id,
        breadcrumb=breadcrumb_at(passage.text, passage.breadcrumb, group[0].start),
        start=passage.start + group[0].start,
        end=passage.start + group[-1].end,
        score=max(quote.score for quote in group),
        place=passage.place_of(group[0].start, group[-1].end),
    )
