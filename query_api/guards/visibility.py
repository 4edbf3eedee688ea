"""Which knowledge base or conversation a request is about, and whether its caller may see it (API-6).

Belongs here: the only place that decides this, for paths and for ids. Not here: scopes (`hosts`), lists and slugs that
come in bodies, which the store of the request leaves out (`Store.seen_by`). Guarantee: to a caller who may see only
some knowledge bases, whatever belongs to others looks as if it did not exist, and so do the conversations of other keys
to a caller who is no administrator; a route that this module does not know is refused to the former.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from werkzeug.routing import Rule

from headwater.domain.access import Caller
from headwater.errors import ForbiddenError, NotFoundError
from headwater.store.access.owners import Kind
from headwater.store.catalogue.knowledge_bases import unknown_knowledge_base_error
from headwater.store.store import Store
from headwater.store.work.syncs import unknown_sync_error

_OWN_ID = re.compile(r"/api/v1/([a-z-]+)/<id>(?:/.*)?")
_KINDS: Mapping[str, Kind] = {
    "answers": "answer",
    "chunks": "chunk",
    "conversations": "conversation",
    "deletions": "deletion",
    "document-versions": "version",
    "documents": "document",
    "summary-nodes": "summary",
    "syncs": "sync",
}
"""What `<id>` names, by the part of the path before it."""
_PARAMETERS: Mapping[str, Kind] = {"answer_id": "answer", "conversation_id": "conversation"}
"""What the other parameters of pages name."""
_NOUNS: Mapping[Kind, str] = {"version": "document version"}
FILTERED = frozenset({
    "access_page.show_account",
    "deletions.list_deletions",
    "documentation_page.show_documentation",  # it says nothing about what is stored here
    "feedback.get_feedback_statistics",
    "home_page.show_home",
    "knowledge_bases.list_knowledge_bases",
    "language_page.choose_language",  # it says nothing about what is stored here
    "mcp.handle_message",
    "openai.create_chat_completion",
    "openai.create_context",
    "openai.get_model",
    "openai.list_models",
    "palette_page.show_palette",
    "syncs.list_syncs",
})  # fmt: skip
"""Routes that list, or name a knowledge base in their body or query: the request's store finds only visible ones."""
WHOLE = frozenset({
    "access_page.change",
    "access_page.show_audit",
    "access_page.show_keys",
    "audit.list_audit",
    "bots.change_event",
    "bots.claim_event",
    "bots.delete_channel",
    "bots.get_event",
    "bots.list_channels",
    "bots.put_one_channel",
    "bots.take_events",
    "bots.create_test_message",
    "bots_page.change",
    "bots_page.show_bots",
    "home_page.create",
    "keys.create_key",
    "keys.get_key",
    "keys.list_keys",
    "keys.revoke_key",
    "keys.rotate_key",
    "knowledge_bases.create_knowledge_base",
    "metrics.get_metrics",
})  # fmt: skip
"""Routes about the whole server, which a key that is limited to knowledge bases may not have."""


def kind_of(rule: Rule) -> Kind | None:
    """What a route's path names that belongs to a knowledge base: that itself, or something with an id."""
    if "kb" in rule.arguments:
        return "knowledge_base"
    match = _OWN_ID.fullmatch(rule.rule)
    return _KINDS.get(match.group(1)) if match else None


def check_route(
    store: Callable[[], Store],
    owner_in_memory: Callable[[UUID], int | None],
    caller: Caller,
    rule: Rule,
    values: Mapping[str, Any],
) -> None:
    """Refuse a request about something that its caller may not see.

    Args:
        store: gets the store, if it is needed.
        owner_in_memory: says which knowledge base an answer belongs to that this process makes.
        caller: who sent the request.
        rule: the route.
        values: of its path.

    Raises:
        NotFoundError: as if it did not exist. ForbiddenError: the route is about the whole server.
    """
    _check_knowledge_base(store, owner_in_memory, caller, rule, values)
    if caller.reader.sees_all:
        return
    parameters = {"id": kind_of(rule), **_PARAMETERS}
    for name, given in values.items():
        kind = parameters.get(name)
        if kind not in ("answer", "conversation"):
            continue
        row_id = _parse_id(kind, str(given))
        if row_id is not None and not may_read(store(), caller, kind, row_id):
            raise _not_found_error(kind, row_id)


def _check_knowledge_base(
    store: Callable[[], Store],
    owner_in_memory: Callable[[UUID], int | None],
    caller: Caller,
    rule: Rule,
    values: Mapping[str, Any],
) -> None:
    if caller.visible is None or rule.endpoint in FILTERED:
        return
    kind = kind_of(rule)
    if kind is None:
        raise ForbiddenError("Your key is limited to some knowledge bases, and this is about the whole server.")
    row_id = _parse_id(kind, values["kb" if kind == "knowledge_base" else "id"])
    if isinstance(row_id, UUID) and kind == "answer" and owner_in_memory(row_id) in caller.visible:
        return  # its row comes later
    if row_id is not None:  # else the route says what is wrong with the id
        check(store(), caller, kind, row_id)


def owner_of(store: Store, rule: Rule, values: Mapping[str, Any]) -> int | None:
    """The id of the knowledge base that a route's path is about; None if there is none."""
    kind = kind_of(rule)
    row_id = None if kind is None else _parse_id(kind, str(values["kb" if kind == "knowledge_base" else "id"]))
    return None if kind is None or row_id is None else store.owners.of(kind, row_id)


def check(store: Store, caller: Caller | None, kind: Kind, row_id: UUID | int | str) -> None:
    """Refuse something that a caller may not see.

    Raises:
        NotFoundError: as if it did not exist.
    """
    if not may_see(store, caller, kind, row_id):
        raise _not_found_error(kind, row_id)


def may_see(store: Store, caller: Caller | None, kind: Kind, row_id: UUID | int | str) -> bool:
    """Whether a caller may see something; what does not exist, only a caller who may see everything."""
    if caller is None or caller.visible is None:
        return True
    return store.owners.of(kind, row_id) in caller.visible


def may_read(store: Store, caller: Caller | None, kind: Kind, row_id: UUID | int | str) -> bool:
    """Whether a caller may read something, as far as conversations of other keys are concerned."""
    return caller is None or store.owners.may_read(caller.reader, kind, row_id)


def _parse_id(kind: Kind, text: str) -> UUID | int | str | None:
    """An id as the store knows it; None if it cannot be one."""
    if kind == "knowledge_base":
        return text
    try:
        return int(text) if kind in ("sync", "deletion") else UUID(text)
    except ValueError:
        return None


def _not_found_error(kind: Kind, row_id: UUID | int | str) -> NotFoundError:
    """The error of the store for something that does not exist."""
    if kind == "knowledge_base":
        return unknown_knowledge_base_error(str(row_id))
    if kind == "sync":
        return unknown_sync_error(int(str(row_id)))
    return NotFoundError(f"There is no {_NOUNS.get(kind, kind)} {row_id}.")
