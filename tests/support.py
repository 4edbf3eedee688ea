"""A knowledge base under test: writes files, syncs, asks, and looks behind the curtain.

Belongs here: helpers over the real parts. Not here: fakes. Guarantee: everything goes the way a user's command goes.
"""

import atexit
import importlib
import itertools
import random
import socket
import uuid
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
import psycopg
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value
from psycopg.rows import DictRow, dict_row

from headwater.administration.deletion import delete_knowledge_base, delete_source
from headwater.answering.direct_answer import ask
from headwater.domain.answers import Answer
from headwater.domain.corpus import Deletion, KnowledgeBase, Source
from headwater.domain.search import Passage, SearchFilters, SearchIndex
from headwater.retrieval.finder import SearchOptions
from headwater.retrieval.search import search
from headwater.settings import Settings
from headwater.store.server.database_urls import dagster_url
from headwater.store.store import Store
from pipelines.in_process_run import SyncRun, run_sync
from query_api.routes.sync_payloads import SyncSourcePayload

CONTENT_TABLES = (
    "documents", "document_versions", "chunks", "chunk_sets", "version_chunks", "embeddings", "search_entries",
    "search_weights", "search_statistics", "search_terms", "published_documents", "search_indexes",
    "source_stages", "link_sets", "links",
)  # fmt: skip


_kept: dict[str, psycopg.Connection[DictRow]] = {}


def looking(url: str) -> psycopg.Connection[DictRow]:
    """The connection by which tests look into a database; kept, because each costs Postgres a process."""
    connection = _kept.get(url)
    if connection is not None and not connection.closed:
        with suppress(psycopg.OperationalError):  # the server was stopped meanwhile
            connection.execute("SELECT")
            return connection
    stop_looking(url)
    # Without prepared statements: tests change tables.
    opened = psycopg.connect(url, autocommit=True, row_factory=dict_row, prepare_threshold=None)
    _kept[url] = opened
    return opened


def stop_looking(url: str) -> None:
    """Close the connection, before the database is dropped or copied."""
    if url in _kept:
        _kept.pop(url).close()


