"""The processes of `headwater up`.

Belongs here: starting them in order, watching and restarting them. Not here: their work, stopping them (`shutdown`).
Guarantee: when it ends, every process that it started has ended; what a killed one left has ended before it starts any.
"""

import json
import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from cli.environment import dagster_variables
from cli.output import note
from cli.processes.api_server import check_port, has_admin_key, listen
from cli.processes.code_server import choose_socket, is_listening, remove_place, write_workspace
from cli.processes.development import check_no_development
from cli.processes.fork import CAN_FORK, import_shared
from cli.processes.logs import cap_logs
from cli.processes.service import Service, python_service
from cli.processes.shutdown import end_services, stop_remaining, stop_services
from cli.processes.sync_client import open_listener
from cli.processes.up_file import claim, release
from headwater.domain.plurals import join_names
from headwater.errors import HeadwaterError
from headwater.private_files import private_folder
from headwater.settings import Settings
from headwater.store.server import embedded_postgres
from headwater.store.server.connections import is_reachable
from headwater.store.server.database_urls import database_url
from headwater.store.server.migrations import migrate
from query_api.guards.hosts import check_host

_START_LIMIT = 120.0  # seconds until every process must answer
_RESTARTS = 5  # within RESTART_WINDOW seconds; more means that the process cannot run
_RECOVERY = 20  # seconds that other processes, and the end of `up`, wait for a Postgres that recovers from a crash
_LOOKS = 5  # times a second that a first connection is looked for
_LOG_INTERVAL = 60.0  # seconds between checks of the logs' size
_PING_INTERVAL = 15.0  # seconds between questions to Postgres, each of which starts a process there


class StartError(HeadwaterError):
    """A process of Headwater does not start; its log says why."""

    code = "START_FAILED"


def run(*, host: str, port: int, dagster_port: int, as_json: bool) -> int:
    """Run everything until a signal comes; returns the exit status.

    Raises:
        InvalidInputError: an address must not or cannot be bound.
        ConflictError: `up` already runs for this HEADWATER_HOME, or `dagster dev` does.
        StartError: a process does not start.
    """
    settings = Settings.from_env()
    pid_file = claim(settings.home)  # before the ports: those of the Headwater that runs for this home are taken
    stopping = threading.Event()
    signals = (signal.SIGTERM, signal.SIGINT)
    handlers = {signal_number: signal.signal(signal_number, lambda *_: stopping.set()) for signal_number in signals}
    services: list[Service] = []
    ui: socket.socket | None = None
    code_server = choose_socket(settings.home)
    try:
        check_no_development(settings.home)
        if ended := stop_remaining(settings.home):
            note(f"The previous `headwater up` was killed. Stopped what it left running: {join_names(ended)}.")
        check_port(host, port)
        ui = listen(dagster_port, "--dagster-port")
        migrate(database_url(settings))
        check_host(host, partial(has_admin_key, settings))
        api = _local_address(host, port)
        environ = _environ(settings, api, dagster_port)
        public = (environ["HEADWATER_DAGSTER_URL"], environ["HEADWATER_API_URL"])
        lines = (str(os.getpid()), *public, api, f"http://127.0.0.1:{dagster_port}")
        pid_file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if CAN_FORK:
            import_shared(environ, stopping.is_set)
        services = _services(settings, code_server, host, port, ui)
        _start(services, environ, code_server, api, stopping)
        if not stopping.is_set():
            _announce(api, f"http://127.0.0.1:{dagster_port}", as_json=as_json)
            _warn_of_models(api)
        return _watch(services, environ, settings, stopping)
    finally:
        end_services(settings.home, services)
        for service in services:
            service.refuse_connections()
        if ui is not None:
            ui.close()
        remove_place(code_server, settings.home)
        release(settings.home)
        for signal_number, handler in handlers.items():
            signal.signal(signal_number, handler)


def _environ(settings: Settings, api: str, dagster_port: int) -> dict[str, str]:
    bin_folder = str(Path(sys.executable).parent)
    return {
        **os.environ,
        **dagster_variables(settings),
        "PATH": os.pathsep.join((bin_folder, os.environ.get("PATH", ""))),
        "HEADWATER_API_URL": os.environ.get("HEADWATER_API_URL") or api,
        "HEADWATER_DAGSTER_URL": os.environ.get("HEADWATER_DAGSTER_URL") or f"http://127.0.0.1:{dagster_port}",
    }


def _services(settings: Settings, code_server: Path, host: str, port: int, ui: socket.socket) -> list[Service]:
    home = settings.home
    private_folder(home / "logs")
    workspace = ["-w", str(write_workspace(home, code_server))]
    dagster_port = str(ui.getsockname()[1])
    ui_arguments = ["-h", "127.0.0.1", "-p", dagster_port, "--listener", str(ui.fileno()), *workspace]
    services = [
        python_service("code-server", "cli.processes.code_server", ["--socket", str(code_server)], home),
        python_service("api", "cli.processes.api_process", ["--host", host, "--port", str(port)], home),
        python_service("dagster-webserver", "cli.processes.dagster_ui", ui_arguments, home),
        python_service("dagster-daemon", "cli.processes.dagster_daemon", workspace, home),
    ]
    services[2].listener, services[2].is_optional = ui, True
    if CAN_FORK:
        commands = open_listener(home)
        worker_arguments = ["--listener", str(commands.fileno())]
        services.append(python_service("sync-worker", "cli.processes.sync_worker", worker_arguments, home))
        services[-1].listener, services[-1].is_optional = commands, True
    return [*services, *_bots(settings, host, port)]


