"""Measure what the answerer without a language model answers, and what it refuses.

Belongs here: knowledge bases made from the shared data, questions with and without an answer in them, and the figures.
Not here: the rule itself (`headwater.retrieval.trust`), how it was fitted (`bench.trust_fit`). Guarantee: nothing
outside its own home folder is written.

Run it from the project's root; the first run indexes some 5,000 chunks, and a run with the same `--home` only asks:

    python -m bench.refusal_rate --data ../shared/data --home /tmp/refusals

Every question falls into a tuning or a held-out half by its hash; what goes wrong is looked at in the first only. A
wrong refusal is an answer missed, a wrong answer is one that should have been a refusal; a hit is an answer that cites
the right document (of a PDF: the right page).
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dagster as dg
from pypdf import PdfReader

from headwater.administration.knowledge_base_changes import apply
from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec
from headwater.answering.answer_evidence import REACH, Evidence
from headwater.answering.answer_quotes import find_quotes
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.models_gateway.embedder_registry import MODELS
from headwater.quote.quotes import Quote
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.retrieval.trust import grade, keep
from headwater.settings import REPOSITORY, Settings
from headwater.store.server import embedded_postgres
from headwater.store.server.database_urls import dagster_url, database_url
from headwater.store.server.migrations import migrate
from headwater.store.store import Store, open_store
from pipelines.in_process_run import run_sync

SAMPLE = 150
CROSS_SAMPLE = 40
TRIVIA = """
What is the capital of France?|Who won the 1998 World Cup?|How do I bake sourdough bread?
What is the boiling point of mercury?|Who wrote Pride and Prejudice?|How tall is Mount Kilimanjaro?
What is the best way to train a puppy?|When did the Titanic sink?|How many strings does a violin have?
What is the square root of 144?|Who is the president of Brazil?|How do I change a flat tyre?
What is the price of gold today?|Which planet has the most moons?|How do I remove red wine stains from a carpet?
What is the airspeed of an unladen swallow?|Can dogs eat chocolate?|What should I wear to a job interview?
How long does it take to fly from London to Sydney?|What is the plot of Hamlet?|What rhymes with orange?
Who invented the telephone?|What is the population of Japan?|How do I tie a bow tie?|What is the meaning of life?
How do I set up a PlayStation?|What are the symptoms of malaria?|Which team won the Super Bowl in 2021?
How do I deploy a Ruby on Rails application to Heroku?|How do I write a for loop in Haskell?
What is the default port of MongoDB?|How do I create a pivot table in Excel?|How do I reset my iPhone?
What is the dress code for a wedding?|What does the mitochondrion do?|How do I invest in index funds?
""".strip()
# Questions, each with a part of the URI of a document that answers it. The wording is a reader's, not the documents'.
WRITTEN = {
    "nebari": """
How do I deploy Nebari on AWS? @aws|How do I deploy Nebari on Google Cloud? @gcp
What do I need before deploying Nebari on Azure? @azure|How can I install Nebari on my own laptop? @local
How do I destroy a Nebari deployment? @destroy|How do I back up a Nebari deployment? @backup
How do I add a new user in Keycloak? @keycloak|How do I log in to Nebari with Keycloak? @keycloak
How can I use VS Code on Nebari? @vscode|How do I connect to Nebari over SSH? @ssh
How do I turn off telemetry? @telemetry|How do I configure SMTP? @smtp
How do I upgrade Nebari to a newer version? @upgrade|Where can I see the logs of a pod? @log
How do I set up alerts in Grafana? @grafana|What is Argo Workflows used for? @argo
How do I run a notebook as a job? @notebook|How can I scale a computation with Dask? @dask|What is conda-store?
How long until an idle server is shut down? @idle|Which DNS provider does Nebari support?
How can I contribute to the documentation? @contribut|What is a software pack? @software-pack
How do I select a GPU instance type? @gpu|How do I make a new release of Nebari? @release
How do I deploy on Hetzner? @hetzner""",
    "pgvector": """
How do I install pgvector on Windows? @README|How do I create an HNSW index? @README
What does the ef_search parameter do? @README|Which distance operators are there? @README
How can I speed up building an index? @README|How do I store a sparse vector? @README
Can I use pgvector from Python? @README|How do I combine full-text search with vector search? @README
How do I upgrade the extension? @README|How many lists should an IVFFlat index have? @README
Is there a Docker image? @README|What is binary quantization? @README
When were iterative index scans added? @CHANGELOG|How do I get the cosine similarity of two vectors? @README
How much storage does a vector take? @README""",
    "flask": """
