"""The step of a knowledge base: Dagster chooses, the kernel works, and its results become Dagster's.

Belongs here: the step, and the order in which it works. Not here: the specs (`asset_specs`), the options (`component`),
the form of results (`results`). Guarantee: the store is opened when the step runs, not when definitions load; a source
that fails fails alone, the search index is refreshed with what the others brought, and then the run fails with the
reasons; what calls a model, and fails, keeps nothing else from being made.

It is one step: Dagster skips what is downstream of a failed step, so with a step per source one bad folder would keep
the search index of all others from being refreshed; and each step costs the start of a process.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg
from pydantic import Field

from dagster_headwater import results
from dagster_headwater.asset_specs import EVALUATION, INDEX, SUGGESTIONS, SUMMARY, Chain, plain
from dagster_headwater.data_location import Place
from dagster_headwater.kernel_steps import Ownership, Synced, declare, sync_source
from dagster_headwater.results import GATE, QUALITY, READ
from headwater import __version__
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec
from headwater.domain.corpus import Lineage
from headwater.errors import HeadwaterError
from headwater.evaluation.evaluation_refresh import judge_quality, refresh_evaluation
from headwater.indexing.index_checks import CHECKS, check_search_index, describe_check
from headwater.indexing.index_refresh import refresh_search_index
from headwater.questions.suggestion_refresh import refresh_suggestions
from headwater.settings import Settings
from headwater.store.store import Store
from headwater.summaries.knowledge_base_tree import is_current, refresh
from headwater.syncing.stages import STAGES

_SCHEDULE_TAG = "dagster/schedule_name"
"""Dagster's tag of runs that a schedule started."""


