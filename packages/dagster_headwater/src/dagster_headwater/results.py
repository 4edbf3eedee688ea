"""The kernel's results as Dagster's.

Belongs here: metadata, data versions and results of checks. Not here: the work (`kernel_steps`), when it is done
(`assets`). Guarantee: a text of a source never becomes markup; every materialisation carries its columns and what they
are made of.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from dagster_headwater.asset_specs import Chain, column_lineage, schema
from headwater.domain.corpus import KnowledgeBase, Source
from headwater.domain.evaluations import Evaluation
from headwater.domain.questions import CheckState
from headwater.evaluation.evaluation_refresh import Verdict, data_version, worst_results
from headwater.indexing.index_checks import Outcome, Severity
from headwater.indexing.index_refresh import Refreshed, gate_words
from headwater.questions.suggestion_refresh import Suggested
from headwater.store.store import Store
from headwater.syncing.source_sync import Made
from headwater.syncing.stage import Table

READ, GATE, QUALITY = "all_documents_read", "gate", "retrieval_quality"
_ERROR, _WARN = dg.AssetCheckSeverity.ERROR, dg.AssetCheckSeverity.WARN


def of_stage(made: Made, specs: Chain) -> dg.MaterializeResult[None]:
    """A stage of a source."""
    metadata: dict[str, Any] = {name: _value(value) for name, value in made.report.items()}
    metadata |= {"dagster/row_count": made.row_count, "milliseconds": made.ms}
    metadata["dagster/column_schema"] = schema(made.stage.columns)
    lineage = column_lineage(made.stage, specs)
    if lineage.deps_by_column:
        metadata["dagster/column_lineage"] = lineage
    version = dg.DataVersion(made.version)
    return dg.MaterializeResult(asset_key=specs[made.stage.name].key, metadata=metadata, data_version=version)


def _value(value: Any) -> Any:
    if isinstance(value, Table):
        rows = [{name: _cell(getattr(row, name)) for name in value.columns} for row in value.rows]
        return dg.MetadataValue.json(rows)
    return dg.MetadataValue.json(dict(value)) if isinstance(value, Mapping) else value


def _cell(value: Any) -> Any:
    return value if isinstance(value, int | float) else list(value) if isinstance(value, tuple) else str(value)


def of_index(key: dg.AssetKey, done: Refreshed) -> dg.MaterializeResult[None]:
    """The search index."""
    rows = {} if done.row_count is None else {"dagster/row_count": done.row_count}
    version = dg.DataVersion(done.digest)
    return dg.MaterializeResult(asset_key=key, metadata={**done.facts, **rows}, data_version=version)


def of_evaluation(key: dg.AssetKey, made: Evaluation) -> dg.MaterializeResult[None]:
    """An evaluation."""
    metadata: dict[str, Any] = {name: float(value) for name, value in made.metrics.items()}
    metadata |= {
        "questions": made.question_count,
        "model": made.model,
        "worst": dg.MetadataValue.json(worst_results(made)),
    }
    return dg.MaterializeResult(asset_key=key, metadata=metadata, data_version=dg.DataVersion(data_version(made)))


def of_summary(key: dg.AssetKey, store: Store, knowledge_base: KnowledgeBase) -> dg.MaterializeResult[None]:
    """The summary of a knowledge base, which has one."""
    summaries = store.knowledge_base_summaries
    version, count = summaries.digest(knowledge_base)
    metadata: dict[str, Any] = {"dagster/row_count": count, "summary": summaries.text(knowledge_base) or ""}
    return dg.MaterializeResult(asset_key=key, metadata=metadata, data_version=dg.DataVersion(version))


def of_suggestions(key: dg.AssetKey, made: Suggested) -> dg.MaterializeResult[None]:
    """The questions that readers are offered."""
    metadata = {
        "dagster/row_count": made.states.get(CheckState.KEPT, 0),
        "checked": made.checked.count,
        "embedded": made.checked.embedded,
        "answered_ahead": made.ahead.made,
    }
    return dg.MaterializeResult(asset_key=key, metadata=metadata, data_version=dg.DataVersion(made.data_version))


def check_read(key: dg.AssetKey, source: Source) -> dg.AssetCheckResult:
    """Whether the last sync of a source could read every document."""
    reasons = {line.message: list(line.examples) for line in source.unread}
    return dg.AssetCheckResult(
        asset_key=key,
        check_name=READ,
        passed=not reasons,
        severity=_WARN,
        description="; ".join(reasons) or "Every document could be read.",
        metadata={"unreadable": sum(line.count for line in source.unread), "reasons": dg.MetadataValue.json(reasons)},
    )


def check_gate(key: dg.AssetKey, done: Refreshed) -> dg.AssetCheckResult:
    """Whether the index for the present settings may become active."""
    report = done.report
    return dg.AssetCheckResult(
        asset_key=key,
        check_name=GATE,
        passed=report is None or report.passed,
        severity=_WARN if report and report.waits else _ERROR,
        description=gate_words(report),
    )


def check_quality(key: dg.AssetKey, verdict: Verdict) -> dg.AssetCheckResult:
    """Whether the golden set is answered as well as before."""
    values = {"ndcg_at_10": verdict.now, "ndcg_at_10_before": verdict.before}
    return dg.AssetCheckResult(
        asset_key=key,
        check_name=QUALITY,
        passed=verdict.passed,
        severity=_WARN,
        description=verdict.words,
        metadata={name: value for name, value in values.items() if value is not None},
    )


def check_outcomes(key: dg.AssetKey, found: Iterator[tuple[str, Outcome]]) -> Iterator[dg.AssetCheckResult]:
    """What the checks of an index found."""
    for name, outcome in found:
        yield dg.AssetCheckResult(
            asset_key=key,
            check_name=name,
            passed=outcome.severity is None,
            severity=_WARN if outcome.severity is Severity.WARNING else _ERROR,
            description=outcome.words,
            metadata=dict(outcome.facts),
        )


def upstream_of(instance: dg.DagsterInstance, keys: Sequence[dg.AssetKey]) -> list[dict[str, Any]]:
    """Some assets of the project with their last materialisations, as lineage keeps them."""
    upstream: list[dict[str, Any]] = []
    for key in keys:
        about: dict[str, Any] = {"asset": key.to_user_string()}
        for record in instance.fetch_materializations(key, limit=1).records:
            materialization = record.asset_materialization
            about |= {"run_id": record.run_id, "materialized_at": _iso(record.timestamp)}
            if materialization is not None:
                about |= {
                    "partition": materialization.partition,
                    "data_version": (materialization.tags or {}).get("dagster/data_version"),
                }
        upstream.append(about)
    return upstream


def _iso(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat()