def _bots(settings: Settings, host: str, port: int) -> list[Service]:
    """The bots whose tokens are set; everything else works without them."""
    api = _local_address(host, port)
    tokens = {
        "slack": settings.slack_bot_token and settings.slack_app_token,
        "discord": settings.discord_token,
    }
    bots = [
        python_service(f"bot-{name}", "cli.processes.bot_runner", [name, "--url", api], settings.home)
        for name, token in tokens.items()
        if token
    ]
    for bot in bots:
        bot.is_optional = True
    return bots


def _local_address(host: str, port: int) -> str:
    return f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{port}"  # noqa: S104 - a comparison


def _start(
    services: Sequence[Service],
    environ: dict[str, str],
    socket: Path,
    api: str,
    stopping: threading.Event,
) -> None:
    def start(service: Service) -> None:
        if not stopping.is_set():
            service.start(environ)

    code_server, *other_services = [service for service in services if not service.is_optional]
    start(code_server)
    _wait("code server", lambda: is_listening(socket), [code_server], stopping)
    for service in other_services:
        start(service)
    started = [code_server, *other_services]
    _wait("API", lambda: _answers(f"{api}/health/ready"), started, stopping)
    for service in services:
        if service.is_optional and not service.is_awaiting:
            start(service)  # without waiting for it


def _wait(name: str, is_up: Callable[[], bool], services: Sequence[Service], stopping: threading.Event) -> None:
    deadline = time.monotonic() + _START_LIMIT
    while not stopping.is_set():
        if is_up():
            return
        dead = next((service for service in services if not service.is_running), None)
        if dead is not None or time.monotonic() > deadline:
            log = (dead or services[0]).log
            raise StartError(f"The {name} does not start. See {log}, or run `headwater doctor`.")
        stopping.wait(0.2)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:  # noqa: S310 - our own address
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _announce(api: str, dagster_url: str, *, as_json: bool) -> None:
    document = {"api": api, "openapi": f"{api}/openapi/swagger", "dagster": dagster_url}
    if as_json:
        click.echo(json.dumps(document))
    else:
        click.echo(f"Open {api} in your browser.")
        click.echo(f"API      {document['openapi']}\nDagster  {dagster_url}\nStop it with Ctrl-C.")
    sys.stdout.flush()


def _warn_of_models(api: str) -> None:
    """Say which models cannot be used, and what to do; everything else works."""
    address = f"{api}/health/ready"
    with suppress(OSError, ValueError), urllib.request.urlopen(address, timeout=5) as response:  # noqa: S310 - ours
        for name, state in json.load(response)["dependencies"].items():
            if state.startswith("degraded: "):
                note(f"{name}: {state.removeprefix('degraded: ')}")


def _watch(services: Sequence[Service], environ: dict[str, str], settings: Settings, stopping: threading.Event) -> int:
    next_cap, next_ping, is_away = 0.0, 0.0, False
    watched = list(services)
    while not _pause(watched, stopping):
        is_due = is_away or time.monotonic() >= next_ping
        if is_due:
            next_ping = time.monotonic() + _PING_INTERVAL
        is_away = not _keep_postgres(settings, is_away=is_away, asks=is_due)
        if time.monotonic() >= next_cap:
            cap_logs(settings.home)
            next_cap = time.monotonic() + _LOG_INTERVAL
        for service in watched:
            if service.is_visited:
                service.start(environ)
        dead = [service for service in watched if not (service.is_running or service.is_awaiting)]
        if dead and not is_reachable(database_url(settings)):
            continue  # they would only die again, too often
        for service in dead:
            if len(service.started) < _RESTARTS:
                note(f"{service.name} died; restarting it. Its log is {service.log}.")
                stop_services([service])
                service.start(environ)
            elif service.is_optional:
                note(f"{service.name} died {_RESTARTS} times; continuing without it. Its log is {service.log}.")
                watched.remove(service)
                stop_services([service])
                service.process = None  # another process may get its number
                service.refuse_connections()
            else:
                note(f"{service.name} died {_RESTARTS} times; giving up. Its log is {service.log}.")
                return 1
    return 0


def _pause(services: Sequence[Service], stopping: threading.Event) -> bool:
    """Wait a second, or until somebody visits a process that is not needed before; returns whether to stop."""
    if not any(service.is_awaiting for service in services):
        return stopping.wait(1.0)
    for _ in range(_LOOKS):
        if stopping.wait(1.0 / _LOOKS):
            return True
        if any(service.is_visited for service in services):
            return False
    return False


def _keep_postgres(settings: Settings, *, is_away: bool, asks: bool) -> bool:
    """Restart the embedded Postgres if it died; if that fails, which is said once, the next second tries again.

    Args:
        settings: the settings of the environment.
        is_away: whether the last try failed.
        asks: whether to ask it if it accepts connections; its process is looked at in any case.

    Returns:
        Whether Postgres runs, as far as it is ours to restart.
    """
    folder = settings.home / "postgres"
    looks_well = embedded_postgres.is_running if asks else embedded_postgres.is_alive
    if settings.database_url is not None or looks_well(folder):
        return True
    if not is_away:
        note(f"Postgres died; restarting it. Its log is {folder / 'log'}.")
    try:
        embedded_postgres.start(folder, recovery=_RECOVERY)
    except HeadwaterError as error:
        if not is_away:
            note(str(error))
        return False
    return True
