"""Turns that may mean either of two questions: the reader is asked, and chooses (CNV-1, RET-4).

Belongs here: when an answer asks, what the API, the page and the command show, and what a choice finds. Not here: turns
whose meaning the documents tell (test_turns).
"""

from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.answering.clarification import UNCLEAR
from headwater.domain.answers import Turn
from query_api.app import create_app
from tests.integration.test_turns import make_answer
from tests.support import Headwater

_WEATHER = {"day": "turn the key", "night": "light the lamp", "snow": "fill the sand box", "fog": "ring the bell"}
_PARTS = ("axle", "door", "roof", "wheel")
_FOODS = ("soup", "bread", "cake", "fish", "rice", "salad", "stew", "tea", "cocoa", "porridge", "noodles", "pie")
_TRAM = """# Start of the tram in the {when}

To start the tram in the {when}, {what}, and check the brake for rust and water before winter.
"""
_SPRING = """# Workshop list {number}

Gauge {number} of the workshop belongs to the spring of the {part}. Hang it in the cupboard. Keep an inventory.
Before winter, check rust, water, brake and spring lists, sign them, and send them to the office in town.
"""
FILES = (
    {f"tram-{when}.md": _TRAM.format(when=when, what=what) for when, what in _WEATHER.items()}
    | {f"spring-{part}.md": _SPRING.format(number=number, part=part) for number, part in enumerate(_PARTS, start=1)}
    | {f"{food}.md": f"# {food.capitalize()}\n\nThe canteen serves {food} from noon to two.\n" for food in _FOODS}
)
FIRST = "How do I start the tram?"
NEXT = "how do i check the brake spring for rust and water before winter"
WITH_SUBJECT = f"{NEXT} (start tram)"
KB = "/api/v1/knowledge-bases/kb"

pytestmark = pytest.mark.synced(files=FILES)


@pytest.fixture
def client(kb: Headwater) -> FlaskClient:
    """A client of the app."""
    return create_app(kb.settings).test_client()


@pytest.fixture
def talk(client: FlaskClient) -> str:
    """A conversation whose last answer asks."""
    made = client.post(f"{KB}/conversations", json={})
    talk = str(made.get_json()["id"])
    _ask(client, FIRST, talk)
    _ask(client, NEXT, talk)
    return talk


def _ask(client: FlaskClient, question: str, talk: str) -> Any:
    return client.post(f"{KB}/answers", json={"question": question, "conversation": talk}).get_json()


def test_equal_readings_are_offered(client: FlaskClient, talk: str) -> None:
    """The answer asks, cites nothing, and names both questions; the conversation and its page keep them (RET-4)."""
    turn = client.get(f"/api/v1/conversations/{talk}").get_json()["turns"][1]
    assert turn["answer"] == f"Do you mean “{NEXT}” or “{WITH_SUBJECT}”?"
    assert (turn["reason"], turn["cited"], turn["readings"]) == (UNCLEAR, [], [NEXT, WITH_SUBJECT])
    assert client.get(f"/api/v1/answers/{turn['id']}").get_json()["readings"] == turn["readings"]
    page = client.get(f"/kb/kb/chat/{talk}").text
    assert page.count(f'data-ask="{NEXT}"') == page.count(f'data-ask="{WITH_SUBJECT}"') == 1


@pytest.mark.parametrize(("chosen", "found"), [(NEXT, "spring"), (WITH_SUBJECT, "tram")])
def test_a_choice_is_searched_for_as_it_is(client: FlaskClient, talk: str, chosen: str, found: str) -> None:
    """It is not read with the turns before it again, so that the reader is asked once (RET-4)."""
    answer = _ask(client, chosen, talk)
    assert (answer["search_text"], answer["readings"]) == (chosen, [])
    assert answer["passages"][0]["uri"].startswith(found)


def test_a_stateless_conversation_is_asked_too(kb: Headwater) -> None:
    """What the caller sends as history is enough to know that the question was offered (CNV-1)."""
    history = [Turn(question=FIRST, answer="Turn the key.")]
    _, answer = make_answer(kb, NEXT, history)
    assert answer.readings == (NEXT, WITH_SUBJECT)
    _, chosen = make_answer(kb, NEXT, [*history, Turn(question=NEXT, answer=answer.answer)])
    assert (chosen.readings, chosen.refused) == ((), False)


def test_nothing_is_asked_where_questions_are_not_stored(kb: Headwater) -> None:
    """The question back would repeat the question in a stored answer."""
    _, answer = make_answer(kb, NEXT, [Turn(question=FIRST)], store_questions=False)
    assert (answer.readings, answer.refused) == ((), False)


def test_the_command_shows_what_to_ask(client: FlaskClient) -> None:
    """Both questions, a line each (API-7)."""
    talk = client.post(f"{KB}/conversations", json={}).get_json()["id"]
    _ask(client, FIRST, talk)
    shown = CliRunner().invoke(main, ["ask", "kb", NEXT, "--conversation", talk]).output
    assert f"\nAsk one of them in the same conversation:\n  {NEXT}\n  {WITH_SUBJECT}\n" in shown
    assert "Refused" not in shown
