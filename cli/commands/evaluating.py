"""The commands `golden` and `eval`: golden sets and their results.

Belongs here: their arguments and their work. Not here: reading and judging (`headwater.evaluation`). Guarantee: as
for every command (`main`).
"""

from pathlib import Path

import click

from cli import rendering
from cli.output import emit, json_option, reports_errors


@click.group()
def golden() -> None:
    """Manage golden sets: questions with the documents that answer them."""


@golden.command()
@click.argument("knowledge_base")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@reports_errors
def load(knowledge_base: str, file: Path, as_json: bool) -> None:
    """Replace a knowledge base's golden set with the one in FILE (one JSON object per line)."""
    from cli.environment import environment
    from headwater.administration.golden_sets import replace_golden_set
    from headwater.evaluation.golden import read_golden_set

    questions = read_golden_set(file)
    with environment() as env:
        counts = replace_golden_set(env.store, knowledge_base, questions)
    changed = {"knowledge_base": knowledge_base, **counts}
    emit(changed, as_json=as_json, text=rendering.golden_text(changed))


@click.command("eval")
@click.argument("knowledge_base")
@json_option
@reports_errors
def evaluate(knowledge_base: str, as_json: bool) -> None:
    """Measure retrieval with the golden set, and record the result."""
    from cli.environment import environment
    from headwater.evaluation.evaluating import evaluate_and_record
    from query_api.routes.evaluation_payloads import EvaluationReport

    with environment() as env:
        made, row = evaluate_and_record(env.store, env.settings, env.store.knowledge_bases.get(knowledge_base))
    found = EvaluationReport.made(made, row).model_dump(mode="json")
    emit(found, as_json=as_json, text=rendering.evaluation_text(found))
