"""A chat model that finds no answer, is away, too slow, or breaks off: the best quote stands in for it (ANS-4, ANS-7).

Belongs here: what a reader gets then, and why. Not here: replies that are answers (`test_generative_answers`).
"""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from headwater.answering.direct_answer import ask
from headwater.domain.answers import Answer
from headwater.errors import GenerationFailedError, ModelUnavailableError, RateLimitedError
from headwater.models_gateway import chat_registry
from headwater.models_gateway.reply_reader import Limits
from query_api.app import create_app
from query_api.routes.answer_payloads import AnswerPayload
from tests.chat_server import MODEL, ChatServer, Refuses, Says, hangs, refuses
from tests.support import Headwater

PUMP = """\
# Pump

The pump lifts forty litres of water per minute. It stops by itself at 90 degrees.
"""
WELL = """\
# Well

The well is thirty metres deep. The pump of the well lifts twenty litres of water per minute.
"""
QUESTION = "How many litres of water does the pump lift per minute?"
VAGUE = "Which person takes care of the pump of the well?"

pytestmark = pytest.mark.synced(files={"pump.md": PUMP, "well.md": WELL}, answer_model=MODEL)


def _ask(kb: Headwater, question: str = QUESTION, **settings: Any) -> Answer:
    chosen = kb.knowledge_base.settings.model_copy(update=settings)
    return ask(kb.store, kb.settings, replace(kb.knowledge_base, settings=chosen), question)


def _stored(kb: Headwater) -> int:
    return int(kb.query("SELECT count(*) FROM answers")[0]["count"])


@pytest.mark.parametrize("reply", ["I don't know.", "The sources do not contain the answer [1].", "Ich weiß es nicht."])
def test_a_reply_that_declines_is_followed_by_the_best_quote(kb: Headwater, chat: ChatServer, reply: str) -> None:
    """It is said to be one, and cited; the model's words are not shown."""
    chat.otherwise = reply
    answer = _ask(kb)
    assert answer.answer.startswith("The model found no answer. The closest passage says:\n\n> **Pump:** ")
    assert answer.answer.endswith(" [1]")
    assert (answer.refused, answer.degraded, answer.quote) == (False, "declined", "[1]")
    assert [one.uri for one in answer.citations] == ["pump.md"]
    assert AnswerPayload.of(answer) == AnswerPayload.from_stored(kb.store.answers.get(answer.id))


def test_a_quote_that_does_not_answer_either_is_a_refusal(kb: Headwater, chat: ChatServer) -> None:
    """It cites nothing; the closest passage is named, and linked below."""
    chat.otherwise = "I don't know."
    answer = _ask(kb, VAGUE, trust_floor=0.0)
    assert (answer.refused, answer.reason, answer.citations) == (True, "nothing_relevant", ())
    assert (answer.degraded, answer.quote) == (None, "")
    assert answer.answer.startswith("The documents of this knowledge base do not answer this question.")
    assert "The closest passage is in " in answer.answer
    assert answer.further
    assert answer.further[0].line


@pytest.mark.parametrize(
    ("reply", "degraded", "begins"),
    [
        (refuses(401), "model_unavailable", "The model did not answer. The closest passage says:\n\n> **Pump:**"),
        (refuses(429, retry_after="120"), "model_unavailable", "The model did not answer."),
        (Says(" "), "broke_off", "The model did not answer."),
        (
            Says("The pump lifts 40 litres [1]. It also", ending="breaks"),
            "broke_off",
            "The pump lifts 40 litres [1]. It also …\n\nHere the model broke off. The closest passage says:\n\n> **",
        ),
        (Says("The pump lifts 40 litres [1]. It also", ending="ends"), "broke_off", "The pump lifts 40 litres [1]."),
        (
            Says("Pump 40 litres:\n\n```sh\npump", ending="breaks"),
            "broke_off",
            "Pump 40 litres: [1]\n\n```sh\npump\n```\n\n…\n\nHere the model broke off.",
        ),
    ],
)
def test_a_model_that_fails_leaves_what_came_and_the_best_quote(
    kb: Headwater, chat: ChatServer, reply: Says | Refuses, degraded: str, begins: str
) -> None:
    """With the reason in a note, and never an empty error."""
    chat.otherwise = reply
    answer = _ask(kb)
    assert (answer.refused, answer.degraded) == (False, degraded)
    assert answer.answer.startswith(begins)
    assert answer.quote
    assert answer.quote in [one.marker for one in answer.citations]
    assert MODEL in " ".join(answer.notes)
    assert AnswerPayload.of(answer) == AnswerPayload.from_stored(kb.store.answers.get(answer.id))


