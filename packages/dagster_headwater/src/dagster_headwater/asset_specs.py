"""The assets of a knowledge base: their keys, specs and columns.

Belongs here: what there is. Not here: making it (`assets`), the options (`component`). Guarantee: dependencies between
the parts follow whatever keys the project gives them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.syncing.stage import Column, Stage
from headwater.syncing.stages import STAGES

INDEX, EVALUATION, SUMMARY, SUGGESTIONS = "search_index", "evaluation", "knowledge_base_summary", "suggestions"
COLUMNS_FROM: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "chunks": {"document_id": ("documents", "id"), "text": ("documents", "head_version_id")},
    "links": {"version_id": ("documents", "head_version_id")},
    "embeddings": {"text_hash": ("chunks", "text"), "vector": ("chunks", "text")},
    "summary_tree": {"document_id": ("documents", "id"), "chunk_ids": ("chunks", "id")},
    "questions": {"document_id": ("documents", "id")},
}
"""The column of another stage that a column is made of, by stage and column."""
_WHOLES = {
    INDEX: "What the knowledge base is searched with: the vectors and words of its published documents.",
    EVALUATION: "How well search finds the documents of the golden set; not made without one.",
    SUMMARY: "The summary of the whole knowledge base, made of those of its sources.",
    SUGGESTIONS: "The questions that readers are offered, each checked against what they find.",
}


@dataclass(frozen=True, kw_only=True)
class Part:
    """What one asset is: a stage of a source, or something of the whole knowledge base."""

    knowledge_base: str
    name: str
    source: str | None = None

    @property
    def key(self) -> dg.AssetKey:
        """The key, unless the project translates it."""
        return dg.AssetKey([each for each in (self.knowledge_base, self.source, self.name) if each])


Translate = Callable[[dg.AssetSpec, Part], dg.AssetSpec]
Chain = Mapping[str, dg.AssetSpec]
"""The specs of a source's stages, by the stage's name."""


def plain(name: str) -> str:
    """A name as ops, jobs and groups may have it."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def stages_of(settings: KnowledgeBaseSettings) -> list[Stage]:
    """The stages that a knowledge base has a use for."""
    unused = {
        *(() if settings.summary_model else ("summary_tree",)),
        *(() if settings.question_model else ("questions",)),
    }
    return [stage for stage in STAGES if stage.name not in unused]


def chain(
    slug: str,
    source: str,
    stages: Sequence[Stage],
    deps: Sequence[dg.AssetKey],
    translate: Translate,
    freshness: dg.FreshnessPolicy | None,
) -> Chain:
    """The specs of one source's stages; the first one depends on the project's own assets."""
    made: dict[str, dg.AssetSpec] = {}
    for stage in stages:
        parent = made.get(stage.parent)
        part = Part(knowledge_base=slug, source=source, name=stage.name)
        spec = dg.AssetSpec(
            part.key,
            deps=list(deps) if parent is None else [parent.key],
            group_name=plain(slug),
            kinds={"headwater", "postgres"},
            code_version=stage.code_version,
            description=stage.description,
            freshness_policy=freshness if parent is None else None,
            # No `dagster/table_name`: sources share the tables, and Dagster takes assets of one table for the same.
            metadata={"dagster/column_schema": schema(stage.columns)},
        )
        made[stage.name] = translate(spec, part)
    return made


def whole(slug: str, name: str, deps: Sequence[dg.AssetKey], translate: Translate) -> dg.AssetSpec:
    """The spec of something of the whole knowledge base; all but the index may have nothing to make."""
    part = Part(knowledge_base=slug, name=name)
    spec = dg.AssetSpec(
        part.key,
        deps=list(deps),
        group_name=plain(slug),
        kinds={"headwater", "postgres"},
        description=_WHOLES[name],
        skippable=name != INDEX,
    )
    return translate(spec, part)


def wholes(
    slug: str, settings: KnowledgeBaseSettings, chains: Mapping[str, Chain], translate: Translate
) -> dict[str, dg.AssetSpec]:
    """The specs of what a knowledge base has as a whole, by name, each after those that it depends on."""
    searched = [each[stage.name].key for each in chains.values() for stage in STAGES if stage.is_searched]
    index = whole(slug, INDEX, searched, translate)
    found = {INDEX: index, EVALUATION: whole(slug, EVALUATION, [index.key], translate)}
    if settings.summary_model:
        found[SUMMARY] = whole(slug, SUMMARY, [each["summary_tree"].key for each in chains.values()], translate)
    if settings.question_model:
        asked = [each["questions"].key for each in chains.values()]
        found[SUGGESTIONS] = whole(slug, SUGGESTIONS, [index.key, *asked], translate)
    return found


def schema(columns: Mapping[str, Column]) -> dg.TableSchema:
    """The columns of a stage's table."""
    return dg.TableSchema([dg.TableColumn(name, each.type, each.description) for name, each in columns.items()])


def column_lineage(stage: Stage, specs: Chain) -> dg.TableColumnLineage:
    """Which columns of a stage's table are made of which others."""
    found: dict[str, Any] = {}
    for column, (other, theirs) in COLUMNS_FROM.get(stage.name, {}).items():
        if other in specs:
            found[column] = [dg.TableColumnDep(asset_key=specs[other].key, column_name=theirs)]
    return dg.TableColumnLineage(found)
