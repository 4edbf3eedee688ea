"""Spans of syncs and answers arrive at a collector, with the run's id and without texts (OPS-5)."""

import http.server
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from headwater import spans
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answer_tasks import AnswerTasks
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.errors import InvalidConfigurationError
from headwater.settings import Settings
from headwater.syncing.source_sync import Made, SourceSync
from headwater.syncing.stages import STAGES
from tests.chat_server import MODEL, ChatServer
from tests.support import Headwater

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
pytestmark = pytest.mark.synced(files={"a.md": "# Pump\n\nThe pump lifts forty litres of water."})
QUESTION = "How many litres does the pump lift?"


class Collector(http.server.BaseHTTPRequestHandler):
    """Keeps what it is sent."""

    def do_POST(self) -> None:
        """Keep a request."""
        server: Any = self.server
        server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A collector on loopback; afterwards no span is sent any more."""
    monkeypatch.setattr(spans, "_current", None)
    monkeypatch.setattr(spans, "_providers", {})
    server: Any = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.bodies = []
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    for provider in filter(None, spans._providers.values()):
        provider.shutdown()
    server.shutdown()
    server.server_close()


def received(server: Any) -> list[tuple[str, str, dict[str, Any]]]:
    """The spans that arrived: name, name of the one above, attributes."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    for provider in filter(None, spans._providers.values()):
        provider.force_flush()
    found = []
    for body in server.bodies:
        with suppress(OSError):
            import gzip

            body = gzip.decompress(body)  # noqa: PLW2901 - if it is compressed
        request: Any = ExportTraceServiceRequest()
        request.ParseFromString(body)
        found += [span for each in request.resource_spans for scope in each.scope_spans for span in scope.spans]
    names = {span.span_id: span.name for span in found}
    return [
        (
            span.name,
            names.get(span.parent_span_id, ""),
            {each.key: each.value.string_value or each.value.int_value for each in span.attributes},
        )
        for span in found
    ]


def traced(kb: Headwater, server: Any) -> Settings:
    """Settings that send spans to the collector."""
    return replace(kb.settings, traces_url=f"http://127.0.0.1:{server.server_port}")


def test_a_sync_is_stages_and_batches(kb: Headwater, collector: Any) -> None:
    """Each below the other, with the id of the run; what is read is in none of them."""
    kb.write("b.md", "# Mill\n\nThe wheel turns the mill.")
    sync = SourceSync(
        store=kb.store, settings=traced(kb, collector), listener=Quiet(), key="kb/docs", run_id="run-1", batch=None,
        stages=[stage.name for stage in STAGES],
    )  # fmt: skip
    assert sync.execute() is None
    found = received(collector)
    assert [(above, values) for name, above, values in found if name == "sync"] == [
        ("", {"headwater.run_id": "run-1", "headwater.source": "kb/docs"})
    ]
    stages = [values["headwater.stage"] for name, above, values in found if (name, above) == ("stage", "sync")]
    assert set(stages) == {stage.name for stage in STAGES}
    assert all(above == "stage" and values["headwater.documents"] for name, above, values in found if name == "batch")
    assert b"wheel" not in b"".join(collector.bodies)


def test_an_answer_is_a_search_with_its_reranking_and_a_reply(kb: Headwater, collector: Any, chat: ChatServer) -> None:
    """Below `ask`, which has the answer's id; nobody's question and no reply is sent."""
    chat.otherwise = "The pump lifts forty litres [1]."
    values = {**kb.knowledge_base.settings.model_dump(), "answer_model": MODEL}
    kb.store.knowledge_bases.update("kb", settings=KnowledgeBaseSettings.model_validate(values))
    runs = AnswerTasks(kb.store, traced(kb, collector))
    run = runs.start(AnswerRequest(knowledge_base=kb.knowledge_base, question=QUESTION))
    deadline = time.monotonic() + 60
    found = received(collector)
    while "ask" not in {name for name, *_ in found}:
        assert time.monotonic() < deadline
        time.sleep(0.1)
        found = received(collector)
    assert [(above, about) for name, above, about in found if name == "ask"] == [
        ("", {"headwater.run_id": str(run.id)})
    ]
    assert {("search", "ask"), ("rerank", "search"), ("generate", "ask")} <= {(name, above) for name, above, _ in found}
    assert {about["headwater.knowledge_base"] for name, _, about in found if name == "search"} == {"kb"}
    assert b"litres" not in b"".join(collector.bodies)


def test_without_the_setting_nothing_is_sent(kb: Headwater, collector: Any) -> None:
    """Nor is OpenTelemetry opened."""
    kb.ask(QUESTION)
    assert spans._providers == {}
    assert collector.bodies == []


def test_a_collector_that_is_away_breaks_nothing(kb: Headwater, collector: Any) -> None:
    """Nor does it delay an answer."""
    settings = traced(kb, collector)
    with spans.root_span(settings, "ask", run_id=str(uuid4())):
        pass  # this one imports OpenTelemetry
    collector.shutdown()
    collector.server_close()
    began = time.monotonic()
    with spans.root_span(settings, "ask", run_id=str(uuid4())), spans.leaf_span("generate"):
        pass
    assert time.monotonic() - began < 5


def test_the_address_is_one() -> None:
    """A path, or a host alone, is refused when settings are read."""
    assert Settings.from_env({"HEADWATER_TRACES_URL": "http://127.0.0.1:4318/"}).traces_url == "http://127.0.0.1:4318"
    with pytest.raises(InvalidConfigurationError, match="HEADWATER_TRACES_URL"):
        Settings.from_env({"HEADWATER_TRACES_URL": "127.0.0.1:4318"})


class Quiet:
    """Listens to a sync, and keeps nothing."""

    def progressed(self, words: str) -> None:
        """Ignore it."""

    def planned(self, stages: Sequence[str]) -> None:
        """Ignore it."""

    def made(self, made: Made) -> None:
        """Ignore it."""

    def failed(self, reason: str, problem: Exception) -> None:
        """Ignore it."""
