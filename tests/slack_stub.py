"""A stub of Slack's interface for channels: history, replies, people, files.

Belongs here: messages and answers, which have the fields of Slack's published types. Not here: what is expected of a
sync, Slack as the bot meets it (`slack_server`). Guarantee: a list holds no replies, and shows an edited reply in
nothing; a deleted message that was answered stays as a tombstone, as in Slack.
"""

from typing import Any

from tests.json_stub import JsonStub, StubReply, StubRequest

TOKEN = "xoxb-0123456789-slack"
TEAM = "https://mill.slack.com"


class SlackStub(JsonStub):
    """The channels C0PUMPS and C0SLUICE; `hidden` messages are in no list, `refused` channels answer with an error."""

    def __init__(self, threads: int = 0) -> None:
        super().__init__()
        self.channels = {"C0PUMPS": "pumps", "C0SLUICE": "sluice"}
        self.messages: dict[str, dict[str, dict[str, Any]]] = {"C0PUMPS": {}, "C0SLUICE": {}}
        self.people = {"U1": "Ida Ek", "U2": "Bo Ask"}
        self.files: dict[str, bytes] = {}
        self.hidden: set[str] = set()
        self.refused: dict[str, str] = {}
        self._count = 0
        for number in range(1, threads + 1):
            self.say(f"Valve {number} leaks.")

    def say(self, text: str, *, thread: str = "", channel: str = "C0PUMPS", **fields: Any) -> str:
        """Write a message; returns its time."""
        self._count += 1
        time = f"{1_780_000_000 + 60 * self._count}.{self._count:06}"
        message = {"type": "message", "user": "U1", "text": text, "ts": time, "team": "T1", **fields}
        self.messages[channel][time] = {**message, **({"thread_ts": thread} if thread else {})}
        if thread:
            self._count_replies(channel, thread)
        return time

    def edit(self, time: str, text: str, *, channel: str = "C0PUMPS") -> None:
        """Edit a message."""
        self.messages[channel][time] |= {"text": text, "edited": {"user": "U1", "ts": f"{time[:-1]}9"}}

    def delete(self, time: str, *, channel: str = "C0PUMPS") -> None:
        """Delete a message."""
        message = self.messages[channel].pop(time)
        if message.get("reply_count"):
            self.messages[channel][time] = {
                **message, "subtype": "tombstone", "text": "This message was deleted.", "user": "USLACKBOT",
                "hidden": True,
            }  # fmt: skip
        elif thread := message.get("thread_ts"):
            self._count_replies(channel, thread)

    def share(self, name: str, content: bytes, identity: str) -> dict[str, Any]:
        """Store a file; returns it as a message names it."""
        self.files[f"/files-pri/T1-{identity}/download/{name}"] = content
        media_type = "text/markdown" if name.endswith(".md") else "audio/wav"
        return {
            "id": identity, "name": name, "title": name, "mimetype": media_type, "filetype": "x",
            "size": len(content), "mode": "hosted", "is_external": False, "user": "U1", "created": 1_780_000_000,
            "url_private": f"{self.files_url}/files-pri/T1-{identity}/{name}",
            "url_private_download": f"{self.files_url}/files-pri/T1-{identity}/download/{name}",
            "permalink": f"{TEAM}/files/U1/{identity}/{name}",
        }  # fmt: skip

    @property
    def files_url(self) -> str:
        """Where files are: another host than that of the interface, as in Slack."""
        return self.url.replace("127.0.0.1", "files.site.test")

    def _count_replies(self, channel: str, thread: str) -> None:
        replies = [time for time, one in self.messages[channel].items() if one.get("thread_ts") == thread != time]
        first = self.messages[channel][thread]
        first |= {"thread_ts": thread, "reply_count": len(replies), "reply_users_count": 1}
        first |= {"latest_reply": max(replies)} if replies else {}

    def answer(self, request: StubRequest) -> StubReply:
        """Answer a request."""
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return _refuse("invalid_auth")
        if request.path in self.files:
            return StubReply(content=self.files[request.path], headers={"Content-Type": "text/markdown"})
        method, fields = request.path.removeprefix("/api/"), request.fields
        if method == "auth.test":
            return _reply(url=f"{TEAM}/", team="Mill", user="headwater", team_id="T1", user_id="U9", bot_id="B9")
        if method == "users.list":
            members = [
                {"id": key, "team_id": "T1", "name": key.lower(), "profile": {"real_name": name, "display_name": ""}}
                for key, name in self.people.items()
            ]
            return _reply(members=members, response_metadata={"next_cursor": ""})
        channel = fields.get("channel", "")
        if channel not in self.channels or channel in self.refused:
            return _refuse(self.refused.get(channel, "channel_not_found"))
        if method == "conversations.info":
            return _reply(channel={"id": channel, "name": self.channels[channel], "is_channel": True})
        messages = self.messages[channel]
        if method == "conversations.history":
            oldest = fields.get("oldest", "")
            times = [
                time
                for time in sorted(messages, reverse=True)
                if messages[time].get("thread_ts", time) == time and time > oldest and time not in self.hidden
            ]
            return self._paged(times, channel, fields)
        if method == "conversations.replies":
            thread = fields["ts"]
            if thread not in messages:
                return _refuse("thread_not_found")
            times = [time for time in sorted(messages) if thread in (time, messages[time].get("thread_ts"))]
            return self._paged(times, channel, fields)
        return _refuse("unknown_method")

    def _paged(self, times: list[str], channel: str, fields: Any) -> StubReply:
        size, begin = int(fields.get("limit", 100)), int(fields.get("cursor", "0"))
        end = begin + size
        return _reply(
            messages=[self.messages[channel][time] for time in times[begin:end]], has_more=end < len(times),
            response_metadata={"next_cursor": str(end) if end < len(times) else ""},
        )  # fmt: skip


def _reply(**values: Any) -> StubReply:
    return StubReply(content={"ok": True, **values})


def _refuse(code: str) -> StubReply:
    return StubReply(content={"ok": False, "error": code})
