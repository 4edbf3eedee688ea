"""Loading the same folder into Postgres without Headwater: the least time that such work can take.

Belongs here: reading, hashing, cutting, embedding by `builtin/hash`, COPY, full-text search and HNSW, in straight code.
Not here: anything that a second run would need. Guarantee: one pass, one table each, each index built once at the end.

    python -m bench.plain FOLDER POSTGRES_URL
"""

import hashlib
import json
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from headwater.models_gateway.hash_embedder import HashEmbedder

SCHEMA = """
CREATE EXTENSION IF NOT EXISTS vector;
DROP TABLE IF EXISTS plain_documents, plain_chunks;
CREATE TABLE plain_documents (id uuid PRIMARY KEY, path text UNIQUE, hash bytea, text text);
CREATE TABLE plain_chunks (
    id uuid PRIMARY KEY, document_id uuid, position integer, text text, vector halfvec(384),
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED
);
"""
INDEXES = """
SET maintenance_work_mem = '512MB';
CREATE INDEX ON plain_chunks (document_id);
CREATE INDEX ON plain_chunks USING gin (words);
CREATE INDEX ON plain_chunks USING hnsw (vector halfvec_cosine_ops) WITH (m = 12, ef_construction = 48);
ANALYZE plain_documents, plain_chunks;
"""
LONGEST, SHORTEST = 1000, 300  # characters of a chunk, as in Headwater's default settings
_WINDOW = 2048  # chunks embedded and copied at once


def load(folder: Path, url: str) -> dict[str, float]:
    """Load a folder of markdown; returns how many chunks there were, and the seconds of loading and of indexing."""
    started = time.perf_counter()
    with psycopg.connect(url) as connection:
        connection.execute(SCHEMA.encode())
        register_vector(connection)
        count = _copy(connection, folder)
        connection.commit()
        loaded = time.perf_counter()
        connection.execute(INDEXES.encode())
    ended = time.perf_counter()
    return {"chunks": count, "load_s": loaded - started, "index_s": ended - loaded, "wall_s": ended - started}


def _copy(connection: "psycopg.Connection[tuple[object, ...]]", folder: Path) -> int:
    documents: list[tuple[object, ...]] = []
    chunks: list[tuple[uuid.UUID, int, str]] = []
    count = 0
    for path in sorted(folder.rglob("*.md")):
        content = path.read_bytes()
        document, text = uuid.uuid4(), content.decode()
        documents.append((document, path.relative_to(folder).as_posix(), hashlib.sha256(content).digest(), text))
        chunks += [(document, position, piece) for position, piece in enumerate(cut(text))]
        if len(chunks) >= _WINDOW:
            count += _write(connection, documents, chunks)
            documents, chunks = [], []
    return count + _write(connection, documents, chunks)


def cut(text: str) -> Iterator[str]:
    """Cut at headings, then between paragraphs, so that no piece is longer than `LONGEST` where paragraphs allow."""
    piece = ""
    for paragraph in text.split("\n\n"):
        if len(piece) > SHORTEST and (paragraph.startswith("#") or len(piece) + len(paragraph) > LONGEST):
            yield piece
            piece = ""
        piece += ("\n\n" if piece else "") + paragraph
    if piece.strip():
        yield piece


def _write(
    connection: "psycopg.Connection[tuple[object, ...]]",
    documents: list[tuple[object, ...]],
    chunks: list[tuple[uuid.UUID, int, str]],
) -> int:
    vectors = HashEmbedder().embed([text for _, _, text in chunks])
    with connection.cursor() as cursor:
        with cursor.copy("COPY plain_documents FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["uuid", "text", "bytea", "text"])
            for row in documents:
                copy.write_row(row)
        with cursor.copy(
            "COPY plain_chunks (id, document_id, position, text, vector) FROM STDIN (FORMAT BINARY)"
        ) as copy:
            copy.set_types(["uuid", "uuid", "int4", "text", "halfvec"])
            for (document, position, text), vector in zip(chunks, vectors, strict=True):
                copy.write_row((uuid.uuid4(), document, position, text, HalfVector(vector)))
    return len(chunks)


if __name__ == "__main__":
    print(json.dumps(load(Path(sys.argv[1]), sys.argv[2])))
