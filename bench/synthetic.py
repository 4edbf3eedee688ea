"""Synthetic chunks, as many as a measurement needs, with given vectors.

Belongs here: texts, vectors and questions with the shape of real ones, and writing them as a sync leaves them. Not
here: measuring. Guarantee: the same seed gives the same data.

Texts have 40 to 170 words of a vocabulary whose frequencies fall as Zipf and Mandelbrot found: the most frequent word
is in about a third of the texts, as in English without its stop words. A document has ten chunks about one topic.
Vectors lie around their topic's, in fewer dimensions than they have (as an embedding model's do): that decides
how well HNSW finds them.
"""

import hashlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import SearchIndex
from headwater.store.store import Store
from headwater.store.work.fencing_tokens import SyncLease

DIMENSIONS = 384
CHUNKS_PER_DOCUMENT = 10
CATEGORIES = {"a": 0.001, "b": 0.02, "c": 0.35, "d": 0.35}
"""The share of the chunks in each category; the rest has none. A category is of whole topics."""
VOCABULARY = 50_000
_MODEL, _SETTINGS_HASH, _RUN = "builtin/hash", b"\x00", "bench"  # a model that searches over HTTP can load
_PUBLISHED = 200  # documents per transaction, as in a sync
_VERSIONS = (
    "document_versions (id, document_id, sequence, content_hash, parser_version, title, text, media_type, category,"
    " language, metadata, outgoing, fetched_at, run_id, code_version)"
)
_PLACES = (
    "version_chunks (version_id, settings_hash, position, chunk_id, start_offset, end_offset, overlap_count, line,"
    " breadcrumb, embedding_hash)"
)
_LATENT = 48  # dimensions that vectors vary in
_SYLLABLES = [first + vowel for first in ("st", "tr", *"bdfgklmnprstvz") for vowel in "aeiou"]


class Words:
    """A vocabulary, and texts of it."""

    def __init__(self, random: np.random.Generator) -> None:
        picked = random.integers(0, len(_SYLLABLES), (VOCABULARY * 2, 4))
        lengths = random.integers(2, 5, VOCABULARY * 2)
        spelled = ["".join(_SYLLABLES[i] for i in row[:n]) for row, n in zip(picked, lengths, strict=True)]
        self.vocabulary = np.array(list(dict.fromkeys(spelled))[:VOCABULARY])
        frequency = 1 / (np.arange(len(self.vocabulary)) + 30.0)
        drawn = random.choice(len(self.vocabulary), 2_000_000, p=frequency / frequency.sum())
        self._stream = self.vocabulary[drawn].tolist()
        self._random = random

    def texts(self, count: int, least: int, most: int) -> list[str]:
        """Texts of `least` to `most` words."""
        lengths = self._random.integers(least, most + 1, count)
        starts = self._random.integers(0, len(self._stream) - most, count)
        return [" ".join(self._stream[s : s + n]) for s, n in zip(starts.tolist(), lengths.tolist(), strict=True)]


class Topics:
    """Vectors around the topics of a collection."""

    def __init__(self, random: np.random.Generator, count: int) -> None:
        self.count = count
        self._random = random
        self._centres = random.standard_normal((count, _LATENT))
        self._spread = random.standard_normal((_LATENT, DIMENSIONS))

    def vectors(self, topics: NDArray[Any]) -> NDArray[np.float32]:
        """A unit vector near each of some topics, shape (topics, DIMENSIONS)."""
        latent = self._centres[topics] + self._random.standard_normal((len(topics), _LATENT))
        raw = latent @ self._spread + 0.5 * self._random.standard_normal((len(topics), DIMENSIONS))
        unit: NDArray[np.float32] = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
        return unit


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """Words and a vector to ask with."""

    text: str
    vector: NDArray[np.float32]


