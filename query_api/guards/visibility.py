"""Which knowledge base or conversation a request is about, and whether its caller may see it (API-6).

Belongs here: the only place that decides this, for paths and for ids. Not here: what a route is about (`route_facts`),
scopes (`authentication`), lists and slugs that come in bodies, which the store of the request leaves out
(`Store.for_reader`). Guarantee: to a caller who may see only some knowledge bases, whatever belongs to others looks as
if it did not exist, and so do the conversations of other keys to a caller who is no administrator; a route that does
not say what it is about is refused to the former.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any
from uuid import UUID

from werkzeug.routing import Rule

from headwater.domain.access import Caller
from headwater.errors import ForbiddenError, NotFoundError
from headwater.store.access.owners import Kind
from headwater.store.catalogue.knowledge_bases import unknown_knowledge_base_error
from headwater.store.store import Store
from headwater.store.work.syncs import unknown_sync_error
from query_api.guards.route_facts import RouteFacts

_PARAMETERS: Mapping[str, Kind] = MappingProxyType({"answer_id": "answer", "conversation_id": "conversation"})
"""What parameters of pages name, beside the knowledge base."""
_NOUNS: Mapping[Kind, str] = MappingProxyType({"version": "document version"})


def kind_of(rule: Rule, facts: RouteFacts) -> Kind | None:
    """What a route's path names that belongs to a knowledge base: that itself, or something with an id."""
    if "kb" in rule.arguments:
        return "knowledge_base"
    match facts.about:
        case "visible" | "server":
            return None
        case kind:
            return kind


def check_route(
    store: Callable[[], Store],
    owner_in_memory: Callable[[UUID], int | None],
    caller: Caller,
    rule: Rule,
    facts: RouteFacts,
    values: Mapping[str, Any],
) -> None:
    """Refuse a request about something that its caller may not see.

    Args:
        store: gets the store, if it is needed.
        owner_in_memory: says which knowledge base an answer belongs to that this process makes.
        caller: who sent the request.
        rule: the route's.
        facts: what the route says.
        values: of its path.

    Raises:
        NotFoundError: as if it did not exist. ForbiddenError: the route is about the whole server.
    """
    kind = kind_of(rule, facts)
    if facts.about != "visible":
        _check_knowledge_base(store, owner_in_memory, caller, kind, values)
    if caller.reader.sees_all:
        return
    parameters = {"id": kind, **_PARAMETERS}
    for name, given in values.items():
        kind = parameters.get(name)
        if kind not in ("answer", "conversation"):
            continue
        row_id = _parse_id(kind, str(given))
        if row_id is not None and not may_read(store(), caller, kind, row_id):
            raise _not_found_error(store(), caller, kind, row_id)


def _check_knowledge_base(
    store: Callable[[], Store],
    owner_in_memory: Callable[[UUID], int | None],
    caller: Caller,
    kind: Kind | None,
    values: Mapping[str, Any],
) -> None:
    if caller.visible is None:
        return
    if kind is None:
        raise ForbiddenError("Your key is limited to some knowledge bases, and this is about the whole server.")
    row_id = _parse_id(kind, values["kb" if kind == "knowledge_base" else "id"])
    if isinstance(row_id, UUID) and kind == "answer" and owner_in_memory(row_id) in caller.visible:
        return  # its row comes later
    if row_id is not None:  # else the route says what is wrong with the id
        check(store(), caller, kind, row_id)


def owner_of(store: Store, rule: Rule, facts: RouteFacts, values: Mapping[str, Any]) -> int | None:
    """The id of the knowledge base that a route's path is about; None if there is none."""
    kind = kind_of(rule, facts)
    row_id = None if kind is None else _parse_id(kind, str(values["kb" if kind == "knowledge_base" else "id"]))
    return None if kind is None or row_id is None else store.owners.of(kind, row_id)


def check(store: Store, caller: Caller | None, kind: Kind, row_id: UUID | int | str) -> None:
    """Refuse something that a caller may not see.

    Raises:
        NotFoundError: as if it did not exist.
    """
    if caller is not None and not may_see(store, caller, kind, row_id):
        raise _not_found_error(store, caller, kind, row_id)


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


def _not_found_error(store: Store, caller: Caller, kind: Kind, row_id: UUID | int | str) -> NotFoundError:
    """The error of the store for something that does not exist; it names nothing that the caller may not see."""
    if kind == "knowledge_base":
        visible = None if caller.visible is None else sorted(caller.visible)
        return unknown_knowledge_base_error(store.database, str(row_id), visible)
    if kind == "sync":
        return unknown_sync_error(int(str(row_id)))
    return NotFoundError(f"There is no {_NOUNS.get(kind, kind)} {row_id}.")
