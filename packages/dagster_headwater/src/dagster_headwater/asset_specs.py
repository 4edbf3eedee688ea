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
        return dg.AssetKey([segment for segment in (self.knowledge_base, self.source, self.name) if segment])


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
    specs: dict[str, dg.AssetSpec] = {}
    for stage in stages:
        parent = specs.get(stage.parent)
        asset_part = Part(knowledge_base=slug, source=source, name=stage.name)
        spec = dg.AssetSpec(
            asset_part.key,
            deps=list(deps) if parent is None else [parent.key],
            group_name=plain(slug),
            kinds={"headwater", "postgres"},
            code_version=stage.code_version,
            description=stage.description,
            freshness_policy=freshness if parent is None else None,
            # No `dagster/table_name`: sources share the tables, and Dagster takes assets of one table for the same.
            metadata={"dagster/column_schema": schema(stage.columns)},
        )
        specs[stage.name] = translate(spec, asset_part)
    return specs


def whole(slug: str, name: str, deps: Sequence[dg.AssetKey], translate: Translate) -> dg.AssetSpec:
    """The spec of something of the whole knowledge base; all but the index may have nothing to make."""
    asset_part = Part(knowledge_base=slug, name=name)
    spec = dg.AssetSpec(
        asset_part.key,
        deps=list(deps),
        group_name=plain(slug),
        kinds={"headwater", "postgres"},
        description=_WHOLES[name],
        skippable=name != INDEX,
    )
    return translate(spec, asset_part)


def wholes(
    slug: str, settings: KnowledgeBaseSettings, chains: Mapping[str, Chain], translate: Translate
) -> dict[str, dg.AssetSpec]:
    """The specs of what a knowledge base has as a whole, by name, each after those that it depends on."""
    searched = [
        source_chain[stage.name].key for source_chain in chains.values() for stage in STAGES if stage.is_searched
    ]
    index = whole(slug, INDEX, searched, translate)
    specs = {INDEX: index, EVALUATION: whole(slug, EVALUATION, [index.key], translate)}
    if settings.summary_model:
        specs[SUMMARY] = whole(
            slug, SUMMARY, [source_chain["summary_tree"].key for source_chain in chains.values()], translate
        )
    if settings.question_model:
        question_keys = [source_chain["questions"].key for source_chain in chains.values()]
        specs[SUGGESTIONS] = whole(slug, SUGGESTIONS, [index.key, *question_keys], translate)
    return specs


def schema(columns: Mapping[str, Column]) -> dg.TableSchema:
    """The columns of a stage's table."""
    return dg.TableSchema([dg.TableColumn(name, column.type, column.description) for name, column in columns.items()])


def column_lineage(stage: Stage, specs: Chain) -> dg.TableColumnLineage:
    """Which columns of a stage's table are made of which others."""
    dependencies: dict[str, Any] = {}
    for column, (upstream_stage, theirs) in COLUMNS_FROM.get(stage.name, {}).items():
        if upstream_stage in specs:
            dependencies[column] = [dg.TableColumnDep(asset_key=specs[upstream_stage].key, column_name=theirs)]
    return dg.TableColumnLineage(dependencies)
