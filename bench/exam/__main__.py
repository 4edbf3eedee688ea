"""Ask the questions of the exam, and print right, wrong, refused, words, citations, tokens and seconds.

Belongs here: the arguments, and the order in which variants and questions take their turn. Not here: what they do.
Guarantee: a question that the file of results holds for the same variant and model is not asked again.

Run it from the project's root; README.md beside this file says how to get the documents:

    python -m bench.exam --home DIR --documents KB=FOLDER … [--questions FILE …] [--gguf FILE | --model NAME]
        [--variants ours,small-tasks,plain,quote,plain-quote] [--limit N] [--out FILE]

Variants: `ours` is our answer with the model, `small-tasks` the same where the model also reads the question and grades
the passages (`cheap_model`), `plain` a plain script with the same model and the passages of the same
search; `quote` is our answer without a model, `plain-quote` a plain formula instead of it.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from bench.exam.answers import answer_with_model, answer_with_quotes
from bench.exam.attempts import Attempt, Stopwatch, mark
from bench.exam.corpora import add_missing, is_synced, open_home, read_folder
from bench.exam.model_server import ChatModelName, serve_model
from bench.exam.plain_script import ask_plain_script, find_passages
from bench.exam.questions import LOOKED_AT, MEASURED, Question, load_questions
from bench.exam.quote_reference import QuoteReference
from bench.exam.report import ResultFile, table
from cli.environment import Environment
from headwater.domain.corpus import KnowledgeBase
from headwater.errors import HeadwaterError
from headwater.models_gateway.chat_registry import EXTRACTIVE, check_chat_model
from headwater.models_gateway.litellm_client import load_litellm

_WITH_MODEL, _WITHOUT_MODEL = ("ours", "small-tasks", "plain"), ("quote", "plain-quote")
_NO_MODEL = ChatModelName(name=EXTRACTIVE, label="")

Ask = Callable[[KnowledgeBase, Question], Attempt]


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """What answers: its name, how it is asked, and the label of its model."""

    name: str
    ask: Ask
    model: str


def main() -> None:
    """Sync what is missing, ask, and print the table."""
    try:
        _run(_arguments())
    except (click.ClickException, HeadwaterError) as error:
        raise SystemExit(f"Error: {error}") from None


def _run(given: argparse.Namespace) -> None:
    files = [load_questions(path) for path in given.questions]
    with open_home(given.home) as env:
        add_missing(env, dict(given.documents))
        questions = _select([question for file in files for question in file.questions], env, given.limit)
        with _opened_model(given) as model:
            results = ResultFile(given.out)
            variants = _variants(env, model, given.variants)
            _ask_all(env, variants, questions, results)
    wanted = {
        (variant.name, variant.model, question.kb, question.question) for variant in variants for question in questions
    }
    print(table(results.select(lambda result: result.key in wanted)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True, help="folder to keep and use again")
    parser.add_argument("--documents", nargs="+", action="extend", type=read_folder, default=[], metavar="KB=FOLDER")
    parser.add_argument("--questions", nargs="+", type=Path, default=[LOOKED_AT, MEASURED], metavar="FILE")
    models = parser.add_mutually_exclusive_group()
    models.add_argument("--gguf", type=Path, help="a model file, served while the exam runs", metavar="FILE")
    models.add_argument("--model", help="a configured model, such as openai/gpt-4o-mini", metavar="NAME")
    parser.add_argument("--threads", type=int, default=2, help="threads that serve the model file")
    parser.add_argument("--variants", type=lambda text: text.split(","), help="by default, all that are possible")
    parser.add_argument("--limit", type=int, help="ask only the first questions of each knowledge base")
    parser.add_argument("--out", type=Path, help="lines of JSON, one for each answer; a later run goes on with them")
    given = parser.parse_args()
    has_model = given.gguf is not None or given.model is not None
    given.variants = given.variants or [*(_WITH_MODEL if has_model else ()), *_WITHOUT_MODEL]
    if unknown := set(given.variants) - {*_WITH_MODEL, *_WITHOUT_MODEL}:
        parser.error(f"there is no variant {', '.join(sorted(unknown))}")
    if not has_model and set(given.variants) & set(_WITH_MODEL):
        parser.error("ours and plain need a model: name one with --gguf or --model")
    return given


def _select(questions: Sequence[Question], env: Environment, limit: int | None) -> list[Question]:
    """The questions about knowledge bases that the home has; says which others are left out."""
    by_kb: dict[str, list[Question]] = {}
    for question in questions:
        by_kb.setdefault(question.kb, []).append(question)
    missing = [kb for kb in by_kb if not is_synced(env.store, kb)]
    if missing:
        print(f"left out, because --documents does not name their folders: {', '.join(missing)}")
    return [one for kb, own in by_kb.items() if kb not in missing for one in own[:limit]]


@contextmanager
def _opened_model(given: argparse.Namespace) -> Iterator[ChatModelName]:
    """The chat model, for the length of a block; none is started if no variant needs it."""
    if not set(given.variants) & set(_WITH_MODEL):
        yield _NO_MODEL
        return
    named = given.model and ChatModelName(name=check_chat_model(given.model), label=given.model)
    with nullcontext(named) if named else serve_model(given.gguf, threads=given.threads) as model:
        load_litellm()  # takes seconds the first time, which are not the model's
        yield model


def _variants(env: Environment, model: ChatModelName, names: Sequence[str]) -> list[Variant]:
    asks: Mapping[str, Ask] = {
        "ours": partial(answer_with_model, env, model.name),
        "small-tasks": partial(answer_with_model, env, model.name, cheap_model=model.name),
        "plain": partial(ask_plain_script, env, model.name),
        "quote": partial(answer_with_quotes, env),
        "plain-quote": QuoteReference(env).ask,
    }
    labels = {name: model.label if name in _WITH_MODEL else _NO_MODEL.label for name in asks}
    return [Variant(name=name, ask=asks[name], model=labels[name]) for name in names]


def _ask_all(env: Environment, variants: Sequence[Variant], questions: Sequence[Question], results: ResultFile) -> None:
    """Ask one variant after the other; the progress shows no question, because those that measure stay unread."""
    knowledge_bases = {
        kb: env.store.knowledge_bases.get(kb) for kb in dict.fromkeys(question.kb for question in questions)
    }
    for question in questions[:1]:
        find_passages(env, knowledge_bases[question.kb], question)  # loads the embedding model
    for variant in variants:
        for number, question in enumerate(questions, start=1):
            if results.has(variant.name, variant.model, question.kb, question.question):
                continue
            attempt = _attempt(variant.ask, knowledge_bases[question.kb], question)
            result = mark(question, attempt, variant=variant.name, model=variant.model)
            results.add(result)
            place = f"{number}/{len(questions)}"
            print(
                f"{variant.name:12}{place:>8} {question.kb:16} {result.outcome:8}{attempt.seconds:7.1f} s", flush=True
            )


def _attempt(ask: Ask, knowledge_base: KnowledgeBase, question: Question) -> Attempt:
    """Ask; an error of Headwater's is an attempt, too."""
    stopwatch = Stopwatch()
    try:
        return ask(knowledge_base, question)
    except HeadwaterError as error:
        return Attempt(text=str(error), error=error.code, seconds=stopwatch.seconds)


if __name__ == "__main__":
    main()
