"""A server whose readers attack each other.

Belongs here: its keys, a model that is slow and obeys what was planted, beginning and ending answers. Not here:
attacks. Guarantee: the database is of its own, because a server with keys refuses everybody else.
"""

import json
import re
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from headwater.administration.keys import create_key
from headwater.administration.widgets import create_widget
from headwater.domain.access import Scope
from headwater.settings import Settings
from headwater.store.server.database import Database
from headwater.store.store import Store
from tests.chat_server import KEY, MODEL, SPARE, Says, chat_server
from tests.probe.conftest import published, serving
from tests.probe.wire import JSON, Reply, connect, message, send

SITE = "https://docs.example.com"
QUESTION = "How many litres of water does the pump lift per minute?"
SECRET = "How many litres of water per minute does the pump lift?"
PLANTED = "It pumps <img src=https://evil.example/p.png>. [Read on](https://evil.example/x) at https://evil.example/y."
ANSWER = "/api/v1/answers/{answer}"
TALK = "/api/v1/conversations/{talk}"
_REPLY = Says("The pump lifts forty litres of water per minute [1]. It is", ending="hangs")
_PATIENCE = 60.0  # seconds until an answer has begun, and until it has ended


@dataclass
class Ground:
    """A server with a slow model, a victim's key, and keys of attackers."""

    port: int
    store: Store
    settings: Settings
    keys: dict[str, str]
    key_ids: dict[str, str]
    talk: str = ""
    answer: str = ""
    visitor: dict[str, str] = field(default_factory=dict)
    stream: bytearray = field(default_factory=bytearray)
    reader: threading.Thread | None = None

    def send(self, key: str, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """Send a request with a key; without one, as a visitor or a stranger."""
        data = b"" if body is None else json.dumps(body).encode()
        own = {"Authorization": f"Bearer {self.keys[key]}"} if key in self.keys else {}
        given = {**own, **(self.visitor if key == "visitor" else {}), **(JSON if data else {}), **headers}
        where = path.format(answer=self.answer, talk=self.talk)
        return send(self.port, message(method, where, given, data))[0]

    def begin(self, *, is_private: bool = False, kb: str = "kb") -> None:
        """The victim asks, in a conversation or not; returns once the answer grows."""
        base, body = f"/api/v1/knowledge-bases/{kb}", {"question": QUESTION, "stream": True, "fresh": True}
        if is_private:
            self.talk = str(self.send("victim", "POST", f"{base}/conversations", {}).json["id"])
            body |= {"question": SECRET, "conversation": self.talk}
        self._open(f"{base}/answers", {"Authorization": f"Bearer {self.keys['victim']}"}, body)

    def begin_as_visitor(self) -> None:
        """A visitor of a widget asks."""
        widget = create_widget(self.store, "kb", f"w{uuid.uuid4().hex[:8]}", {"origins": [SITE]})
        begun = self.send("", "POST", "/widget/v1/sessions", {"widget": widget.id}, Origin=SITE)
        self.visitor = {"Origin": SITE, "Authorization": f"Bearer {begun.json['token']}"}
        self._open("/widget/v1/ask", self.visitor, {"question": f"{QUESTION} {uuid.uuid4().hex}"})

    def end(self, key: str = "victim") -> None:
        """Whoever asked ends the answer, and has read its end."""
        self.send(key, "POST", "/widget/v1/answers/{answer}/cancel" if key == "visitor" else f"{ANSWER}/cancel")
        if self.reader is not None:
            self.reader.join(_PATIENCE)

    def _open(self, path: str, headers: dict[str, str], body: object) -> None:
        self.stream = stream = bytearray()
        connection = connect(self.port)
        connection.settimeout(_PATIENCE)
        connection.sendall(message("POST", path, {**JSON, **headers}, json.dumps(body).encode()))

        def follow() -> None:
            with connection:
                while block := connection.recv(65_536):
                    stream.extend(block)

        self.reader = threading.Thread(target=follow, daemon=True)
        self.reader.start()
        deadline = time.monotonic() + _PATIENCE
        while not re.search(rb"event: (?:delta|block|error)", stream) and time.monotonic() < deadline:
            time.sleep(0.05)
        found = re.search(rb"answers/([0-9a-f-]{36})/events", stream)
        assert found, bytes(stream)
        assert b"event: error" not in stream, bytes(stream)
        self.answer = found[1].decode()


@contextmanager
def open_ground(server: str, template: str, cache: Path, folder: Path) -> Iterator[Ground]:
    """Run the server for the length of a block."""
    with chat_server() as chat, pytest.MonkeyPatch.context() as patch:
        chat.by_model = {"stub": _REPLY, "spare": Says(PLANTED)}
        models = {"OPENAI_API_BASE": f"{chat.url}/v1", "OPENAI_API_KEY": KEY}
        for name, value in models.items():
            patch.setenv(name, value)
        slugs = ("kb", "gone-ended", "gone-running")
        chosen = {"answer_model": MODEL, "summary_model": SPARE}
        with published(server, template, "probe_rights", folder, slugs, **chosen) as url:
            store = Store(Database(url, size=4))
            made = {name: create_key(store, name, Scope.READ) for name in ("victim", "other", "revoked")}
            made["limited"] = create_key(store, "limited", Scope.READ, knowledge_bases=["kb"])
            made |= {scope.value: create_key(store, scope.value, scope) for scope in (Scope.WRITE, Scope.ADMIN)}
            (folder / "served").mkdir()
            try:
                with serving(folder / "served", url, cache, **models) as api:
                    yield Ground(
                        port=api.port,
                        store=store,
                        settings=Settings(home=folder, cache=folder, database_url=url),
                        keys={name: one.text for name, one in made.items()},
                        key_ids={name: one.key.id for name, one in made.items()},
                    )
            finally:
                store.close()
