"""Discord on loopback: its REST API, and its gateway over a WebSocket.

Belongs here: the protocol, with the limits that Discord keeps. Not here: what is expected of the bot. Guarantee: as at
Discord, what is written while nobody is connected is not delivered later, but can be read as history.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from tests.aiohttp_server import Running, aiohttp_server

TOKEN = "discord-token-0123456789"
GUILD, CHANNEL, BOT, PERSON = "3000", "4000", "1000", "2000"
_EPOCH = 1_420_070_400_000  # milliseconds: Discord's ids hold the time since then
_MEMBER = {"roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0}
_USERS = {
    name: {"id": name, "username": name, "discriminator": "0", "global_name": None, "avatar": None, "bot": name == BOT}
    for name in (BOT, PERSON)
}
_ROLE = {
    "id": GUILD, "name": "@everyone", "permissions": "2248473465835073", "position": 0, "color": 0, "hoist": False,
    "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None}, "managed": False,
    "mentionable": False, "flags": 0,
}  # fmt: skip
_CHANNEL = {
    "id": CHANNEL, "type": 0, "name": "ask", "position": 0, "permission_overwrites": [], "parent_id": None,
    "nsfw": False, "rate_limit_per_user": 0,
}  # fmt: skip
_GUILD = {
    "id": GUILD, "name": "guild", "owner_id": PERSON, "unavailable": False, "member_count": 2, "large": False,
    "joined_at": "2026-01-01T00:00:00+00:00", "roles": [_ROLE], "emojis": [], "stickers": [], "features": [],
    "channels": [_CHANNEL], "threads": [], "members": [{"user": _USERS[BOT], **_MEMBER}], "presences": [],
    "voice_states": [], "stage_instances": [], "guild_scheduled_events": [], "soundboard_sounds": [],
    "verification_level": 0, "default_message_notifications": 0, "explicit_content_filter": 0, "mfa_level": 0,
    "premium_tier": 0, "preferred_locale": "en-US", "nsfw_level": 0, "system_channel_flags": 0, "afk_timeout": 0,
    "icon": None, "splash": None, "discovery_splash": None, "description": None, "banner": None,
    "application_id": None, "afk_channel_id": None, "system_channel_id": None, "rules_channel_id": None,
    "public_updates_channel_id": None, "vanity_url_code": None, "premium_progress_bar_enabled": False,
    "safety_alerts_channel_id": None,
}  # fmt: skip

_APPLICATION = {
    "id": BOT, "name": "hw", "description": "", "icon": None, "bot_public": True, "flags": 0,
    "bot_require_code_grant": False, "verify_key": "x", "owner": _USERS[BOT], "team": None,
}  # fmt: skip


@dataclass
class DiscordServer(Running):
    """What the bot did, and what people do."""

    url: str = ""
    calls: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The messages of the bot by their id, as they look now."""
    written: list[dict[str, Any]] = field(default_factory=list)
    """The messages of people."""
    threads: set[str] = field(default_factory=set)
    reactions: list[tuple[str, str]] = field(default_factory=list)
    """`add` or `remove`, and the id of the message."""
    limited: list[tuple[str, str]] = field(default_factory=list)
    """A method with the end of a path, which answers 429 once, with its Retry-After."""
    thanked: list[str] = field(default_factory=list)
    """What persons who pressed a button were told."""
    intents: int = 0
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    _nonces: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def say(self, text: str, *, channel: str = CHANNEL, author: str = PERSON, again: str | None = None) -> str:
        """A person writes something; returns the message's id, which says it again."""
        message = _message(again or self._new_id(), channel, text, author)
        if f"<@{BOT}>" in text:
            message["mentions"] = [{**_USERS[BOT], "member": _MEMBER}]
        self.written.append(message)
        self._send("MESSAGE_CREATE", {**message, "member": _MEMBER})
        return str(message["id"])

    def press(self, message: str, vote: str) -> None:
        """A person presses a button below a message."""
        buttons = [one for row in self.messages[message]["components"] for one in row["components"]]
        (button,) = [one for one in buttons if f":{vote}:" in one["custom_id"]]
        self._send("INTERACTION_CREATE", {
            "id": self._new_id(), "application_id": BOT, "type": 3, "token": "t", "version": 1, "guild_id": GUILD,
            "channel_id": CHANNEL, "member": {"user": _USERS[PERSON], "permissions": "0", **_MEMBER}, "locale": "en-US",
            "data": {"custom_id": button["custom_id"], "component_type": 2}, "entitlements": [],
            "authorizing_integration_owners": {}, "attachment_size_limit": 1_000_000,
            "message": _message(message, CHANNEL, "", BOT),
        })  # fmt: skip

    def text(self, thread: str) -> str:
        """What the bot's messages in a thread say, as they look now."""
        return "\n---\n".join(one["content"] for one in self.messages.values() if one["channel_id"] == thread)

    def is_answered(self, message: str) -> bool:
        """Whether the reaction to a message was taken back."""
        return ("remove", message) in self.reactions

    def _new_id(self) -> str:
        self._count += 1
        return str((int(datetime.now(UTC).timestamp() * 1000) - _EPOCH << 22) + self._count)

    def _send(self, name: str, data: dict[str, Any]) -> None:
        self._count += 1
        for socket in self.sockets[-1:]:
            self.do(socket.send_json({"op": 0, "t": name, "s": self._count, "d": data}))

    async def answer(self, request: web.Request) -> web.Response:
        """One call of the REST API."""
        method, path, text = request.method, request.match_info["path"], await request.text()
        data: dict[str, Any] = json.loads(text) if text.startswith("{") else {}
        self.calls.append((method, path, data))
        if request.headers.get("Authorization") != f"Bot {TOKEN}" and not path.startswith(("gateway", "interactions/")):
            return _reply({"message": "401: Unauthorized", "code": 0}, status=401)
        for limited in self.limited:
            if f"{method} {path}".endswith(limited[0]):
                self.limited.remove(limited)
                body = {"message": "You are being rate limited.", "retry_after": float(limited[1]), "global": False}
                return _reply(body, status=429, headers={"Retry-After": limited[1], "Via": "1.1 stub"})
        if path == "gateway":
            return _reply({"url": f"{self.url.replace('http', 'ws').removesuffix('/api/v10')}/gateway/"})
        if path == "users/@me":
            return _reply(_USERS[BOT])
        if path == "oauth2/applications/@me":
            return _reply(_APPLICATION)
        return await self._done(method, path.split("/"), data, int(request.query.get("after", "0")))

    async def _done(self, method: str, path: list[str], data: dict[str, Any], after: int) -> web.Response:
        match method, path:
            case "PUT" | "DELETE", ["channels", _, "messages", message, "reactions", *_]:
                self.reactions.append(("add" if method == "PUT" else "remove", message))
                return web.Response(status=204)
            case "POST", ["channels", channel, "messages", message, "threads"]:
                if message in self.threads:
                    return _reply({"message": "A thread has already been created", "code": 160004}, status=400)
                self.threads.add(message)
                thread = _thread(message, channel, data["name"])
                for socket in self.sockets[-1:]:
                    await socket.send_json({"op": 0, "t": "THREAD_CREATE", "s": self._count, "d": thread})
                return _reply(thread)
            case "POST", ["channels", channel, "messages"]:
                return self._post(channel, data)
            case "PATCH", ["channels", channel, "messages", message]:
                return self._shown(message, channel, {**self.messages[message], **data})
            case "DELETE", ["channels", _, "messages", message]:
                del self.messages[message]
                return web.Response(status=204)
            case "GET", ["channels", channel, "messages"]:
                return _reply(
                    [one for one in reversed(self.written) if one["channel_id"] == channel and int(one["id"]) > after]
                )
            case "POST", ["interactions", *_]:
                self.thanked.append(data["data"]["content"])
                return web.Response(status=204)
        return _reply({})

    def _post(self, channel: str, data: dict[str, Any]) -> web.Response:
        if channel not in {CHANNEL, *self.threads}:
            return _reply({"message": "Unknown Channel", "code": 10003}, status=404)
        assert data["enforce_nonce"]
        assert len(data["nonce"]) <= 25
        if data["nonce"] in self._nonces:
            return _reply(self.messages[self._nonces[data["nonce"]]])
        chosen = self._nonces[data["nonce"]] = self._new_id()
        return self._shown(chosen, channel, data)

    def _shown(self, name: str, channel: str, data: dict[str, Any]) -> web.Response:
        if not 0 < len(data["content"]) <= 2_000:
            return _reply({"message": "Invalid Form Body", "code": 50035}, status=400)
        message = _message(name, channel, data["content"], BOT)
        self.messages[name] = {**data, **message, "components": data.get("components") or []}
        return _reply(self.messages[name])

    async def gateway(self, request: web.Request) -> web.WebSocketResponse:
        """A connection over which events come."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41_250}})
        async for received in socket:
            data = json.loads(received.data)
            if data["op"] == 1:
                await socket.send_json({"op": 11})
            if data["op"] == 2:
                self.intents = data["d"]["intents"]
                threads = [_thread(name, CHANNEL, "thread") for name in self.threads]
                ready = {
                    "v": 10, "user": _USERS[BOT], "guilds": [{"id": GUILD, "unavailable": True}], "session_id": "s",
                    "resume_gateway_url": str(request.url), "application": {"id": BOT, "flags": 0},
                }  # fmt: skip
                for name, body in (("READY", ready), ("GUILD_CREATE", {**_GUILD, "threads": threads})):
                    self._count += 1
                    await socket.send_json({"op": 0, "t": name, "s": self._count, "d": body})
                self.sockets.append(socket)
        if socket in self.sockets:
            self.sockets.remove(socket)
        return socket


def _message(name: str, channel: str, content: str, author: str) -> dict[str, Any]:
    return {
        "id": name, "channel_id": channel, "guild_id": GUILD, "author": _USERS[author], "content": content,
        "timestamp": datetime.now(UTC).isoformat(), "edited_timestamp": None, "tts": False, "mention_everyone": False,
        "mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "pinned": False, "type": 0,
        "components": [], "flags": 0,
    }  # fmt: skip


def _thread(name: str, channel: str, title: str) -> dict[str, Any]:
    moment = "2026-01-01T00:00:00+00:00"
    return {
        "id": name, "type": 11, "guild_id": GUILD, "parent_id": channel, "name": title, "owner_id": BOT,
        "member_count": 1, "message_count": 0, "rate_limit_per_user": 0,
        "thread_metadata": {
            "archived": False, "auto_archive_duration": 1440, "archive_timestamp": moment, "locked": False,
        },
    }  # fmt: skip


def _reply(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """Of exactly this type, without a character set: discord.py takes any other for text."""
    head = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(body=json.dumps(value).encode(), status=status, headers=head)


@contextmanager
def discord_server() -> Iterator[DiscordServer]:
    """Run Discord for the length of a block."""
    told = DiscordServer()
    app = web.Application()
    app.add_routes([web.route("*", "/api/v10/{path:.*}", told.answer), web.get("/gateway/", told.gateway)])
    with aiohttp_server(app, told) as port:
        told.url = f"http://127.0.0.1:{port}/api/v10"
        yield told
