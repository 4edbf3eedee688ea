"""The checks of `doctor` on the machine.

Belongs here: one function per problem of the machine, with its solution. Not here: repairing; checks of the database
(`cli.doctor_database_checks`). Guarantee: it never raises, and changes only two things: it closes a home that others
could read, and starts the embedded Postgres.
"""

import json
import shutil
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cli.doctor_database_checks import DATABASE_CHECKS, Finding
from cli.environment import dagster_instance
from cli.processes.logs import log_places
from headwater.errors import DatabaseUnavailableError, HeadwaterError, ModelUnavailableError
from headwater.private_files import close_home, private_folder
from headwater.settings import Settings, list_removed
from headwater.store.server import embedded_postgres
from headwater.store.store import open_store

_MIN_FREE_BYTES, _PLENTY_BYTES = 2_000_000_000, 10_000_000_000
_ANSWER_LIMIT = 60.0  # seconds, on a busy machine
_MIN_SHARE = 0.05  # of the disk, unless that is plenty


def examine() -> list[dict[str, str]]:
    """Run every check; each finding has name, state (ok, warning, failed) and detail."""
    try:
        settings = Settings.from_env()
    except HeadwaterError as error:
        return [{"name": "settings", "state": "failed", "detail": str(error)}]
    findings: list[dict[str, str]] = []
    for name, look in _CHECKS.items():
        findings += _findings(name, look, settings)
    try:
        with open_store(settings, size=2) as store:
            for name, inspect in DATABASE_CHECKS.items():
                findings += _findings(name, inspect, store, settings)
    except HeadwaterError as error:
        findings.append({"name": "database", "state": "failed", "detail": str(error)})
    return findings


def _findings(name: str, look: Callable[..., Iterable[Finding]], *arguments: Any) -> list[dict[str, str]]:
    try:
        return [{"name": name, "state": state, "detail": detail} for state, detail in look(*arguments)]
    except (HeadwaterError, OSError) as error:
        return [{"name": name, "state": "failed", "detail": str(error)}]


def _settings(_: Settings) -> Iterator[Finding]:
    for variable in list_removed():
        yield "warning", f"{variable} has no effect any more. Remove it from the environment."


def _home(settings: Settings) -> Iterator[Finding]:
    private_folder(settings.home)
    yield "ok", f"{settings.home}"


def _access(settings: Settings) -> Iterator[Finding]:
    """Check who can read the home and reach the embedded Postgres; close both if others can, and report it."""
    closed = close_home(settings.home, thoroughly=True)
    folder = settings.home / "postgres"
    doors = embedded_postgres.open_doors(folder) if settings.database_url is None else []
    if doors:
        embedded_postgres.start(folder)
    still_open = embedded_postgres.open_doors(folder) if doors else []
    if closed.mended:
        yield "ok", f"other users could read {closed.mended} files and folders of the home; now only the owner can"
    for door in doors:
        yield (
            ("failed", f"still open: Postgres: {door}")
            if door in still_open
            else ("ok", f"closed now: Postgres: {door}")
        )
    for words in closed.still_open:
        yield "warning", f"still open: {words}"
    if not (closed.mended or doors or closed.still_open):
        yield "ok", "only the owner can read the home and connect to its servers"


def _disk(settings: Settings) -> Iterator[Finding]:
    disk = shutil.disk_usage(settings.home)
    message = f"{disk.free / 1e9:.1f} GB of {disk.total / 1e9:.1f} GB are free for {settings.home}"
    if disk.free < max(_MIN_FREE_BYTES, min(_MIN_SHARE * disk.total, _PLENTY_BYTES)):
        yield (
            "warning",
            f"Only {message}. Postgres stops when the disk is full: free some space, or move HEADWATER_HOME.",
        )
    else:
        yield "ok", message


def _model(settings: Settings) -> Iterator[Finding]:
    from headwater.models_gateway.embedder_registry import load_embedder

    embedder = load_embedder("builtin/minilm-int8", settings)
    embedder.embed(["Headwater"])
    yield "ok", f"{embedder.model}, {embedder.dimensions} dimensions, kept in {settings.cache}"


def _cross_encoder(_: Settings) -> Iterator[Finding]:
    from headwater.retrieval.reranking.reranker_registry import load_answer_reader

    try:
        load_answer_reader().score("What is this?", ["This is Headwater."])
    except ModelUnavailableError as error:
        yield "warning", f"English answers are quoted without reading them with a model, which finds fewer. {error}"
    else:
        yield "ok", "builtin/cross-encoder reads what an English answer quotes"


def _connectors(_: Settings) -> Iterator[Finding]:
    from headwater.sources.connector import connectors

    kinds = []
    for kind in sorted(connectors()):
        try:
            kinds += [connectors()[kind].kind]
        except Exception as error:  # noqa: BLE001 -- whatever somebody's connector raises while it is imported
            yield "failed", f"the connector of {kind!r} cannot be imported: {error}"
    if kinds:
        yield "ok", ", ".join(kinds)
    else:
        yield "failed", "No connector is installed. Install the project: `pip install -e .`"


def _processes(settings: Settings) -> Iterator[Finding]:
    from cli.processes.development import read_development_pid
    from cli.processes.process_records import name_remaining_processes
    from cli.processes.up_file import local_urls, read_pid

    pid = read_pid(settings.home)
    if pid is None and (names := name_remaining_processes(settings.home)):
        yield "warning", f"A killed `headwater up` left these running: {names}. Run `headwater down` to stop them."
        return
    if pid is None and (development_pid := read_development_pid(settings.home)) is not None:
        yield "ok", f"dagster dev runs (process {development_pid}): runs are started, but there is no API"
        return
    if pid is None:
        yield "ok", "headwater up is not running; commands work without it"
        return
    yield "ok", f"headwater up runs (process {pid})"
    urls = local_urls(settings.home)
    if urls is None:
        return  # it is still starting
    api, _ = urls
    again = f"The logs are in {settings.home / 'logs'}. To restart it, run `headwater down`, then `headwater up`."
    if _request_json(f"{api}/health/live") is None:
        yield "failed", f"The API at {api} does not answer. {again}"
    if silent_daemons := _list_silent_daemons(settings):
        yield "warning", f"Dagster's daemon sends no heartbeat: {', '.join(silent_daemons)}. No run will start. {again}"


def _list_silent_daemons(settings: Settings) -> list[str]:
    """The parts of Dagster's daemon that send no heartbeat; read from its database: its web server need not run.

    Raises:
        DatabaseUnavailableError: the database cannot be read.
    """
    import dagster as dg
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with dagster_instance(settings) as instance:
            statuses = instance.get_daemon_statuses().values()
    except (dg.DagsterError, SQLAlchemyError) as error:
        raise DatabaseUnavailableError(f"Dagster's database cannot be read: {error}") from error
    return sorted(status.daemon_type for status in statuses if status.required and not status.healthy)


def _request_json(url: str) -> Any:
    """The response of one of our addresses; None if it does not answer."""
    try:
        with urllib.request.urlopen(url, timeout=_ANSWER_LIMIT) as response:  # noqa: S310 - our own address
            return json.load(response)
    except (OSError, ValueError):
        return None


def _logs(settings: Settings) -> Iterator[Finding]:
    for what, place in log_places(settings).items():
        yield "ok", f"{what}: {place}"


_CHECKS: dict[str, Callable[[Settings], Iterator[Finding]]] = {
    "settings": _settings,
    "home": _home,
    "access": _access,
    "disk": _disk,
    "model": _model,
    "cross_encoder": _cross_encoder,
    "connectors": _connectors,
    "processes": _processes,
    "logs": _logs,
}
