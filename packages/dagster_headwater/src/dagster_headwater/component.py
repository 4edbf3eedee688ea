"""`KnowledgeBaseComponent`: a knowledge base that a project declares in YAML.

Belongs here: the attributes, and putting the definitions together. Not here: the specs (`asset_specs`), the work
(`assets`). Guarantee: wrong settings and sources are found when definitions load or are checked, without a connection;
no secret is in a definition, only the name of its variable.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import dagster as dg
from dagster.components.utils.translation import TranslationFn, TranslationFnResolver
from pydantic import BaseModel, Field

from dagster_headwater.asset_specs import Chain, Part, chain, plain, stages_of, wholes
from dagster_headwater.assets import Plan, knowledge_base_assets
from dagster_headwater.data_location import Place, read_variables
from dagster_headwater.kernel_steps import Ownership
from dagster_headwater.scaffolder import KnowledgeBaseScaffolder
from dagster_headwater.source_list import SourceAttributes, read_sources
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.administration.knowledge_bases import check_settings
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings
from headwater.errors import InvalidConfigurationError
from headwater.sources.connector import check_config, locate_config


def _settings(context: dg.ResolutionContext, attributes: BaseModel) -> KnowledgeBaseSettings:
    return KnowledgeBaseSettings.model_validate(context.resolve_value(attributes.model_dump(exclude_unset=True)))


class DatabaseAttributes(dg.Model, dg.Resolvable):
    """Where Headwater's data is."""

    url_variable: str | None = Field(
        default=None, description="The environment variable with the address of a Postgres with pgvector."
    )
    home: str = Field(default=".headwater", description="Folder of the embedded Postgres, if there is no such server.")
    migrate: bool = Field(default=False, description="Whether runs migrate that server's database.")


class KnowledgeBaseAttributes(dg.Model, dg.Resolvable):
    """The knowledge base itself."""

    slug: str = Field(description="Its name in addresses and asset keys.")
    name: str | None = Field(default=None, description="Its name for people.")
    description: str = Field(default="", description="What it is about.")
    # Not KnowledgeBaseSettings: Dagster refuses a type whose fields have limits, but takes it as the form of the YAML.
    settings: Annotated[Any, dg.Resolver(_settings, model_field_type=KnowledgeBaseSettings)] = Field(
        default=KnowledgeBaseSettings(), description="Models, languages, sizes of chunks and so on."
    )


