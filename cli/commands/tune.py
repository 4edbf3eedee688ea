"""The command `tune`.

Belongs here: its options. Not here: choosing settings (`headwater.administration.evaluation_runs`). Guarantee: as for
every command (`cli.main`).
"""

import click

from cli import evaluation_texts
from cli.output import emit, json_option, reports_errors


@click.command()
@click.argument("knowledge_base")
@click.option("--apply", "apply", is_flag=True, help="Change the settings if the other half confirms the choice.")
@json_option
@reports_errors
def tune(knowledge_base: str, apply: bool, as_json: bool) -> None:
    """Choose retrieval settings on half of the golden set, and measure them on the other half."""
    from cli.environment import environment
    from cli.progress import count_progress
    from headwater.administration.evaluation_runs import tune_and_apply
    from query_api.routes.evaluation_payloads import TuningPayload

    with environment() as env, count_progress("questions") as progress:
        tuned, is_applied = tune_and_apply(env.store, env.settings, knowledge_base, apply=apply, progress=progress)
    payload = TuningPayload.of(tuned, is_applied=is_applied).model_dump(mode="json")
    emit(payload, as_json=as_json, text=evaluation_texts.tuning_text(payload))
