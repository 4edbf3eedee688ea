"""What callers wait for: the end of a stream of events, and a command's exit status (API-2, OPS-5)."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from cli import doctor_checks
from cli.main import main
from query_api.app import create_app
from tests.support import Headwater

Make = Callable[..., Headwater]


def _events(kb: Headwater, sync_id: int) -> Iterator[tuple[str, str]]:
    """Names and data of a sync's events, as they come."""
    response: Any = create_app(kb.settings).test_client().get(f"/api/v1/syncs/{sync_id}/events").response
    for part in response:
        text = part.decode() if isinstance(part, bytes) else part
        lines = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line and not line.startswith(":"))
        if "data" in lines:
            yield lines.get("event", ""), lines["data"]


def _request(kb: Headwater) -> int:
    return kb.store.syncs.request(kb.knowledge_base.id, [kb.source()], "api")


def test_a_stream_ends_with_done(headwater: Make) -> None:
    """The events are `progress` until the end, then one `done`, and nothing after it."""
    kb = headwater()
    sync_id = _request(kb)
    events = _events(kb, sync_id)
    assert next(events)[0] == "progress"
    kb.store.syncs.cancel(sync_id)
    names = [name for name, _ in events]
    assert (names[-1], names.count("done")) == ("done", 1)
    assert [name for name, _ in _events(kb, sync_id)] == ["done"]  # whoever comes later is told so at once


def test_a_stream_about_what_is_deleted_ends_with_done(headwater: Make) -> None:
    """The stream ends, because there is nothing to show any more."""
    kb = headwater()
    events = _events(kb, _request(kb))
    assert next(events)[0] == "progress"
    kb.delete()
    assert list(events)[-1] == ("done", "null")


@pytest.fixture
def _without_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor_checks, "_CHECKS", {name: look for name, look in doctor_checks._CHECKS.items() if name != "model"}
    )


@pytest.mark.usefixtures("_without_the_model")
def test_doctor_exits_with_1_only_when_something_failed(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 0 when all is well, and over a warning; with 1 though most is well."""
    headwater()
    run = CliRunner().invoke
    assert run(main, ["doctor"]).exit_code == 0
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**11, 10**11 - 10**9, 10**9))
        found = run(main, ["doctor"])
        assert "warn" in found.output
        assert found.exit_code == 0
    monkeypatch.setenv("HEADWATER_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    found = run(main, ["doctor"])
    assert "FAIL" in found.output
    assert "ok  " in found.output
    assert found.exit_code == 1