@dataclass(frozen=True, kw_only=True)
class Headwater:
    """One knowledge base of markdown folders."""

    settings: Settings
    store: Store
    instance: dg.DagsterInstance
    slug: str
    folder: Path

    @property
    def knowledge_base(self) -> KnowledgeBase:
        """The knowledge base as it stands."""
        return self.store.knowledge_bases.get(self.slug)

    def source(self, slug: str = "docs") -> Source:
        """One of its sources as it stands."""
        return self.store.sources.get(self.slug, slug)

    def write(self, path: str, text: str | bytes) -> None:
        """Write `source/file`; a path without a source is in `docs`."""
        target = self.folder / (path if "/" in path and (self.folder / path.split("/")[0]).is_dir() else f"docs/{path}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())

    def remove(self, path: str) -> None:
        """Delete a file of `docs`."""
        (self.folder / "docs" / path).unlink()

    def rename(self, old: str, new: str) -> None:
        """Rename a file of `docs`."""
        (self.folder / "docs" / old).rename(self.folder / "docs" / new)

    def sync(self, *slugs: str) -> dict[str, SyncSourcePayload]:
        """Sync as the command line does; returns what became of each source."""
        return self.sync_run(*slugs)[1]

    def sync_run(self, *slugs: str) -> tuple[SyncRun, dict[str, SyncSourcePayload]]:
        """Sync as the command line does; returns the run too."""
        sources = self.store.sources.select(self.slug, slugs)
        batch = uuid.uuid4().hex
        with self.store.workers.hold_batch(batch):
            sync_id = self.store.syncs.request(self.knowledge_base.id, sources, "command_line", batch)
            run = run_sync(self.instance, self.store, self.settings, sources, batch)
        parts = self.store.syncs.get(sync_id).sources
        return run, {part.source: SyncSourcePayload.of(part) for part in parts}

    def delete(self, *slugs: str) -> Deletion:
        """Delete a source, or the knowledge base when none is named."""
        if slugs:
            return delete_source(self.settings, self.store, self.slug, *slugs)
        return delete_knowledge_base(self.settings, self.store, self.slug)

    def ask(self, question: str, *, as_of: datetime | None = None) -> Answer:
        """Ask a question."""
        return ask(self.store, self.settings, self.knowledge_base, question, as_of=as_of)

    def search(self, query: str, *, top_k: int = 50, as_of: datetime | None = None, **filters: Any) -> list[Passage]:
        """Search for passages."""
        options = SearchOptions(top_k=top_k, filters=SearchFilters(**filters), as_of=as_of, group_by="passage")
        return list(search(self.store, self.settings, self.knowledge_base, query, options).passages)

    def now(self) -> datetime:
        """The time by the clock that publications are noted by."""
        found: datetime = self.query("SELECT clock_timestamp() AS now")[0]["now"]
        return found

    def query(self, statement: str, *values: object) -> list[dict[str, Any]]:
        """Look into the database."""
        return looking(self.store.database.url).execute(statement.encode(), values).fetchall()

    def dump(self) -> str:
        """Every row of the database, and of Dagster's, as text."""
        texts = []
        dagster = dagster_url(self.store.database.url).replace("+psycopg2", "")
        for url in (self.store.database.url, dagster):
            with psycopg.connect(url) as connection:
                tables = connection.execute("SELECT schemaname, tablename FROM pg_tables WHERE schemaname = 'public'")
                for schema, table in tables.fetchall():
                    rows = connection.execute(f'SELECT t::text FROM "{schema}"."{table}" t'.encode()).fetchall()
                    texts += [f"{table}: {row[0]}" for row in rows]
        return "\n".join(texts)

    def content(self) -> dict[str, list[str]]:
        """Every content row, its place on disk included: a row written anew shows even when its values are the same."""
        return {
            table: [str(row) for row in self.query(f"SELECT tableoid, ctid, xmin, t.* FROM {table} t ORDER BY 1, 2")]
            for table in CONTENT_TABLES
        }

    def chunk_ids(self) -> dict[str, str]:
        """The visible chunks: text by id."""
        rows = self.query("SELECT c.id::text, c.text FROM search_entries_chunk e JOIN chunks c ON c.id = e.target_id")
        return {row["id"]: row["text"] for row in rows}

    def materializations(self, asset: str) -> list[dg.AssetMaterialization]:
        """What Dagster was told of an asset, newest first."""
        found = self.instance.fetch_materializations(dg.AssetKey(asset), limit=1000)
        return [event for record in found.records if (event := record.asset_materialization) is not None]

    def coloured(self, asset: str) -> dict[str, set[str]]:
        """Which partitions Dagster shows as materialized and failed, as its UI works it out."""
        from assets.partitions import KNOWLEDGE_BASES, SOURCES

        definition = KNOWLEDGE_BASES if asset in ("search_index", "evaluation", "knowledge_base_summary") else SOURCES
        status = get_and_update_asset_status_cache_value(self.instance, dg.AssetKey(asset), definition)
        assert status is not None
        done = status.deserialize_materialized_partition_subsets(definition)
        failed = status.deserialize_failed_partition_subsets(definition)
        return {
            "materialized": set(done.get_partition_keys()) if done else set(),
            "failed": set(failed.get_partition_keys()) if failed else set(),
        }


def add_hard_vectors(kb: Headwater) -> SearchIndex:
    """Move the active index to a partition, and add 3,000 random vectors to a graph of few links: HNSW misses many."""
    index = kb.store.search_indexes.active(kb.slug)
    assert index is not None
    kb.store.search_indexes.move_to_partition(index)
    kb.store.search_indexes.clear_shared_entries(index)
    table = f"search_entries_chunk_{index.id}"
    (hnsw,) = kb.query("SELECT indexname FROM pg_indexes WHERE tablename = %s AND indexdef LIKE '%%hnsw%%'", table)
    for statement in (
        f"DROP INDEX {hnsw['indexname']}",
        f"""INSERT INTO {table}
            SELECT shard, search_index_id, gen_random_uuid(), document_id, source_id, title, embedding_hash,
                   (SELECT array_agg(random() - 0.5 + 0 * (n + i)) FROM generate_series(1, 384) AS i)::vector::halfvec,
                   kind
              FROM (SELECT * FROM {table} LIMIT 1) AS e, generate_series(1, 3000) AS n""",
        f"""CREATE INDEX ON {table} USING hnsw ((vector::halfvec(384)) halfvec_cosine_ops)
              WITH (m = 2, ef_construction = 4)""",
        f"ANALYZE {table}",
    ):
        with psycopg.connect(kb.store.database.url) as connection:
            connection.execute(statement.encode())
    found = kb.store.search_indexes.active(kb.slug)
    assert found is not None
    return found


class Later:
    """A package that is imported when it is first used: every process collects every test, and few run those of it."""

    def __init__(self, package: str) -> None:
        self._package = package

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks for marks
            raise AttributeError(name)
        return getattr(importlib.import_module(self._package), name)


class _Ports:
    """Ports of this process alone, below those that the system gives to outgoing connections and to port 0.

    A process takes a block by binding its first port for as long as it lives, so that no other one gives them out.
    """

    BLOCKS = range(10_000, 32_000, 200)

    def __init__(self) -> None:
        for first in random.Random().sample(self.BLOCKS, len(self.BLOCKS)):
            self._lock = socket.socket()
            try:
                self._lock.bind(("127.0.0.1", first))
            except OSError:
                self._lock.close()
            else:
                self._next = itertools.cycle(range(first + 1, first + self.BLOCKS.step))
                atexit.register(self._lock.close)
                return
        raise AssertionError("every block of ports is taken")

    def free(self) -> int:
        """The next port on which nobody listens."""
        for port in self._next:
            with closing(socket.socket()) as probe:
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError:
                    continue
                return port
        raise AssertionError("no port is free")


_ports = cache(_Ports)


def free_port() -> int:
    """A port that nothing listens on, and that no connection, server or other process of tests will take."""
    return _ports().free()
