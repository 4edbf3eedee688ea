"""The server's time for pages with many knowledge bases, documents and conversations, made by COPY.

    python -m bench.page_times --knowledge-bases 100 --documents 10000 --conversations 3000

Half of the documents and all conversations belong to the first knowledge base. Prints one JSON document: for each page
the median and the 95th percentile of the server's time in milliseconds, the median of its processor time, which other
work on the machine does not lengthen, and how many queries it takes. Machines vary.
"""

import argparse
import json
import statistics
import time
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from bench.throwaway import throwaway_home

_MODEL = "builtin/hash"
_PAGES = (
    "/", "/?find=kb", "/palette?query=pump&kb=kb0", "/kb/kb0/chat", "/kb/kb0/history", "/kb/kb0/history?find=pump",
    "/kb/kb0/documents", "/kb/kb0/documents?text=pump+77", "/kb/kb0/sources", "/kb/kb0/sources/docs",
    "/kb/kb0/contents", "/kb/kb0/status", "/kb/kb0/settings", "/audit",
)  # fmt: skip


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--knowledge-bases", type=int, default=100)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--conversations", type=int, default=3_000)
    parser.add_argument("--requests", type=int, default=40)
    arguments = parser.parse_args()
    with throwaway_home():
        from headwater.settings import Settings
        from headwater.store.server.database_urls import database_url
        from headwater.store.server.migrations import migrate
        from query_api.app import create_app

        settings = Settings.from_env()
        migrate(database_url(settings))
        with psycopg.connect(database_url(settings)) as connection:
            _fill(connection, arguments)
        with psycopg.connect(database_url(settings), autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
        client = create_app(settings).test_client()
        print(json.dumps({page: _measure(client, page, arguments.requests) for page in _PAGES}, indent=2))


def _fill(connection: "psycopg.Connection[Any]", arguments: argparse.Namespace) -> None:
    """Write every row that the pages read; the texts are short, since pages of lists do not show them."""
    _fill_knowledge_bases(connection, arguments.knowledge_bases)
    _fill_documents(connection, arguments.documents, arguments.knowledge_bases)
    _fill_conversations(connection, arguments.conversations)


def _fill_knowledge_bases(connection: "psycopg.Connection[Any]", count: int) -> None:
    now, numbers = datetime.now(UTC), range(1, count + 1)
    bases = [(one, f"kb{one - 1}", f"Knowledge base {one - 1}", Jsonb({})) for one in numbers]
    config = Jsonb({"path": "/srv"})
    sources = [(one, one, "docs", "markdown_tree", config, "ready", now) for one in numbers]
    indexes = [(one, one, _MODEL, 64, Jsonb({}), b"x", "english", "active", now) for one in numbers]
    _copy(connection, "knowledge_bases (id, slug, name, settings)", bases)
    _copy(connection, "sources (id, knowledge_base_id, slug, kind, config, state, synced_at)", sources)
    columns = "id, knowledge_base_id, model, dimensions, chunk_settings, settings_hash, language, state, activated_at"
    _copy(connection, f"search_indexes ({columns})", indexes)


def _fill_documents(connection: "psycopg.Connection[Any]", count: int, bases: int) -> None:
    now, half, empty = datetime.now(UTC), count // 2, Jsonb({})
    owners = [1] * half + [2 + number % max(1, bases - 1) for number in range(count - half)]
    rows = [(uuid.uuid4(), uuid.uuid4(), owner, index) for index, owner in enumerate(owners)]
    documents = [(one, owner, f"pumps/{number:06}.md", "f", version) for one, version, owner, number in rows]
    versions = [
        (version, one, 1, b"h", "1", f"Pump {number}", "It lifts.", "text/markdown", "", "english", empty, [], now, "r",
         "1")
        for one, version, _, number in rows
    ]  # fmt: skip
    _copy(connection, "documents (id, source_id, uri, fingerprint, head_version_id)", documents)
    columns = (
        "id, document_id, sequence, content_hash, parser_version, title, text, media_type, category, language,"
        " metadata, outgoing, fetched_at, run_id, code_version"
    )
    _copy(connection, f"document_versions ({columns})", versions)
    published = [(owner, one, version, "r") for one, version, owner, _ in rows]
    _copy(connection, "published_documents (search_index_id, document_id, version_id, run_id)", published)
    sets = [(version, b"x", 1, "r", "1") for _, version, _, _ in rows]
    _copy(connection, "chunk_sets (version_id, settings_hash, chunk_count, run_id, code_version)", sets)


def _fill_conversations(connection: "psycopg.Connection[Any]", count: int) -> None:
    now, empty = datetime.now(UTC), Jsonb({})
    talks = [(uuid.uuid4(), now - timedelta(hours=number), number) for number in range(count)]
    rows = [(one, 1, f"About pump {number}", at, at if number % 500 == 7 else None) for one, at, number in talks]
    _copy(connection, "conversations (id, knowledge_base_id, title, updated_at, pinned_at)", rows)
    took = Jsonb({"total": 12.5})
    answers = [
        (1, f"How many litres does pump {number} lift?", "Forty.", False, Jsonb([]), "m", _MODEL, empty, took, one, at)
        for one, at, number in talks
        for _ in range(3)
    ]
    columns = (
        "knowledge_base_id, question, answer, is_refused, passages, model, embedding_model, usage, timings_ms,"
        " conversation_id, created_at"
    )
    _copy(connection, f"answers ({columns})", answers)


def _copy(connection: "psycopg.Connection[Any]", table: str, rows: list[tuple[Any, ...]]) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:  # type: ignore[arg-type]
        for row in rows:
            copy.write_row(row)


def _measure(client: Any, page: str, count: int) -> dict[str, float]:
    times, processor, queries = [], [], 0
    for number in range(count + 2):
        with _Queries() as counted:
            started, worked = time.perf_counter(), time.process_time()
            response = client.get(page, headers={"Accept": "text/html, application/json;q=0.5"})
        if response.status_code != 200:
            raise SystemExit(f"{page} answered {response.status_code}: {response.text[:300]}")
        if number > 1:  # the first ones load templates and open connections
            times.append((time.perf_counter() - started) * 1000)
            processor.append((time.process_time() - worked) * 1000)
            queries = counted.count
    times.sort()
    p95 = times[min(count - 1, int(count * 0.95))]
    return {
        "p50": round(statistics.median(times), 1),
        "p95": round(p95, 1),
        "processor_p50": round(statistics.median(processor), 1),
        "queries": queries,
    }


class _Queries:
    """Counts the statements that this process sends in a block."""

    def __enter__(self) -> "_Queries":
        self.count, self._execute = 0, psycopg.Cursor.execute
        outer = self

        def execute(cursor: Any, *arguments: Any, **options: Any) -> Any:
            outer.count += 1
            return outer._execute(cursor, *arguments, **options)

        psycopg.Cursor.execute = execute  # type: ignore[method-assign, assignment]
        return self

    def __exit__(self, *_: object) -> None:
        psycopg.Cursor.execute = self._execute  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
