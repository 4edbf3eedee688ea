"""Declaring a check of a knowledge base, and logging its results.

Belongs here: these functions. Not here: any check. Guarantee: results are stored per knowledge base, so that the
result of one never hides that of another.
"""

import warnings
from collections.abc import Iterable

import dagster as dg

from assets.dagster_events import CheckTarget, check_target
from assets.partitions import KNOWLEDGE_BASES
from headwater.indexing.index_checks import Severity


def knowledge_base_check(asset: str, name: str, description: str) -> dg.AssetCheckSpec:
    """Declare a check on an asset that has a partition per knowledge base.

    Args:
        asset: the asset's key.
        name: the check's name.
        description: what is true if it passes.
    """
    with warnings.catch_warnings():
        # A test checks the partition of each result; users need not see the warning.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        return dg.AssetCheckSpec(name, asset=asset, partitions_def=KNOWLEDGE_BASES, description=description)


def severity(found: Severity | None) -> dg.AssetCheckSeverity:
    """A severity as Dagster has it; an error if there is none, since the check passed."""
    return dg.AssetCheckSeverity.WARN if found is Severity.WARNING else dg.AssetCheckSeverity.ERROR


def check_evaluation(
    result: dg.AssetCheckResult, asset: str, key: str, target: CheckTarget | None
) -> dg.AssetCheckEvaluation:
    """Turn a result into a separate event, for a run that does not belong to the partition.

    Args:
        result: the result, with the check's name.
        asset: the asset's key.
        key: the partition: a knowledge base, or a source.
        target: the materialization that the check looked at (`check_target`).
    """
    return dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey(asset),
        check_name=str(result.check_name),
        passed=result.passed,
        severity=result.severity,
        description=result.description,
        metadata=result.metadata,
        partition=key,
        target_materialization_data=target,
    )


def log_results(
    context: dg.AssetCheckExecutionContext, results: Iterable[dg.AssetCheckResult], asset: str, key: str
) -> None:
    """Log the results of one partition in a run that checks several knowledge bases."""
    target = check_target(context.instance, asset, key)
    for result in results:
        evaluation = check_evaluation(result, asset, key, target)
        context.op_execution_context.log_event(evaluation)  # type: ignore[arg-type]  # its annotation forgets what it takes
