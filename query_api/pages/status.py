"""`/kb/<slug>/status`: how a knowledge base is doing (UI-4).

Belongs here: the page. Not here: judging an index (`headwater.indexing.gate`), evaluating (`headwater.evaluation`).
Guarantee: the page reads what is stored, in a fixed number of queries for each part; opening it measures nothing.
"""

from collections.abc import Sequence

from flask import Blueprint, Response

from headwater.administration.usage_report import usage_by_day
from headwater.domain.access import Scope
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.evaluations import RecordedEvaluation
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.pages.page_renderer import render
from query_api.pages.plots import HEIGHT, WIDTH, Plot, plot
from query_api.response_urls import partition_url, run_url
from query_api.routes.index_payloads import GatePayload

routes = Blueprint("status_page", __name__)

_EVALUATIONS, _SYNCS, _DAYS, _QUESTIONS = 30, 10, 30, 8
_SHOWN_METRICS = 8
_FIRST = ("ndcg_at_10", "recall_at_10", "mrr", "faithfulness", "citation_precision", "citation_recall")


@routes.get("/kb/<kb>/status")
@allow(Scope.READ)
def show_status(kb: str) -> Response:
    """Show search indexes, evaluations, costs, syncs and questions."""
    owner = store().knowledge_bases.get(kb)
    indexes = store().search_indexes.live(owner)
    evaluations = store().evaluations.all(owner, limit=_EVALUATIONS)
    comparable = [evaluation for evaluation in evaluations if evaluation.golden_hash == evaluations[0].golden_hash]
    metrics = _metrics(comparable)
    return render(
        "status.html",
        kb=owner,
        indexes=[
            {
                "kept": index,
                "counts": store().index_health.counts(index),
                "gate": GatePayload.model_validate(index.gate) if index.gate else None,
            }
            for index in indexes
        ],
        builds={build.search_index_id: build for build in store().index_builds.of(owner)},
        evaluations=comparable[:10],
        metrics=metrics,
        plots=_plots(comparable[::-1], metrics),
        dagster=_dagster(owner),
        plot_width=WIDTH,
        plot_height=HEIGHT,
        usage=usage_by_day(store(), owner, _DAYS),
        days=_DAYS,
        syncs=[
            {"kept": sync, "run": _run_url(owner, sync.run_id)}
            for sync in store().sync_history.all(owner, limit=_SYNCS)
        ],
        stores_questions=owner.settings.store_questions,
        slowest=store().overviews.questions(owner, limit=_QUESTIONS),
        refused=store().overviews.questions(owner, refused=True, limit=_QUESTIONS),
    )


def _dagster(owner: KnowledgeBase) -> dict[str, str]:
    """The assets in the Dagster UI; none there of a knowledge base that another Dagster project manages."""
    names = () if owner.managed_by else ("search_index", "evaluation")
    return {name: partition_url(settings().dagster_url, name, owner.slug) for name in names}


def _run_url(owner: KnowledgeBase, run_id: str | None) -> str | None:
    return run_url(settings().dagster_url, run_id) if run_id and not owner.managed_by else None


def _metrics(evaluations: Sequence[RecordedEvaluation]) -> list[str]:
    """The metrics of the newest evaluation, those of retrieval first."""
    names = list(evaluations[0].metrics) if evaluations else []
    return sorted(names, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))[
        :_SHOWN_METRICS
    ]


def _plots(evaluations: Sequence[RecordedEvaluation], metrics: Sequence[str]) -> list[Plot]:
    """A plot for each metric, of evaluations from old to new."""
    return [
        plot(name, [evaluation.metrics[name] for evaluation in evaluations if name in evaluation.metrics])
        for name in metrics
    ]