@dg.scaffold_with(KnowledgeBaseScaffolder)
class KnowledgeBaseComponent(dg.Component, dg.Model, dg.Resolvable):
    """Documents of a project's assets, folders and web sites as a knowledge base that answers questions.

    Each source becomes a chain of assets from its documents to their vectors, the knowledge base a search index, an
    evaluation and a summary, with checks, a job and a schedule. A sync makes only what has changed.
    """

    knowledge_base: KnowledgeBaseAttributes
    sources: Sequence[SourceAttributes] = Field(default=[], description="What it reads.")
    sources_file: str | None = Field(
        default=None, description="A YAML, JSON or CSV file with more sources; its path starts at the project."
    )
    database: DatabaseAttributes = Field(default=DatabaseAttributes(), description="Where its data is.")
    variables: Mapping[str, str] = Field(
        default={}, description="Variables of Headwater and of models, such as OPENAI_API_KEY: each with yours."
    )
    project: str = Field(default="", description="Who manages it, for Headwater's pages; by default, your package.")
    dagster_url: str = Field(default="http://127.0.0.1:3000", description="Where people open your Dagster.")
    take_over: bool = Field(default=False, description="Whether it may manage what people made under the same slugs.")
    prune: bool = Field(default=False, description="Whether sources that you remove here are deleted.")
    wait_seconds: float = Field(default=600, ge=0, description="How long a run waits for another one of a source.")
    schedule: str | None = Field(default=None, description="Cron line of a schedule that makes all of it.")
    time_zone: str = Field(default="UTC", description="The time zone of the schedule.")
    fresh_within_hours: float | None = Field(
        default=None, description="The documents of each source fail their freshness policy after this time."
    )
    translation: Annotated[
        TranslationFn[Part] | None,
        TranslationFnResolver[Part](
            lambda asset_part: {
                "knowledge_base": asset_part.knowledge_base,
                "source": asset_part.source,
                "stage": asset_part.name,
            }
        ),
    ] = Field(default=None, description="Key prefix, group, owners, tags; `source` and `stage` may be used in it.")

    def get_asset_spec(self, spec: dg.AssetSpec, part: Part) -> dg.AssetSpec:
        """The spec of one asset; override it for more than YAML can say."""
        return self.translation(spec, part) if self.translation else spec

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """The assets, checks, job and schedule of the knowledge base.

        Raises:
            InvalidConfigurationError: a source or a setting is wrong.
        """
        sources, slug = self._sources(context.project_root), self.knowledge_base.slug
        spec = self._spec(sources, context.project_root)
        chains = {source.slug: self._chain(source, spec.settings) for source in sources}
        plan = Plan(
            spec=spec,
            chains=chains,
            wholes=wholes(slug, spec.settings, chains, self.get_asset_spec),
            deps={source.slug: source.upstream for source in sources},
            owner=Ownership(
                project=_name_project(self.project or context.defs_module_name.partition(".")[0]),
                dagster_url=self.dagster_url,
                takes_over=self.take_over,
                prunes=self.prune,
            ),
            patience=self.wait_seconds,
            place=self._place(context.project_root),
        )
        selection = dg.AssetSelection.assets(*(spec.key for spec in plan.specs))
        job = dg.define_asset_job(plain(f"sync_{slug}"), selection=selection)
        return dg.Definitions(assets=[knowledge_base_assets(plan)], jobs=[job], schedules=self._schedules(job))

    def _schedules(self, job: Any) -> list[dg.ScheduleDefinition]:
        if self.schedule is None:
            return []
        zone = self.time_zone
        return [dg.ScheduleDefinition(job=job, cron_schedule=self.schedule, execution_timezone=zone)]

    def _chain(self, source: SourceAttributes, settings: KnowledgeBaseSettings) -> Chain:
        hours = source.fresh_within_hours or self.fresh_within_hours
        freshness = None if hours is None else dg.FreshnessPolicy.time_window(fail_window=timedelta(hours=hours))
        slug, stages = self.knowledge_base.slug, stages_of(settings)
        return chain(slug, source.slug, stages, source.upstream, self.get_asset_spec, freshness)

    def _sources(self, root: Path) -> list[SourceAttributes]:
        """The sources of the YAML, then those of the file."""
        return [*self.sources, *(() if self.sources_file is None else read_sources(root / self.sources_file))]

    def _spec(self, sources: Sequence[SourceAttributes], root: Path) -> KnowledgeBaseSpec:
        about = self.knowledge_base
        slugs = [source.slug for source in sources]
        if not slugs or len(set(slugs)) < len(slugs):
            raise InvalidConfigurationError(f"{about.slug} needs at least one source, and each with a slug of its own.")
        return KnowledgeBaseSpec(
            slug=about.slug,
            name=about.name or about.slug,
            description=about.description,
            settings=check_settings(about.settings),
            sources=tuple(_source(source, root) for source in sources),
        )

    def _place(self, root: Path) -> Callable[[], Place]:
        database, names = self.database, self.variables

        def place() -> Place:
            url = os.environ.get(database.url_variable) if database.url_variable else None
            return Place(
                home=(root / database.home).resolve(),
                database_url=url,
                may_migrate=database.migrate,
                variables=read_variables(names),
            )

        return place


def _name_project(name: str) -> str:
    """The project as an owner: a branch deployment of Dagster+ is another one than what it branched off."""
    is_branch = os.environ.get("DAGSTER_CLOUD_IS_BRANCH_DEPLOYMENT") == "1"
    return f"{name}@{os.environ.get('DAGSTER_CLOUD_DEPLOYMENT_NAME', 'branch')}" if is_branch else name


def _source(attributes: SourceAttributes, root: Path) -> SourceSpec:
    config = check_config(attributes.kind, locate_config(attributes.kind, dict(attributes.config), root))
    settings = SourceSettings(tags=tuple(attributes.tags), category=attributes.category)
    return SourceSpec(slug=attributes.slug, kind=attributes.kind, config=config, settings=settings)
