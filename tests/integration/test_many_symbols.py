"""Symbols of code that thousands of files define: reading them takes work in proportion to what is found (GRA-1)."""

from collections.abc import Iterator
from typing import Any, LiteralString
from uuid import UUID

import psycopg
import pytest

from headwater.store.server.named_queries import load_queries
from tests.support import Headwater

_COUNT = 10_000
_MOST_PAGES = 20 * _COUNT  # a plan that reads all definitions for each call reads millions
# Each file i defines and calls `run` of its module, and calls that of the module before. Each defines and calls
# `setup`, which has no module, as in C; the first one calls `only`, which only the last one defines.
_FILES: LiteralString = """
CREATE TEMP TABLE made AS
SELECT i, gen_random_uuid() AS document_id, gen_random_uuid() AS version_id FROM generate_series(1, %(count)s) AS i;
INSERT INTO documents (id, source_id, uri, fingerprint, head_version_id)
SELECT document_id, %(source)s, 'm' || i || '.py', '', version_id FROM made;
INSERT INTO document_versions (id, document_id, sequence, content_hash, parser_version, title, text, media_type,
                               category, language, metadata, outgoing, fetched_at, run_id, code_version)
SELECT version_id, document_id, 1, '', '', '', '', 'text/x-python', '', '', '{}', '{}', now(), 'r', 'c'
  FROM made;
INSERT INTO published_documents (search_index_id, document_id, version_id, run_id)
SELECT %(index)s, document_id, version_id, 'r' FROM made;
INSERT INTO link_sets (version_id, reader, link_count, run_id, code_version)
SELECT version_id, 1, 6, 'r', 'c' FROM made;
INSERT INTO links (version_id, position, document_id, source_id, kind, family, name, targets, anchor, origin,
                   start_offset, line)
SELECT m.version_id, l.position, m.document_id, %(source)s, l.kind, 'python', l.name, l.targets, '',
       'm' || m.i || '.run', l.position, 1
  FROM made m CROSS JOIN LATERAL (VALUES
       (0, 'defines', 'run', ARRAY['m' || m.i || '.run']), (1, 'calls', 'run', ARRAY['m' || m.i || '.run']),
       (2, 'calls', 'run', ARRAY['m' || m.i - 1 || '.run', 'm' || m.i - 1 || '.run.run']),
       (3, 'defines', 'setup', ARRAY['setup']), (4, 'calls', 'setup', ARRAY['setup']),
       (5, CASE m.i WHEN %(count)s THEN 'defines' ELSE 'calls' END, 'only', ARRAY['only']))
           AS l (position, kind, name, targets)
 WHERE l.name <> 'only' OR m.i IN (1, %(count)s);
"""


def _fill(kb: Headwater) -> None:
    """Make an index of 10,000 files of code."""
    index = kb.store.search_indexes.active(kb.slug)
    assert index is not None
    with psycopg.ClientCursor(psycopg.connect(kb.store.database.url, autocommit=True)) as cursor:
        cursor.execute(_FILES, {"count": _COUNT, "source": kb.source().id, "index": index.id})
        cursor.connection.close()


pytestmark = pytest.mark.synced(files={"a.md": "# Words\n\nNo code.\n"}, then=_fill)


@pytest.fixture
def code(kb: Headwater) -> Iterator[psycopg.Connection[Any]]:
    """A connection that gives up after a minute."""
    with psycopg.connect(kb.store.database.url, autocommit=True) as connection:
        connection.execute("SET statement_timeout = '60s'")
        yield connection


def _pages(connection: "psycopg.Connection[Any]", query: str, **values: Any) -> int:
    """How many pages of 8 KiB a query reads, from memory or from disk."""
    text = load_queries()[query]
    ((plan,),) = psycopg.ClientCursor(connection).execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + text, values)
    found: dict[str, Any] = plan[0]["Plan"]
    return int(found["Shared Hit Blocks"]) + int(found["Shared Read Blocks"])


def test_reading_symbols_stays_cheap(kb: Headwater, code: "psycopg.Connection[Any]") -> None:
    """10,000 definitions of a name, in 10,000 symbols or in one, are no product of definitions and calls.

    That holds before and after Postgres gathers statistics.
    """
    index = kb.store.search_indexes.active(kb.slug)
    assert index is not None
    documents: list[tuple[UUID]] = code.execute(
        "SELECT id FROM documents WHERE uri IN ('m5.py', %s)", [f"m{_COUNT}.py"]
    ).fetchall()
    own = {"search_index_id": index.id, "limit": 1001, "candidates": 10_000}
    for _ in range(2):
        for name in ("run", "setup", "only"):
            defined = code.execute(
                "SELECT targets[1], document_id FROM links WHERE kind = 'defines' AND name = %s LIMIT 1000", [name]
            ).fetchall()
            places = {"symbols": [row[0] for row in defined], "document_ids": [row[1] for row in defined]}
            named = own | places | {"name": name, "families": ["python"] * len(defined), "symbol": name}
            for query in ("definitions_of_symbol", "uses_of_symbol", "calls_within"):
                assert _pages(code, query, **named) < _MOST_PAGES, (query, name)
        for (document_id,) in documents:
            for query in ("uses_of_document", "links_from_document"):
                assert _pages(code, query, **own, document_id=document_id) < _MOST_PAGES, query
        code.execute("ANALYZE")


def test_many_symbols_lead_where_few_do(kb: Headwater) -> None:
    """A qualified name has its callers, one that all files define only those in the same file, and one file's all."""
    index = kb.store.search_indexes.active(kb.slug)
    run = kb.store.link_reading.symbol(index, "m7.run")
    assert [end.uri for end in run.definitions] == ["m7.py"]
    assert [end.uri for end in run.callers] == ["m7.py", "m8.py"]
    assert [end.uri for end in kb.store.link_reading.symbol(index, "only").callers] == ["m1.py"]
    setup = kb.store.link_reading.symbol(index, "setup")
    assert len(setup.definitions) == len(setup.callers) == 1000
    assert [end.document_id for end in setup.callers] == [end.document_id for end in setup.definitions]
