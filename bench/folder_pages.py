"""Whether a right page of a PDF file is among the first five passages, through the connector that users take.

Belongs here: syncing a folder of PDF files with `kind: folder`, searching questions about their pages, and counting.
Not here: the same with a document for each page (`bench.search_quality --pages`). Guarantee: what is counted is what a
search shows; a passage over several pages counts if a right one is among them.

    python -m bench.folder_pages PDF_FOLDER QUESTIONS.jsonl [--json FILE]
"""

import contextlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from bench.throwaway import sync, throwaway_home
from headwater.domain.places import PlaceKind
from headwater.domain.search import Passage

SHOWN = 5


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("questions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Where to write the figures.")
def main(folder: Path, questions: Path, json_file: Path | None) -> None:
    """Sync the folder, ask every question, and print how many found a right page."""
    asked = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines() if line.strip()]
    with throwaway_home() as home:
        from cli.environment import dagster_instance, environment

        with environment() as env, contextlib.redirect_stdout(sys.stderr), dagster_instance(env.settings) as instance:
            _make(env, home, folder)
            sync(env, instance, "bench")
            found = [_is_found(env, one["question"], one["doc_id"]) for one in asked]
    missed = [one["id"] for one, is_found in zip(asked, found, strict=True) if not is_found]
    click.echo(f"{sum(found)} of {len(found)} questions: a right page among the first {SHOWN} passages.")
    click.echo(f"Missed: {', '.join(missed) or 'none'}", err=True)
    if json_file:
        json_file.write_text(json.dumps({"right": sum(found), "questions": len(found)}) + "\n", encoding="utf-8")


def _make(env: Any, home: Path, folder: Path) -> None:
    from headwater.administration.knowledge_base_changes import apply
    from headwater.administration.knowledge_base_file import read_file

    (home / "kb.yaml").write_text(
        f"knowledge_base: {{slug: bench}}\nsources: [{{slug: pages, kind: folder, path: {folder.resolve()}}}]\n",
        encoding="utf-8",
    )
    apply(env.store, read_file(home / "kb.yaml"))


def _is_found(env: Any, question: str, pages: Sequence[str]) -> bool:
    from headwater.retrieval.finder import SearchOptions
    from headwater.retrieval.search import search

    options = SearchOptions(top_k=SHOWN, group_by="passage")
    shown = search(env.store, env.settings, env.store.knowledge_bases.get("bench"), question, options)
    wanted = {(name, int(page)) for name, _, page in (page.partition("#page=") for page in pages)}
    return any(_has(passage, name, page) for passage in shown.passages for name, page in wanted)


def _has(passage: Passage, name: str, page: int) -> bool:
    place = passage.place
    return (
        passage.uri.rpartition("/")[2] == name
        and place is not None
        and place.kind == PlaceKind.PAGE
        and int(place.first) <= page <= int(place.last)
    )


if __name__ == "__main__":
    main()
