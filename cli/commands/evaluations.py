"""The command `evaluations`.

Belongs here: recorded evaluations as lines of text. Not here: evaluating (`eval`). Guarantee: as for every command
(`cli.main`).
"""

from collections.abc import Mapping
from typing import Any

import click

from cli.output import emit, json_option, limit_option, older_than_option, page_text, reports_errors
from headwater.domain.plurals import pluralize


@click.command()
@click.argument("knowledge_base")
@limit_option
@older_than_option
@json_option
@reports_errors
def evaluations(knowledge_base: str, limit: int, after: int | None, as_json: bool) -> None:
    """List the recorded evaluations of a knowledge base, newest first."""
    from cli.environment import environment
    from query_api.routes.evaluation_payloads import EvaluationPage

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        stored_evaluations = env.store.evaluations.all(owner, before=after, limit=limit + 1)
    page = EvaluationPage.of(stored_evaluations, limit).model_dump(mode="json")
    lines = [_evaluation_line(evaluation) for evaluation in page["evaluations"]]
    nothing = f"{knowledge_base} was never evaluated. `headwater eval {knowledge_base}` does it."
    emit(page, as_json=as_json, text=page_text(lines, page, f"headwater evaluations {knowledge_base}", nothing))


def _evaluation_line(row: Mapping[str, Any]) -> str:
    figures = ", ".join(f"{name} {value:.3f}" for name, value in sorted(row["metrics"].items()))
    return f"{row['id']}  {row['created_at'][:19]}  {pluralize(row['question_count'], 'question')}: {figures}"
