"""Whether follow-ups find the right document, without a model (RET-4).

Belongs here: asking follow-ups of hand-written conversations in collections of documentation, with and without the
conversation, and counting. Not here: the rules (`headwater.understanding.follow_ups`). Guarantee: what is
counted is what an answer is made from; with `headings`, a passage under one of them is needed.

    python -m bench.follow_up_recall DOCS_FOLDER [--json FILE]

`DOCS_FOLDER` has a folder for each collection that `follow_ups.jsonl` names. A question that `stands_alone` must stay
as it is.
"""

import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from bench.throwaway import sync, throwaway_home
from headwater.domain.search import Passage
from headwater.understanding.follow_ups import stand_alone

SHOWN = 5
CASES = Path(__file__).with_name("follow_ups.jsonl")


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(folder: Path, json_file: Path | None) -> None:
    """Sync the collections, ask every follow-up, and print how many found a right document."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    with throwaway_home() as home:
        from cli.environment import dagster_instance, environment

        with environment() as env, contextlib.redirect_stdout(sys.stderr), dagster_instance(env.settings) as instance:
            for slug in sorted({case["collection"] for case in cases}):
                _make(env, home, slug, folder / slug)
                sync(env, instance, slug)
            figures = measure(env, cases)
    click.echo("\n".join(f"{name}: {value}" for name, value in figures.items()))
    if json_file:
        json_file.write_text(json.dumps(figures) + "\n", encoding="utf-8")


def measure(env: Any, cases: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Ask every case; the figures are counts, and the cases that failed."""
    follow_ups = [case for case in cases if not case.get("stands_alone")]
    texts = {case["id"]: stand_alone(case["question"], case["earlier"]) for case in cases}
    found = {case["id"]: _is_found(env, case, texts[case["id"]]) for case in follow_ups}
    alone = sum(_is_found(env, case, case["question"]) for case in follow_ups)
    others = [case for case in cases if case.get("stands_alone")]
    changed = [case["id"] for case in others if texts[case["id"]] != case["question"]]
    return {
        "follow_ups": len(follow_ups),
        "right_with_conversation": sum(found.values()),
        "right_without": alone,
        "missed": [f"{name}: {texts[name]}" for name, is_found in found.items() if not is_found],
        "self_contained": len(others),
        "changed": [f"{name}: {texts[name]}" for name in changed],
    }


def _make(env: Any, home: Path, slug: str, folder: Path) -> None:
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file

    file = home / f"{slug}.yaml"
    file.write_text(
        f"knowledge_base: {{slug: {slug}}}\nsources: [{{slug: docs, kind: folder, path: {folder.resolve()}}}]\n",
        encoding="utf-8",
    )
    apply(env.store, read_file(file))


def _is_found(env: Any, case: dict[str, Any], text: str) -> bool:
    from headwater.answering.answer_evidence import gather_evidence
    from headwater.understanding.sub_questions import RuleConcepts

    base = env.store.knowledge_bases.get(case["collection"])
    evidence = gather_evidence(env.store, env.settings, base, text, concept_model=RuleConcepts())
    return any(_is_right(passage, case) for passage in evidence.passages[:SHOWN])


def _is_right(passage: Passage, case: dict[str, Any]) -> bool:
    under = " > ".join(passage.breadcrumb)
    headings = case.get("headings", [""])
    return passage.uri in case["uris"] and any(heading in under for heading in headings)


if __name__ == "__main__":
    main()
