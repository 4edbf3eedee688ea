"""A question in, a stored answer out.

Belongs here: the three steps of asking, and which answerer does the second. Not here: the steps (`evidence`,
`answerer`, `record`). Guarantee: an answer is stored before it is returned.
"""

from datetime import datetime

from headwater.answering.answerer import Answerer, refuse
from headwater.answering.evidence import gather_evidence
from headwater.answering.extractive import ExtractiveAnswerer
from headwater.answering.record import record
from headwater.domain.answers import Answer
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.search import SearchFilters
from headwater.settings import Settings
from headwater.store.store import Store


def ask(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    question: str,
    filters: SearchFilters | None = None,
    *,
    as_of: datetime | None = None,
    answerer: Answerer | None = None,
) -> Answer:
    """Answer a question from a knowledge base, or refuse.

    Args:
        store: where the knowledge base is.
        settings: where the models are.
        knowledge_base: what to ask.
        question: at most `QUERY_LIMIT` characters.
        filters: which part of it to ask; all when not given.
        as_of: ask what readers saw at this past time; the present when not given.
        answerer: who makes the answer; the one that quotes sentences when not given.

    Raises:
        InvalidInputError: the question is empty or too long, a filter names an unknown source, or the time is still to
        come.
        ModelUnavailableError: the index's model cannot be loaded, or the answerer's does not answer.
        ConflictError: a cited document was deleted while the answer was made.
    """
    chosen = answerer or ExtractiveAnswerer()
    evidence = gather_evidence(store, settings, knowledge_base, question, filters, as_of=as_of)
    events = chosen.answer(evidence) if evidence.passages else refuse(evidence)
    return record(store, evidence, chosen.name, events)
