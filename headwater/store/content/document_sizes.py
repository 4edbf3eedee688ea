"""The sizes of a source's tables, and a few of their rows, for people.

Belongs here: data that is shown with a stage's result. Not here: data that a sync needs (`documents`). Guarantee:
it changes nothing; a preview is a few rows, however large the source.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.domain.corpus import KnowledgeBase, Source
from headwater.store.server.database import Database
from headwater.store.server.typed_rows import from_row


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentPreview:
    """A document, for people."""

    uri: str
    title: str
    category: str
    character_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ChunkPreview:
    """A chunk, for people; `text` is its beginning."""

    uri: str
    breadcrumb: tuple[str, ...]
    text: str
    character_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class EmbeddingsSize:
    """How many vectors there are, and how many tokens a model saw in their texts."""

    vector_count: int
    token_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TextCount:
    """How many distinct texts a knowledge base has, and how many of them have no vector of a model, with characters."""

    text_count: int
    character_count: int
    missing_count: int
    missing_character_count: int


class DocumentSizes:
    """Counts of the documents, chunks and embeddings tables."""

    _database: Database

    def documents_size(self, source: Source) -> int:
        """Count the characters of a source's documents; reads every text."""
        return int(self._database.one("documents_size", source_id=source.id)["character_count"])

    def chunks_size(self, source: Source, settings_hashes: Sequence[bytes]) -> int:
        """Count the characters of a source's chunks under the settings in use."""
        row = self._database.one("chunks_size", source_id=source.id, settings_hashes=list(settings_hashes))
        return int(row["character_count"])

    def embeddings_size(self, source: Source, model: str, settings_hash: bytes) -> EmbeddingsSize:
        """Count the vectors of a source under a model."""
        row = self._database.one("embeddings_size", source_id=source.id, model=model, settings_hash=settings_hash)
        return EmbeddingsSize(vector_count=int(row["vector_count"]), token_count=int(row["token_count"]))

    def count_texts(self, knowledge_base: KnowledgeBase, model: str, settings_hash: bytes) -> TextCount:
        """Count the texts of a knowledge base under some chunk settings, and those that a model has not embedded."""
        row = self._database.one(
            "texts_of_knowledge_base",
            knowledge_base_id=knowledge_base.id,
            model=model,
            settings_hash=settings_hash,
        )
        return TextCount(**{name: int(value) for name, value in row.items()})

    def preview_documents(self, source: Source) -> list[DocumentPreview]:
        """Return a few documents of a source."""
        return [from_row(DocumentPreview, row) for row in self._database.rows("preview_documents", source_id=source.id)]

    def preview_chunks(self, source: Source) -> list[ChunkPreview]:
        """Return a few chunks of a source."""
        return [from_row(ChunkPreview, row) for row in self._database.rows("preview_chunks", source_id=source.id)]
