"""Making an answer to a golden question, to be judged.

Belongs here: asking as a reader does, without storing the answer. Not here: judging it (`rule_judge`, `model_judge`).
Guarantee: nothing is stored, and no stored answer is served.
"""

from headwater.answering.answer_assembly import fold
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerer import Answerer
from headwater.answering.answerers import choose_answerer
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import GoldenQuestion
from headwater.evaluation.claims import GivenAnswer, claims_of, find_cited_texts
from headwater.settings import Settings
from headwater.store.store import Store


def give_answer(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    golden: GoldenQuestion,
    answerer: Answerer | None = None,
) -> GivenAnswer:
    """Answer a golden question anew.

    Args:
        store: the store of the knowledge base.
        settings: says where the models are.
        knowledge_base: the knowledge base to ask, with the settings to ask it with.
        golden: the question.
        answerer: makes the answer; by default the one that the knowledge base's settings name.

    Raises:
        NoDocumentsError, ProcessingIncompleteError: there is nothing to answer from.
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed.
    """
    request = AnswerRequest(knowledge_base=knowledge_base, question=golden.question, is_fresh=True)
    making = AnswerMaker(
        store, settings, request, answerer or choose_answerer(store, settings, knowledge_base.settings)
    )
    folded = fold(making.events())
    evidence = making.evidence.widen() if making.evidence else None
    passages = (*evidence.passages, *evidence.nearby) if evidence else ()
    language = passages[0].language if passages else ""
    is_refused = folded.reason is not None
    return GivenAnswer(
        golden=golden,
        text=folded.text,
        is_refused=is_refused,
        claims=() if is_refused else claims_of(folded.text, language),
        citations=find_cited_texts(folded.citations, passages),
        language=language,
    )
