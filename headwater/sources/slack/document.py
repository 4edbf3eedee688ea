"""A thread of Slack as a document.

Belongs here: its text, places and metadata. Not here: asking (`api`), the marks of messages (`mrkdwn`). Guarantee:
every message has a place of its own, which opens it; what bots write is left out unless it is asked for.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.markdown.headings import plain_heading
from headwater.sources.part_places import part_places
from headwater.sources.slack.message import Message, SharedFile
from headwater.sources.slack.mrkdwn import to_markdown
from headwater.sources.thread_texts import name_author

_MAX_TITLE_CHARS = 80


def channel_uri(team: str, channel: str) -> str:
    """What the URIs of a channel's documents begin with."""
    return f"{team}/archives/{channel}/"


def thread_uri(team: str, channel: str, time: str) -> str:
    """The URI of a thread, which opens its first message."""
    return f"{channel_uri(team, channel)}p{time.replace('.', '')}"


def file_uri(team: str, channel: str, file: SharedFile) -> str:
    """The URI of a file; its citations open its page instead."""
    return f"{channel_uri(team, channel)}{file.id}/{quote(file.name, safe='')}"


def thread_document(
    messages: Sequence[Message], *, team: str, channel: str, name: str, people: Mapping[str, str], bots: bool
) -> ParsedDocument:
    """Write a thread.

    Args:
        messages: the first one, and those that answer it.
        team: the address of the workspace.
        channel: the id of the channel.
        name: its name.
        people: the names of people by their ids.
        bots: whether to write what bots say.

    Raises:
        DocumentError: nobody wrote anything in it.
    """
    first = messages[0]
    uri = thread_uri(team, channel, first.time)
    posts = [(message, to_markdown(message.text, people)) for message in messages if is_read(message, bots=bots)]
    posts = [(message, text) for message, text in posts if text or message.files]
    if not posts:
        raise DocumentError("Nobody wrote anything in this thread.")
    names = [file.name for message, _ in posts for file in message.files]
    title = _find_title(next((words for _, words in posts if words), "".join(names[:1])))
    text, starts = f"# {title}", list[tuple[int, int | str]]()
    for message, words in posts:
        verb = "Message" if message is first else "Reply"
        author = name_author(people.get(message.author, message.author))
        starts.append((len(text) + 2 if starts else 0, _part_of(channel, message, first)))
        files = "\n".join(f"File: {file.name}" for file in message.files)
        head = f"## {verb}{author} on {message.moment:%Y-%m-%d}"
        text = "\n\n".join(filter(None, (text, head, words, files)))
    return ParsedDocument(
        uri=uri,
        title=title,
        text=text,
        category=name,
        metadata=_metadata([message for message, _ in posts], name, people),
        places=part_places(starts, uri),
    )


def is_read(message: Message, *, bots: bool) -> bool:
    """Whether a message is one that is read."""
    return message.is_of_person or (bots and message.is_of_bot)


def file_metadata(message: Message, name: str, people: Mapping[str, str]) -> dict[str, Any]:
    """What Slack says about a file."""
    return {
        "author": people.get(message.author, message.author),
        "channel": name,
        "created": message.moment.isoformat(),
    }


def _find_title(text: str) -> str:
    """The first line with words, without marks, up to a length."""
    lines = (plain_heading(line.lstrip("#>-\\ \t")).strip() for line in text.splitlines())
    line = next((line for line in lines if any(map(str.isalnum, line))), "Message")
    return line if len(line) <= _MAX_TITLE_CHARS else f"{line[:_MAX_TITLE_CHARS].rsplit(' ', 1)[0]}…"


def _part_of(channel: str, message: Message, first: Message) -> str:
    """The path of a message at its workspace."""
    path = f"/archives/{channel}/p{message.time.replace('.', '')}"
    return path if message is first else f"{path}?thread_ts={first.time}&cid={channel}"


def _metadata(messages: Sequence[Message], name: str, people: Mapping[str, str]) -> dict[str, Any]:
    authors = dict.fromkeys(people.get(message.author, message.author) for message in messages)
    return {
        "channel": name,
        "authors": list(filter(None, authors)),
        "created": messages[0].moment.isoformat(),
        "updated": messages[-1].moment.isoformat(),
        "messages": len(messages),
    }