class Synthetic:
    """A knowledge base of synthetic chunks that grows."""

    def __init__(self, store: Store, *, seed: int = 1) -> None:
        from headwater.administration.knowledge_base_changes import apply
        from headwater.administration.knowledge_base_file import KnowledgeBaseSpec, SourceSpec

        self.store = store
        self._random = np.random.default_rng(seed)
        self._words = Words(self._random)
        self._topics = Topics(self._random, 1000)
        self._texts: list[str] = []
        apply(
            store,
            KnowledgeBaseSpec(
                slug="bench",
                name="bench",
                description="",
                settings=KnowledgeBaseSettings(),
                sources=(SourceSpec(slug="docs", kind="jsonl", config={"path": "/none"}),),
            ),
        )
        self.knowledge_base = store.knowledge_bases.get("bench")
        self._work = SyncLease(token=0, sync_id=0, batch="", source=store.sources.get("bench", "docs"), is_whole=True)
        with psycopg.connect(store.database.url) as connection:
            connection.execute(
                "INSERT INTO search_indexes (knowledge_base_id, model, dimensions, chunk_settings, settings_hash,"
                " language, state) VALUES (%s, %s, %s, '{}', %s, 'english', 'active')",
                (self.knowledge_base.id, _MODEL, DIMENSIONS, _SETTINGS_HASH),
            )

    @property
    def index(self) -> SearchIndex:
        """The index as it stands."""
        found = self.store.search_indexes.active("bench")
        assert found is not None
        return found

    @property
    def size(self) -> int:
        """How many chunks there are."""
        return len(self._texts)

    def write(self, count: int) -> list[uuid.UUID]:
        """Write documents, chunks and vectors as a sync does before it publishes.

        Args:
            count: how many chunks, a multiple of `CHUNKS_PER_DOCUMENT`.

        Returns:
            The documents, not published yet.
        """
        first = self.size // CHUNKS_PER_DOCUMENT
        documents = count // CHUNKS_PER_DOCUMENT
        topics = self._random.integers(0, self._topics.count, documents)
        titles = self._words.texts(documents, 3, 6)
        sections = self._words.texts(count, 2, 4)
        texts = self._words.texts(count, 40, 170)
        vectors = self._topics.vectors(np.repeat(topics, CHUNKS_PER_DOCUMENT))
        ids = [_uuid("document", first + n) for n in range(documents)]
        rows = _Rows(self._work.source.id, first, ids, titles, topics / self._topics.count, texts, sections, vectors)
        with psycopg.connect(self.store.database.url) as connection:
            register_vector(connection)
            for table, types, values in rows.tables():
                columns = types.split()
                with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()) as copy:
                    copy.set_types(columns)
                    for value in values:
                        copy.write_row(value)
        self._texts += texts
        return ids

    def publish(self, documents: list[uuid.UUID]) -> None:
        """Make the index serve some documents, in transactions as a sync's."""
        for start in range(0, len(documents), _PUBLISHED):
            self.store.search_indexes.publish(self._work, self.index, documents[start : start + _PUBLISHED], _RUN)

    def questions(self, count: int) -> list[Question]:
        """Questions of 4 to 10 words of one text each, some rare and some frequent, and vectors that no chunk has."""
        picked = self._random.integers(0, self.size, count)
        vectors = self._topics.vectors(self._random.integers(0, self._topics.count, count))
        return [
            Question(
                text=" ".join(self._random.choice(self._texts[n].split(), self._random.integers(4, 11), replace=False)),
                vector=vector,
            )
            for n, vector in zip(picked.tolist(), vectors, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Documents as rows of every table that publishing reads; `places` (0 to 1) of their topics say the category."""

    source_id: int
    first: int
    ids: list[uuid.UUID]
    titles: list[str]
    places: NDArray[Any]
    texts: list[str]
    sections: list[str]
    vectors: NDArray[np.float32]

    def tables(self) -> Iterator[tuple[str, str, Iterator[tuple[Any, ...]]]]:
        """Each table with its columns, their types, and its rows."""
        yield (
            "documents (id, source_id, uri, fingerprint, head_version_id)",
            "uuid int8 text text uuid",
            ((d, self.source_id, f"doc-{n}", "", _uuid("version", n)) for n, d in enumerate(self.ids, self.first)),
        )
        yield (
            _VERSIONS,
            "uuid uuid int4 bytea text text text text text text jsonb text[] timestamptz text text",
            self._versions(),
        )
        yield (
            "chunks (id, document_id, settings_hash, kind, text, character_count, run_id, code_version)",
            "uuid uuid bytea text text int4 text text",
            (
                (_uuid("chunk", n), document, _SETTINGS_HASH, "prose", text, len(text), _RUN, _RUN)
                for n, document, text in self._chunks(self.texts)
            ),
        )
        yield (
            "chunk_sets (version_id, settings_hash, chunk_count, run_id, code_version)",
            "uuid bytea int4 text text",
            (
                (_uuid("version", n), _SETTINGS_HASH, CHUNKS_PER_DOCUMENT, _RUN, _RUN)
                for n in range(self.first, self.first + len(self.ids))
            ),
        )
        yield (
            _PLACES,
            "uuid bytea int4 uuid int4 int4 int4 int4 text[] bytea",
            self._places(),
        )
        yield (
            "embeddings (model, text_hash, vector, token_count, run_id, code_version)",
            "text bytea halfvec int4 text text",
            (
                (_MODEL, _hash(n), HalfVector(vector), 100, _RUN, _RUN)
                for n, vector in enumerate(self.vectors, self.first * CHUNKS_PER_DOCUMENT)
            ),
        )

    def _versions(self) -> Iterator[tuple[Any, ...]]:
        from datetime import UTC, datetime

        from psycopg.types.json import Jsonb

        now = datetime.now(UTC)
        for n, (document, title, place) in enumerate(zip(self.ids, self.titles, self.places, strict=True), self.first):
            yield (
                _uuid("version", n), document, 1, b"", "1", title, "", "text/plain", _category(float(place)), "",
                Jsonb({}), [], now, _RUN, _RUN,
            )  # fmt: skip

    def _chunks(self, values: list[str]) -> Iterator[tuple[int, uuid.UUID, str]]:
        start = self.first * CHUNKS_PER_DOCUMENT
        for n, value in enumerate(values):
            yield start + n, self.ids[n // CHUNKS_PER_DOCUMENT], value

    def _places(self) -> Iterator[tuple[Any, ...]]:
        for n, _, section in self._chunks(self.sections):
            title = self.titles[n // CHUNKS_PER_DOCUMENT - self.first]
            position = n % CHUNKS_PER_DOCUMENT
            version = _uuid("version", n // CHUNKS_PER_DOCUMENT)
            yield version, _SETTINGS_HASH, position, _uuid("chunk", n), 0, 0, 0, 1, [title, section], _hash(n)


def _category(place: float) -> str:
    """The category of a topic at a place between 0 and 1."""
    for name, share in CATEGORIES.items():
        if place < share:
            return name
        place -= share
    return ""


def _uuid(kind: str, number: int) -> uuid.UUID:
    return uuid.UUID(bytes=hashlib.md5(f"{kind}-{number}".encode(), usedforsecurity=False).digest())


def _hash(number: int) -> bytes:
    return hashlib.sha256(f"{number}".encode()).digest()