class SyncConfig(dg.Config):
    """How sources are read."""

    full: bool = Field(default=False, description="Read every document, even if its file looks unchanged.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Everything that a step needs to know of its knowledge base.

    `chains` are the specs of each source's stages by its slug, `wholes` those of the knowledge base by name, `deps` the
    project's assets that each source is made of. `place` finds the place when the step runs: then variables have the
    values of that process.
    """

    spec: KnowledgeBaseSpec
    chains: Mapping[str, Chain]
    wholes: Mapping[str, dg.AssetSpec]
    deps: Mapping[str, Sequence[dg.AssetKey]]
    owner: Ownership
    patience: float
    place: Callable[[], Place]

    def first(self, source: str) -> dg.AssetKey:
        """The first asset of a source."""
        return next(iter(self.chains[source].values())).key

    @property
    def specs(self) -> list[dg.AssetSpec]:
        """Every asset."""
        return [*(spec for chain in self.chains.values() for spec in chain.values()), *self.wholes.values()]

    @property
    def checks(self) -> list[dg.AssetCheckSpec]:
        """Every check."""
        index, evaluation = self.wholes[INDEX].key, self.wholes[EVALUATION].key
        descriptions = {
            GATE: "The index for the present settings is good enough to become active.",
            **{name: describe_check(name) for name in CHECKS},
        }
        return [
            *(
                dg.AssetCheckSpec(READ, asset=self.first(source), description="Every document could be read.")
                for source in self.chains
            ),
            *(dg.AssetCheckSpec(name, asset=index, description=words) for name, words in descriptions.items()),
            dg.AssetCheckSpec(QUALITY, asset=evaluation, description="Search finds the golden set as well as before."),
        ]


def knowledge_base_assets(plan: Plan) -> dg.AssetsDefinition:
    """All assets and checks of a knowledge base as one step, of which any part may be chosen."""
    name = f"headwater_{plain(plan.spec.slug)}"

    @dg.multi_asset(name=name, can_subset=True, specs=plan.specs, check_specs=plan.checks, pool=name)
    def make(context: dg.AssetExecutionContext, config: SyncConfig) -> Iterator[Any]:
        with plan.place().open() as (store, settings):
            step = _Step(plan=plan, context=context, is_full=config.full, store=store, settings=settings)
            yield from step.run()
        if step.failed or step.not_made:
            raise step.failure()

    return make


class _Step:
    """One run of the step."""

    def __init__(
        self, *, plan: Plan, context: dg.AssetExecutionContext, is_full: bool, store: Store, settings: Settings
    ) -> None:
        self._plan = plan
        self._context = context
        self._is_full = is_full
        self._store = store
        self._settings = settings
        self._slug = plan.spec.slug
        self._wanted = context.selected_asset_keys
        self._checked = {(key.asset_key, key.name) for key in context.selected_asset_check_keys}
        self.failed: dict[str, str] = {}
        """Why each source failed, by its key."""
        self.not_made: dict[str, str] = {}
        """Why something of the whole knowledge base could not be made, by its name."""

    def failure(self) -> dg.Failure:
        """What ends the run, when all else is made."""
        head = f"{len(self.failed)} of {len(self._plan.chains)} sources failed. " if self.failed else ""
        causes = [f"{name}: {why}" for name, why in (self.failed | self.not_made).items()]
        return dg.Failure("\n".join([f"{head}All else is up to date.", *causes]), metadata=self.failed | self.not_made)

    def run(self) -> Iterator[Any]:
        """All that is chosen."""
        if self._wanted:  # a check that runs alone only reads
            for unlisted in declare(self._store, self._settings, self._plan.spec, self._plan.owner):
                self._context.log.warning(
                    f"{self._slug}/{unlisted} is no longer in the definitions: nothing syncs it, but searches and "
                    "answers still use its documents. Set `prune: true` to delete it, or list it again."
                )
        for source in self._plan.chains:
            yield from self._source(source)
        for name, make in self._makers().items():
            spec = self._plan.wholes.get(name)
            if spec is not None and spec.key in self._wanted:
                try:
                    yield from make(spec.key)
                except HeadwaterError as error:  # such as a model that does not answer
                    self.not_made[f"{self._slug}/{name}"] = str(error)
        yield from self._checks()

    def _source(self, source: str) -> Iterator[Any]:
        chain, key, first = self._plan.chains[source], f"{self._slug}/{source}", self._plan.first(source)
        selected = [name for name, spec in chain.items() if spec.key in self._wanted]
        if selected:
            synced = self._sync(key, selected, self._plan.deps.get(source, ()))
            for made_stage in synced.made:
                if made_stage.stage.name in selected:
                    yield results.of_stage(made_stage, chain)
            if synced.error is not None:
                self._context.log.error(f"{key}: {synced.error}")
                self.failed[key] = synced.error
        if (first, READ) in self._checked and key not in self.failed:
            yield results.check_read(first, self._store.sources.get(self._slug, source))

    def _sync(self, key: str, chosen: Sequence[str], deps: Sequence[dg.AssetKey]) -> Synced:
        """Sync a source: with its first stage all others, since documents that are only read are not searched."""
        every = [stage.name for stage in STAGES]
        return sync_source(
            self._store,
            self._settings,
            key,
            run_id=self._context.run.run_id,
            stages=every if every[0] in chosen else chosen,
            expected=chosen,
            is_full=self._is_full,
            patience=self._plan.patience,
            origin="schedule" if _SCHEDULE_TAG in self._context.run.tags else "dagster",
            owner=self._plan.owner,
            upstream=results.upstream_of(self._context.instance, deps),
            tell=lambda words: self._context.log.info(f"{key}: {words}"),
        )

    def _makers(self) -> Mapping[str, Callable[[dg.AssetKey], Iterator[Any]]]:
        return {
            INDEX: self._index,
            EVALUATION: self._evaluation,
            SUMMARY: self._summary,
            SUGGESTIONS: self._suggestions,
        }

    def _index(self, key: dg.AssetKey) -> Iterator[Any]:
        knowledge_base = self._store.knowledge_bases.get(self._slug)
        with self._store.workers.hold_refresh(knowledge_base.id):
            refreshed = refresh_search_index(self._store, self._settings, self._slug)
        yield results.of_index(key, refreshed)
        if (key, GATE) in self._checked:
            yield results.check_gate(key, refreshed)

    def _evaluation(self, key: dg.AssetKey) -> Iterator[Any]:
        new_evaluation = refresh_evaluation(self._store, self._settings, self._slug, self._context.run.run_id)
        if new_evaluation is not None:
            yield results.of_evaluation(key, new_evaluation)

    def _summary(self, key: dg.AssetKey) -> Iterator[Any]:
        knowledge_base = self._store.knowledge_bases.get(self._slug)
        by = Lineage(run_id=self._context.run.run_id, code_version=__version__)
        if not is_current(self._store, knowledge_base):
            with self._store.workers.hold_refresh(knowledge_base.id):
                refresh(self._store, self._settings, knowledge_base, by)
        if self._store.knowledge_base_summaries.has_tree(knowledge_base):
            yield results.of_summary(key, self._store, knowledge_base)

    def _suggestions(self, key: dg.AssetKey) -> Iterator[Any]:
        run_id, tell = self._context.run.run_id, self._context.log.info
        suggested = refresh_suggestions(self._store, self._settings, self._slug, run_id, tell)
        if suggested is not None:
            yield results.of_suggestions(key, suggested)

    def _checks(self) -> Iterator[dg.AssetCheckResult]:
        """The checks of the index: of what changed after a sync, of everything if they run alone."""
        index, evaluation = self._plan.wholes[INDEX].key, self._plan.wholes[EVALUATION].key
        names = [name for name in CHECKS if (index, name) in self._checked]
        if names:
            outcomes = check_search_index(self._store, self._slug, names, is_spot=bool(self._wanted))
            yield from results.check_outcomes(index, outcomes)
        if (evaluation, QUALITY) in self._checked:
            yield results.check_quality(evaluation, judge_quality(self._store, self._slug))
