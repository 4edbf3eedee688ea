"""Metrics for Prometheus (API-5).

Belongs here: what is counted, and `/metrics`. Not here: who may read it (`query_api.guards.authentication`), sharing
counts among processes (`query_api.server.gunicorn_settings`). Guarantee: a label is a route's template, a method, a
status or a state, never a path, a question or a key; the counts are those of all processes of this server.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Flask, Response, g, request

from headwater.answering.answer_task import AnswerTask
from headwater.answering.task_events import Failed, Finished
from headwater.domain.access import Scope
from headwater.domain.answers import Answer
from headwater.errors import HeadwaterError
from headwater.settings import metrics_folder
from headwater.store.store import Store
from query_api.app_context import app_context
from query_api.guards.admission import HEAD_ONLY
from query_api.guards.route_facts import allow

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Histogram

routes = Blueprint("metrics", __name__)
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60)
_making = threading.Lock()
_NONE = "none"  # the route of an address that does not exist
_HELP = {
    "sources": "Sources by the state of their last sync.",
    "sync_sources": "Parts of syncs that wait (pending, queued), run (syncing), or ended in the last day.",
    "index_entries": "Entries of search indexes by the state of the index.",
    "knowledge_bases": "Knowledge bases.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Counts:
    """The counters of this process; other processes have the same, and a scrape adds them up."""

    registry: "CollectorRegistry"
    requests: "Counter"
    seconds: "Histogram"
    answers: "Counter"
    tokens: "Counter"
    cost: "Counter"


def _counts() -> _Counts:
    """The counters. Two threads may need them first at the same moment: a request, and the answer that it began."""
    with _making:
        return _make_counts()


@cache
def _make_counts() -> _Counts:
    """Make the counters when they are first needed.

    The client decides at its import whether it shares counts among processes, and a server's process is a fork of one
    that has imported this module.
    """
    from prometheus_client import CollectorRegistry, Counter, Histogram

    registry = CollectorRegistry()
    return _Counts(
        registry=registry,
        requests=Counter(
            "headwater_http_requests", "Requests by route.", ["method", "route", "status"], registry=registry
        ),
        seconds=Histogram(
            "headwater_http_request_seconds",
            "Seconds until a response begins, by route.",
            ["method", "route"],
            buckets=_SECONDS,
            registry=registry,
        ),
        answers=Counter(
            "headwater_answers",
            "Answers of this server by state: done, refused, cached (served from the store), cancelled, failed.",
            ["state"],
            registry=registry,
        ),
        tokens=Counter("headwater_answer_tokens", "Tokens that answers used.", ["kind"], registry=registry),
        cost=Counter("headwater_answer_cost_dollars", "US dollars that answers cost.", registry=registry),
    )


def count_answer(task: AnswerTask) -> None:
    """Count an answer that has ended."""
    outcome = task.outcome
    if isinstance(outcome, Failed):
        _counts().answers.labels("cancelled" if outcome.error.code == "CANCELLED" else "failed").inc()
    if not isinstance(outcome, Finished):
        return
    answer = outcome.answer
    if answer.id != task.id:
        _counts().answers.labels("cached").inc()
        return
    refused = answer.refused if isinstance(answer, Answer) else answer.is_refused
    _counts().answers.labels("refused" if refused and answer.state == "done" else answer.state).inc()
    for kind in ("prompt", "completion"):
        _counts().tokens.labels(kind).inc(answer.usage.get(f"{kind}_tokens") or 0)
    _counts().cost.inc(answer.usage.get("cost") or 0)


def install(app: Flask) -> None:
    """Count the requests of an app, those too that are refused; before its other checks are installed."""

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()

    @app.after_request
    def end(response: Response) -> Response:
        admission = request.environ.get(HEAD_ONLY)
        if admission is not None and admission.is_granted:  # the whole request is still to come
            return response
        route = request.url_rule.rule if request.url_rule else _NONE
        method = request.method if request.url_rule else _NONE  # a client can invent methods
        _counts().requests.labels(method, route, response.status_code).inc()
        if "began" in g:
            _counts().seconds.labels(method, route).observe(time.perf_counter() - g.began)
        return response

    app.register_blueprint(routes)


@routes.get("/metrics")
@allow(Scope.ADMIN, about="server", takes_metrics_token=True)  # also with a token of its own
def get_metrics() -> Response:
    """Show the metrics in Prometheus' format."""
    from prometheus_client import CollectorRegistry, multiprocess
    from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

    registry = CollectorRegistry()
    folder = metrics_folder()
    if folder:
        multiprocess.MultiProcessCollector(registry, path=folder)  # type: ignore[no-untyped-call]
    rows = CollectorRegistry()
    rows.register(_Rows(app_context().store))
    counted = generate_latest(registry if folder else _counts().registry)
    return Response(counted + generate_latest(rows), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class _Rows:
    """The counts that the database knows; if it cannot be reached, they are left out."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collect(self) -> Iterator[Any]:
        """Yield a metric for each kind of row."""
        from prometheus_client.core import GaugeMetricFamily

        try:
            counts = self._store.counting.all()
        except HeadwaterError:
            return
        for name, words in _HELP.items():
            of_name = [count for count in counts if count.name == name]
            metric = GaugeMetricFamily(
                f"headwater_{name}", words, labels=["state"] if name != "knowledge_bases" else []
            )
            for count in of_name:
                metric.add_metric([count.label] if count.label else [], count.value)
            yield metric
