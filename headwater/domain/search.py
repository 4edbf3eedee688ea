"""Search indexes, filters, and the passages that are found.

Belongs here: these classes and their fields. Not here: finding and ranking. Guarantee: nothing here does input or
output; names are the table names' singular.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from headwater.domain.knowledge_base_settings import EmbeddingSettings
from headwater.domain.places import PlaceRange, Places


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchIndex:
    """The index of one (knowledge base, model, chunk settings, language), and its table.

    `shard` is 0 for the table that small indexes share, which is scanned exactly; `ef_search` and `recall` are the
    measured values for the HNSW index of a larger one. `gate` is the report of the last judgement.
    """

    id: int
    knowledge_base_id: int
    model: str
    dimensions: int
    """0 until the first vector of a model whose dimensions are not known in advance."""
    chunk_settings: Mapping[str, Any]
    settings_hash: bytes
    language: str
    state: str
    shard: int
    ef_search: int | None
    recall: float | None
    gate: Mapping[str, Any] | None
    created_at: datetime
    activated_at: datetime | None
    retained_at: datetime | None

    def is_for(self, settings: EmbeddingSettings, settings_hash: bytes) -> bool:
        """Whether it is the index for these settings, whose chunk settings have this hash."""
        mine = (self.model, self.settings_hash, self.language)
        return mine == (settings.embedding_model, settings_hash, settings.language)


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFilters:
    """The part of a knowledge base to search; an empty tuple means no limit.

    A category includes everything beneath it: `how-tos` matches `how-tos/providers`. It is the document's own category
    or its source's. A tag is its source's, or a label that the document has in its metadata; one of several is enough.
    An author is named as in the metadata. A document is given by its id or its URI; a language includes its variants
    (`en` matches `en-GB` and `EN_us`). A document's date is the one in its metadata, or else when it was fetched; it
    must be `dated_from` or later, and before `dated_to`.
    """

    sources: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    dated_from: datetime | None = None
    dated_to: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", tuple(category.strip("/") for category in self.categories))
        languages = tuple(language.strip().lower().replace("_", "-") for language in self.languages)
        object.__setattr__(self, "languages", languages)
        for name in ("dated_from", "dated_to"):
            moment = getattr(self, name)
            if moment is not None and moment.tzinfo is None:
                object.__setattr__(self, name, moment.replace(tzinfo=UTC))


@dataclass(frozen=True, kw_only=True, slots=True)
class Scores:
    """Every score that led to a passage (RET-8); None if a step did not see the passage.

    `vector` is the cosine similarity of the chunk and `heading` that of its breadcrumb alone; `text` is its BM25 score;
    ranks count from 1 within each leg. `fused` is the score of all legs together, `rerank` the reranker's score between
    0 and 1, `boost` the product of the rules that applied, `via` the passage from which traversal reached it, and
    `trust` the probability that it is relevant.
    """

    vector: float | None = None
    vector_rank: int | None = None
    text: float | None = None
    text_rank: int | None = None
    heading: float | None = None
    heading_rank: int | None = None
    fused: float = 0.0
    rerank: float | None = None
    boost: float = 1.0
    via: str | None = None
    trust: float | None = None


def split_breadcrumb(breadcrumb: Sequence[str], text: str) -> tuple[tuple[str, ...], str]:
    """The headings above a chunk, and the header of the table that it begins within.

    The chunker puts that header behind the headings, so that it is embedded and found with the rows; it is none.

    Args:
        breadcrumb: as it is stored with the chunk.
        text: the chunk.
    """
    path, first = tuple(breadcrumb), text.lstrip().partition("\n")[0]
    if path and "|" in path[-1] and "|" in first and not first.startswith("#"):
        return path[:-1], path[-1]
    return path, ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A chunk that search returned, with its scores.

    `score` determines its rank; `scores` explains it. `start` and `end` are offsets in the text of the document
    version, `line` is the line in which it begins, and `position` is the chunk's number in it. `language` is that of
    its document, empty if unknown. `table_header` is the header row of the table that the text begins within, empty if
    it begins in none. `places` are the positions of its parts in the original. `summary` is one sentence, None if the
    chunk has none.
    """

    rank: int
    score: float
    scores: Scores
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    source: str
    uri: str
    title: str
    category: str
    breadcrumb: tuple[str, ...]
    start: int
    end: int
    line: int
    position: int
    kind: str
    text: str
    language: str = ""
    places: Places | None = None
    summary: str | None = None
    table_header: str = ""

    @property
    def place(self) -> PlaceRange | None:
        """Its place in the original; None if unknown."""
        return self.place_of(0, len(self.text))

    def place_of(self, start: int, end: int) -> PlaceRange | None:
        """The place of a part of its text in the original."""
        if self.places is None:
            return None
        span = (self.start + start, self.start + end)
        return self.places.between(*span, text=self.text, offset=self.start, line=self.line)
