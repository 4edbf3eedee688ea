"""The commands `eval` and `tune`: measuring with golden sets.

Belongs here: their arguments and their work. Not here: measuring (`headwater.evaluation`), the golden sets
(`golden`). Guarantee: as for every command (`main`).
"""

from pathlib import Path

import click

from cli import evaluation_texts
from cli.output import emit, json_option, reports_errors


@click.command("eval")
@click.argument("knowledge_base")
@click.option("--no-answers", is_flag=True, help="Measure only which documents are found.")
@click.option(
    "--compare",
    "other",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Compare with the settings in this YAML file; nothing is changed or recorded.",
)
@json_option
@reports_errors
def evaluate(knowledge_base: str, no_answers: bool, other: Path | None, as_json: bool) -> None:
    """Measure retrieval and answers with the golden set, and record the result."""
    from cli.environment import environment
    from cli.progress import count_progress
    from headwater.administration import evaluation_runs
    from query_api.routes.evaluation_payloads import ComparisonPayload, EvaluationReport

    change = None if other is None else evaluation_runs.read_settings(other)
    with environment() as env, count_progress("questions") as progress:
        if change is not None:
            compared = evaluation_runs.compare_with(
                env.store, env.settings, knowledge_base, change, with_answers=not no_answers, progress=progress
            )
            payload = ComparisonPayload.of(compared).model_dump(mode="json")
        else:
            evaluation, row = evaluation_runs.evaluate(
                env.store, env.settings, knowledge_base, with_answers=not no_answers, progress=progress
            )
            payload = EvaluationReport.made(evaluation, row).model_dump(mode="json")
    text = evaluation_texts.evaluation_text if change is None else evaluation_texts.comparison_text
    emit(payload, as_json=as_json, text=text(payload))
