"""Messages over HTTP.

Belongs here: requests that are refused, by the routes, by the guards and by the server itself. Not here: commands.
"""

import errno
import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from flask.testing import FlaskClient
from itsdangerous import TimestampSigner, URLSafeTimedSerializer

from headwater.administration.keys import create_key
from headwater.administration.uploads import upload
from headwater.administration.visitors import begin_session
from headwater.administration.widgets import create_widget
from headwater.domain.access import Scope
from headwater.errors import StorageFullError, TooLargeError
from headwater.files.folder_store import FolderStore
from query_api.app import create_app
from tests.messages.collecting import KB, Collected
from tests.probe.test_http_slow import many
from tests.probe.wire import JSON, ask, connect, message, read, replies, send
from tests.support import Headwater

_BIG = 1_100_000


def routes(found: Collected, client: FlaskClient) -> None:
    """What the routes refuse."""
    ask = f"{KB}/kb/answers"
    found.http("An unknown field in a body", client, "POST", f"{KB}/kb/search", json={"query": "a", "topk": 3})
    found.http("An unknown filter", client, "POST", ask, json={"question": "a", "filters": {"tag": ["x"]}})
    found.http("A body without its field", client, "POST", ask, json={})
    found.http("A number out of its range", client, "POST", f"{KB}/kb/search", json={"query": "a", "top_k": 1000})
    found.http("A slug that is taken", client, "POST", KB, json={"slug": "kb"})
    found.http("An unknown model", client, "PATCH", f"{KB}/kb", json={"settings": {"embedding_model": "builtin/mini"}})
    found.http("A paused source", client, "POST", f"{KB}/kb/syncs", json={"sources": ["paused"]})
    found.http("An answer that does not exist", client, "GET", f"/api/v1/answers/{uuid.UUID(int=7)}")
    stranger = str(uuid.UUID(int=7))
    found.http("A conversation that does not exist", client, "GET", f"/api/v1/conversations/{stranger}")
    both = {"question": "a", "conversation": stranger, "history": [{"question": "b"}]}
    found.http("A conversation with history", client, "POST", ask, json=both)
    found.http("A parent without a conversation", client, "POST", ask, json={"question": "a", "parent": stranger})
    found.http("A title that is too long", client, "POST", f"{KB}/kb/conversations", json={"title": "a" * 201})
    found.http("Feedback that does not exist", client, "DELETE", f"/api/v1/answers/{stranger}/feedback")
    found.http("A path that does not exist", client, "GET", "/api/v1/knowledgebases")
    found.http("A method that a path does not have", client, "PUT", KB, json={})
    found.http("A body that is not JSON", client, "POST", ask, data=b"{question}", content_type="application/json")
    found.http("A form", client, "POST", ask, data={"question": "a"})
    found.http("Another host", client, "GET", KB, headers={"Host": "example.com"})
    found.http("A page of another site", client, "POST", KB, json={}, headers={"Origin": "https://example.com"})


def visitors(found: Collected, kb: Headwater) -> None:
    """What the widget of a site is told."""
    site, ask = "https://docs.example.com", "/widget/v1/ask"
    widget = create_widget(kb.store, "kb", "docs", {"origins": [site], "questions_per_day": 1})
    client = create_app(kb.settings).test_client()
    sent = {"Origin": site, "Authorization": f"Bearer {begin_session(widget, site)}"}
    client.post(ask, json={"question": "What lifts?"}, headers=sent).get_data()
    found.http("A widget whose budget is spent", client, "POST", ask, json={"question": "What else?"}, headers=sent)
    late = URLSafeTimedSerializer(widget.secret, salt="widget", signer=_Late).dumps({"origin": site, "visitor": "a"})
    old = {**sent, "Authorization": f"Bearer {widget.id}.{late}"}
    found.http("A session that has ended", client, "POST", ask, json={"question": "What lifts?"}, headers=old)
    found.http("A question without a session", client, "POST", ask, json={"question": "a"}, headers={"Origin": site})
    begin, elsewhere = "/widget/v1/sessions", {"Origin": "https://example.com"}
    found.http("A site that is not listed", client, "POST", begin, json={"widget": widget.id}, headers=elsewhere)
    found.http("A widget that does not exist", client, "POST", begin, json={"widget": "wdg_1"}, headers=elsewhere)
    every = {"slug": "all", "origins": ["*"]}
    found.http("A widget for every site", client, "POST", f"{KB}/kb/widgets", json=every)


