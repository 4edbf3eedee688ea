"""Whether the turns of conversations find the right document, by rules (CNV-1, RET-4).

Belongs here: holding the conversations of `conversations.json` in the knowledge bases of the exam, and counting. Not
here: those knowledge bases (`bench.exam.corpora`), the rules (`headwater.understanding.follow_ups`). Guarantee: a turn
gets what a stored conversation would give it; nothing is stored.

    python -m bench.conversation_recall --home exam/home [--half measured] [--show] [--json FILE]

`bench/exam/README.md` says how to get the documents; `rclone` and `restic` are the folders `docs/content` and `doc`
of these tools' repositories. Of the other knowledge bases, `madetech` is madetech/handbook, `civicactions-guidebook`
CivicActions/guidebook, `djangogirls` DjangoGirls/organizer-manual, `pihole` pi-hole/docs, `smartpay`
GSA/smartpay-website, `antennapod` AntennaPod/antennapod.github.io, `litestream` benbjohnson/litestream.io,
`mlh-guide` MLH/mlh-hackathon-organizer-guide, `csc-guide` CSCfi/csc-user-guide, `caddy-docs` caddyserver/website,
`dxw` dxw/playbook; each other one is the documentation in the repository of its name.

A turn with `uris` is counted: it is right if the first citation of its answer is in one of these documents, and
`in_five` if one of the first five passages is. In a knowledge base of very long documents the passage, or the answer,
must match `passage` too. `alone` is what a person made of a turn.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from bench.exam.corpora import open_home
from headwater.answering.answer_assembly import AssembledAnswer, fold
from headwater.answering.answer_maker import AnswerMaker
from headwater.answering.answer_request import AnswerRequest
from headwater.answering.answerers import choose_answerer
from headwater.answering.clarification import UNCLEAR
from headwater.domain.answers import Turn
from headwater.domain.search import Passage

SHOWN = 5
CASES = Path(__file__).with_name("conversations.json")
Case = Mapping[str, Any]


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option(
    "--home", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path), help="Its folder."
)
@click.option("--half", default="looked-at", type=click.Choice(["looked-at", "measured"]), help="Which conversations.")
@click.option("--show", is_flag=True, help="Print the turns that were missed.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(home: Path, half: str, show: bool, json_file: Path | None) -> None:
    """Hold the conversations of a half, and print how many turns found a right document."""
    cases = [one for one in json.loads(CASES.read_text(encoding="utf-8")) if one["is_measured"] == (half == "measured")]
    with open_home(home) as env:
        turns = [turn for case in cases for turn in hold(env, case)]
    figures = {
        "turns": len(turns),
        "cited": sum(turn["is_cited"] for turn in turns),
        "in_five": sum(turn["is_in_five"] for turn in turns),
        "refused": sum(turn["is_refused"] for turn in turns),
        "asked back": sum(turn["is_asked_back"] for turn in turns),
    }
    missed = [f"{turn['id']}: {turn['search_text']}" for turn in turns if not turn["is_cited"]] if show else []
    click.echo("\n".join([*(f"{name}: {value}" for name, value in figures.items()), *missed]))
    if json_file:
        json_file.write_text(json.dumps(figures) + "\n", encoding="utf-8")


def hold(env: Any, case: Case) -> Iterator[dict[str, Any]]:
    """Hold one conversation; yields what became of each turn that is counted."""
    base = env.store.knowledge_bases.get(case["knowledge_base"])
    history: list[Turn] = []
    for turn in case["turns"]:
        request = AnswerRequest(
            knowledge_base=base, question=turn["question"], is_fresh=True, history=_as_stored(history)
        )
        making = AnswerMaker(env.store, env.settings, request, choose_answerer(env.store, env.settings, base.settings))
        answer = fold(making.events())
        assert making.read is not None
        documents = tuple(citation.document_id for citation in answer.citations)
        history.append(
            Turn(
                question=turn["question"],
                answer=answer.text,
                search_text=making.read.search_text,
                documents=documents,
            )
        )
        if "uris" in turn:
            passages = making.evidence.trusted.passages if making.evidence else ()
            yield {
                "id": case["id"],
                "search_text": making.read.search_text,
                "is_cited": _is_cited(turn, answer, passages),
                "is_in_five": any(_is_right(turn, passage) for passage in passages[:SHOWN]),
                "is_refused": answer.reason not in (None, UNCLEAR),
                "is_asked_back": answer.reason == UNCLEAR,
            }


def _as_stored(history: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns as a stored conversation gives them: with the text of the last answer only."""
    return tuple(replace(turn, answer="") for turn in history[:-1]) + tuple(history[-1:])


def _is_cited(turn: Case, answer: AssembledAnswer, passages: Sequence[Passage]) -> bool:
    if not answer.citations or answer.citations[0].uri not in turn["uris"]:
        return False
    first = answer.citations[0]
    said = f"{' > '.join((first.title, *first.breadcrumb))}\n{answer.text}"
    return _matches(turn, said) or any(
        _is_right(turn, passage)
        for passage in passages
        if passage.document_version_id == first.document_version_id and passage.start <= first.start < passage.end
    )


def _is_right(turn: Case, passage: Passage) -> bool:
    said = f"{' > '.join((passage.title, *passage.breadcrumb))}\n{passage.text}"
    return passage.uri in turn["uris"] and _matches(turn, said)


def _matches(turn: Case, text: str) -> bool:
    return re.search(turn.get("passage", ""), text) is not None


if __name__ == "__main__":
    main()
