"""Changing the store to match a knowledge base file.

Belongs here: what is created, changed and left alone. Not here: reading the file. Guarantee: applying the same file
again changes nothing, nor does a file with an error; sources that the file does not name stay unless `prune` is set.
"""

from dataclasses import dataclass, field, replace

from headwater.administration.audit_trail import audit_transaction
from headwater.administration.deletion import finish_deletions
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.administration.knowledge_bases import check_settings
from headwater.administration.management import refuse_managed, take
from headwater.administration.widgets import apply_widgets
from headwater.domain.corpus import Source
from headwater.errors import ConflictError, NotFoundError
from headwater.settings import Settings
from headwater.sources.connector import check_config
from headwater.store.store import Store


@dataclass(kw_only=True, slots=True)
class Applied:
    """The result of applying a file, by source slug; `knowledge_base` is created, changed or unchanged.

    `widgets` says the same of widgets, by slug.
    """

    slug: str
    knowledge_base: str
    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    widgets: dict[str, str] = field(default_factory=dict)


def apply(
    store: Store,
    spec: KnowledgeBaseSpec,
    *,
    prune: bool = False,
    managed_by: str | None = None,
    takes_over: bool = False,
) -> Applied:
    """Create or change a knowledge base and its sources.

    Args:
        store: the store to change.
        spec: the knowledge base and its sources as the file describes them.
        prune: hide sources that the file does not name; `apply_and_delete` also removes their rows. Widgets that the
            file does not name are deleted, if it names any.
        managed_by: the Dagster project that applies it and manages it from now on; it prunes only what it manages.
        takes_over: whether that project may manage what people have made.

    Raises:
        UnknownModelError: the settings name a model that does not exist.
        InvalidConfigurationError: a source has fields that its kind does not.
        ConflictError: somebody else manages it, or a source of it.
    """
    spec = _check_spec(spec)
    with audit_transaction(store) as note:
        applied = _apply_changes(store, spec, prune=prune, by=managed_by, takes_over=takes_over)
        changes = {"created": applied.created, "changed": applied.changed, "deleted": applied.deleted}
        widgets = {
            slug: outcome for slug, outcome in applied.widgets.items() if outcome not in ("unchanged", "unlisted")
        }
        if applied.knowledge_base != "unchanged" or any(changes.values()) or widgets:
            sources = {name: slugs for name, slugs in changes.items() if slugs}
            state = applied.knowledge_base
            note("knowledge_base.apply", spec.slug, knowledge_base=state, widgets=widgets or None, **sources)
    return applied


def _apply_changes(store: Store, spec: KnowledgeBaseSpec, *, prune: bool, by: str | None, takes_over: bool) -> Applied:
    applied = Applied(slug=spec.slug, knowledge_base=_apply_knowledge_base(store, spec, by, takes_over=takes_over))
    existing = {source.slug: source for source in store.sources.all(spec.slug)}
    for source in spec.sources:
        old = existing.pop(source.slug, None)
        if old is not None:
            _check_manager(old, by, takes_over=takes_over)
        getattr(applied, _apply_source(store, spec, source, old)).append(source.slug)
        if by is not None and (old is None or old.managed_by is None):
            store.sources.set_manager(store.sources.get(spec.slug, source.slug), by)
    for slug, unlisted in sorted(existing.items()):
        is_pruned = prune and unlisted.managed_by == by
        if is_pruned:
            store.deletions.hide_source(spec.slug, slug)
        (applied.deleted if is_pruned else applied.unlisted).append(slug)
    if spec.widgets is not None:
        applied.widgets = apply_widgets(store, spec.slug, spec.widgets, prune=prune)
    return applied


def apply_and_delete(settings: Settings, store: Store, spec: KnowledgeBaseSpec, *, prune: bool = False) -> Applied:
    """Apply, then remove the rows of pruned sources and of deletions that an earlier process left incomplete."""
    applied = apply(store, spec, prune=prune)
    finish_deletions(settings, store)
    return applied


def _check_spec(spec: KnowledgeBaseSpec) -> KnowledgeBaseSpec:
    """Check everything before anything is written: a description need not come from a file."""
    check_settings(spec.settings)
    sources = [replace(source, config=check_config(source.kind, source.config)) for source in spec.sources]
    return replace(spec, sources=tuple(sources))


def _check_manager(source: Source, by: str | None, *, takes_over: bool) -> None:
    refuse_managed(source, by)
    if by is not None and source.managed_by is None and not takes_over:
        raise ConflictError(
            f"There already is a source {source.key} that {by} did not make. Choose another slug, or set `take_over: "
            "true` to manage this one from now on."
        )


def _apply_knowledge_base(store: Store, spec: KnowledgeBaseSpec, by: str | None, *, takes_over: bool) -> str:
    try:
        old = store.knowledge_bases.get(spec.slug)
        if by is None:
            refuse_managed(old)
        else:
            take(store, old, by, is_new=False, takes_over=takes_over)
        _, is_changed = store.knowledge_bases.update(
            spec.slug, name=spec.name, description=spec.description, settings=spec.settings
        )
    except NotFoundError:
        knowledge_base = store.knowledge_bases.create(
            slug=spec.slug, name=spec.name, description=spec.description, settings=spec.settings
        )
        if by is not None:
            take(store, knowledge_base, by, is_new=True, takes_over=takes_over)
        return "created"
    return "changed" if is_changed else "unchanged"


def _apply_source(store: Store, spec: KnowledgeBaseSpec, source: SourceSpec, existing: Source | None) -> str:
    if existing is None:
        store.sources.create(
            spec.slug, slug=source.slug, kind=source.kind, config=source.config, settings=source.settings
        )
        return "created"
    is_changed = store.sources.update(existing, kind=source.kind, config=source.config, settings=source.settings)
    return "changed" if is_changed else "unchanged"
