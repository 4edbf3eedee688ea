"""Registering and changing sources (SRC-10).

Belongs here: the checks before a source's row changes, and which fields stay. Not here: the row
(`headwater.store.catalogue`), the fields of a kind (`headwater.sources`), syncing (`sync_requests`), deleting
(`deletion`). Guarantee: every stored config is valid for its connector.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.administration.audit_trail import audit_transaction
from headwater.administration.management import refuse_managed
from headwater.domain.corpus import Source
from headwater.domain.source_settings import SourceSettings
from headwater.sources.connector import check_config
from headwater.store.store import Store

_DEFAULTS = SourceSettings()


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceEdit:
    """Changes to a source; fields that are not given stay."""

    kind: str | None = None
    config: Mapping[str, Any] | None = None
    """All fields of its kind, replacing the current ones."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Some fields of its kind."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Some of `SourceSettings`, such as `paused`; None clears one."""


def add_source(
    store: Store,
    knowledge_base: str,
    slug: str,
    *,
    kind: str,
    config: Mapping[str, Any],
    settings: SourceSettings = _DEFAULTS,
) -> Source:
    """Register a source; it stays pending until its first sync.

    Raises:
        InvalidConfigurationError: there is no such kind, or a field of it is wrong, missing or unknown.
        NotFoundError: there is no such knowledge base.
        AlreadyExistsError: the slug is taken within it.
        ConflictError: a Dagster project manages the knowledge base.
    """
    checked = check_config(kind, config)
    refuse_managed(store.knowledge_bases.get(knowledge_base))
    with audit_transaction(store) as note:
        source = store.sources.create(knowledge_base, slug=slug, kind=kind, config=checked, settings=settings)
        note("source.create", source.key, kind=kind)
    return source


def change_source(store: Store, knowledge_base: str, slug: str, edit: SourceEdit) -> Source:
    """Change a source; the next sync updates its documents.

    Raises:
        NotFoundError: there is no such knowledge base or source.
        InvalidConfigurationError: there is no such kind, or a field of it is wrong, missing or unknown.
        ConflictError: it is being deleted, or a Dagster project manages it.
    """
    old = store.sources.get(knowledge_base, slug)
    refuse_managed(old)
    kind = edit.kind or old.kind
    config = check_config(kind, {**(old.config if edit.config is None else edit.config), **edit.fields})
    merged = {**SourceSettings.of(old).model_dump(), **edit.settings}
    settings = SourceSettings(**{name: value for name, value in merged.items() if value is not None})
    with audit_transaction(store) as note:
        if store.sources.update(old, kind=kind, config=config, settings=settings):
            note("source.change", old.key, fields=sorted({*(edit.config or ()), *edit.fields, *edit.settings}))
    return store.sources.get(knowledge_base, slug)
