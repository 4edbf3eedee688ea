"""Evaluating a search index with a golden set (EVL-1).

Belongs here: searching every golden question, judging the results, taking means. Not here: the definitions
(`metrics`), whether an index may become active (its gate). Guarantee: an index is judged by what its readers see.
"""

from collections.abc import Sequence
from statistics import fmean

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import Evaluation, GoldenQuestion, QuestionResult, RecordedEvaluation
from headwater.domain.search import Passage, SearchIndex
from headwater.errors import ConflictError
from headwater.evaluation.golden import EXAMPLE, golden_hash, judge
from headwater.evaluation.metrics import ndcg_at, recall_at, reciprocal_rank
from headwater.models_gateway.registry import load_embedder
from headwater.retrieval.finding import SearchOptions
from headwater.retrieval.search import search
from headwater.settings import Settings
from headwater.store.store import Store

DEPTH = 10  # documents that count
_PASSAGES = 50  # passages to search for, so that they include ten documents


def evaluate(
    store: Store, settings: Settings, knowledge_base: KnowledgeBase, *, index: SearchIndex | None = None
) -> Evaluation | None:
    """Evaluate an index with the knowledge base's golden set.

    Args:
        store: the store of both.
        settings: says where the models are.
        knowledge_base: the knowledge base with the golden set.
        index: one of its indexes; by default the active one.

    Returns:
        The means over all questions; None if there is no golden question.

    Raises:
        ConflictError: no index is given and none is active yet.
        ModelUnavailableError: the index's model cannot be loaded.
    """
    questions = store.evaluations.golden_questions(knowledge_base)
    if not questions:
        return None
    index_digest, _ = store.knowledge_bases.index_digest(knowledge_base.slug)
    chosen = index or store.search_indexes.active(knowledge_base.slug)
    if chosen is None:
        raise ConflictError(
            f"{knowledge_base.slug} has nothing to search yet. Run `headwater sync {knowledge_base.slug}` first."
        )
    vectors = load_embedder(chosen.model, settings).embed([question.question for question in questions])
    options = SearchOptions(top_k=_PASSAGES, group_by="passage")
    results = []
    for question, vector in zip(questions, vectors, strict=True):
        found = search(store, settings, knowledge_base, question.question, options, index=chosen, vector=vector)
        results.append(_result(question, found.passages))
    return Evaluation(
        search_index_id=chosen.id,
        model=chosen.model,
        golden_hash=golden_hash(questions),
        index_digest=index_digest,
        question_count=len(questions),
        metrics={name: fmean(result.metrics[name] for result in results) for name in results[0].metrics},
        results=tuple(sorted(results, key=lambda result: (result.metrics["ndcg_at_10"], result.question))),
    )


def evaluate_and_record(
    store: Store, settings: Settings, knowledge_base: KnowledgeBase
) -> tuple[Evaluation, RecordedEvaluation]:
    """Evaluate the active index and store the result; returns the evaluation and the stored record.

    Raises:
        ConflictError: there is no golden question, or no index is active yet.
        ModelUnavailableError: the index's model cannot be loaded.
    """
    evaluation = evaluate(store, settings, knowledge_base)
    if evaluation is None:
        raise ConflictError(
            f"{knowledge_base.slug} has no golden questions. Write a file and run"
            f" `headwater golden load {knowledge_base.slug} FILE`. A line looks like this: {EXAMPLE}"
        )
    return evaluation, store.evaluations.add(knowledge_base, evaluation)


def _result(question: GoldenQuestion, passages: Sequence[Passage]) -> QuestionResult:
    """Judge one question's passages; a document counts once, at its best passage's rank."""
    found = tuple(dict.fromkeys(passage.uri for passage in passages))[:DEPTH]
    ranking, relevant_count = judge(found, question.relevant)
    return QuestionResult(
        question=question.question,
        relevant=question.relevant,
        found=found,
        metrics={
            "ndcg_at_10": ndcg_at(DEPTH, ranking, relevant_count),
            "recall_at_10": recall_at(DEPTH, ranking, relevant_count),
            "mrr": reciprocal_rank(ranking),
        },
    )
