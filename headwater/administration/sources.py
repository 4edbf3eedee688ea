"""Adding, registering and changing sources (SRC-10).

Belongs here: the checks before a source's row changes, and which fields stay; for an address alone, guessing the kind
and the name, and finding the same source that is there already. Not here: the row (`headwater.store.catalogue`), the
fields of a kind and what a connector recognises (`headwater.sources`), syncing (`sync_requests`), deleting
(`deletion`). Guarantee: every stored config is valid for its connector; the same address is not added twice; only local
paths that may be read are looked at.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from headwater.administration.audit_trail import audit_transaction
from headwater.administration.knowledge_bases import change_knowledge_base, create_knowledge_base, merge_settings
from headwater.administration.management import refuse_managed
from headwater.domain.corpus import Source
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings
from headwater.domain.wrong_fields import wrong_fields
from headwater.errors import AlreadyExistsError, InvalidConfigurationError, NotFoundError, SourceError
from headwater.settings import Settings
from headwater.sources.connector import check_config
from headwater.sources.guesses import Address
from headwater.sources.source_context import SourceContext
from headwater.sources.source_kind import GuessedSource, guess_source, slug_of
from headwater.store.store import Store

_DEFAULTS = SourceSettings()
_FIXED_SLUG = (
    "slug: the slug of a source cannot be changed. Add the source again under the new slug, sync that one, and delete "
    "this one."
)


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
        InvalidConfigurationError: there is no such kind, a field of it is wrong, missing or unknown, or the slug is to
            change.
        ConflictError: it is being deleted, or a Dagster project manages it.
    """
    old = store.sources.get(knowledge_base, slug)
    refuse_managed(old)
    if "slug" in edit.fields:
        raise InvalidConfigurationError(_FIXED_SLUG)
    kind = edit.kind or old.kind
    config = check_config(kind, {**(old.config if edit.config is None else edit.config), **edit.fields})
    merged = {**SourceSettings.of(old).model_dump(), **edit.settings}
    settings = SourceSettings(**{name: value for name, value in merged.items() if value is not None})
    with audit_transaction(store) as note:
        if store.sources.update(old, kind=kind, config=config, settings=settings):
            note("source.change", old.key, fields=_list_changed(old, kind, config, settings))
    return store.sources.get(knowledge_base, slug)


def _list_changed(old: Source, kind: str, config: Mapping[str, Any], settings: SourceSettings) -> list[str]:
    """The fields that became different; a form sends those that stay, too."""
    before = {**old.config, **SourceSettings.of(old).model_dump(), "kind": old.kind}
    after = {**config, **settings.model_dump(), "kind": kind}
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


_DEFAULTS = SourceSettings()
_MAX_NUMBERS = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class NewAddress:
    """An address to add; what is not given is guessed.

    `fields` are some of its kind's, over those that are guessed, or some of `settings`. `base` is the folder where
    relative paths start.
    """

    text: str
    kind: str | None = None
    slug: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    settings: SourceSettings = _DEFAULTS
    base: Path | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Added:
    """A source that was added, what its address was taken for, and the other kinds that could read it."""

    source: Source
    words: str
    others: tuple[str, ...]


def ensure_knowledge_base(store: Store, slug: str, *, embedding_model: str | None = None) -> bool:
    """Create a knowledge base with the default settings if it does not exist; returns whether it did so.

    Args:
        store: the store.
        slug: of the knowledge base.
        embedding_model: set in any case, if it is given.

    Raises:
        InvalidInputError: its slug is not one.
        UnknownModelError: the model does not exist; then nothing is created.
    """
    changes = {} if embedding_model is None else {"embedding_model": embedding_model}
    try:
        store.knowledge_bases.get(slug)
    except NotFoundError:
        create_knowledge_base(store, slug, settings=merge_settings(KnowledgeBaseSettings(), changes))
        return True
    if changes:
        change_knowledge_base(store, slug, settings=changes)
    return False


def guess_address(settings: Settings, new: NewAddress) -> tuple[GuessedSource, dict[str, Any]]:
    """What an address is, and the valid config of its source.

    Raises:
        InvalidConfigurationError: nothing reads it, it is no address, or a field is wrong.
    """
    try:
        address = Address.of(new.text, new.base)
    except ValueError as error:
        raise InvalidConfigurationError(f"The address {error}.") from error
    if address.path is not None:
        _check_path(settings, address.path)
    guessed_source = guess_source(address, new.kind)
    _settings(new)
    config_fields = {name: value for name, value in new.fields.items() if name not in SourceSettings.model_fields}
    return guessed_source, check_config(guessed_source.kind, {**guessed_source.guess.config, **config_fields})


def add_address(settings: Settings, store: Store, knowledge_base: str, new: NewAddress) -> Added:
    """Register a source by its address; it stays pending until its first sync.

    Raises:
        InvalidConfigurationError: nothing reads it, it is no address, or a field is wrong.
        NotFoundError: there is no such knowledge base.
        AlreadyExistsError: it is there already, or the slug is taken.
    """
    guessed, config = guess_address(settings, new)
    sources = store.sources.all(knowledge_base, with_deleting=True)
    for source in sources:
        if (source.kind, dict(source.config)) == (guessed.kind, config):
            raise AlreadyExistsError(f"{new.text} is already the source {source.slug} of {knowledge_base}.")
    slug = new.slug or _free(slug_of(guessed.guess.slug), {source.slug for source in sources})
    added = add_source(store, knowledge_base, slug, kind=guessed.kind, config=config, settings=_settings(new))
    return Added(source=added, words=guessed.guess.words, others=guessed.others)


def _check_path(settings: Settings, path: Path) -> None:
    try:
        SourceContext(folder=path, local_paths=settings.local_paths).local(path)
    except SourceError as error:
        raise InvalidConfigurationError(str(error)) from error


def _settings(new: NewAddress) -> SourceSettings:
    source_fields = {name: value for name, value in new.fields.items() if name in SourceSettings.model_fields}
    try:
        return (
            SourceSettings.model_validate({**new.settings.model_dump(), **source_fields})
            if source_fields
            else new.settings
        )
    except ValidationError as error:
        first = wrong_fields(error)[0]
        raise InvalidConfigurationError(f"{'.'.join(map(str, first.place))}: {first.message}") from error


def _free(slug: str, taken: set[str]) -> str:
    numbered = (f"{slug}-{suffix}" for suffix in range(2, _MAX_NUMBERS))
    return slug if slug not in taken else next(name for name in numbered if name not in taken)
