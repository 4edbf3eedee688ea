"""The routes and commands of bots (INT-1): channels, and messages that are taken once."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.commands import bots
from cli.main import main
from headwater.administration.housekeeping import tidy
from query_api.app import create_app
from tests.support import Headwater

CHANNEL = "/api/v1/bots/slack/channels/T1/C1"
EVENTS = "/api/v1/bots/slack/events"

pytestmark = pytest.mark.synced(files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"})


@pytest.fixture
def client(kb: Headwater) -> FlaskClient:
    """A client of the app."""
    return create_app(kb.settings).test_client()


def message(holder: uuid.UUID, **more: Any) -> dict[str, Any]:
    """A message that mentions the bot."""
    same = {"id": "C1:1.0", "workspace": "T1", "channel": "C1", "thread": "1.0", "message": "1.0", "question": "What?"}
    return {**same, "is_mention": True, "holder": str(holder), **more}


def test_a_channel_is_configured_and_a_second_time_nothing_is_written(kb: Headwater, client: FlaskClient) -> None:
    """Its row replaces the one for all channels; without it that one counts again."""
    body = {"knowledge_base": "kb", "mode": "every_message"}
    put = client.put(CHANNEL, json=body).json
    assert put is not None
    assert (put["mode"], put["is_on"], put["knowledge_base"]) == ("every_message", True, "kb")
    assert client.put(CHANNEL, json=body).json == put
    client.put("/api/v1/bots/slack/channels/T1/*", json={"knowledge_base": "kb"})
    listed = client.get("/api/v1/bots/channels").json
    assert listed is not None
    assert [one["channel"] for one in listed["channels"]] == ["*", "C1"]
    silent = message(uuid.uuid4(), is_mention=False)
    assert client.post(EVENTS, json=silent).json["outcome"] == "claimed"  # type: ignore[index]
    assert client.delete(CHANNEL).json == put
    assert client.delete(CHANNEL).status_code == 404
    silent = message(uuid.uuid4(), is_mention=False, id="C1:2.0")
    assert client.post(EVENTS, json=silent).json == {"outcome": "ignored", "event": None}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (CHANNEL, {"knowledge_base": "none"}, 404),
        (CHANNEL, {"knowledge_base": "kb", "mode": "always"}, 422),
        ("/api/v1/bots/slack/channels/T1/%23general", {"knowledge_base": "kb"}, 422),
        ("/api/v1/bots/slack/channels/T%201/C1", {"knowledge_base": "kb"}, 422),
        ("/api/v1/bots/teams/channels/T1/C1", {"knowledge_base": "kb"}, 422),
    ],
)
def test_what_cannot_be_a_channel_is_refused(client: FlaskClient, path: str, body: dict[str, str], status: int) -> None:
    """Such as a name instead of an id."""
    assert client.put(path, json=body).status_code == status


def test_a_message_is_claimed_once(kb: Headwater, client: FlaskClient) -> None:
    """However many processes try at the same time; only the one that asked may claim it again, until it is answered."""
    client.put(CHANNEL, json={"knowledge_base": "kb"})
    holders = [uuid.uuid4() for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        app = client.application
        claims = list(pool.map(lambda one: app.test_client().post(EVENTS, json=message(one)).get_json(), holders))
    outcomes = [claim["outcome"] for claim in claims]
    assert sorted(outcomes) == ["claimed"] + ["taken"] * 7
    winner = holders[outcomes.index("claimed")]
    assert client.post(EVENTS, json=message(winner)).json == claims[outcomes.index("claimed")]
    done = {"holder": str(winner), "state": "done", "messages": ["9.0"]}
    changed = client.patch(f"{EVENTS}/C1:1.0", json=done).json
    assert changed is not None
    assert (changed["state"], changed["question"], changed["messages"]) == ("done", "", ["9.0"])
    assert client.post(EVENTS, json=message(winner)).json["outcome"] == "taken"  # type: ignore[index]
    assert len(kb.query("SELECT FROM bot_events")) == 1


def test_a_process_that_was_replaced_can_change_nothing(client: FlaskClient) -> None:
    """The next process takes over what is open, once; then the first one's changes are refused."""
    client.put(CHANNEL, json={"knowledge_base": "kb"})
    first, second = uuid.uuid4(), uuid.uuid4()
    client.post(EVENTS, json=message(first))

    def taken(holder: uuid.UUID, *, has_started: bool) -> list[str]:
        body = {"holder": str(holder), "has_started": has_started}
        return [one["id"] for one in client.post(f"{EVENTS}/take", json=body).get_json()["events"]]

    assert taken(second, has_started=False) == []
    assert taken(second, has_started=True) == ["C1:1.0"]
    assert taken(second, has_started=True) == []
    refused = client.patch(f"{EVENTS}/C1:1.0", json={"holder": str(first), "state": "done"})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "CONFLICT")
    assert client.get(f"{EVENTS}/C1:1.0").get_json()["state"] == "open"


