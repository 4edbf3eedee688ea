"""Measuring golden questions one by one, with the settings that are given.

Belongs here: searching and asking each question, and the metrics of each. Not here: which questions and settings
(`evaluator`, `comparison`, `tuner`), the definitions (`metrics`, `verdicts`). Guarantee: an index is
judged by what its readers see; nothing is stored.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import GoldenQuestion, QuestionResult
from headwater.domain.search import SearchIndex
from headwater.evaluation.golden_answers import give_answer
from headwater.evaluation.golden_set import judge
from headwater.evaluation.metrics import cohen_kappa, ndcg_at, recall_at, reciprocal_rank
from headwater.evaluation.model_judge import Judge, load_judge
from headwater.evaluation.rule_judge import judge_by_rule
from headwater.evaluation.verdicts import Verdicts, metrics_of
from headwater.models_gateway.embedder import Vectors
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.settings import Settings
from headwater.store.store import Store

DEPTH = 10
"""Documents that count."""
_PASSAGES = 50  # passages to search for, so that they include ten documents
_BY_RULE = ("faithfulness", "citation_precision", "relevance")  # metrics that a judge model may decide instead
Progress = Callable[[int, int], None]
"""Is told how many questions are done, and of how many."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """The results of golden questions, in their order; `agreement` is the judge's with the rules, if both decided.

    `verdict_count` is the number of verdicts that the agreement is of.
    """

    results: tuple[QuestionResult, ...]
    judge: Judge | None = None
    agreement: float | None = None
    verdict_count: int = 0

    def means(self) -> tuple[dict[str, float], dict[str, int]]:
        """The mean of each metric over the questions that have it, and how many these are."""
        values: dict[str, list[float]] = {}
        for result in self.results:
            for name, value in result.metrics.items():
                values.setdefault(name, []).append(value)
        metrics = {name: fmean(numbers) for name, numbers in values.items()}
        counts = {name: len(numbers) for name, numbers in values.items()}
        if self.agreement is not None:
            metrics["judge_agreement"], counts["judge_agreement"] = self.agreement, self.verdict_count
        return metrics, counts


def measure(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    questions: Sequence[GoldenQuestion],
    index: SearchIndex,
    *,
    with_answers: bool = False,
    progress: Progress | None = None,
) -> Measured:
    """Search for each question, and answer it if wanted.

    Args:
        store: the store of the index.
        settings: says where the models are.
        knowledge_base: the owner of the index, with the settings to measure.
        questions: at least one.
        index: the index to search; answers come from the active one.
        with_answers: whether to answer the questions too, and judge the answers.
        progress: is told after every question.

    Raises:
        ModelUnavailableError, RateLimitedError, GenerationFailedError: a model failed.
    """
    judge_model = load_judge(settings, knowledge_base.settings) if with_answers else None
    vectors = load_embedder(index.model, settings).embed([question.question for question in questions])
    results, pairs = [], []
    for place, (question, vector) in enumerate(zip(questions, vectors, strict=True), start=1):
        result = _measure_search(store, settings, knowledge_base, question, index, vector)
        if with_answers:
            result, both = _measure_answer(store, settings, knowledge_base, question, result, judge_model)
            pairs += both
        results.append(result)
        if progress is not None:
            progress(place, len(questions))
    return Measured(
        results=tuple(results),
        judge=judge_model,
        agreement=cohen_kappa([rule for rule, _ in pairs], [model for _, model in pairs]),
        verdict_count=len(pairs),
    )


def _measure_search(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    question: GoldenQuestion,
    index: SearchIndex,
    vector: Vectors,
) -> QuestionResult:
    """Judge one question's passages; a document counts once, at its best passage's rank."""
    if question.unanswerable:
        return QuestionResult(question=question.question, relevant=(), found=(), metrics={})
    options = SearchOptions(top_k=_PASSAGES, group_by="passage")
    passages = search(store, settings, knowledge_base, question.question, options, index=index, vector=vector).passages
    uris = tuple(dict.fromkeys(passage.uri for passage in passages))[:DEPTH]
    ranking, relevant_count = judge(uris, question.relevant)
    return QuestionResult(
        question=question.question,
        relevant=question.relevant,
        found=uris,
        metrics={
            "ndcg_at_10": ndcg_at(DEPTH, ranking, relevant_count),
            "recall_at_10": recall_at(DEPTH, ranking, relevant_count),
            "mrr": reciprocal_rank(ranking),
        },
    )


def _measure_answer(
    store: Store,
    settings: Settings,
    knowledge_base: KnowledgeBase,
    question: GoldenQuestion,
    result: QuestionResult,
    judge_model: Judge | None,
) -> tuple[QuestionResult, list[tuple[bool, bool]]]:
    """Add the metrics of the answer; also the verdicts of the rules, each with the judge's."""
    given_answer = give_answer(store, settings, knowledge_base, question)
    by_rule = by_judge = None
    if not given_answer.is_refused and not question.unanswerable:
        by_rule = judge_by_rule(given_answer)
        by_judge = judge_model.decide(given_answer) if judge_model else None
    metrics = dict(metrics_of(given_answer, by_rule))
    if judge_model is not None:
        metrics = _prefix_rules(metrics, metrics_of(given_answer, by_judge))
    decided = by_judge or by_rule
    claims = zip(given_answer.claims, decided.claims, strict=True) if decided else ()
    judged = QuestionResult(
        question=result.question,
        relevant=result.relevant,
        found=result.found,
        metrics={**result.metrics, **metrics},
        answer=given_answer.text,
        unsupported=tuple(claim.text for claim, is_supported in claims if not is_supported),
    )
    return judged, _pairs(by_rule, by_judge)


def _prefix_rules(by_rule: Mapping[str, float], by_judge: Mapping[str, float]) -> dict[str, float]:
    """The metrics of the judge, and those of the rules as `rule_…`."""
    renamed = {f"rule_{name}" if name in _BY_RULE else name: value for name, value in by_rule.items()}
    return {**renamed, **by_judge}


def _pairs(by_rule: Verdicts | None, by_judge: Verdicts | None) -> list[tuple[bool, bool]]:
    return list(zip(by_rule.all, by_judge.all, strict=True)) if by_rule and by_judge else []
