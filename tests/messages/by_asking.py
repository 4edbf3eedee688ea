"""Messages for people who ask.

Belongs here: questions without an answer, models that fail, answers from the store and stale ones. Not here: wrong
requests (`by_http`), refusals (`by_command`). Guarantee: as in `collecting`.
"""

import os
from typing import Any

from flask.testing import FlaskClient

from headwater.answering.staleness import stale_because
from headwater.domain.answers import Answer
from headwater.store.work.answers import INTERRUPTED
from tests.chat_server import MODEL, ChatServer, Says, refuses
from tests.messages.collecting import KB, Collected
from tests.support import Headwater

_LIFTS = "How many litres of water does the pump lift per minute?"


def questions(found: Collected, kb: Headwater, client: FlaskClient, chat: ChatServer) -> None:
    """The errors of ANS-7, and what is said of stored answers."""
    asked: dict[str, Any] = {"json": {"question": _LIFTS}}
    path = f"{KB}/kb/answers"
    found.command("A question that is answered", "ask", "kb", _LIFTS, code="answered")
    found.command("The same question again", "ask", "kb", _LIFTS, code="cached")
    found.command("The list of answers", "answers", "kb", code="listed")
    found.command("The list of answers before the first", "answers", "empty", code="none")
    remote = kb.store.knowledge_bases.get("remote")
    kb.store.syncs.request(remote.id, kb.store.sources.select("remote", ()), "api")
    found.http("A question while the first sync waits", client, "POST", f"{KB}/remote/answers", **asked)
    client.patch(f"{KB}/kb", json={"settings": {"answer_model": MODEL, "quote_when_model_fails": False}})
    found.http("A model without a key", client, "POST", path, **asked)
    os.environ["OPENAI_API_KEY"] = chat.key
    for situation, reply in (
        ("A model whose server refuses the key", refuses(401)),
        ("A model whose server accepts no more requests", refuses(429, retry_after="120")),
        ("A model that breaks off", Says("The pump lifts 40 litres [1]. It", ending="breaks")),
        ("A model that says nothing", Says(" ")),
    ):
        chat.otherwise = reply
        found.http(situation, client, "POST", path, **asked)
    del os.environ["OPENAI_API_KEY"]
    client.patch(f"{KB}/kb", json={"settings": {"answer_model": "builtin/extractive", "quote_when_model_fails": True}})
    found.add("An answer whose process was killed", INTERRUPTED.code, str(INTERRUPTED))


def changed(found: Collected, kb: Headwater) -> Answer:
    """Why an answer is stale once a document has changed; returns the answer, whose source is not deleted yet."""
    answer = kb.ask(_LIFTS)
    kb.write("pump.md", "# Pump manual\n\nThe pump lifts fifty litres of water per minute.\n")
    kb.sync("docs")
    found.command("The trace of an answer whose document has changed", "trace", str(answer.id), code="stale")
    return answer


def deleted(found: Collected, kb: Headwater, answer: Answer) -> None:
    """Why an answer is stale once a source that it cites was deleted."""
    reasons = stale_because(kb.store.answers.get(answer.id))
    found.add("An answer whose source was deleted", "stale", "\n".join(reasons))
