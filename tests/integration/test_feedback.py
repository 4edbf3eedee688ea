"""Feedback on answers, over HTTP and by command, and golden questions made of it (CNV-2)."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.domain.conversations import COMMENT_LIMIT
from query_api.app import create_app
from tests.support import Headwater

FILES = {
    "pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n",
    "mill.md": "# Mill\n\nThe wheel of the mill measures three metres across.\n",
}
LITRES = "How many litres of water does the pump lift per minute?"
METRES = "How many metres does the wheel of the mill measure?"
KB = "/api/v1/knowledge-bases/kb"

pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def client(kb: Headwater) -> FlaskClient:
    """A client of the app."""
    return create_app(kb.settings).test_client()


def _ask(client: FlaskClient, question: str, **more: Any) -> Any:
    response = client.post(f"{KB}/answers", json={"question": question, **more})
    assert response.status_code == 200, response.data
    return response.json


def _vote(client: FlaskClient, answer_id: str, vote: str, comment: str = "") -> Any:
    body = {"vote": vote, "comment": comment}
    response = client.put(f"/api/v1/answers/{answer_id}/feedback", json=body)
    assert response.status_code == 200, response.data
    return response.json


def _listed(client: FlaskClient, query: str = "") -> Any:
    return client.get(f"{KB}/feedback{query}").json


def _command(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == status, (done.output, done.exception)
    return done.stdout if status == 0 else done.output


def test_an_answer_has_one_vote_that_can_be_changed_and_taken_back(client: FlaskClient) -> None:
    """The later vote replaces the earlier one, with its comment."""
    answer = _ask(client, LITRES)["id"]
    up = _vote(client, answer, "up", "  exactly  ")
    assert (up["vote"], up["comment"], up["question"], up["knowledge_base"]) == ("up", "exactly", LITRES, "kb")
    assert _vote(client, answer, "down")["comment"] == ""
    assert [(one["answer_id"], one["vote"]) for one in _listed(client)["feedback"]] == [(answer, "down")]
    assert client.delete(f"/api/v1/answers/{answer}/feedback").status_code == 200
    assert _listed(client) == {"feedback": [], "next": None}
    assert client.delete(f"/api/v1/answers/{answer}/feedback").status_code == 404


def test_wrong_feedback_is_refused(client: FlaskClient) -> None:
    """Another vote, a comment that is too long, an answer that does not exist."""
    answer = _ask(client, LITRES)["id"]
    for body in ({"vote": "maybe"}, {"vote": "up", "comment": "x" * (COMMENT_LIMIT + 1)}, {"comment": "x"}):
        refused: Any = client.put(f"/api/v1/answers/{answer}/feedback", json=body)
        assert (refused.status_code, refused.json["code"]) == (422, "INVALID_INPUT")
    missing = client.put(f"/api/v1/answers/{'0' * 8}-0000-0000-0000-{'0' * 12}/feedback", json={"vote": "up"})
    assert missing.status_code == 404


def test_feedback_is_listed_counted_and_exported(kb: Headwater, client: FlaskClient) -> None:
    """By vote and in pages; in sum, by day and by knowledge base; a line for each answer."""
    begun = datetime.now(UTC)
    up, down = _ask(client, LITRES)["id"], _ask(client, METRES)["id"]
    _vote(client, up, "up")
    _vote(client, down, "down", "It is four.")
    assert [one["answer_id"] for one in _listed(client)["feedback"]] == [down, up]
    assert [one["answer_id"] for one in _listed(client, "?vote=down")["feedback"]] == [down]
    page = _listed(client, "?limit=1")
    assert page["next"] == down
    assert [one["answer_id"] for one in _listed(client, f"?after={down}")["feedback"]] == [up]
    kb.query("UPDATE feedback SET created_at = created_at - interval '2 days' WHERE answer_id = %s RETURNING 1", up)
    counted: Any = client.get("/api/v1/feedback/statistics").json
    assert (counted["up"], counted["down"]) == (1, 1)
    assert [(day["up"], day["down"]) for day in counted["days"]] == [(0, 1), (1, 0)]
    assert counted["days"][0]["day"] in {f"{moment:%Y-%m-%d}" for moment in (begun, datetime.now(UTC))}  # at midnight
    assert counted["knowledge_bases"] == [{"knowledge_base": "kb", "up": 1, "down": 1}]
    today: Any = client.get("/api/v1/feedback/statistics?knowledge_base=kb&days=1").json
    assert (today["up"], today["down"]) == (0, 1)
    assert client.get("/api/v1/feedback/statistics?knowledge_base=nowhere").status_code == 404
    exported = client.get(f"{KB}/feedback/export")
    assert exported.mimetype == "application/jsonl"
    assert [json.loads(line) for line in exported.text.splitlines()] == _listed(client)["feedback"]


def test_an_answer_voted_down_is_promoted_with_what_is_right(client: FlaskClient) -> None:
    """Its own text is not taken as right; afterwards the feedback names the golden question (EVL-1)."""
    answer = _ask(client, LITRES)["id"]
    _vote(client, answer, "down", "fifty")
    refused: Any = client.post(f"/api/v1/answers/{answer}/promote", json={})
    assert (refused.status_code, refused.json["code"]) == (422, "INVALID_INPUT")
    assert "voted down" in refused.json["detail"]
    made: Any = client.post(f"/api/v1/answers/{answer}/promote", json={"answer": "Fifty litres."}).json
    assert (made["question"], made["answer"], made["origin"]) == (LITRES, "Fifty litres.", "promoted")
    (feedback,) = _listed(client)["feedback"]
    assert feedback["golden_question_id"] == made["id"]


def test_a_promoted_follow_up_is_the_question_that_was_searched_for(client: FlaskClient) -> None:
    """The golden set has no conversation; deleting the conversation leaves the golden question."""
    made: Any = client.post(f"{KB}/conversations", json={}).json
    _ask(client, LITRES, conversation=made["id"])
    follow_up = _ask(client, "And per hour?", conversation=made["id"])
    _vote(client, follow_up["id"], "down")
    promoted: Any = client.post(f"/api/v1/answers/{follow_up['id']}/promote", json={"unanswerable": True}).json
    assert promoted["question"] == follow_up["search_text"]
    assert "litres" in promoted["question"]
    assert _listed(client)["feedback"][0]["search_text"] == follow_up["search_text"]
    client.delete(f"/api/v1/conversations/{made['id']}")
    golden: Any = client.get(f"{KB}/golden-questions").json
    assert [one["id"] for one in golden["questions"]] == [promoted["id"]]


def test_commands_do_what_the_api_does(client: FlaskClient, tmp_path: Path) -> None:
    """Give, withdraw, list, count and export (API-7)."""
    answer = _ask(client, LITRES)["id"]
    assert "has no feedback" in _command("feedback", "list", "kb")
    given = json.loads(_command("feedback", "give", answer, "down", "--comment", "It is fifty.", "--json"))
    assert [given] == _listed(client)["feedback"]
    listed = _command("feedback", "list", "kb", "--vote", "down")
    assert f"down  {LITRES}: It is fifty." in listed
    assert "headwater golden promote" in listed
    assert _command("feedback", "statistics", "kb").startswith(
        "In the last 30 days: 0 up, 1 down\n  kb: 0 up, 1 down\n"
    )
    file = tmp_path / "feedback.jsonl"
    assert _command("feedback", "export", "kb", str(file)) == f"Wrote the feedback on 1 answer to {file}.\n"
    assert json.loads(file.read_text(encoding="utf-8")) == given
    assert "at most 2,000" in _command("feedback", "give", answer, "up", "--comment", "x" * 2001, status=2)
    assert "Withdrawn" in _command("feedback", "withdraw", answer)
    assert _listed(client)["feedback"] == []
