"""What the command `status` shows, as text for people.

Belongs here: knowledge bases, the state of their sources, settings and categories. Not here: reading them
(`cli.commands.status`), other results (`result_texts`). Guarantee: pure; sources come before settings; text from
sources cannot control the terminal.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from cli.result_texts import format_skips, plain
from headwater.domain.plurals import pluralize

_CATEGORIES = 5
"""How many categories are shown, the largest ones."""


def status_text(status: Mapping[str, Any], *, with_all: bool = False) -> str:
    """Knowledge bases and their sources; below those of a single one its settings and categories.

    Args:
        status: as the command returns it.
        with_all: whether to show every setting and category, not only changed settings and the largest categories.
    """
    lines: list[str] = []
    for knowledge_base in status["knowledge_bases"]:
        slug, name = knowledge_base["slug"], plain(knowledge_base["name"])
        lines.append(slug if name == slug else f"{slug}  {name}")
        if not knowledge_base["sources"]:
            lines.append("  no source yet")
        for source in knowledge_base["sources"]:
            is_new = source["state"] == "pending" and not source["synced_at"] and not source["paused"]
            advice = f"; `headwater sync {slug}` reads it" if is_new else ""
            sync = status.get("open_syncs", {}).get(f"{slug}/{source['slug']}")
            if sync and sync["state"] != "syncing":
                advice = f"; sync {sync['id']} is queued"
            lines.append(f"  {source['slug']}: {_format_state(source)}{advice}")
            if source["error"]:
                lines.append(f"    {plain(source['error'])}")
            lines += format_skips(source, "    ")
        if "settings" in knowledge_base:
            lines += _setting_lines(knowledge_base["settings"], with_all=with_all)
            lines += _category_lines(knowledge_base["categories"], most=None if with_all else _CATEGORIES)
            lines += [] if with_all else [f"  `headwater status {slug} --settings` shows every setting and category."]
    return "\n".join(lines) or "There is no knowledge base yet. Create one with `headwater apply FILE`."


def _setting_lines(settings: Mapping[str, Any], *, with_all: bool) -> Iterator[str]:
    """The settings that differ from the defaults, or all."""
    from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings

    defaults = KnowledgeBaseSettings().model_dump(mode="json")
    shown_settings = {name: value for name, value in settings.items() if with_all or value != defaults.get(name)}
    if not shown_settings:
        yield "  settings: as by default"
        return
    yield "  settings:" if with_all else "  settings that differ from the defaults:"
    yield from (f"    {name}: {json.dumps(value)}" for name, value in shown_settings.items())


def _category_lines(categories: Mapping[str, int], *, most: int | None) -> Iterator[str]:
    """The categories with their numbers of documents; with `most` the largest ones, else all by name."""
    largest = sorted(categories, key=lambda name: (-categories[name], name))
    names = sorted(categories) if most is None else largest[:most]
    if not names:
        return
    yield "  categories:"
    yield from (f"    {plain(name)}: {pluralize(categories[name], 'document')}" for name in names)
    if len(names) < len(categories):
        yield f"    and {len(categories) - len(names):,} more"


def _format_state(source: Mapping[str, Any]) -> str:
    """The state of a source and its settings."""
    is_paused, state = source["paused"], source["state"]
    states = ["paused"] if is_paused and state in ("pending", "ready") else [state, *(["paused"] if is_paused else [])]
    texts = [*states, pluralize(source["documents"], "document")]
    if source["unreadable"]:
        texts.append(f"{source['unreadable']:,} could not be read")
    tried = "last tried" if state == "failed" else "synced"
    texts.append(f"{tried} {source['synced_at']}" if source["synced_at"] else "never synced")
    if source["refresh"]:
        texts.append(f"every {source['refresh']}")
    if source["schedule"]:
        texts.append(f"at {source['schedule']} {source['time_zone']}")
    if source["next_sync_at"]:
        texts.append(f"next {source['next_sync_at']}")
    if source["drift"]:
        texts.append(f"{source['drift']:.0%} of its chunks differ from a fresh split")
    if source["workers"] > 1:
        texts.append(f"{source['workers']} workers")
    if source["category"]:
        texts.append(f"category {plain(source['category'])}")
    if source["tags"]:
        texts.append(f"tags {' '.join(source['tags'])}")
    return ", ".join(texts)
