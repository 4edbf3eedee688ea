"""Spans for OpenTelemetry: where the time of a sync and of an answer goes.

Belongs here: beginning and ending spans, and where they are sent. Not here: metrics (`query_api.prometheus`), what is
measured, which the callers name. Guarantee: without HEADWATER_TRACES_URL a span costs nothing and nothing is imported;
a collector that does not answer delays and breaks nothing; no attribute holds a question, a text or a key.

A sync is `sync` → `stage` → `batch`, an answer `ask` → `search` → `rerank`, and `generate`. The attribute
`headwater.run_id` is the run's id in Dagster, or the answer's.
"""

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_FLUSH_MILLISECONDS = 2_000
_EXPORT_SECONDS = 5
_log = logging.getLogger(__name__)
_opening = threading.Lock()
_providers: dict[str, "TracerProvider | None"] = {}
"""The provider of each address; None if the extra `tracing` is not installed."""
_current: "TracerProvider | None" = None


@contextmanager
def root_span(settings: Settings, name: str, *, flushes: bool = False, **attributes: str | int) -> Iterator[None]:
    """A span with others below it, which begins a trace of its own if none is open.

    Args:
        settings: say where spans are sent, if anywhere.
        name: of the span.
        flushes: whether to send everything at its end, as a process must that may end right afterwards.
        attributes: without the prefix `headwater.`.
    """
    provider = None if settings.traces_url is None else _open_provider(settings.traces_url)
    if provider is None:
        yield
        return
    with span(name, **attributes):
        yield
    if flushes:
        provider.force_flush(_FLUSH_MILLISECONDS)


@contextmanager
def span(name: str, **attributes: str | int) -> Iterator[None]:
    """A span below the one that is open in this thread; nothing if spans are not sent.

    Args:
        name: of the span.
        attributes: without the prefix `headwater.`.
    """
    if _current is None:
        yield
        return
    tracer = _current.get_tracer("headwater")
    with tracer.start_as_current_span(name, attributes=_prefix(attributes), record_exception=False):
        yield


@contextmanager
def leaf_span(name: str, **attributes: str | int) -> Iterator[None]:
    """A span without others below it, which may be around a block that yields to code elsewhere, as a generator does.

    Args:
        name: of the span.
        attributes: without the prefix `headwater.`.
    """
    if _current is None:
        yield
        return
    leaf = _current.get_tracer("headwater").start_span(name, attributes=_prefix(attributes))
    try:
        yield
    finally:
        leaf.end()


def _prefix(attributes: Mapping[str, str | int]) -> dict[str, str | int]:
    return {f"headwater.{key}": value for key, value in attributes.items()}


def _open_provider(url: str) -> "TracerProvider | None":
    """The provider that sends to an address; each process opens its own, when it begins its first trace."""
    global _current  # noqa: PLW0603 - a process has one, as OpenTelemetry itself has
    with _opening:
        if url not in _providers:
            _providers[url] = _make_provider(url)
        _current = _providers[url]
        return _current


def _make_provider(url: str) -> "TracerProvider | None":
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError:
        _log.warning("HEADWATER_TRACES_URL is set, but no spans are sent: `pip install 'headwater[tracing]'`.")
        return None
    provider = TracerProvider(resource=Resource.create({"service.name": "headwater"}))
    exporter = OTLPSpanExporter(endpoint=f"{url}/v1/traces", timeout=_EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