How do I enable debug mode?|How do I handle file uploads? @fileuploads|How do I register a blueprint? @blueprint
How can I return JSON from a view?|How do I set a cookie? @quickstart|How do I run Flask behind nginx?
How do I deploy with gunicorn? @gunicorn|What is the application factory pattern?
How do I write tests for a Flask application? @test|How do I show a custom page for a 404 error? @error
How do I use SQLAlchemy with Flask? @sqlalchemy|How do I stream a response? @stream
How do I add a command to the flask command line? @cli|Can I use async functions as views? @async
What is the request context? @context|How do I flash a message to the user? @flash
How do I configure logging? @logging|How do I protect against cross-site scripting? @security
Where should I put the secret key?|How do I serve a favicon? @favicon""",
}
# Of the same subject, but not in the documents.
UNANSWERED = {
    "nebari": """
How do I deploy Nebari on Oracle Cloud?|How do I install Nebari with Homebrew on Windows 95?
What does a Nebari licence cost per seat?|How do I connect Nebari to Snowflake?
Does Nebari support the Julia debugger?|How do I train a transformer with DeepSpeed?""",
    "pgvector": """
How do I use pgvector with MySQL?|Who is the chief executive of pgvector?
Does pgvector support GPU acceleration with CUDA?|How do I encrypt a column with pgcrypto?
How do I build a Lucene index?|What is the price of the enterprise edition?""",
    "flask": """
How do I define a Django model?|How do I render a React component in Flask?
How do I use Flask with GraphQL subscriptions?|What is the salary of a Flask developer?
How do I deploy Flask to AWS Lambda with Terraform?|How do I make a desktop window with Qt?""",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One question of one knowledge base; `expected` are parts of URIs that answer it, None when it has no answer."""

    group: str
    knowledge_base: str
    question: str
    expected: tuple[str, ...] | None
    answers: tuple[str, ...] = ()
    without: str = ""  # a document that is hidden, so that the question has no answer

    @property
    def is_held_out(self) -> bool:
        """Which half it belongs to."""
        return hashlib.sha256(self.question.encode()).digest()[0] % 2 == 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What came of a case. `recall` is the share of the known answer's words that the chosen blocks hold."""

    case: Case
    quotes: Sequence[Quote]
    recall: float | None
    milliseconds: float

    @property
    def is_hit(self) -> bool:
        """Whether a citation is of the right document."""
        uris = [quote.passage.uri for quote in self.quotes]
        return any(part in uri for uri in uris for part in self.case.expected or ())


