"""What a Dagster project manages: its knowledge bases and sources, which only it changes and syncs.

Belongs here: refusing changes of others, taking over, letting go. Not here: the rows (`headwater.store.catalogue`),
what is changed (the modules beside this one). Guarantee: a knowledge base or a source has one manager at most, and
nobody loses it without being asked.
"""

from headwater.administration.audit_trail import audit_transaction
from headwater.domain.corpus import KnowledgeBase, Source
from headwater.errors import ConflictError
from headwater.store.store import Store


def refuse_managed(found: KnowledgeBase | Source, by: str | None = None) -> None:
    """Refuse to change what somebody else manages.

    Args:
        found: the knowledge base or the source.
        by: who wants to change it; None for people, and for Headwater itself.

    Raises:
        ConflictError: it is managed by another one.
    """
    if found.managed_by in (None, by):
        return
    knowledge_base = found.slug if isinstance(found, KnowledgeBase) else found.knowledge_base
    name = found.slug if isinstance(found, KnowledgeBase) else found.key
    raise ConflictError(
        f"The Dagster project {found.managed_by} manages {name}. Change and sync it there. If that project is gone, "
        f"run `headwater release {knowledge_base}`."
    )


def take(store: Store, knowledge_base: KnowledgeBase, by: str, *, is_new: bool, takes_over: bool) -> None:
    """Make a Dagster project the manager of a knowledge base.

    Args:
        store: the store.
        knowledge_base: the knowledge base.
        by: the Dagster project.
        is_new: whether it has just created it.
        takes_over: whether it may have one that people made.

    Raises:
        ConflictError: somebody else manages it, or people made it and it is not to be taken over.
    """
    refuse_managed(knowledge_base, by)
    if knowledge_base.managed_by is None:
        if not (is_new or takes_over):
            raise ConflictError(
                f"There already is a knowledge base {knowledge_base.slug} that {by} did not make. Choose another slug, "
                "or set `take_over: true` to manage this one from now on."
            )
        store.knowledge_bases.set_manager(knowledge_base, by)


def release(store: Store, slug: str) -> list[str]:
    """Let people change a knowledge base and its sources again; returns the keys of what was managed.

    Raises:
        NotFoundError: there is no such knowledge base.
    """
    knowledge_base = store.knowledge_bases.get(slug)
    with audit_transaction(store) as note:
        sources = [source for source in store.sources.all(slug) if source.managed_by is not None]
        for source in sources:
            store.sources.set_manager(source, None)
        if knowledge_base.managed_by is not None:
            store.knowledge_bases.set_manager(knowledge_base, None)
        released = [*([slug] if knowledge_base.managed_by else []), *(source.key for source in sources)]
        if released:
            note("knowledge_base.release", slug, released=released)
    return released
