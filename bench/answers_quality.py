"""Measure answers without a language model on Northwind's benefit handbooks, and print answers to read.

Belongs here: the PDFs as a knowledge base, their questions, the figures. Not here: other collections and refusals of
what they do not hold (`bench.refusal_rate`). Guarantee: nothing outside its own home folder is written.

Run it from the project's root; a run with the same `--home` only asks:

    python -m bench.answers_quality --data ../shared/data --home /tmp/quality

The figures are: wrong refusals, answers that cite a right page, the mean share of the known answer's words that an
answer contains, and refusals of questions without an answer. `--read` prints the answers to the questions in a file,
one in each line: figures cannot tell whether an answer is right.
"""

import argparse
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import dagster as dg

from bench.refusal_rate import read_lines
from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.answering.direct_answer import ask
from headwater.domain.answers import Answer
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.settings import REPOSITORY, Settings
from headwater.store.server import embedded_postgres
from headwater.store.server.database_urls import dagster_url, database_url
from headwater.store.server.migrations import migrate
from headwater.store.store import Store, open_store
from headwater.understanding.words import content_words
from pipelines.in_process_run import run_sync

_SLUG = "northwind"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question, its answer, and how long it took; `row` is its line in the file of questions."""

    row: dict[str, Any]
    answer: Answer
    milliseconds: float

    @property
    def is_hit(self) -> bool:
        """Whether a citation is of a right page."""
        right = {tuple(page.split("#page=")) for page in self.row["doc_id"]}
        cited = {
            (citation.uri, str(page))
            for citation in self.answer.citations
            if citation.place
            for page in range(int(citation.place.first), int(citation.place.last) + 1)
        }
        return bool(right & cited)

    @property
    def is_near(self) -> bool:
        """Whether a citation is at most two pages from a right page: the gold pages are often one or two early."""
        right = {(name, int(page)) for name, page in (one.split("#page=") for one in self.row["doc_id"])}
        return any(
            citation.uri == name and int(citation.place.first) - 2 <= page <= int(citation.place.last) + 2
            for citation in self.answer.citations
            if citation.place
            for name, page in right
        )

    @property
    def recall(self) -> float:
        """The share of the known answer's words that the answer contains."""
        known = content_words(self.row["answers"][0])
        return len(known & content_words(self.answer.answer)) / len(known)


def main() -> None:
    """Index, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the shared data")
    parser.add_argument("--home", type=Path, help="folder to keep and use again; a temporary one by default")
    parser.add_argument("--read", type=Path, help="a file of questions whose answers are printed")
    given = parser.parse_args()
    home = (given.home or Path(tempfile.mkdtemp(prefix="answers-quality-"))).resolve()
    os.environ.pop("HEADWATER_DATABASE_URL", None)  # the assets read the environment, too
    os.environ["HEADWATER_HOME"] = str(home)
    settings = Settings.from_env()
    try:
        migrate(database_url(settings))
        with open_store(settings) as store:
            _index(store, settings, given.data.resolve() / "pdf/azure-northwind")
            if given.read:
                _print_answers(store, settings, given.read.read_text(encoding="utf-8").splitlines())
            else:
                _measure(store, settings, given.data / "qa")
    finally:
        embedded_postgres.stop(home / "postgres")
        if given.home is None:
            shutil.rmtree(home, ignore_errors=True)


def _index(store: Store, settings: Settings, folder: Path) -> None:
    """Make the knowledge base, or find it made."""
    dagster_home = settings.home / "dagster"
    dagster_home.mkdir(parents=True, exist_ok=True)
    shutil.copy(REPOSITORY / "dagster.yaml", dagster_home)
    os.environ.update(
        DAGSTER_HOME=str(dagster_home), HEADWATER_DAGSTER_DATABASE_URL=dagster_url(database_url(settings))
    )
    spec = KnowledgeBaseSpec(
        slug=_SLUG,
        name="Northwind",
        description="",
        settings=KnowledgeBaseSettings(reuse_answers=False),
        sources=(SourceSpec(slug="all", kind="folder", config={"path": str(folder)}),),
    )
    if apply(store, spec).created:
        with dg.DagsterInstance.get() as instance:
            sources, batch = store.sources.all(_SLUG), uuid.uuid4().hex
            with store.workers.hold_batch(batch):
                store.syncs.request(store.knowledge_bases.get(_SLUG).id, sources, "command_line", batch)
                run_sync(instance, store, settings, sources, batch)


def _ask(store: Store, settings: Settings, rows: Sequence[dict[str, Any]]) -> list[Asked]:
    knowledge_base = store.knowledge_bases.get(_SLUG)
    found = []
    for row in rows:
        started = time.perf_counter()
        answer = ask(store, settings, knowledge_base, row["question"])
        found.append(Asked(row=row, answer=answer, milliseconds=(time.perf_counter() - started) * 1000))
    return found


def _measure(store: Store, settings: Settings, questions: Path) -> None:
    asked = _ask(store, settings, list(read_lines(questions / "northwind_dev.jsonl")))
    answered = [one for one in asked if not one.answer.refused]
    unanswerable = _ask(store, settings, list(read_lines(questions / "northwind_unanswerable_dev.jsonl")))
    print(f"questions with an answer            {len(asked)}")
    print(f"wrongly refused                     {100 * (1 - len(answered) / len(asked)):.1f} %")
    print(f"of those answered, a right page     {100 * mean(one.is_hit for one in answered):.1f} %")
    print(f"or one at most two pages away       {100 * mean(one.is_near for one in answered):.1f} %")
    print(f"mean recall of the answer's words   {mean(one.recall for one in answered):.2f}")
    print(f"mean words in an answer             {mean(len(one.answer.answer.split()) for one in answered):.0f}")
    print(f"median milliseconds                 {median(one.milliseconds for one in asked):.0f}")
    print(f"questions without an answer         {len(unanswerable)}")
    print(f"of those refused                    {100 * mean(one.answer.refused for one in unanswerable):.1f} %")


def _print_answers(store: Store, settings: Settings, questions: Sequence[str]) -> None:
    for one in _ask(store, settings, [{"question": line} for line in questions if line.strip()]):
        print(f"{'=' * 100}\n{one.row['question']}\n\n{one.answer.answer}\n")
        for citation in one.answer.citations:
            place = f", {citation.place.label}" if citation.place else ""
            print(f"  {citation.marker} {citation.uri}{place} ({citation.score:.2f})")


if __name__ == "__main__":
    main()
