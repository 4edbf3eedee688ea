"""`HeadwaterResource`: a knowledge base in a project's own assets.

Belongs here: asking, searching, reading, tracing. Not here: syncing (`component`). Guarantee: rows are plain values
that a project can write into a table of its own.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import UUID

import dagster as dg
from pydantic import Field

from dagster_headwater.data_location import Place, read_variables
from headwater.answering.direct_answer import ask
from headwater.domain.answers import Answer
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.settings import Settings
from headwater.store.store import Store


class HeadwaterResource(dg.ConfigurableResource["HeadwaterResource"]):
    """Headwater's database, as `database` of the component names it."""

    home: str = Field(default=".headwater", description="Folder of the embedded Postgres; from the working folder.")
    url_variable: str | None = Field(
        default=None, description="The environment variable with the address of a Postgres with pgvector."
    )
    variables: dict[str, str] = Field(
        default={}, description="Variables of Headwater and of models, such as OPENAI_API_KEY: each with yours."
    )

    @contextmanager
    def open(self) -> Iterator[tuple[Store, Settings]]:
        """Open the store for the length of a block, for everything that has no method here."""
        place = Place(
            home=Path(self.home).resolve(),
            database_url=os.environ.get(self.url_variable) if self.url_variable else None,
            variables=read_variables(self.variables),
        )
        with place.open() as store_and_settings:
            yield store_and_settings

    def ask(self, knowledge_base: str, question: str) -> Answer:
        """Answer a question with citations; the answer is stored, so that it can be traced.

        Args:
            knowledge_base: its slug.
            question: the question.
        """
        with self.open() as (store, settings):
            return ask(store, settings, store.knowledge_bases.get(knowledge_base), question)

    def search(self, knowledge_base: str, query: str, limit: int | None = None) -> list[dict[str, Any]]:
        """The passages that fit a query best, as rows.

        Args:
            knowledge_base: its slug.
            query: words or a question.
            limit: how many; by default as its settings say.
        """
        options = SearchOptions() if limit is None else SearchOptions(top_k=limit)
        with self.open() as (store, settings):
            result = search(store, settings, store.knowledge_bases.get(knowledge_base), query, options)
        return [
            {
                "source": passage.source,
                "uri": passage.uri,
                "title": passage.title,
                "text": passage.text,
                "score": passage.score,
            }
            for passage in result.passages
        ]

    def documents(self, knowledge_base: str, source: str) -> list[dict[str, Any]]:
        """The documents of a source as rows."""
        with self.open() as (store, _):
            documents = store.exports.documents(store.sources.get(knowledge_base, source))
            return [{"uri": document.uri, "title": document.title, "text": document.text} for document in documents]

    def trace(self, answer_id: UUID | str) -> list[Mapping[str, Any]]:
        """Where each citation of an answer comes from: document, run, and the project's assets upstream of it."""
        with self.open() as (store, _):
            answer = store.answers.get(UUID(str(answer_id)))
        names = ("marker", "source", "uri", "title", "run_id", "fetched_at", "upstream")
        return [{name: asdict(citation)[name] for name in names} for citation in answer.citations]
