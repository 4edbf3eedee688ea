"""Slack on loopback: its API over HTTP, and its events over a WebSocket (Socket Mode).

Belongs here: the protocol, with the limits that Slack keeps. Not here: what is expected of the bot. Guarantee: an event
that was not acknowledged is delivered again on the next connection, as Slack does.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import web

from tests.aiohttp_server import Running, aiohttp_server

BOT_TOKEN = "xoxb-0123456789-abcdef"
APP_TOKEN = "xapp-0123456789-abcdef"
TEAM, CHANNEL, PERSON, BOT = "T1", "C1", "U1", "UBOT"


@dataclass
class SlackServer(Running):
    """What the bot did, and what people do."""

    url: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The messages of the bot by their moment, as they look now."""
    reactions: list[tuple[str, str]] = field(default_factory=list)
    """`add` or `remove`, and the moment of the message."""
    limited: list[tuple[str, str]] = field(default_factory=list)
    """Methods that answer 429 once, with their Retry-After."""
    acknowledged: list[str] = field(default_factory=list)
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    _waiting: dict[str, dict[str, Any]] = field(default_factory=dict)
    _count: int = 0

    def say(self, text: str, *, thread: str | None = None, moment: str | None = None, **event: Any) -> str:
        """A person writes something; returns the message's moment, which says it again."""
        self._count += 1
        chosen = moment or f"1700000000.{self._count:06}"
        body = {
            "type": "app_mention", "user": PERSON, "text": text, "ts": chosen, "channel": CHANNEL, "event_ts": chosen,
            **({"thread_ts": thread} if thread else {}), **event,
        }  # fmt: skip
        payload = {"team_id": TEAM, "type": "event_callback", "event_id": f"Ev{self._count}", "event": body}
        self._deliver("events_api", payload)
        return chosen

    def press(self, message: str, action: str) -> None:
        """A person presses a button below a message."""
        (button,) = [
            element
            for block in self.messages[message]["blocks"]
            for element in block.get("elements", [])
            if element.get("action_id") == action
        ]
        payload = {
            "type": "block_actions", "user": {"id": PERSON}, "channel": {"id": CHANNEL},
            "message": {"ts": message, "thread_ts": self.messages[message]["thread_ts"]},
            "actions": [{"action_id": action, "value": button["value"]}],
        }  # fmt: skip
        self._deliver("interactive", payload)

    def text(self, thread: str) -> str:
        """What the bot's messages in a thread say, as they look now."""
        return "\n---\n".join(_shown(one) for one in self.messages.values() if one["thread_ts"] == thread)

    def is_answered(self, moment: str) -> bool:
        """Whether the reaction to a message was taken back."""
        return ("remove", moment) in self.reactions

    def _deliver(self, kind: str, payload: dict[str, Any]) -> None:
        name = f"envelope-{len(self._waiting)}-{self._count}"
        envelope = {"envelope_id": name, "type": kind, "accepts_response_payload": False, "payload": payload}
        self._waiting[name] = envelope
        for socket in self.sockets[-1:]:
            self.do(socket.send_json(envelope))

    async def answer(self, request: web.Request) -> web.Response:
        """One call of the API."""
        method, text = request.match_info["method"], await request.text()
        is_json = "json" in request.headers.get("Content-Type", "")
        data: dict[str, Any] = json.loads(text) if text and is_json else dict(parse_qsl(text))
        if isinstance(data.get("blocks"), str):
            data["blocks"] = json.loads(data["blocks"])
        self.calls.append((method, data))
        token = APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN
        if request.headers.get("Authorization") != f"Bearer {token}":
            return _reply(ok=False, error="invalid_auth")
        for limited in self.limited:
            if limited[0] == method:
                self.limited.remove(limited)
                return web.json_response(
                    {"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": limited[1]}
                )
        return self._done(method, data)

    def _done(self, method: str, data: dict[str, Any]) -> web.Response:
        match method:
            case "apps.connections.open":
                return _reply(url=f"{self.url.replace('http', 'ws').removesuffix('/api')}/link")
            case "auth.test":
                return _reply(user_id=BOT, bot_id="BBOT", team_id=TEAM)
            case "reactions.add" | "reactions.remove":
                self.reactions.append((method.partition(".")[2], data["timestamp"]))
                return _reply()
            case "chat.postMessage":
                return self._shown(f"1800000000.{len(self.messages):06}", {"thread_ts": None, **data})
            case "chat.update":
                before = self.messages[data["ts"]]
                return self._shown(data["ts"], {**before, **data})
            case "chat.delete":
                del self.messages[data["ts"]]
        return _reply()

    def _shown(self, moment: str, message: dict[str, Any]) -> web.Response:
        sections = [block["text"]["text"] for block in message["blocks"] if block["type"] == "section"]
        is_too_long = (
            max(map(len, sections)) > 3_000 or sum(map(len, sections)) > 13_200 or len(message["text"]) > 4_000
        )
        if is_too_long or len(message["blocks"]) > 50:
            return _reply(ok=False, error="msg_too_long")
        self.messages[moment] = message
        return _reply(ts=moment, channel=message["channel"])

    async def link(self, request: web.Request) -> web.WebSocketResponse:
        """A connection over which events come."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": 1, "debug_info": {}, "connection_info": {}})
        self.sockets.append(socket)
        for envelope in list(self._waiting.values()):
            await socket.send_json(envelope)
        async for message in socket:
            if message.type is web.WSMsgType.TEXT and message.data.startswith("{"):
                name = json.loads(message.data)["envelope_id"]
                self.acknowledged.append(name)
                self._waiting.pop(name, None)
        self.sockets.remove(socket)
        return socket


def _shown(message: Mapping[str, Any]) -> str:
    return "\n\n".join(block["text"]["text"] for block in message["blocks"] if block["type"] == "section")


def _reply(**values: Any) -> web.Response:
    return web.json_response({"ok": True, **values})


@contextmanager
def slack_server() -> Iterator[SlackServer]:
    """Run Slack for the length of a block."""
    told = SlackServer()
    app = web.Application()
    app.add_routes([web.post("/api/{method}", told.answer), web.get("/link", told.link)])
    with aiohttp_server(app, told) as port:
        told.url = f"http://127.0.0.1:{port}/api"
        yield told
