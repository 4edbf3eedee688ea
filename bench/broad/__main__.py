"""Answers to broad questions, judged by what a right answer contains (SUM-4).

    python -m bench.broad --home HOME [--half "looked at"] [--show] [--questions FILE]

Belongs here: asking, and the marks. Not here: making the knowledge bases: `bench.exam` does that, from the same
documents. Guarantee: nothing is stored in the home; the same home gives the same marks.
"""

import json
import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from headwater.answering.answer_assembly import AssembledAnswer, fold
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerers import choose_answerer
from headwater.settings import Settings
from headwater.store.store import Store, open_store

_QUESTIONS = Path(__file__).with_name("questions.json")
_MARKER = re.compile(r"\[\d+\]")
_WORDS = 160  # of an answer that is not a list: 150, and some for names that are not cut


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--home", type=click.Path(path_type=Path, exists=True), required=True, help="With the knowledge bases.")
@click.option("--half", type=click.Choice(["looked at", "measured"]), help="Only these questions.")
@click.option("--show", is_flag=True, help="Print the answers.")
@click.option("--questions", type=click.Path(path_type=Path, exists=True), default=_QUESTIONS, help="Another file.")
def main(home: Path, half: str | None, questions: Path, *, show: bool) -> None:
    """Ask, and print a line for each question and the sums."""
    os.environ["HEADWATER_HOME"] = str(home)
    settings = Settings.from_env()
    right: dict[str, list[bool]] = {}
    with open_store(settings) as store:
        for question in json.loads(questions.read_text(encoding="utf-8"))["questions"]:
            if half not in (None, question["half"]):
                continue
            began = time.perf_counter()
            answer = _ask(store, settings, question["kb"], question["question"])
            took = (time.perf_counter() - began) * 1000
            missing = _missing(question, answer)
            right.setdefault(question["half"], []).append(not missing)
            words = len(_MARKER.sub("", answer.text).split())
            click.echo(
                f"{'right' if not missing else 'WRONG'} {question['kb']}: {question['question']}"
                f" ({words} words, {took:.0f} ms)"
            )
            if missing:
                click.echo(f"      lacks {'; '.join(missing)}")
            if show:
                click.echo(answer.text + "\n")
    for name, marks in right.items():
        click.echo(f"{name}: {sum(marks)} of {len(marks)} right")


def _ask(store: Store, settings: Settings, slug: str, question: str) -> AssembledAnswer:
    owner = store.knowledge_bases.get(slug)
    owner = replace(owner, settings=owner.settings.model_copy(update={"reuse_answers": False}))
    request = AnswerRequest(knowledge_base=owner, question=question, is_fresh=True)
    making = AnswerMaker(store, settings, request, choose_answerer(store, settings, owner.settings))
    return fold(making.events())


def _missing(one: dict[str, Any], answer: AssembledAnswer) -> list[str]:
    """What a right answer would have; empty if the answer is right."""
    text = answer.text

    def holds(pattern: str) -> bool:
        return re.search(pattern, text, re.IGNORECASE) is not None

    found = [pattern for pattern in one["must"] if not holds(pattern)]
    found += [f"not {pattern}" for pattern in one.get("must_not", ()) if holds(pattern)]
    among = sum(map(holds, one.get("of", ())))
    if among < one.get("least", 0):
        found.append(f"{one['least']} of {one['of']}, has {among}")
    uris = [citation.uri for citation in answer.citations]
    found += [f"a citation of {cited}" for cited in one["cites"] if not any(re.search(cited, uri) for uri in uris)]
    if answer.reason is not None:
        found.append("an answer: it refuses")
    if one["kind"] not in ("list", "count") and len(_MARKER.sub("", text).split()) > _WORDS:
        found.append("brevity")
    return found


if __name__ == "__main__":
    main()
