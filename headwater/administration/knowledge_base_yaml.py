"""A knowledge base as the YAML file that would make it (KB-4).

Belongs here: writing it. Not here: reading it (`knowledge_base_file`), applying it (`knowledge_base_changes`).
Guarantee: applying the text to the same store changes nothing; what is as by default is left out; no secret is in it,
because none is stored.
"""

from typing import Any

import yaml

from headwater.domain.corpus import KnowledgeBase, Source
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings, format_interval
from headwater.store.store import Store

_DEFAULTS = KnowledgeBaseSettings()
_SOURCE_DEFAULTS = SourceSettings()


def knowledge_base_yaml(store: Store, knowledge_base: KnowledgeBase, settings: KnowledgeBaseSettings) -> str:
    """Write a knowledge base with its sources.

    Args:
        store: has its sources.
        knowledge_base: the knowledge base.
        settings: its settings, or those that it would have.
    """
    section: dict[str, Any] = {"slug": knowledge_base.slug, "name": knowledge_base.name}
    if knowledge_base.description:
        section["description"] = knowledge_base.description
    if differences := _others(settings.model_dump(mode="json"), _DEFAULTS.model_dump(mode="json")):
        section["settings"] = differences
    content: dict[str, Any] = {"knowledge_base": section}
    if sources := store.sources.all(knowledge_base.slug):
        content["sources"] = [_source(source) for source in sources]
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)


def _source(source: Source) -> dict[str, Any]:
    settings = SourceSettings.of(source).model_dump(mode="json")
    if settings["refresh"]:
        settings["refresh"] = format_interval(settings["refresh"])
    differences = _others(settings, _SOURCE_DEFAULTS.model_dump(mode="json"))
    return {"slug": source.slug, "kind": source.kind, **dict(source.config), **differences}


def _others(values: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value != defaults[name]}