def test_a_model_that_says_nothing_in_time_was_too_slow(
    kb: Headwater, chat: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its server may well be up."""
    monkeypatch.setattr(chat_registry, "_limits", lambda _: Limits(first_token=0.3, attempts=1))
    monkeypatch.setattr("headwater.generation.pace.PaceBook.first_token_limit", lambda *_: 0.0)
    chat_registry._load.cache_clear()
    chat.otherwise = hangs()
    answer = _ask(kb)
    chat_registry._load.cache_clear()
    assert answer.degraded == "too_slow"
    assert "said nothing within 0.3 seconds" in " ".join(answer.notes)


def test_what_stands_in_is_not_served_again(kb: Headwater, chat: ChatServer) -> None:
    """The model may answer next time."""
    client = create_app(kb.settings).test_client()
    chat.otherwise = refuses(401)

    def ask_again() -> Any:
        return client.post("/api/v1/knowledge-bases/kb/answers", json={"question": QUESTION}).json

    first = ask_again()
    chat.otherwise = "The pump lifts forty litres."
    second, third = ask_again(), ask_again()
    assert [first["degraded"], second["degraded"]] == ["model_unavailable", None]
    assert second["id"] == third["id"]


def test_a_stream_that_breaks_off_goes_on_with_the_quote(kb: Headwater, chat: ChatServer) -> None:
    """What was shown stays; the deltas are the answer."""
    chat.otherwise = Says("The pump lifts 40 litres [1]. It also", ending="breaks")
    client = create_app(kb.settings).test_client()
    body = {"question": QUESTION, "stream": True}
    sent = client.post("/api/v1/knowledge-bases/kb/answers", json=body).get_data(as_text=True)
    events = [(name, json.loads(data)) for name, data in re.findall(r"event: (\w+)\ndata: (.*)\n", sent)]
    name, done = events[-1]
    assert (name, done["degraded"]) == ("done", "broke_off")
    assert "".join(data["text"] for name, data in events if name == "delta") == done["answer"]


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Says("The pump lifts 40 litres [1]. It", ending="breaks"), GenerationFailedError),
        (Says("The pump lifts 40 litres [1]. It", ending="ends"), GenerationFailedError),
        (Says(" "), GenerationFailedError),
        (refuses(401), ModelUnavailableError),
        (refuses(429, retry_after="120"), RateLimitedError),
    ],
)
def test_a_setting_turns_the_failure_into_an_error(
    kb: Headwater, chat: ChatServer, reply: Says | Refuses, error: type[Exception]
) -> None:
    """Then nothing half written is stored (ANS-7)."""
    chat.otherwise = reply
    with pytest.raises(error):
        _ask(kb, quote_when_model_fails=False)
    assert _stored(kb) == 0


@pytest.mark.synced(files={"pump.md": "# ポンプ\n\nポンプは毎分40リットルの水を汲み上げます。\n"}, answer_model=MODEL)
def test_the_reader_is_told_in_the_language_of_the_question(kb: Headwater, chat: ChatServer) -> None:
    """As for a refusal."""
    chat.otherwise = "わかりません。"
    answer = _ask(kb, "ポンプは毎分何リットルの水を汲み上げますか")
    assert answer.answer.startswith(
        "モデルは答えを見つけられませんでした。最も近い箇所には次のようにあります：\n\n> **ポンプ:**"
    )
    assert answer.degraded == "declined"
