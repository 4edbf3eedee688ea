"""What `doctor` looks at.

Belongs here: one function per thing that can be wrong, and what to do about it. Not here: repairing. Guarantee: it
never raises and changes nothing but starting the embedded Postgres.
"""

from collections.abc import Callable, Iterator
from typing import Literal

from headwater.errors import HeadwaterError
from headwater.settings import Settings
from headwater.store.store import open_store, ready_url

State = Literal["ok", "warning", "failed"]


def examine() -> list[dict[str, str]]:
    """Look at everything; each finding has name, state (ok, warning, failed) and detail."""
    found: list[dict[str, str]] = []
    try:
        settings = Settings.from_env()
    except HeadwaterError as error:
        return [{"name": "settings", "state": "failed", "detail": str(error)}]
    for name, look in _CHECKS.items():
        try:
            found += [{"name": name, "state": state, "detail": detail} for state, detail in look(settings)]
        except HeadwaterError as error:
            found.append({"name": name, "state": "failed", "detail": str(error)})
    return found


def _home(settings: Settings) -> Iterator[tuple[State, str]]:
    settings.home.mkdir(parents=True, exist_ok=True)
    yield "ok", f"{settings.home}"


def _database(settings: Settings) -> Iterator[tuple[State, str]]:
    ready_url(settings)
    yield "ok", f"{'embedded' if settings.database_url is None else 'HEADWATER_DATABASE_URL'}, up to date"


def _model(settings: Settings) -> Iterator[tuple[State, str]]:
    from headwater.models_gateway.registry import load_embedder

    embedder = load_embedder("builtin/minilm-int8", settings)
    embedder.embed(["Headwater"])
    yield "ok", f"{embedder.model}, {embedder.dimensions} dimensions, built in {settings.cache}"


def _connectors(_: Settings) -> Iterator[tuple[State, str]]:
    from headwater.sources.connector import connectors

    found = sorted(connectors())
    if found:
        yield "ok", ", ".join(found)
    else:
        yield "failed", "No connector is installed. Install the project: `pip install -e .`"


def _sources(settings: Settings) -> Iterator[tuple[State, str]]:
    with open_store(settings) as store:
        sources = store.sources.all()
        waiting = store.syncs.waiting_count()
    for source in sources:
        if source.state == "failed":
            yield "warning", f"{source.key} failed: {source.error}"
    if waiting:
        yield "warning", f"{waiting} syncs wait for a worker. `headwater up` runs one."
    if not any(source.state == "failed" for source in sources):
        yield "ok", f"{len(sources)} registered, none failed"


def _processes(settings: Settings) -> Iterator[tuple[State, str]]:
    from cli.supervisor import running_pid

    pid = running_pid(settings.home)
    yield "ok", f"headwater up runs (process {pid})" if pid else "headwater up does not run; commands work without it"


_CHECKS: dict[str, Callable[[Settings], Iterator[tuple[State, str]]]] = {
    "home": _home,
    "database": _database,
    "model": _model,
    "connectors": _connectors,
    "sources": _sources,
    "processes": _processes,
}
