"""Where bots answer, and which messages they take (INT-1).

Belongs here: the checks before a channel is configured, and whether a message gets an answer. Not here: rows
(`headwater.store.work.bots`), the bots (`integrations`). Guarantee: a message gets at most one answer.
"""

import re
import uuid
from uuid import UUID

from headwater.administration.audit_trail import audit_transaction
from headwater.domain.bots import EVERY_CHANNEL, BotChannel, BotClaim, BotEvent, BotMode, BotPlatform, NewBotEvent
from headwater.errors import InvalidInputError
from headwater.store.store import Store

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def put_channel(
    store: Store,
    platform: BotPlatform,
    workspace: str,
    channel: str,
    knowledge_base: str,
    *,
    mode: BotMode = "mention",
    is_on: bool = True,
) -> BotChannel:
    """Let a bot answer in a channel from a knowledge base; it replaces what was configured before.

    Raises:
        InvalidInputError: the workspace or the channel cannot be an id of the platform.
        NotFoundError: there is no such knowledge base.
    """
    if not _ID.fullmatch(workspace):
        raise InvalidInputError(
            f"{workspace[:80]!r} is not the id of a workspace, such as T024BE7LD or 81384788765712384."
        )
    if channel != EVERY_CHANNEL and not _ID.fullmatch(channel):
        raise InvalidInputError(
            f"{channel[:80]!r} is not the id of a channel, such as C024BE91L. Copy the id, not the name, or give"
            f" {EVERY_CHANNEL} for every channel of the workspace."
        )
    owner = store.knowledge_bases.get(knowledge_base)
    with audit_transaction(store) as note:
        if store.bots.put_channel(platform, workspace, channel, owner, mode=mode, is_on=is_on):
            target = f"{platform}/{workspace}/{channel}"
            note("bot.set", target, knowledge_base=owner.slug, mode=mode, is_on=is_on)
    return store.bots.channel(platform, workspace, channel)


def remove_channel(store: Store, platform: BotPlatform, workspace: str, channel: str) -> BotChannel:
    """Let a bot no longer answer in a channel; returns what was configured.

    Raises:
        NotFoundError: it is not configured.
    """
    with audit_transaction(store) as note:
        removed = store.bots.remove_channel(platform, workspace, channel)
        note("bot.remove", f"{platform}/{workspace}/{channel}")
    return removed


def request_test_message(store: Store, platform: BotPlatform, workspace: str, channel: str) -> BotEvent:
    """Ask the running bot to post a message in a channel; the event's state says whether it did.

    Raises:
        NotFoundError: the channel is not configured.
        InvalidInputError: it stands for every channel.
    """
    bot_channel = store.bots.channel(platform, workspace, channel)
    if channel == EVERY_CHANNEL:
        raise InvalidInputError(
            "A test message needs one channel. Configure a channel of its own, or mention the bot somewhere."
        )
    event = NewBotEvent(
        platform=platform,
        id=f"test-{uuid.uuid4()}",
        workspace=workspace,
        channel=channel,
        thread="",
        message="",
        question="",
        is_mention=False,
    )
    added = store.bots.add_event(event, bot_channel.knowledge_base, kind="test")
    if added is None:
        raise AssertionError("a random id was taken")
    return added


def claim(store: Store, event: NewBotEvent, holder: UUID) -> BotClaim:
    """Let a bot process take a message, if it is to be answered and nobody took it before.

    A mention in a channel without a knowledge base is taken too, so that the bot says so once.
    """
    channel = store.bots.channel_of(event.platform, event.workspace, event.channel)
    if channel is None and not event.is_mention:
        return BotClaim(outcome="ignored")
    if channel and not (channel.is_on and (event.is_mention or channel.mode == "every_message")):
        return BotClaim(outcome="ignored")
    stored_event = store.bots.add_event(event, channel.knowledge_base if channel else None, holder=holder)
    return BotClaim(outcome="claimed" if stored_event else "taken", event=stored_event)
