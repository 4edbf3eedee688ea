"""Collections to judge a search by: documents, queries, and which documents are relevant to each query.

Belongs here: reading a folder in BEIR's format, and pages of PDF files with questions about them. Not here: searching
(`search_quality`). Guarantee: a query without a relevant document in the collection is left out, since it says nothing.

BEIR's format (Thakur et al. 2021): `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`), and
judgements in `qrels.tsv` or `qrels/test.tsv`: query, document and score, tabs between; with a header line or without,
and with TREC's unused second column or without.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """One document; `page` is set when it is a page of `id`."""

    id: str
    title: str
    text: str
    page: int | None = None

    @property
    def uri(self) -> str:
        """Its name in a knowledge base."""
        return self.id if self.page is None else f"{self.id}#page={self.page}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Collection:
    """Documents and judged queries: `relevant` holds the URIs that are right, by query."""

    name: str
    documents: tuple[Document, ...]
    queries: Mapping[str, str]
    relevant: Mapping[str, frozenset[str]]


def read_folder(folder: Path) -> Collection:
    """Read a folder in BEIR's format.

    Raises:
        click.ClickException: a file is missing or malformed, or no query has a relevant document.
    """
    judgements = next((path for path in (folder / "qrels.tsv", folder / "qrels" / "test.tsv") if path.is_file()), None)
    if judgements is None:
        raise click.ClickException(f"{folder} has neither qrels.tsv nor qrels/test.tsv.")
    documents = tuple(
        Document(id=str(line["_id"]), title=line.get("title") or "", text=line.get("text") or line.get("title") or "")
        for line in _lines(folder / "corpus.jsonl")
    )
    queries = {str(line["_id"]): line["text"] for line in _lines(folder / "queries.jsonl")}
    relevant: dict[str, set[str]] = {}
    for query, document, score in _judgements(judgements):
        if score > 0:
            relevant.setdefault(query, set()).add(document)
    return _collection(folder.name, documents, queries, relevant)


def read_pages(folder: Path, questions: Path) -> Collection:
    """Read the pages of a folder's PDF files, and questions that name right pages as `file.pdf#page=N` in `doc_id`.

    Raises:
        click.ClickException: a file is missing or malformed, or no question has a right page.
    """
    from pypdf import PdfReader

    documents = tuple(
        Document(id=path.name, title=path.stem.replace("_", " "), text=page.extract_text(), page=number)
        for path in sorted(folder.glob("*.pdf"))
        for number, page in enumerate(PdfReader(path).pages, start=1)
    )
    queries, relevant = {}, {}
    for index, line in enumerate(_lines(questions)):
        name, named = str(line.get("id", index)), line["doc_id"]
        queries[name] = line["question"]
        relevant[name] = {named} if isinstance(named, str) else set(named)
    return _collection(folder.name, documents, queries, relevant)


def _collection(
    name: str, documents: tuple[Document, ...], queries: Mapping[str, str], relevant: Mapping[str, set[str]]
) -> Collection:
    known = {document.uri for document in documents}
    right = {query: frozenset(relevant.get(query, set()) & known) for query in queries}
    judged = {query: uris for query, uris in right.items() if uris}
    if not judged:
        raise click.ClickException(f"{name}: no query has a relevant document in the collection.")
    return Collection(
        name=name, documents=documents, queries={query: queries[query] for query in judged}, relevant=judged
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8") as file:
            yield from (json.loads(line) for line in file if line.strip())
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise click.ClickException(f"{path} is not JSON, one object a line ({error}).") from error


def _judgements(path: Path) -> Iterator[tuple[str, str, float]]:
    for index, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        fields = line.split("\t") if "\t" in line else line.split()
        if not fields or (index == 0 and not _is_number(fields[-1])):
            continue
        if len(fields) not in (3, 4) or not _is_number(fields[-1]):
            raise click.ClickException(f"{path}, line {index + 1}: not query, document and score.")
        yield fields[0].strip(), fields[-2].strip(), float(fields[-1])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
