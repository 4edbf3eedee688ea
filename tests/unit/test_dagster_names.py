"""What Headwater takes from Dagster beyond what Dagster promises (OPS-6).

Belongs here: the list of such names, each with a test that fails when it moves. Not here: what they are used for.
Guarantee: there is no other: the code is searched for them.
"""

import inspect
import os
import re
import socket
import threading
import urllib.error
import urllib.request
from importlib import import_module
from typing import Any

import dagster as dg
import pytest
import uvicorn
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationTargetMaterializationData
from dagster._core.events import AssetMaterializationPlannedData
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager

from assets.dagster_events import check_target
from cli.processes.dagster_command import COMMANDS, load_command
from cli.processes.ui_guard import guard_web_server
from headwater.settings import REPOSITORY, Settings

PRIVATE = {
    "assets/dagster_events.py": [
        "dagster._core.definitions.asset_checks.asset_check_evaluation",  # the materialization that a check looked at
        "dagster._core.events",  # planned materializations of a run that got its keys from config
    ],
    "cli/dagster_instance.py": ["dagster._core.storage.local_compute_log_manager"],  # its folder, without a variable
    "cli/processes/ui_guard.py": ["uvicorn.run"],  # what `dagster-webserver` serves its app with
}
"""Where each is used: four names in all."""


def test_there_are_four_and_each_has_its_place() -> None:
    """Whoever adds one must add it here, with a test; no attribute of Dagster's that is not public is used either."""
    found: dict[str, list[str]] = {}
    for package in ("headwater", "assets", "pipelines", "query_api", "integrations", "cli"):
        for path in sorted((REPOSITORY / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            names = sorted({*re.findall(r"\bdagster(?:_\w+)?\._[\w.]+", text), *re.findall(r"uvicorn\.run\b", text)})
            if names:
                found[path.relative_to(REPOSITORY).as_posix()] = names
            assert "._engine" not in text, path
            assert "optimize_for_webserver" not in text, path
    assert found == PRIVATE
    assert sum(map(len, PRIVATE.values())) == 4


def test_a_planned_event_names_a_partition() -> None:
    """Dagster's class takes the asset and its partition, and its event the job and the step."""
    planned = AssetMaterializationPlannedData(dg.AssetKey("chunks"), partition="kb/docs")
    event = dg.DagsterEvent.build_asset_materialization_planned_event("job", "step", planned)
    assert event.event_type == dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED
    assert event.partition == "kb/docs"


def test_a_check_names_what_it_looked_at() -> None:
    """The newest materialization of the partition."""
    with dg.DagsterInstance.local_temp() as instance:
        assert check_target(instance, "chunks", "kb/docs") is None
        for key in ("kb/docs", "kb/other"):
            instance.report_runless_asset_event(dg.AssetMaterialization("chunks", partition=key))
        target = check_target(instance, "chunks", "kb/docs")
        assert isinstance(target, AssetCheckEvaluationTargetMaterializationData)
        evaluation = dg.AssetCheckEvaluation(
            asset_key=dg.AssetKey("chunks"), check_name="read", passed=True, metadata={}, partition="kb/docs",
            target_materialization_data=target,
        )  # fmt: skip
    assert evaluation.target_materialization_data == target


def test_output_of_runs_takes_a_folder() -> None:
    """Dagster's own class is given the folder alone."""
    logs = LocalComputeLogManager("/somewhere")
    assert str(logs.get_captured_local_path(["run"], "err")).startswith("/somewhere")


def test_the_web_server_serves_by_uvicorn(monkeypatch: Any) -> None:
    """A test of the running server is tests/probe/test_dagster_ui.py; here the name is there, and is wrapped once."""
    load_command("dagster-webserver")
    assert vars(import_module("dagster_webserver.cli"))["uvicorn"] is uvicorn
    monkeypatch.setattr(uvicorn, "run", inspect.unwrap(uvicorn.run))
    for _ in range(2):
        guard_web_server(Settings.from_env({}))
    served: Any = uvicorn.run
    assert not hasattr(served.__wrapped__, "__wrapped__")


def test_a_socket_is_served_guarded(monkeypatch: Any) -> None:
    """The web server of `headwater up` gets its socket from the guard alone; without it, the port is taken (SEC-1)."""

    async def open_to_all(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    monkeypatch.setattr(uvicorn, "run", inspect.unwrap(uvicorn.run))  # a test that opened an instance has wrapped it
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        options: dict[str, Any] = {"host": "127.0.0.1", "port": port, "log_level": "critical", "lifespan": "off"}
        with pytest.raises(SystemExit):
            uvicorn.run(open_to_all, **options)
        servers: list[uvicorn.Server] = []

        class NotedServer(uvicorn.Server):
            def __init__(self, config: uvicorn.Config) -> None:
                super().__init__(config)
                servers.append(self)

        monkeypatch.setattr(uvicorn, "Server", NotedServer)
        guard_web_server(Settings.from_env({}), socket.socket(fileno=os.dup(listener.fileno())))
        thread = threading.Thread(target=uvicorn.run, args=(open_to_all,), kwargs=options)
        thread.start()
        try:
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}/server_info", headers={"Host": "another.invalid"}
            )
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(request, timeout=60)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/server_info", timeout=60) as response:
                assert response.status == 200
        finally:
            servers[0].should_exit = True
            thread.join()


def test_dagster_installs_its_commands() -> None:
    """`headwater up` runs them by their names."""
    assert all(callable(load_command(name)) for name in COMMANDS)
