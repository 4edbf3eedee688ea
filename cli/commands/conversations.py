"""The commands `conversations …`.

Belongs here: their arguments, and their results as text. Not here: asking in a conversation (`ask`). Guarantee: as
for every command (`main`); text of questions cannot control the terminal.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from cli.output import WholeNumber, emit, json_option, note, reports_errors
from cli.result_texts import plain
from headwater.domain.plurals import pluralize


@click.group()
def conversations() -> None:
    """Manage conversations; `headwater ask --conversation` asks in one."""


@conversations.command()
@click.argument("knowledge_base")
@click.option("--title", default="", help="A title; by default the first question gives it one.")
@json_option
@reports_errors
def new(knowledge_base: str, title: str, as_json: bool) -> None:
    """Begin a conversation, and print its id."""
    from cli.environment import environment

    new_title = _title(title) if title else ""
    from headwater.answering.conversation_questions import begin_conversation

    with environment() as env:
        conversation = _item(begin_conversation(env.store, env.store.knowledge_bases.get(knowledge_base), new_title))
    emit(conversation, as_json=as_json, text=conversation["id"])
    note(f"Ask in it: headwater ask {knowledge_base} QUESTION --conversation {conversation['id']}")


@conversations.command("list")
@click.argument("knowledge_base")
@click.option("--query", "text", default="", help="Show those with this text in the title, a question or an answer.")
@click.option("--limit", default=20, show_default=True, type=WholeNumber(1, 200), help="How many to show.")
@click.option("--after", type=click.UUID, help="Show those after the conversation with this id.")
@json_option
@reports_errors
def list_conversations(knowledge_base: str, text: str, limit: int, after: UUID | None, as_json: bool) -> None:
    """List the conversations of a knowledge base, the one that was asked last first."""
    from cli.environment import environment
    from query_api.routes.conversation_payloads import ConversationPage

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        stored_conversations = env.store.conversations.all(owner, text=text, before=after, limit=limit + 1)
    page = ConversationPage.of(stored_conversations, limit).model_dump(mode="json")
    emit(page, as_json=as_json, text=conversations_text(page, knowledge_base))


@conversations.command()
@click.argument("id", type=click.UUID)
@json_option
@reports_errors
def show(id: UUID, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Show a conversation with all its turns."""
    conversation, text = _read(id)
    emit(conversation, as_json=as_json, text="\n".join(map(plain, text.rstrip().split("\n"))))


@conversations.command()
@click.argument("id", type=click.UUID)
@click.argument("title")
@json_option
@reports_errors
def rename(id: UUID, title: str, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Give a conversation another title."""
    from cli.environment import environment

    with environment() as env:
        renamed = _item(env.store.conversations.rename(id, _title(title)))
    emit(renamed, as_json=as_json, text=_line(renamed))


@conversations.command()
@click.argument("id", type=click.UUID)
@json_option
@reports_errors
def delete(id: UUID, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Delete a conversation with its turns and the feedback on them."""
    from cli.environment import environment
    from headwater.answering.conversation_questions import delete_conversation

    with environment() as env:
        deleted = _item(delete_conversation(env.store, None, id))
    emit(deleted, as_json=as_json, text=f"Deleted {_line(deleted)}")


@conversations.command()
@click.argument("id", type=click.UUID)
@json_option
@reports_errors
def share(id: UUID, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Print a link at which others read a conversation, without a key."""
    from cli.environment import environment
    from cli.processes.up_file import api_url
    from headwater.answering.conversation_questions import share_conversation

    with environment() as env:
        shared = _item(share_conversation(env.store, id))
        emit(shared, as_json=as_json, text=api_url(env.settings) + shared["shared"])


@conversations.command()
@click.argument("id", type=click.UUID)
@json_option
@reports_errors
def unshare(id: UUID, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Withdraw the link of a conversation."""
    from cli.environment import environment

    with environment() as env:
        withdrawn = _item(env.store.conversations.share(id, None))
    emit(withdrawn, as_json=as_json, text=f"The link no longer works: {_line(withdrawn)}")


@conversations.command("export")
@click.argument("id", type=click.UUID)
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "markdown"]),
    default="markdown",
    show_default=True,
    help="The format.",
)
@json_option
@reports_errors
def export_conversation(id: UUID, file: Path, form: str, as_json: bool) -> None:  # noqa: A002 - as above
    """Write a conversation with its sources to FILE, or to stdout with -."""
    import json

    if str(file) == "-" and as_json:
        raise click.UsageError("--json prints a summary on stdout. Name a file, or leave out --json.")
    conversation, text = _read(id)
    write_text(file, text if form == "markdown" else json.dumps(conversation, ensure_ascii=False, indent=2) + "\n")
    if str(file) != "-":
        summary = {"file": str(file), "turn_count": conversation["turn_count"]}
        emit(summary, as_json=as_json, text=f"Wrote {pluralize(conversation['turn_count'], 'turn')} to {file}.")


def write_text(file: Path, text: str) -> None:
    """Write a file, or stdout if it is `-`.

    Raises:
        InvalidInputError: it cannot be written.
    """
    from headwater.errors import InvalidInputError

    if str(file) == "-":
        sys.stdout.write(plain(text) if sys.stdout.isatty() else text)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"{file}: cannot be written: {error.strerror}.") from error


def conversations_text(page: Mapping[str, Any], knowledge_base: str) -> str:
    """A line for each conversation."""
    lines = [_line(conversation) for conversation in page["conversations"]]
    if page["next"]:
        lines.append(f"More: headwater conversations list {knowledge_base} --after {page['next']}")
    return (
        "\n".join(lines)
        or f"{knowledge_base} has no conversations here. `headwater conversations new {knowledge_base}` begins one."
    )


def _line(conversation: Mapping[str, Any]) -> str:
    title = plain(conversation["title"]) or "no question yet"
    turns = pluralize(conversation["turn_count"], "question")
    return f"{conversation['id']}  {conversation['updated_at'][:19]}  {title} ({turns})"


def _item(conversation: Any) -> dict[str, Any]:
    from query_api.routes.conversation_payloads import ConversationItem

    return ConversationItem.of(conversation).model_dump(mode="json")


def _read(conversation_id: UUID) -> tuple[dict[str, Any], str]:
    """A conversation as JSON and as markdown."""
    from cli.environment import environment
    from query_api.routes.conversation_payloads import ConversationPayload
    from query_api.routes.transcripts import transcript

    with environment() as env:
        conversation = ConversationPayload.read(env.store, conversation_id)
    return conversation.model_dump(mode="json"), transcript(conversation)


def _title(title: str) -> str:
    """A title as the API takes it.

    Raises:
        InvalidInputError: it is empty or too long.
    """
    from headwater.domain.conversations import TITLE_LIMIT
    from headwater.errors import InvalidInputError

    plain_title = title.strip()
    if not 0 < len(plain_title) <= TITLE_LIMIT:
        raise InvalidInputError(f"A title has 1 to {TITLE_LIMIT} characters; this one has {len(plain_title)}.")
    return plain_title
