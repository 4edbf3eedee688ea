"""No stream of an answer breaks off without `done` or `error`, whatever fails while it is open (ANS-3, REL-1)."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from headwater.errors import DatabaseUnavailableError, HeadwaterError
from query_api.answer_access import Check
from query_api.app import create_app
from query_api.app_context import AppContext
from query_api.routes import answer_events
from query_api.sse import Pause
from tests.integration.test_answer_streams import FILES, Event, _all, _events, _run, _text
from tests.paced import TEXT, WORDS, Paced
from tests.support import Headwater

pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def client(kb: Headwater) -> FlaskClient:
    """A client of the app."""
    return create_app(kb.settings).test_client()


class _Away:
    """A part of the store while Postgres is away."""

    def __getattr__(self, name: str) -> Any:
        def fail(*_: object, **__: object) -> None:
            raise DatabaseUnavailableError

        return fail


def _without_postgres(client: FlaskClient, monkeypatch: pytest.MonkeyPatch, *parts: str) -> None:
    """Let parts of the app's store fail as they do while Postgres is away."""
    context: AppContext = client.application.extensions["headwater"]
    for part in parts:
        monkeypatch.setattr(context.store, part, _Away())


def test_a_citation_does_not_need_the_database(kb: Headwater, client: FlaskClient) -> None:
    """While Postgres is away, it comes without its original; the answer goes on, and is stored after the outage."""
    paced = Paced(let=3)
    run = _run(kb, client, paced)
    seen: list[Event] = []
    with pytest.MonkeyPatch.context() as patch, client.get(f"/api/v1/answers/{run.id}/events") as response:
        for event in _events(response.iter_encoded()):
            seen.append(event)
            if _text(seen) == "".join(WORDS[:3]) and event[1] == "delta":
                _without_postgres(client, patch, "originals", "answers")
                paced.let()
            if event[1] == "citation":
                patch.undo()
    assert [name for _, name, _ in seen][-2:] == ["usage", "done"]
    assert _text(seen) == TEXT


@pytest.mark.parametrize("error", [DatabaseUnavailableError(), RuntimeError("a bug")], ids=["postgres", "bug"])
def test_no_stream_breaks_off_without_an_end(
    kb: Headwater, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Whatever fails while events are made: an error with a stable code is the last one, and reconnecting goes on."""
    paced = Paced(let=3)
    run = _run(kb, client, paced)
    path = f"/api/v1/answers/{run.id}/events"

    def fails(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(answer_events, "_to_citation", fails)
        paced.let()
        seen = _all(client.get(path))
    number, name, data = seen[-1]
    assert (number, name, data["code"], data["answer_id"]) == (None, "error", data["code"], str(run.id))
    assert data["code"] == ("DATABASE_UNAVAILABLE" if isinstance(error, HeadwaterError) else "HEADWATER_ERROR")
    assert "a bug" not in data["detail"]
    last = max(number for number, _, _ in seen if number)
    rest = _all(client.get(path, headers={"Last-Event-ID": str(last)}))
    assert [name for _, name, _ in rest] == ["citation", "usage", "done"]


def test_a_reader_of_the_store_waits_for_the_database_only_for_a_while(
    kb: Headwater, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A minute; then the stream ends as an error, too."""
    run = _run(kb, client, Paced(let=21))
    run.result()
    monkeypatch.setattr(answer_events, "_PATIENCE", 0.2)
    monkeypatch.setattr(answer_events, "_INTERVAL", 0.05)
    context: AppContext = client.application.extensions["headwater"]
    check = Check(require=lambda: None, rights=None, shared=context.shared)
    steps = answer_events.follow_stored(context.store, kb.settings, run.id, check)
    _without_postgres(client, monkeypatch, "answers")
    told = [str(step) for step in steps if not isinstance(step, Pause)]
    assert told[0].startswith(": the database does not answer")
    ((_, name, data),) = _events(told)
    assert (name, data["code"]) == ("error", "DATABASE_UNAVAILABLE")
