"""Why a run ended before a source was done (SRC-10)."""

import dagster as dg

from pipelines.run_failures import explain_end


def test_a_run_that_was_stopped_is_no_failure_of_its_source() -> None:
    """It says who stopped it as far as it is known, and what to do."""
    cancelled = dg.DagsterEvent("PIPELINE_CANCELED", job_name="sync", message="Execution was canceled.")
    advice = "Nothing is wrong with the source. Sync it again."
    assert explain_end([cancelled]) == f"The run was cancelled in Dagster before this source was done. {advice}"
    assert explain_end([]).endswith(f"Dagster does not say by whom. {advice}")


def test_an_error_is_the_reason() -> None:
    """The message of the first failure."""
    failed = dg.DagsterEvent("PIPELINE_FAILURE", job_name="sync", message="The disk is full.")
    assert explain_end([failed]) == "The run ended before this source was done: The disk is full."
