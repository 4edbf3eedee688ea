"""Evaluating a knowledge base with its golden set (EVL-1).

Belongs here: the golden set, the index, and the means. Not here: measuring a question (`measurement`), whether an index
may become active (its gate). Guarantee: an evaluation is stored when it is complete, so one that breaks off leaves the
last one as it was.
"""

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import Evaluation, GoldenQuestion, QuestionResult, RecordedEvaluation
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import SearchIndex
from headwater.errors import ConflictError
from headwater.evaluation.golden_set import EXAMPLE, golden_hash
from headwater.evaluation.measurement import Progress, measure
from headwater.models_gateway.chat_registry import EXTRACTIVE
from headwater.settings import Settings
from headwater.store.store import Store


def evaluate(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    *,
    index: SearchIndex | None = None,
    with_answers: bool = False,
    progress: Progress | None = None,
) -> Evaluation | None:
    """Evaluate an index with the knowledge base's golden set.

    Args:
        store: the store of both.
        settings: says where the models are.
        knowledge_base: the knowledge base with the golden set.
        index: one of its indexes; by default the active one.
        with_answers: whether to evaluate answers too; they come from the active index.
        progress: is told after every question.

    Returns:
        The means over all questions; None if there is no golden question, or none that can be measured.

    Raises:
        ConflictError: no index is given and none is active yet.
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed.
    """
    golden_set = store.evaluations.golden_questions(knowledge_base)
    questions = [question for question in golden_set if with_answers or not question.unanswerable]
    if not questions:
        return None
    index_digest, _ = store.knowledge_bases.index_digest(knowledge_base.slug)
    chosen_index = index or active_index(store, knowledge_base)
    measured = measure(
        store, settings, knowledge_base, questions, chosen_index, with_answers=with_answers, progress=progress
    )
    metrics, counts = measured.means()
    return Evaluation(
        search_index_id=chosen_index.id,
        model=chosen_index.model,
        golden_hash=golden_hash(golden_set),
        index_digest=index_digest,
        question_count=len(questions),
        metrics=metrics,
        results=tuple(sorted(measured.results, key=_by_quality)),
        counts=counts,
        answer_model=knowledge_base.settings.answer_model if with_answers else None,
        judge_model=measured.judge.model if measured.judge else None,
        judge_prompt=measured.judge.prompt if measured.judge else None,
    )


def active_index(store: Store, knowledge_base: KnowledgeBase) -> SearchIndex:
    """The index that readers search.

    Raises:
        ConflictError: there is none yet.
    """
    index = store.search_indexes.active(knowledge_base.slug)
    if index is None:
        raise ConflictError(
            f"{knowledge_base.slug} has nothing to search yet. Run `headwater sync {knowledge_base.slug}` first."
        )
    return index


def wants_answers(chosen: KnowledgeBaseSettings) -> bool:
    """Whether answers are evaluated after every change: by default only if that calls no chat model."""
    if chosen.evaluate_answers != "free":
        return chosen.evaluate_answers == "always"
    return chosen.answer_model == EXTRACTIVE and chosen.judge_model is None and chosen.cheap_model is None


def golden_set_of(store: Store, knowledge_base: KnowledgeBase) -> tuple[GoldenQuestion, ...]:
    """The golden set of a knowledge base.

    Raises:
        ConflictError: it has none.
    """
    questions = store.evaluations.golden_questions(knowledge_base)
    if not questions:
        raise ConflictError(
            f"{knowledge_base.slug} has no golden questions. Write a file and run"
            f" `headwater golden load {knowledge_base.slug} FILE`. A line looks like this: {EXAMPLE}"
        )
    return questions


def evaluate_and_record(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    *,
    with_answers: bool = True,
    progress: Progress | None = None,
) -> tuple[Evaluation, RecordedEvaluation]:
    """Evaluate the active index and store the result; returns the evaluation and the stored record.

    Raises:
        ConflictError: there is no golden question that can be measured, or no index is active yet.
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed; nothing is stored.
    """
    golden_set_of(store, knowledge_base)
    evaluation = evaluate(store, settings, knowledge_base, with_answers=with_answers, progress=progress)
    if evaluation is None:
        raise ConflictError(f"Every golden question of {knowledge_base.slug} is unanswerable. Evaluate answers too.")
    return evaluation, store.evaluations.add(knowledge_base, evaluation)


def _by_quality(result: QuestionResult) -> tuple[float, str]:
    """The worst first: by the ranking, or by the refusal if the question has no right documents."""
    metrics = result.metrics
    return metrics.get("ndcg_at_10", metrics.get("unanswerable_refused", 1.0)), result.question
