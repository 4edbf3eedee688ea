"""Creating and changing knowledge bases (KB-1, KB-2).

Belongs here: the checks before a knowledge base's row changes. Not here: the row (`headwater.store.catalogue`), a whole
file at once (`knowledge_base_changes`), deleting (`deletion`). Guarantee: stored settings name only models that exist.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from headwater.administration.audit_trail import audit_transaction
from headwater.administration.management import refuse_managed
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.wrong_fields import SLUG, SLUG_RULE
from headwater.errors import AlreadyExistsError, InvalidInputError
from headwater.models_gateway.chat_registry import check_answer_model, check_chat_model, check_question_model
from headwater.models_gateway.embedder_registry import check_model
from headwater.retrieval.reranking.reranker_registry import check_reranker
from headwater.sources.source_kind import slug_of
from headwater.store.store import Store

MODEL_CHECKS: Mapping[str, Callable[[Any], object]] = {
    "embedding_model": check_model,
    "rerank_model": check_reranker,
    "answer_model": check_answer_model,
    "answer_fallbacks": lambda models: [check_chat_model(model) for model in models],
    "cheap_model": lambda model: None if model is None else check_chat_model(model),
    "judge_model": lambda model: None if model is None else check_chat_model(model),
    "summary_model": lambda model: None if model is None else check_answer_model(model),
    "question_model": lambda model: None if model is None else check_question_model(model),
}
"""The settings that name models, and functions that raise if a model does not exist."""
_DEFAULTS = KnowledgeBaseSettings()
_MAX_NAME_CHARS = 200  # characters
_MAX_NUMBERS = 1_000


def check_settings(settings: KnowledgeBaseSettings) -> KnowledgeBaseSettings:
    """Return the settings if their models exist.

    Raises:
        UnknownModelError: a model does not exist; the message lists those that do.
    """
    for name, check in MODEL_CHECKS.items():
        check(getattr(settings, name))
    return settings


def check_slug(slug: str) -> None:
    """Refuse what cannot be the slug of a knowledge base.

    Raises:
        InvalidInputError: it is none.
    """
    if not re.fullmatch(SLUG, slug):
        raise InvalidInputError(f"{slug[:80]!r} is no slug: {SLUG_RULE}")


def create_knowledge_base(
    store: Store,
    slug: str,
    *,
    name: str | None = None,
    description: str = "",
    settings: KnowledgeBaseSettings = _DEFAULTS,
) -> KnowledgeBase:
    """Create a knowledge base; its name defaults to its slug.

    Raises:
        UnknownModelError: its settings name a model that does not exist.
        AlreadyExistsError: the slug is taken.
    """
    checked = check_settings(settings)
    with audit_transaction(store) as note:
        knowledge_base = store.knowledge_bases.create(
            slug=slug, name=name or slug, description=description, settings=checked
        )
        note("knowledge_base.create", slug)
    return knowledge_base


def create_named(store: Store, name: str, *, slug: str = "", description: str = "") -> KnowledgeBase:
    """Create a knowledge base by its name; without a slug, that is made of the name, with a number if it is taken.

    Raises:
        InvalidInputError: the name is empty, too long, or holds a control character; no slug can be made of it, and
            none is given; or that is none.
        AlreadyExistsError: the given slug is taken.
    """
    clean_name = " ".join(name.split())
    if (
        not clean_name
        or len(clean_name) > _MAX_NAME_CHARS
        or any(unicodedata.category(character) in ("Cc", "Cs") for character in clean_name)
    ):
        raise InvalidInputError(f"A knowledge base needs a name of 1 to {_MAX_NAME_CHARS} characters. Enter one.")
    if slug:
        check_slug(slug)
        return create_knowledge_base(store, slug, name=clean_name, description=description)
    slug = slug_of(clean_name, otherwise="")
    if not slug:
        raise InvalidInputError(
            "The name has no Latin letters or digits to make an address of. Enter an address, such as handbook."
        )
    for tried in (slug, *(f"{slug}-{suffix}" for suffix in range(2, _MAX_NUMBERS))):
        with suppress(AlreadyExistsError):
            return create_knowledge_base(store, tried, name=clean_name, description=description)
    raise AlreadyExistsError(f"Too many knowledge bases are called {clean_name!r}. Enter another name.")


def change_knowledge_base(
    store: Store,
    slug: str,
    *,
    new_slug: str | None = None,
    name: str | None = None,
    description: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> KnowledgeBase:
    """Change a knowledge base; fields and single settings that are not given stay.

    Raises:
        NotFoundError: no knowledge base has this slug.
        InvalidInputError: the new slug is none.
        pydantic.ValidationError: a setting is wrong, or does not go with the others.
        UnknownModelError: a model does not exist.
        AlreadyExistsError: the new slug is taken.
        ConflictError: a Dagster project manages it.
    """
    old = store.knowledge_bases.get(slug)
    refuse_managed(old)
    if new_slug is not None:
        check_slug(new_slug)
    new_settings = None if settings is None else check_settings(merge_settings(old.settings, settings))
    with audit_transaction(store) as note:
        knowledge_base, is_changed = store.knowledge_bases.update(
            slug, new_slug=new_slug, name=name, description=description, settings=new_settings
        )
        if is_changed:
            note("knowledge_base.change", slug, **_describe_change(old, knowledge_base))
    return knowledge_base


def _describe_change(old: KnowledgeBase, new: KnowledgeBase) -> dict[str, Any]:
    """What became different: the new slug and name, and which settings; a form sends those that stay, too."""
    old_settings, new_settings = old.settings.model_dump(), new.settings.model_dump()
    return {
        "slug": new.slug if new.slug != old.slug else None,
        "name": new.name if new.name != old.name else None,
        "description": "changed" if new.description != old.description else None,
        "settings": sorted(name for name, value in new_settings.items() if value != old_settings[name]) or None,
    }


def merge_settings(old: KnowledgeBaseSettings, change: Mapping[str, Any]) -> KnowledgeBaseSettings:
    """Settings with some of them changed; raises pydantic.ValidationError if one is wrong."""
    return KnowledgeBaseSettings.model_validate({**old.model_dump(exclude_defaults=True), **change})