def test_earlier_turns_of_a_thread_go_along(kb: Headwater, client: FlaskClient) -> None:
    """Ten at most, those of this thread alone, oldest first."""
    client.put(CHANNEL, json={"knowledge_base": "kb"})
    holder, owner = uuid.uuid4(), kb.ask("How many litres does the pump lift?")
    for number in range(12):
        thread = "1.0" if number else "2.0"
        client.post(EVENTS, json=message(holder, id=f"C1:{number}", thread=thread))
        change = {"holder": str(holder), "state": "done", "answer_id": str(owner.id)}
        client.patch(f"{EVENTS}/C1:{number}", json=change)
    claimed = client.post(EVENTS, json=message(holder, id="C1:next")).get_json()
    turn = {"question": "How many litres does the pump lift?", "answer": owner.answer}
    assert claimed["event"]["history"] == [turn] * 10


def test_old_events_are_forgotten_and_a_deleted_knowledge_base_takes_its_own_with_it(
    kb: Headwater, client: FlaskClient
) -> None:
    """The age decides, also for those that wait for a bot that never came back."""
    client.put(CHANNEL, json={"knowledge_base": "kb"})
    holder = uuid.uuid4()
    for name in ("old", "old-open", "new", "new-open"):
        client.post(EVENTS, json=message(holder, id=name))
    for name in ("old", "new"):
        client.patch(f"{EVENTS}/{name}", json={"holder": str(holder), "state": "done"})
    kb.query("UPDATE bot_events SET created_at = created_at - %s WHERE id LIKE 'old%%' RETURNING 1", timedelta(days=31))
    assert tidy(kb.store, kb.settings).bot_events == 2
    assert {row["id"] for row in kb.query("SELECT id FROM bot_events")} == {"new", "new-open"}
    kb.delete()
    assert kb.query("SELECT FROM bot_events") == kb.query("SELECT FROM bot_channels") == []


def test_the_commands_do_the_same(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a test message that no bot posts says so."""
    monkeypatch.setattr(bots, "_WAIT", 0.3)

    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["bots", *words])
        return done.exit_code, done.output

    where = ("slack", "T1", "C1")
    assert run("list") == (
        0, "No bot answers anywhere. `headwater bots set` gives a channel a knowledge base.\n"
    )  # fmt: skip
    assert (
        run("set", *where, "kb", "--mode", "every_message", "--off")[1] == "slack  T1  C1  kb  (every_message, off)\n"
    )
    assert run("set", "slack", "T1", "*", "kb")[1] == "slack  T1  every other channel  kb  (mention)\n"
    assert run("list")[1].count("\n") == 2
    status, words = run("test", *where)
    assert (status, words) == (
        1, "No bot posted a message yet. Is `headwater bot slack` running? The log says more.\n"
    )  # fmt: skip
    assert run("test", "slack", "T1", "*")[0] == 2
    assert run("remove", *where)[1] == "Removed: slack  T1  C1  kb  (every_message, off)\n"
    assert run("remove", *where)[0] == 2
    assert "HEADWATER_SLACK_BOT_TOKEN" in CliRunner().invoke(main, ["bot", "slack"]).output
