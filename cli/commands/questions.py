"""The command `questions`: the questions that a knowledge base offers its readers.

Belongs here: its arguments, and questions as text. Not here: choosing them (`headwater.questions`). Guarantee: as for
every command (`main`); text of sources cannot steer the terminal.
"""

import json
from pathlib import Path
from typing import Any

import click

from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain
from headwater.domain.plurals import pluralize

_MAX_QUESTIONS = 100_000  # questions in a file


@click.command()
@click.argument("knowledge_base")
@click.option("--like", default="", help="What somebody has typed so far: show questions like it.")
@click.option("--source", help="Show only questions of the source with this slug.")
@click.option("--limit", default=10, show_default=True, type=WholeNumber(1, 50), help="How many to show.")
@click.option(
    "--golden",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write all of them, with their documents, to a file that `golden load` reads.",
)
@json_option
@reports_errors
def questions(knowledge_base: str, like: str, source: str | None, limit: int, file: Path | None, as_json: bool) -> None:
    """Show questions that the documents answer, such as for a reader to begin with."""
    from cli.environment import environment
    from headwater.questions.suggester import suggest
    from query_api.routes.question_payloads import QuestionsPayload

    if file is not None and like:
        raise click.UsageError("--golden writes all questions. Leave out --like.")
    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        most = limit if file is None else _MAX_QUESTIONS
        suggested = suggest(env.store, env.settings, owner, like=like, source=source, limit=most)
    payloads = QuestionsPayload.of(suggested).model_dump(mode="json")["questions"]
    if file is not None:
        _write(file, [item for item in payloads if item["document"]], as_json=as_json)
        return
    emit(
        {"questions": payloads}, as_json=as_json, text=_text(payloads, knowledge_base, is_limited=bool(like or source))
    )


def _write(file: Path, shown: list[dict[str, Any]], *, as_json: bool) -> None:
    """Write golden questions."""
    from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
    from headwater.errors import InvalidInputError

    golden = [
        GoldenQuestion(question=item["question"], relevant=(RelevantDocument(uri=item["document"]),)) for item in shown
    ]
    text = "".join(json.dumps(golden_question.to_line(), ensure_ascii=False) + "\n" for golden_question in golden)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"{file}: cannot be written: {error.strerror}.") from error
    message = f"Wrote {pluralize(len(golden), 'question')} to {file}. Read them before you load them."
    emit({"file": str(file), "question_count": len(golden)}, as_json=as_json, text=message)


def _text(shown: list[dict[str, Any]], knowledge_base: str, *, is_limited: bool) -> str:
    if shown:
        return "\n".join(f"{plain(item['question'])}  ({plain(item['document'] or item['source'])})" for item in shown)
    if is_limited:
        return "No question is like that."
    return (
        f"{knowledge_base} offers no questions. Set `question_model` in its settings, such as to builtin/rules, and "
        f"run `headwater sync {knowledge_base}`. If it is set, no question was made that the documents answer."
    )
