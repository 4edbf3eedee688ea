"""The questions that trust is fitted to, with an answer in their documents and without one.

Belongs here: the corpora of the data folder, questions about them, questions about other things. Not here: the fit
(`bench.trust_fit`), the rule (`headwater.retrieval.trust`).
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pypdf import PdfReader

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
    without: str = ""  # a document that is hidden, so that the question has no answer


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


def read_cases(data: Path) -> Iterator[Case]:
    """Yield every question: first those with an answer, then those without."""
    answered = [*_question_files(data), *_retrieval(data, "xquad"), *_retrieval(data, "cranfield")]
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
            yield replace(case, group="xquad hidden", expected=None, without=case.expected[0])
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
            )


def _retrieval(data: Path, name: str) -> Iterator[Case]:
    folder = data / "ir" / name.replace("xquad", "xquad-en")
    relevant: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        relevant.setdefault(query, []).append(document)
    queries = [row for row in read_lines(folder / "queries.jsonl") if row["_id"] in relevant]
    for row in random.Random(0).sample(queries, min(SAMPLE, len(queries))):  # noqa: S311 -- a sample, no secret
        yield Case(
            group=name,
            knowledge_base=name,
            question=row["text"],
            expected=tuple(relevant[row["_id"]]),
        )


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