class _Late(TimestampSigner):
    def get_timestamp(self) -> int:
        """A time more than an hour ago."""
        return super().get_timestamp() - 3_700


def keys(found: Collected, kb: Headwater) -> None:
    """What callers with a key, or without one, are told."""
    narrow = create_key(kb.store, "bot", Scope.READ, knowledge_bases=["empty"]).text
    client = create_app(replace(kb.settings, requests_per_minute=9)).test_client()
    sent = {"Authorization": f"Bearer {narrow}"}
    found.http("No key", client, "GET", KB)
    found.http("A wrong key", client, "GET", KB, headers={"Authorization": "Bearer hw_wrong"})
    found.http("A scope that is not enough", client, "DELETE", f"{KB}/empty", headers=sent)
    found.http("Another knowledge base than the key's", client, "GET", f"{KB}/kb", headers=sent)
    found.http("A search in another one", client, "POST", f"{KB}/kb/search", json={"query": "a"}, headers=sent)
    for _ in range(9):
        client.get(KB, headers=sent)
    found.http("Too many requests", client, "GET", KB, headers=sent)
    admin = create_key(kb.store, "narrow", Scope.ADMIN, knowledge_bases=["empty"]).text
    sent = {"Authorization": f"Bearer {admin}"}
    found.http("A limited key for the whole server", client, "POST", KB, json={"slug": "new"}, headers=sent)


def tools(found: Collected, client: FlaskClient) -> None:
    """What the tools of MCP answer with, and what is no message of it."""
    wrong = {"knowledge_base": "kb", "query": "a", "topk": 3}
    for situation, name, arguments in (
        ("A tool that does not exist", "delete", {}),
        ("A knowledge base that a tool does not find", "search", {"knowledge_base": "kbb", "query": "a"}),
        ("An unknown argument of a tool", "search", wrong),
        ("A span that does not exist", "read_document", {"document_version_id": str(_version(client)), "start": 10**6}),
        ("Something that cannot be traced", "trace", {"id": str(uuid.UUID(int=7))}),
    ):
        params = {"name": name, "arguments": arguments}
        reply = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).json
        assert reply is not None
        words = reply["error"]["message"] if "error" in reply else reply["result"]["content"][0]["text"]
        found.add(f"{situation}, as a model reads it", "MCP", words)
    for situation, body in (
        ("A message without a method", {"jsonrpc": "2.0", "id": 1}),
        ("A message without an id that a reply could have", {"jsonrpc": "2.0", "id": None, "method": "ping"}),
        ("A method that does not exist", {"jsonrpc": "2.0", "id": 1, "method": "resources/list"}),
        ("A protocol from the future", {"jsonrpc": "2.0", "id": 1, "method": "ping"}),
    ):
        headers = {"Mcp-Protocol-Version": "2031-01-01"} if "future" in situation else {}
        reply = client.post("/mcp", json=body, headers=headers).json
        assert reply is not None
        found.add(f"{situation}, over MCP", str(reply["error"]["code"]), reply["error"]["message"])


def _version(client: FlaskClient) -> str:
    found = client.post(f"{KB}/kb/search", json={"query": "water"}).json
    assert found is not None
    return str(found["passages"][0]["document_version_id"])


