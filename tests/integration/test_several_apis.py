"""Several processes of the API on one database: a request may reach any of them (API-6)."""

import http.client
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from headwater.administration.keys import create_key
from headwater.answering.answer_tasks import AT_ONCE
from headwater.domain.access import Scope
from tests.chat_server import ChatServer, Says
from tests.probe.conftest import serving
from tests.support import Headwater

FILES = {"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"}
MODEL = "openai/stub"
TEXT = "The pump lifts forty litres of water per minute [1]."
KB = "/api/v1/knowledge-bases/kb"
LIMIT = 60
"""Units of a key in a minute."""
_PATIENCE = 120  # seconds

pytestmark = [pytest.mark.servers, pytest.mark.synced(files=FILES, answer_model=MODEL)]


@dataclass(frozen=True, kw_only=True)
class Client:
    """Someone with a key, whose requests reach one of the processes."""

    port: int
    key: str

    def send(self, method: str, path: str, body: object = None) -> http.client.HTTPResponse:
        """Send a request; its response is not read yet."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", "Connection": "close"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        return connection.getresponse()

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """Send a request; returns the status and the JSON of its response."""
        with self.send(method, path, body) as response:
            return response.status, json.load(response)


class Events:
    """A stream of an answer, as its reader gets it."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        assert response.status == 200, response.read()
        self.location = response.headers.get("Location", "")
        self._response = response
        self.text = ""
        self.last: tuple[str, dict[str, Any]] = ("", {})

    def read_until(self, *names: str) -> "Events":
        """Read until an event of one of these names has come."""
        name = ""
        while name not in names or self.last[0] not in names:
            line = self._response.readline().decode()
            assert line, f"the stream ended after {self.last}"
            if line.startswith("event: "):
                name = line[7:].strip()
            elif line.startswith("data: ") and name:
                self.last = (name, json.loads(line[6:]))
                self.text += self.last[1]["text"] if name == "delta" else ""
        return self

    def read_end(self) -> tuple[str, dict[str, Any]]:
        """Read to the end; returns the last event."""
        return self.read_until("done", "error").last


@pytest.fixture
def clients(kb: Headwater, chat: ChatServer, cache: Path, tmp_path: Path) -> Iterator[Sequence[Client]]:
    """An administrator at each of two processes, and somebody with another key at each of them."""
    chat.replies = [TEXT]
    chat.otherwise = Says(TEXT, ending="hangs")  # each further answer grows until somebody ends it
    keys = [create_key(kb.store, name, scope).text for name, scope in (("all", Scope.ADMIN), ("one", Scope.READ))]
    url = kb.settings.database_url
    assert url is not None
    folders = [tmp_path / f"api{number}" for number in range(2)]
    with ExitStack() as stack, ThreadPoolExecutor(len(folders)) as pool:
        for folder in folders:
            folder.mkdir()
        limit = {"HEADWATER_REQUESTS_PER_MINUTE": str(LIMIT)}
        blocks = [serving(folder, url, cache, **limit) for folder in folders]
        apis = list(pool.map(stack.enter_context, blocks))
        yield [Client(port=api.port, key=key) for key in keys for api in apis]


def test_two_processes_are_one_api(clients: Sequence[Client]) -> None:
    """An answer begun at one process is read, followed and ended at the other; what one deletes is gone at both.

    A key has its units at both together.
    """
    here, there, *others = clients
    question: dict[str, Any] = {"question": "How much water does the pump lift?"}
    first = here.ask("POST", f"{KB}/answers", question)[1]
    assert there.ask("GET", f"/api/v1/answers/{first['id']}")[1]["answer"] == first["answer"]
    assert there.ask("POST", f"{KB}/answers", question)[1]["id"] == first["id"]

    question |= {"stream": True, "fresh": True}
    asked = Events(here.send("POST", f"{KB}/answers", question)).read_until("status")
    answer = asked.location.removesuffix("/events")
    for client in (there, here):  # at once, though nothing of its text is stored yet
        status, body = client.ask("GET", answer)
        assert (status, body["state"]) == (200, "generating")
    followed = Events(there.send("GET", asked.location)).read_until("delta")
    crowd = [Events(here.send("GET", asked.location)) for _ in range(AT_ONCE + 2)]  # more than answers are made
    assert there.ask("POST", f"{answer}/cancel")[1]["state"] == "cancelled"
    for name, body in (asked.read_end(), followed.read_end(), *(events.read_end() for events in crowd)):
        assert (name, body["state"], body["answer"]) == ("done", "cancelled", followed.text)
    # What the other process ends is what was stored; those who follow the maker may have seen a word more.
    assert all(events.text.startswith(followed.text) for events in (asked, *crowd))

    talk = f"/api/v1/conversations/{here.ask('POST', f'{KB}/conversations', {})[1]['id']}"
    asked = Events(here.send("POST", f"{KB}/answers", {**question, "conversation": talk.rpartition("/")[2]}))
    followed = Events(there.send("GET", asked.location)).read_until("delta")
    assert there.ask("DELETE", talk)[0] == 200
    assert [name for name, _ in (asked.read_end(), followed.read_end())] == ["error", "error"]
    assert [client.ask("GET", talk)[0] for client in (here, there)] == [404, 404]

    begun = time.monotonic()
    statuses = [client.ask("GET", f"{KB}/sources")[0] for client in others * LIMIT]
    assert statuses.count(200) <= LIMIT + (time.monotonic() - begun) * LIMIT / 60 + 1
    assert set(statuses) <= {200, 429}
