"""Channels of bots, and the messages that bots took, in Postgres (INT-1).

Belongs here: these two tables. Not here: whether a message is to be answered (`headwater.administration.bots`), bots
(`integrations`). Guarantee: a message is taken once; only the bot process that holds an event changes it, so a process
that was replaced can no longer do so.
"""

from datetime import datetime
from uuid import UUID

from headwater.domain.answers import Turn
from headwater.domain.bots import (
    MAX_TURNS,
    BotChannel,
    BotChannelState,
    BotEvent,
    BotEventChange,
    BotEventKind,
    BotMode,
    BotPlatform,
    NewBotEvent,
    UnknownChannel,
)
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import ConflictError, NotFoundError
from headwater.store.server.database import Database
from headwater.store.server.json_values import clean_text
from headwater.store.server.query_session import Row, Session
from headwater.store.server.typed_rows import from_row

_ANSWER_LIMIT = 20_000  # characters of an earlier answer


class BotStore:
    """The tables bot_channels and bot_events."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def channels(self) -> list[BotChannel]:
        """Return every configured channel."""
        return [from_row(BotChannel, row) for row in self._database.rows("list_bot_channels")]

    def channel_states(self) -> list[BotChannelState]:
        """Return every configured channel with its last event and its failures of the last seven days."""
        rows = self._database.rows("list_bot_channel_states")
        return [from_row(BotChannelState, row, channel=from_row(BotChannel, row)) for row in rows]

    def unknown_channels(self, *, limit: int) -> list[UnknownChannel]:
        """Return channels without a knowledge base where the bot was mentioned in the last seven days, newest first."""
        return [from_row(UnknownChannel, row) for row in self._database.rows("list_unknown_bot_channels", limit=limit)]

    def newest_events(self, *, limit: int) -> list[BotEvent]:
        """Return the newest events without their earlier turns, newest first."""
        return [from_row(BotEvent, row, history=()) for row in self._database.rows("list_bot_events", limit=limit)]

    def idle_platforms(self) -> list[BotPlatform]:
        """Return the platforms whose bot has left a request waiting for more than ten seconds: it does not run."""
        return [row["platform"] for row in self._database.rows("list_idle_bots")]

    def channel(self, platform: BotPlatform, workspace: str, channel: str) -> BotChannel:
        """Return one configured channel.

        Raises:
            NotFoundError: it is not configured.
        """
        with self._database.transaction() as session:
            return _channel(session, platform, workspace, channel)

    def channel_of(self, platform: BotPlatform, workspace: str, channel: str) -> BotChannel | None:
        """Return what is configured for a channel, itself or with all of its workspace; None if nothing is."""
        row = self._database.row("bot_channel_of", platform=platform, workspace=workspace, channel=channel)
        return from_row(BotChannel, row) if row else None

    def put_channel(
        self,
        platform: BotPlatform,
        workspace: str,
        channel: str,
        knowledge_base: KnowledgeBase,
        *,
        mode: BotMode,
        is_on: bool,
    ) -> bool:
        """Configure a channel; it replaces what was configured before. Returns whether that changed anything."""
        count = self._database.run(
            "put_bot_channel",
            platform=platform,
            workspace=workspace,
            channel=channel,
            knowledge_base_id=knowledge_base.id,
            mode=mode,
            is_on=is_on,
        )
        return count > 0

    def remove_channel(self, platform: BotPlatform, workspace: str, channel: str) -> BotChannel:
        """Forget a channel, and return it.

        Raises:
            NotFoundError: it is not configured.
        """
        with self._database.transaction() as session:
            bot_channel = _channel(session, platform, workspace, channel)
            session.run("delete_bot_channel", platform=platform, workspace=workspace, channel=channel)
        return bot_channel

    def add_event(
        self,
        event: NewBotEvent,
        knowledge_base: str | None,
        *,
        kind: BotEventKind = "question",
        holder: UUID | None = None,
    ) -> BotEvent | None:
        """Take a message; None if it was taken before.

        Args:
            event: the message.
            knowledge_base: the slug of its channel's knowledge base.
            kind: what it is.
            holder: the bot process that answers it; None if the next one shall that asks for work.
        """
        with self._database.transaction() as session:
            is_new = session.run(
                "insert_bot_event",
                platform=event.platform,
                id=event.id,
                kind=kind,
                workspace=event.workspace,
                channel=event.channel,
                thread=event.thread,
                message=event.message,
                knowledge_base=knowledge_base,
                question=clean_text(event.question),
                holder=holder,
            )
            return _event(session, event.platform, event.id) if is_new else None

    def event(self, platform: BotPlatform, event_id: str) -> BotEvent:
        """Return an event.

        Raises:
            NotFoundError: there is no such event.
        """
        with self._database.transaction() as session:
            return _event(session, platform, event_id)

    def take_events(self, platform: BotPlatform, holder: UUID, *, has_started: bool) -> list[BotEvent]:
        """Give a bot process the open events that no process holds, oldest first.

        Args:
            platform: the platform of the bot.
            holder: the process.
            has_started: whether the process has just started; then it also gets those of the process before it.
        """
        with self._database.transaction() as session:
            rows = session.rows("take_bot_events", platform=platform, holder=holder, has_started=has_started)
            return [_with_history(session, row) for row in rows]

    def change_event(self, platform: BotPlatform, event_id: str, holder: UUID, change: BotEventChange) -> BotEvent:
        """Note what the bot process that holds an event did for it.

        Raises:
            NotFoundError: there is no such event.
            ConflictError: another process holds it.
        """
        with self._database.transaction() as session:
            row = session.row(
                "change_bot_event",
                platform=platform,
                id=event_id,
                holder=holder,
                answer_id=change.answer_id,
                messages=None if change.messages is None else list(change.messages),
                state=change.state,
                error_code=change.error_code,
            )
            event = _event(session, platform, event_id)
            if row is None:
                raise ConflictError(f"Another bot process answers event {event_id} now: leave it to that one.")
        return event

    def prune_events(self, before: datetime) -> int:
        """Delete events that were taken before a time, answered or not; returns their number."""
        return self._database.run("prune_bot_events", before=before)


def _channel(session: Session, platform: BotPlatform, workspace: str, channel: str) -> BotChannel:
    row = session.row("get_bot_channel", platform=platform, workspace=workspace, channel=channel)
    if row is None:
        raise NotFoundError(
            f"The bot of {platform} has no channel {channel} of {workspace}. `headwater bots list` lists them."
        )
    return from_row(BotChannel, row)


def _event(session: Session, platform: BotPlatform, event_id: str) -> BotEvent:
    row = session.row("get_bot_event", platform=platform, id=event_id)
    if row is None:
        raise NotFoundError(f"The bot of {platform} has no event {event_id}.")
    return _with_history(session, row)


def _with_history(session: Session, row: Row) -> BotEvent:
    turns = session.rows(
        "bot_history", platform=row["platform"], id=row["id"], limit=MAX_TURNS, answer_limit=_ANSWER_LIMIT
    )
    return from_row(BotEvent, row, history=tuple(Turn(**turn) for turn in reversed(turns)))