def main() -> None:
    """Index, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the shared data")
    parser.add_argument("--home", type=Path, help="folder to keep and use again; a temporary one by default")
    parser.add_argument("--model", choices=MODELS, default=MODELS[0])
    parser.add_argument("--squad", type=Path, help="a file in SQuAD's format with the answers of the xquad questions")
    parser.add_argument("--wrong", action="store_true", help="print the questions of the tuning half that went wrong")
    given = parser.parse_args()
    home = (given.home or Path(tempfile.mkdtemp(prefix="refusals-"))).resolve()
    os.environ.pop("HEADWATER_DATABASE_URL", None)  # the assets read the environment, too
    os.environ["HEADWATER_HOME"] = str(home)
    settings = Settings.from_env()
    try:
        migrate(database_url(settings))
        with open_store(settings) as store:
            knowledge_bases = _index(store, settings, given.data.resolve(), given.model)
            cases = list(read_cases(given.data, given.squad))
            outcomes = [ask(store, settings, knowledge_bases[case.knowledge_base], case) for case in cases]
        print_table(outcomes)
        if given.wrong:
            print_wrong(outcomes)
    finally:
        embedded_postgres.stop(home / "postgres")
        if given.home is None:
            shutil.rmtree(home, ignore_errors=True)


def _index(store: Store, settings: Settings, data: Path, model: str) -> dict[str, KnowledgeBase]:
    """Make the knowledge bases, or find them made."""
    folder = settings.home / "dagster"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(REPOSITORY / "dagster.yaml", folder)
    os.environ.update(DAGSTER_HOME=str(folder), HEADWATER_DAGSTER_DATABASE_URL=dagster_url(database_url(settings)))
    suffix = model.rpartition("/")[2]
    made = {}
    with dg.DagsterInstance.get() as instance:
        for name, kind, path in corpora(data, settings.home):
            spec = KnowledgeBaseSpec(
                slug=f"{name}-{suffix}",
                name=name,
                description="",
                settings=KnowledgeBaseSettings(embedding_model=model),
                sources=(SourceSpec(slug="all", kind=kind, config={"path": str(path)}),),
            )
            if apply(store, spec).created:
                sources = store.sources.all(spec.slug)
                knowledge_base = store.knowledge_bases.get(spec.slug)
                batch = uuid.uuid4().hex
                store.syncs.request(knowledge_base.id, sources, "command_line", batch)
                assert batch is not None
                run_sync(instance, store, settings, sources, batch)
            made[name] = store.knowledge_bases.get(spec.slug)
    return made


def corpora(data: Path, home: Path) -> Iterator[tuple[str, str, Path]]:
    """Name, kind of source and path of each; what is not a tree of markdown is written as JSON lines first."""
    yield "nebari", "markdown_tree", data / "docs/nebari"
    yield "pgvector", "markdown_tree", data / "docs/pgvector"
    for name in ("xquad", "cranfield", "northwind", "flask"):
        path = home / f"{name}.jsonl"
        if not path.exists():
            path.write_text("".join(json.dumps(row) + "\n" for row in rows(name, data)), encoding="utf-8")
        yield name, "jsonl", path


def rows(name: str, data: Path) -> Iterator[dict[str, Any]]:
    """Yield the documents of a corpus as lines of JSON hold them."""
    if name == "northwind":
        for file in sorted((data / "pdf/azure-northwind").glob("*.pdf")):
            for number, page in enumerate(PdfReader(file).pages, start=1):
                yield {
                    "uri": file.name,
                    "title": file.stem.replace("_", " "),
                    "page": number,
                    "text": page.extract_text(),
                }
    elif name == "flask":
        for file in sorted((data / "docs/flask").rglob("*.rst")):
            yield {"uri": str(file.relative_to(data / "docs/flask")), "text": file.read_text(encoding="utf-8")}
    else:
        for row in read_lines(data / "ir" / name.replace("xquad", "xquad-en") / "corpus.jsonl"):
            yield {"uri": row["_id"], "title": row["title"], "text": row["text"]}


def read_cases(data: Path, squad: Path | None = None) -> Iterator[Case]:
    """Yield every question: first those with an answer, then those without."""
    answered = [*_question_files(data), *_retrieval(data, "xquad", squad), *_retrieval(data, "cranfield", None)]
    for name, text in WRITTEN.items():
        for line in _questions(text):
            question, _, part = line.partition(" @")
            answered.append(Case(group=f"{name} written", knowledge_base=name, question=question, expected=(part,)))
    yield from answered
    for row in read_lines(data / "qa/northwind_unanswerable_dev.jsonl"):
        yield _unanswered("northwind", "none", row["question"])
    for name, text in UNANSWERED.items():
        yield from (_unanswered(name, "none", question) for question in _questions(text))
    for case in answered:
        if case.knowledge_base == "xquad" and case.expected:
            yield replace(case, group="xquad hidden", expected=None, answers=(), without=case.expected[0])
    for name in sorted({case.knowledge_base for case in answered}):
        yield from (_unanswered(name, "trivia", question) for question in _questions(TRIVIA))
        yield from (_unanswered(name, "cross", question) for question in _of_others(name, answered))


def _questions(text: str) -> list[str]:
    return re.split(r"[|\n]", text.strip())


def _unanswered(name: str, kind: str, question: str) -> Case:
    return Case(group=f"{name} {kind}", knowledge_base=name, question=question, expected=None)


def _of_others(name: str, cases: Sequence[Case]) -> Iterator[str]:
    """Some of the questions that were asked of each other knowledge base."""
    for other in sorted({case.knowledge_base for case in cases} - {name}):
        asked = [case.question for case in cases if case.knowledge_base == other]
        yield from asked[:: max(1, len(asked) // CROSS_SAMPLE)]


def _question_files(data: Path) -> Iterator[Case]:
    for name, file in (("nebari", "nebari_faq"), ("pgvector", "pgvector_faq"), ("northwind", "northwind_dev")):
        for row in read_lines(data / "qa" / f"{file}.jsonl"):
            pages = row["doc_id"] if isinstance(row["doc_id"], list) else [row["doc_id"]]
            yield Case(
                group=f"{name} qa",
                knowledge_base=name,
                question=row["question"],
                expected=tuple(pages),
                answers=tuple(row["answers"]),
            )


def _retrieval(data: Path, name: str, squad: Path | None) -> Iterator[Case]:
    folder = data / "ir" / name.replace("xquad", "xquad-en")
    relevant: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        relevant.setdefault(query, []).append(document)
    answers = _squad_answers(squad) if squad else {}
    queries = [row for row in read_lines(folder / "queries.jsonl") if row["_id"] in relevant]
    for row in random.Random(0).sample(queries, min(SAMPLE, len(queries))):  # noqa: S311 -- a sample, no secret
        yield Case(
            group=name,
            knowledge_base=name,
            question=row["text"],
            expected=tuple(relevant[row["_id"]]),
            answers=tuple(answers.get(row["_id"], ())),
        )


def _squad_answers(path: Path) -> Mapping[str, list[str]]:
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    questions = (q for article in articles for paragraph in article["paragraphs"] for q in paragraph["qas"])
    return {q["id"]: [answer["text"] for answer in q["answers"]] for q in questions}


def ask(store: Store, settings: Settings, knowledge_base: KnowledgeBase, case: Case) -> Outcome:
    """Search and choose a quote, as the answerer does."""
    limit = knowledge_base.settings.top_k
    options = SearchOptions(top_k=limit + 5 if case.without else limit, group_by="passage")
    found = search(store, settings, knowledge_base, case.question, options)
    passages = [passage for passage in found.passages if passage.uri != case.without or not case.without][:limit]
    assert found.embedder is not None
    started = time.perf_counter()
    grades = grade(case.question, passages, relevance_floor=found.embedder.relevance_floor)
    chosen = knowledge_base.settings
    trusted = keep(passages, grades, floor=chosen.trust_floor, margin=chosen.trust_margin)
    evidence = Evidence(
        knowledge_base=knowledge_base,
        question=case.question,
        found=found,
        trusted=trusted,
        load_nearby=lambda wanted: tuple(store.passage_links.nearby(wanted, reach=REACH)),
    )
    quotes = find_quotes(evidence, settings)[:1]
    text = " ".join(quote.plain for quote in quotes)
    return Outcome(
        case=case,
        quotes=quotes,
        recall=_recall(case.answers, text) if quotes and case.answers else None,
        milliseconds=(time.perf_counter() - started) * 1000,
    )


def _recall(answers: Sequence[str], text: str) -> float:
    held = set(re.findall(r"\w+", text.casefold()))
    wanted = [set(re.findall(r"\w+", answer.casefold())) or {""} for answer in answers]
    return max(len(words & held) / len(words) for words in wanted)


def print_table(outcomes: Sequence[Outcome]) -> None:
    """Print a line per group and half, and the latency."""
    print(f"{'':24}{'tuning half':^42}{'held-out half':^42}")
    print(f"{'group':24}" + 2 * f"{'n':>6}{'wrong %':>10}{'hit %':>8}{'recall %':>10}{'quotes':>8}")
    for group in dict.fromkeys(outcome.case.group for outcome in outcomes):
        mine = [outcome for outcome in outcomes if outcome.case.group == group]
        halves = [[outcome for outcome in mine if outcome.case.is_held_out is held_out] for held_out in (False, True)]
        print(f"{group:24}" + "".join(_figures(half) for half in halves))
    times = sorted(outcome.milliseconds for outcome in outcomes)
    print(f"milliseconds per question: median {times[len(times) // 2]:.0f}, p95 {times[len(times) * 95 // 100]:.0f}")


def _figures(outcomes: Sequence[Outcome]) -> str:
    answered = [outcome for outcome in outcomes if outcome.quotes]
    wrong = sum(is_wrong(outcome) for outcome in outcomes)
    text = f"{len(outcomes):6}{_percent(wrong, len(outcomes)):>10}"
    if not outcomes or outcomes[0].case.expected is None:
        return text + " " * 26
    recalls = [outcome.recall for outcome in answered if outcome.recall is not None]
    text += f"{_percent(sum(outcome.is_hit for outcome in answered), len(answered)):>8}"
    text += f"{_percent(sum(recalls), len(recalls)):>10}"
    return text + f"{sum(len(outcome.quotes) for outcome in answered) / max(1, len(answered)):8.1f}"


def is_wrong(outcome: Outcome) -> bool:
    """A refusal of what has an answer, or an answer to what has none."""
    return bool(outcome.quotes) is (outcome.case.expected is None)


def _percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "–"


def print_wrong(outcomes: Sequence[Outcome]) -> None:
    """Print what went wrong in the tuning half; the held-out half stays unseen."""
    for outcome in outcomes:
        if is_wrong(outcome) and not outcome.case.is_held_out:
            print(f"{outcome.case.group}: {outcome.case.question}")
            print(
                "".join(f"    {quote.score:.2f} {quote.passage.uri}: {quote.plain!r}\n" for quote in outcome.quotes),
                end="",
            )


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


if __name__ == "__main__":
    main()
