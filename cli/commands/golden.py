"""The commands `golden …`: the golden set of a knowledge base.

Belongs here: their arguments and their work. Not here: reading and judging (`headwater.evaluation`). Guarantee: as for
every command (`main`).
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

import click

from cli import evaluation_texts
from cli.output import WholeNumber, emit, json_option, reports_errors

if TYPE_CHECKING:
    from pydantic import BaseModel

Model = TypeVar("Model", bound="BaseModel")

_relevant = click.option(
    "--relevant",
    "documents",
    multiple=True,
    metavar="URI[#page=N]",
    help="A document that answers the question; may be repeated.",
)
_answer = click.option("--answer", help="The right answer.")
_unanswerable = click.option("--unanswerable", is_flag=True, help="The question ought to be refused.")


@click.group()
def golden() -> None:
    """Manage golden sets: questions with the documents that answer them."""


@golden.command()
@click.argument("knowledge_base")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@reports_errors
def load(knowledge_base: str, file: Path, as_json: bool) -> None:
    """Replace the golden questions that came from a file with those in FILE (one JSON object per line)."""
    from cli.environment import environment
    from headwater.administration.golden_sets import replace_golden_set
    from headwater.evaluation.golden_set import read_golden_set

    questions = read_golden_set(file)
    with environment() as env:
        counts = replace_golden_set(env.store, knowledge_base, questions)
    changes = {"knowledge_base": knowledge_base, **counts}
    emit(changes, as_json=as_json, text=evaluation_texts.format_changes(changes))


@golden.command("list")
@click.argument("knowledge_base")
@json_option
@reports_errors
def list_questions(knowledge_base: str, as_json: bool) -> None:
    """List the golden questions of a knowledge base, with their numbers."""
    from cli.environment import environment
    from query_api.routes.evaluation_payloads import GoldenSetPayload

    with environment() as env:
        golden_set = env.store.evaluations.golden_set(env.store.knowledge_bases.get(knowledge_base))
    payload = GoldenSetPayload.of(golden_set).model_dump(mode="json")
    emit(payload, as_json=as_json, text=evaluation_texts.golden_set_text(payload))


@golden.command()
@click.argument("knowledge_base")
@click.argument("question")
@_relevant
@_answer
@_unanswerable
@json_option
@reports_errors
def add(
    knowledge_base: str,
    question: str,
    documents: tuple[str, ...],
    answer: str | None,
    unanswerable: bool,
    as_json: bool,
) -> None:
    """Add a golden question; one with the same words is replaced."""
    from cli.environment import environment
    from headwater.administration.golden_sets import add_golden_questions
    from headwater.domain.evaluations import GoldenQuestion

    fields = {
        "question": question,
        "answer": answer,
        "unanswerable": unanswerable,
        "relevant": _parse_documents(documents),
    }
    golden_question = _make_model(GoldenQuestion, fields)
    with environment() as env:
        (stored_question,) = add_golden_questions(env.store, knowledge_base, [golden_question])
    _emit_one(stored_question, as_json=as_json)


@golden.command()
@click.argument("answer_id", type=click.UUID)
@_relevant
@_answer
@_unanswerable
@json_option
@reports_errors
def promote(answer_id: UUID, documents: tuple[str, ...], answer: str | None, unanswerable: bool, as_json: bool) -> None:
    """Make a golden question of an answer; say what is right if the answer is not."""
    from cli.environment import environment
    from headwater.administration.golden_sets import promote_answer
    from headwater.domain.evaluations import RelevantDocument

    if unanswerable and (documents or answer):
        raise click.UsageError("A question that ought to be refused has neither documents nor an answer.")
    relevant = [_make_model(RelevantDocument, document) for document in _parse_documents(documents)] or None
    with environment() as env:
        stored_question = promote_answer(
            env.store, answer_id, relevant=relevant, answer=answer, unanswerable=unanswerable
        )
    _emit_one(stored_question, as_json=as_json)


@golden.command()
@click.argument("knowledge_base")
@click.option("--count", default=20, show_default=True, type=WholeNumber(1, 200), help="How many questions to make.")
@json_option
@reports_errors
def generate(knowledge_base: str, count: int, as_json: bool) -> None:
    """Make golden questions of the documents, and add those whose own document search finds."""
    from cli.environment import environment
    from cli.progress import count_progress
    from headwater.administration.golden_sets import generate_golden_questions
    from query_api.routes.evaluation_payloads import GeneratedPayload

    with environment() as env, count_progress("questions") as progress:
        stored_questions, not_found = generate_golden_questions(
            env.store, env.settings, knowledge_base, count, progress=progress
        )
    payload = GeneratedPayload.made(stored_questions, not_found).model_dump(mode="json")
    emit(payload, as_json=as_json, text=evaluation_texts.format_questions(payload))


@golden.command()
@click.argument("knowledge_base")
@click.argument("id", type=WholeNumber(1))
@json_option
@reports_errors
def remove(knowledge_base: str, id: int, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Remove a golden question by its number."""
    from cli.environment import environment
    from headwater.administration.golden_sets import remove_golden_question

    with environment() as env:
        removed = remove_golden_question(env.store, knowledge_base, id)
    _emit_one(removed, as_json=as_json)


@golden.command("export")
@click.argument("knowledge_base")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@json_option
@reports_errors
def export_questions(knowledge_base: str, file: Path, as_json: bool) -> None:
    """Write all golden questions to FILE, or to stdout with -, as `golden load` reads them."""
    from cli.environment import environment
    from headwater.domain.plurals import pluralize
    from headwater.errors import InvalidInputError

    is_piped = str(file) == "-"
    if is_piped and as_json:
        raise click.UsageError("--json prints a summary on stdout. Name a file, or leave out --json.")
    with environment() as env:
        questions = env.store.evaluations.golden_questions(env.store.knowledge_bases.get(knowledge_base))
    text = "".join(json.dumps(question.to_line(), ensure_ascii=False) + "\n" for question in questions)
    if is_piped:
        sys.stdout.write(text)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInputError(f"{file}: cannot be written: {error.strerror}.") from error
    message = f"Wrote {pluralize(len(questions), 'golden question')} to {file}."
    emit({"file": str(file), "question_count": len(questions)}, as_json=as_json, text=message)


def _parse_documents(documents: tuple[str, ...]) -> list[dict[str, Any]]:
    """The documents that options name; a page follows the URI as `#page=N`."""
    parsed = []
    for document in documents:
        uri, _, page = document.partition("#page=")
        parsed.append({"uri": uri, "page": int(page)} if page.isdecimal() else {"uri": document})
    return parsed


def _make_model(model: type[Model], fields: dict[str, Any]) -> Model:
    """Make an object of options.

    Raises:
        InvalidInputError: a value is wrong.
    """
    from pydantic import ValidationError

    from headwater.domain.wrong_fields import path_of, wrong_fields
    from headwater.errors import InvalidInputError

    try:
        return model.model_validate(fields)
    except ValidationError as error:
        first = wrong_fields(error)[0]
        raise InvalidInputError(f"{path_of(first.place)}: {first.message}") from error


def _emit_one(question: Any, *, as_json: bool) -> None:
    from query_api.routes.evaluation_payloads import GoldenQuestionPayload

    payload = GoldenQuestionPayload.of(question).model_dump(mode="json")
    emit(payload, as_json=as_json, text=evaluation_texts.golden_text(payload))
