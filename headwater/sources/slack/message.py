"""Messages and files, as Slack's interface says them.

Belongs here: the shapes, and reading them. Not here: requests (`api`), texts (`document`). Guarantee: whatever a server
says, reading it gives a message or None; fields that are not known are ignored.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from headwater.domain.slack_markup import SUBTYPES_OF_PEOPLE
from headwater.identity import content_hash
from headwater.sources.json_api import member, object_members, text_member

TIME_PATTERN = re.compile(r"\d{10}\.\d{6}", re.ASCII)
_FILE_PATTERN = re.compile(r"F[A-Z0-9]{2,20}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedFile:
    """A file of a message, which does not change; `permalink` is its page."""

    id: str
    name: str
    media_type: str
    size: int
    download: str
    permalink: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A message; `time` is its id within the channel, and `thread` that of the message that it answers.

    `reply_count` and `latest_reply` are those of a thread's first message.
    """

    time: str
    thread: str
    author: str
    text: str
    edited: str
    reply_count: int
    latest_reply: str
    is_of_person: bool
    is_of_bot: bool
    files: tuple[SharedFile, ...]

    @property
    def is_first(self) -> bool:
        """Whether it answers no other."""
        return self.thread in ("", self.time)

    @property
    def version(self) -> str:
        """A text that is another one when the message has changed, or when replies came or went."""
        content = content_hash(self.text, self.edited, [file.id for file in self.files], self.is_of_person).hex()
        return f"{content} {self.reply_count} {self.latest_reply}"

    @property
    def moment(self) -> datetime:
        """When it was written."""
        return datetime.fromtimestamp(int(self.time.partition(".")[0]), UTC)


def read_message(value: Any) -> Message | None:
    """Read an entry of a list; None if it is of another form."""
    time, subtype = text_member(value, "ts"), text_member(value, "subtype")
    if not TIME_PATTERN.fullmatch(time):
        return None
    is_of_bot = bool(text_member(value, "bot_id")) or subtype == "bot_message"
    text, count = member(value, "text"), member(value, "reply_count")
    names = (("user_profile", "display_name"), ("user_profile", "real_name"), ("username",), ("bot_profile", "name"))
    return Message(
        time=time, thread=text_member(value, "thread_ts"),
        author=text_member(value, "user") or next(filter(None, (text_member(value, *name) for name in names)), ""),
        text=text if isinstance(text, str) else "", edited=text_member(value, "edited", "ts"),
        reply_count=count if isinstance(count, int) and not isinstance(count, bool) else 0,
        latest_reply=text_member(value, "latest_reply"),
        is_of_person=not is_of_bot and (not subtype or subtype in SUBTYPES_OF_PEOPLE), is_of_bot=is_of_bot,
        files=tuple(file for entry in object_members(value, "files") if (file := _read_file(entry)) is not None),
    )  # fmt: skip


def _read_file(value: Any) -> SharedFile | None:
    """Read a file; None if it is one of another service, was deleted, or is of another form."""
    identity, size = text_member(value, "id"), member(value, "size")
    is_elsewhere = member(value, "is_external") is True or text_member(value, "mode") in ("external", "tombstone")
    download = text_member(value, "url_private_download") or text_member(value, "url_private")
    if not _FILE_PATTERN.fullmatch(identity) or is_elsewhere or not download:
        return None
    return SharedFile(
        id=identity, name=text_member(value, "name") or identity, media_type=text_member(value, "mimetype"),
        size=size if isinstance(size, int) else 0, download=download, permalink=text_member(value, "permalink"),
    )  # fmt: skip
