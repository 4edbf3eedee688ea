"""Hybrid search over documents in memory, as the store does it in one statement of SQL.

Belongs here: chunks, BM25, vectors and their fusion for measurements that need many searches and no database of
documents. Not here: what is measured. Guarantee: stems and stop words are Postgres's, vectors the model's own; both are
kept in a folder and not made twice.
"""

import hashlib
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import numpy as np
import psycopg

from headwater.chunking.chunker import chunk_settings, chunk_text, embedding_text
from headwater.domain.documents import ParsedDocument
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import Passage, Scores
from headwater.lexical.bm25 import HEADING_BOOST, K1, B
from headwater.lexical.bm25 import idf as entry_idf
from headwater.models_gateway.embedder import Embedder, Vectors
from headwater.retrieval.fusion import reciprocal_rank
from headwater.store.server import embedded_postgres

DEPTH = 100
_WORD = re.compile(r"[^\W_]+")


class Cache:
    """Stems and vectors that were made before, in a folder; asks Postgres and the model for the rest."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        """Open the folder, which need not exist.

        Args:
            folder: where they are kept.
            embedder: whose vectors.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._embedder = embedder
        self._file = folder / "stems.json"
        self._stems: dict[str, str | None] = json.loads(self._file.read_text()) if self._file.exists() else {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts, shape (len(texts), dimensions)."""
        key = hashlib.sha256("\0".join((self._embedder.model, *texts)).encode("utf-8", "replace")).hexdigest()[:16]
        file = self._folder / f"{key}.npz"
        if not file.exists():
            np.savez(file, vectors=self._embedder.embed(texts))
        vectors: Vectors = np.load(file)["vectors"]
        return vectors

    def stem_all(self, texts: Iterable[str]) -> None:
        """Learn the stems of all words of some texts."""
        missing = sorted({word for text in texts for word in _words(text)} - self._stems.keys())
        if not missing:
            return
        with psycopg.connect(embedded_postgres.start(self._folder / "postgres")) as connection:
            query = "SELECT word, ts_lexize('english_stem', word) FROM unnest(%s::text[]) AS word"
            for word, lexemes in connection.execute(query, (missing,)):
                self._stems[word] = lexemes[0] if lexemes else None
        embedded_postgres.stop(self._folder / "postgres")
        self._file.write_text(json.dumps(self._stems))

    def lexemes(self, text: str) -> list[str]:
        """The lexemes of a text whose words are known; stop words have none."""
        return [lexeme for word in _words(text) if (lexeme := self._stems[word])]


class MemoryIndex:
    """The chunks of some documents, to be searched."""

    def __init__(self, documents: Iterable[ParsedDocument], cache: Cache) -> None:
        """Cut, weigh and embed documents."""
        made = [pair for index, document in enumerate(documents) for pair in _passages(index, document)]
        self._passages = [passage for passage, _ in made]
        self._uris = np.array([passage.uri for passage in self._passages])
        self._vectors = cache.embed([text for _, text in made])
        self._cache = cache
        cache.stem_all(f"{_heading(passage)} {passage.text}" for passage in self._passages)
        self._weigh()

    def _weigh(self) -> None:
        counts = []
        for passage in self._passages:
            count = Counter(self._cache.lexemes(passage.text))
            for lexeme in self._cache.lexemes(_heading(passage)):
                count[lexeme] += HEADING_BOOST
            counts.append(count)
        average = sum(count.total() for count in counts) / len(counts)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for index, count in enumerate(counts):
            norm = K1 * (1 - B + B * count.total() / average)
            for lexeme, times in count.items():
                self._postings[lexeme].append((index, times * (K1 + 1) / (times + norm)))

    def find(
        self, question: str, vector: Vectors | None, *, limit: int, hidden: Collection[str] = ()
    ) -> tuple[list[Passage], Mapping[str, float]]:
        """Find passages by reciprocal rank fusion, and the idf of the question's lexemes.

        Args:
            question: whose words the cache has learned.
            vector: the question's, shape (dimensions,); None to find by words alone.
            limit: how many passages.
            hidden: URIs of documents that are not to be found.
        """
        asked, total = Counter(self._cache.lexemes(question)), len(self._passages)
        idf = {lexeme: entry_idf(total, len(self._postings.get(lexeme, ()))) for lexeme in asked}
        text = np.zeros(total)
        for lexeme, times in asked.items():
            for number, weight in self._postings.get(lexeme, ()):
                text[number] += times * idf[lexeme] * weight
        cosine = np.zeros(total) if vector is None else self._vectors @ vector
        shown = ~np.isin(self._uris, list(hidden))
        by_vector = {} if vector is None else _ranks(cosine, shown)
        by_text = _ranks(text, shown & (text > 0))
        fused = {
            n: sum(reciprocal_rank(leg[n]) for leg in (by_vector, by_text) if n in leg) for n in {*by_vector, *by_text}
        }
        best = sorted(fused, key=lambda number: (-fused[number], number))[:limit]
        found = [
            replace(
                self._passages[number],
                rank=rank,
                score=fused[number],
                scores=Scores(
                    vector=float(cosine[number]) if number in by_vector else None,
                    vector_rank=by_vector.get(number),
                    text=float(text[number]) if number in by_text else None,
                    text_rank=by_text.get(number),
                    fused=fused[number],
                ),
            )
            for rank, number in enumerate(best, start=1)
        ]
        return found, idf


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _heading(passage: Passage) -> str:
    return " ".join(dict.fromkeys((passage.title, *passage.breadcrumb)))


def _ranks(scores: np.ndarray, among: np.ndarray) -> dict[int, int]:
    order = [int(number) for number in np.argsort(-scores, kind="stable") if among[number]][:DEPTH]
    return {number: rank for rank, number in enumerate(order, start=1)}


def _passages(number: int, document: ParsedDocument) -> Iterator[tuple[Passage, str]]:
    """Each chunk of a document as a passage, with the text that is embedded."""
    settings = chunk_settings(KnowledgeBaseSettings())
    cut = chunk_text(document.text, title=document.title, media_type=document.media_type, settings=settings)
    for position, chunk in enumerate(cut):
        passage = Passage(
            rank=0,
            score=0.0,
            scores=Scores(),
            chunk_id=UUID(int=number * 100_000 + position),
            document_id=UUID(int=number),
            document_version_id=UUID(int=number),
            source="all",
            uri=document.uri,
            title=document.title or document.uri,
            category="",
            breadcrumb=chunk.breadcrumb,
            start=chunk.start,
            end=chunk.end,
            line=chunk.line,
            position=position,
            kind=chunk.kind,
            text=chunk.text,
        )
        yield passage, embedding_text(chunk.breadcrumb, chunk.prose)
