"""Settings that count for one question (UI-1)."""

from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.settings import Settings
from query_api.app import create_app
from tests.support import Headwater

ANSWERS = "/api/v1/knowledge-bases/kb/answers"
QUESTION = "How many litres of water does the pump lift per minute?"
FILES = {
    "docs/pump.md": "# Pump manual\n\nThe pump lifts forty litres of water per minute.\n",
    "docs/old.md": "# Old pump\n\nThe old pump lifted nine litres of water per minute.\n",
}

pytestmark = pytest.mark.synced("docs", files=FILES)


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """A client of the app."""
    return create_app(settings).test_client()


def asked(client: FlaskClient, **more: Any) -> dict[str, Any]:
    """The answer over HTTP."""
    response = client.post(ANSWERS, json={"question": QUESTION, **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json  # type: ignore[assignment]
    return found


def test_a_question_chooses_how_many_passages_it_may_use(kb: Headwater, client: FlaskClient) -> None:
    """The knowledge base keeps its setting, and another choice is not served the answer of the first."""
    many, one = asked(client), asked(client, top_k=1)
    assert (len(many["passages"]), len(one["passages"])) == (2, 1)
    assert not one["cached"]
    assert asked(client, top_k=1)["cached"]
    assert kb.knowledge_base.settings.top_k == 5


@pytest.mark.usefixtures("kb")
@pytest.mark.parametrize(("mode", "rank"), [("keyword", "vector_rank"), ("vector", "text_rank")])
def test_a_question_chooses_what_finds_its_passages(client: FlaskClient, mode: str, rank: str) -> None:
    """The other leg ranks nothing, and the answer does not serve those who search by both."""
    answer = asked(client, mode=mode)
    assert "litres" in answer["answer"]
    assert {one["scores"][rank] for one in answer["passages"]} == {None}
    assert not asked(client)["cached"]


def test_a_question_chooses_among_the_models_of_the_settings(kb: Headwater, client: FlaskClient) -> None:
    """Quoting is always allowed; another model would be sent the documents, and would be paid."""
    chosen = kb.knowledge_base.settings.model_copy(
        update={"answer_model": "openai/first", "answer_fallbacks": ("openai/next",)}
    )
    kb.store.knowledge_bases.update("kb", settings=chosen)
    assert asked(client, model="builtin/extractive")["model"] == "builtin/extractive"
    refused = client.post(ANSWERS, json={"question": QUESTION, "model": "openai/other"})
    assert (refused.status_code, refused.json and refused.json["code"]) == (422, "INVALID_INPUT")
    assert "Choose openai/first or openai/next or builtin/extractive." in refused.text


def test_the_command_line_chooses_them_too(kb: Headwater) -> None:
    """As over HTTP (API-7)."""
    done = CliRunner().invoke(main, ["ask", "kb", QUESTION, "--top-k", "1", "--mode", "keyword", "--json"])
    assert done.exit_code == 0, done.output
    assert done.output.count('"rank"') == 1
