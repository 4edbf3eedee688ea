"""Declaring a check of a knowledge base, and logging its results.

Belongs here: these functions. Not here: any check. Guarantee: results are stored per knowledge base, so that the
result of one never hides that of another.
"""

import warnings

import dagster as dg

from assets.events import check_target
from assets.partitions import KNOWLEDGE_BASES
from headwater.indexing.checking import Severity


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
    instance: dg.DagsterInstance, result: dg.AssetCheckResult, asset: str, name: str, key: str
) -> dg.AssetCheckEvaluation:
    """Turn a result into a separate event, for a run that does not belong to the partition.

    Args:
        instance: Dagster's instance.
        result: the result.
        asset: the asset's key.
        name: the check's name.
        key: the partition: a knowledge base, or a source.
    """
    return dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey(asset),
        check_name=name,
        passed=result.passed,
        severity=result.severity,
        description=result.description,
        metadata=result.metadata,
        partition=key,
        target_materialization_data=check_target(instance, asset, key),
    )


def log_evaluation(context: dg.AssetCheckExecutionContext, evaluation: dg.AssetCheckEvaluation) -> None:
    """Log a result in a run that checks several knowledge bases."""
    context.op_execution_context.log_event(evaluation)  # type: ignore[arg-type]  # its annotation forgets what it takes