def uploads(found: Collected, client: FlaskClient, kb: Headwater) -> None:
    """What uploads, originals and repeated requests are refused with."""
    inbox = f"{KB}/kb/sources/inbox/files"
    assert client.post(f"{KB}/kb/sources", json={"slug": "inbox", "kind": "files"}).status_code == 201
    found.http("An upload to a folder", client, "PUT", f"{KB}/kb/sources/docs/files/a.md", data=b"a")
    found.http("An upload with a wrong name", client, "PUT", f"{inbox}/a/%20/b.md", data=b"a")
    found.http("An upload that was never made", client, "GET", f"{inbox}/a.md")
    version = kb.query("SELECT head_version_id AS id FROM documents LIMIT 1")[0]["id"]
    found.http("A text without a file", client, "GET", f"/api/v1/document-versions/{version}/original")
    small = replace(kb.settings, upload_limit=1)
    blocks = [bytes(1_000_001)]
    found.call(
        "An upload that is too large", TooLargeError, lambda: upload(small, kb.store, "kb", "inbox", "a", blocks)
    )
    full = FolderStore(kb.settings.home / "files")
    found.call("A store without room", StorageFullError, lambda: full.put_blocks(_without_room()))
    key = {"Idempotency-Key": "first"}
    assert client.post(KB, json={"slug": "new"}, headers=key).status_code == 201
    found.http("A key for another request", client, "POST", KB, json={"slug": "other"}, headers=key)
    found.http("A wrong key", client, "POST", KB, json={"slug": "other"}, headers={"Idempotency-Key": "two words"})
    with kb.store.kept_responses.running("POST /api/v1/knowledge-bases", "second"):
        key = {"Idempotency-Key": "second"}
        found.http("A repeat while the first runs", client, "POST", KB, json={"slug": "other"}, headers=key)


def _without_room() -> Iterator[bytes]:
    yield b"a"
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def server(found: Collected, port: int) -> None:
    """What the server refuses before a route sees it."""
    long = "x" * 9000
    for situation, data in (
        ("Not HTTP", b"\x16\x03\x01hello there\r\n\r\n"),
        ("A body that is too large", message("POST", KB, {**JSON, "Content-Length": str(_BIG)}, b"x" * _BIG)),
        ("A path that is too long", message("GET", f"/{long}")),
        ("A header that is too long", message("GET", KB, {f"X-{number}": long for number in range(9)})),
        ("An expectation", message("POST", KB, {**JSON, "Expect": "a miracle"}, b"{}")),
        ("A request that never ends", b"GET /api/v1 HTTP/1.1\r\nHost: 127.0.0.1\r\n"),
    ):
        _add(found, situation, replies(_sent(port, data))[0].json)
    _add(found, "More uploads than arrive at once", _refused_upload(port))
    sync = ask(port, "POST", f"{KB}/kb/syncs", {"sources": ["docs"]}, "127.0.0.4").json
    streams: list[socket.socket] = []
    try:
        for _ in range(128):
            streams.append(connect(port, "127.0.0.3"))
            streams[-1].sendall(message("GET", f"/api/v1/syncs/{sync['id']}/events"))
            assert streams[-1].recv(65_536).startswith(b"HTTP/1.1 200")
        _add(found, "More connections than one address may have", send(port, b"", "127.0.0.3")[0].json)
    finally:
        for stream in streams:
            stream.close()
        ask(port, "POST", f"/api/v1/syncs/{sync['id']}/cancel", None, "127.0.0.4")


def _refused_upload(port: int) -> dict[str, str]:
    """The problem of an upload for which there is no place; the others give theirs up after a second."""
    half = message("PUT", f"{KB}/kb/sources/inbox/files/a", {"Content-Length": "9000", "Expect": "100-continue"})
    problem: dict[str, str] = {}
    for _ in range(10):  # on a busy machine some may give up before the last has its place
        with many(port, half, 8, "127.0.0.6", "127.0.0.7") as clients:
            for client in clients:
                client.recv(100)  # it has its place, or has given it up
            said = _sent(port, half)
        problem = replies(said.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n"))[0].json
        if problem["code"] == "TOO_MANY_UPLOADS":
            break
    return problem


def _sent(port: int, data: bytes) -> bytes:
    with connect(port) as client:
        with suppress(BrokenPipeError, ConnectionResetError):  # it may be refused before all of it was read
            client.sendall(data)
        return read(client)


def _add(found: Collected, situation: str, problem: dict[str, str]) -> None:
    found.add(f"{situation}, over the wire", problem["code"], problem["detail"])
