"""Dagster's Dask executor, for many runs at once on one cluster.

Belongs here: the name under which Dask knows a step. Not here: how it runs there. Guarantee: every run's step is
executed. Dask does what has one name once, and dagster-dask names a step by its job alone, so that of runs at the same
time one was executed and all were called successful (dagster issue 21418).
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg
from dagster._core.execution.context.system import PlanOrchestrationContext
from dagster_dask.executor import DaskExecutor


class _RunContext(PlanOrchestrationContext):
    """A run's context whose job is named with the run: the name of its steps in Dask."""

    @property
    def job_name(self) -> str:
        return f"{self.dagster_run.job_name}.{self.run_id}"


class RunDaskExecutor(DaskExecutor):
    """Executes a run's steps on the Dask cluster whose scheduler has an address."""

    def __init__(self, address: str) -> None:
        super().__init__("existing", {"address": address})  # type: ignore[no-untyped-call]  # dagster-dask has none

    def execute(self, plan_context: PlanOrchestrationContext, execution_plan: Any) -> Iterator[dg.DagsterEvent]:
        """Hand the steps to Dask under names of their own, and yield their events."""
        context = _RunContext(
            plan_data=plan_context.plan_data,
            log_manager=plan_context.log,
            executor=self,
            output_capture=plan_context.output_capture,
            resume_from_failure=plan_context.resume_from_failure,
        )
        yield from super().execute(context, execution_plan)


@dg.executor(
    name="dask",
    config_schema={"address": dg.StringSource},
    requirements=dg.multiple_process_executor_requirements(),
)
def dask_executor(context: dg.InitExecutorContext) -> dg.Executor:
    """Hand steps to the Dask scheduler at an address."""
    return RunDaskExecutor(str(context.executor_config["address"]))
