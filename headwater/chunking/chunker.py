"""The choice of a chunker, and the identity of a chunk.

Belongs here: choosing a chunker by type, ids, and the text that is embedded. Not here: the borders. Guarantee: equal
document, settings and text give equal ids; increasing `CHUNKER_VERSION` builds new chunks beside the old ones.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import UUID

from headwater.chunking.borders import find_ends
from headwater.chunking.code_chunker import CodeChunker
from headwater.chunking.grammars import code_type
from headwater.chunking.markdown_blocks import Blocks
from headwater.chunking.markdown_chunker import MarkdownChunker
from headwater.chunking.markdown_links import markdown_links
from headwater.chunking.packer import Sizes
from headwater.chunking.prose_chunker import ProseChunker
from headwater.chunking.quality import quality
from headwater.chunking.syntax import mentions_of
from headwater.chunking.text_links import TextLinks
from headwater.domain.documents import Chunk
from headwater.domain.knowledge_base_settings import ChunkingSettings
from headwater.identity import content_hash, content_id
from headwater.lexical.token_estimate import estimate_tokens

CHUNKER_VERSION = 3


def chunk_settings(settings: ChunkingSettings) -> dict[str, Any]:
    """The part of a knowledge base's settings that determines its chunks, with the version of the chunkers."""
    return {
        "chunker_version": CHUNKER_VERSION,
        "maximum": settings.chunk_max,
        "minimum": settings.chunk_min,
        "overlap": settings.chunk_overlap,
    }


def to_knowledge_base_settings(settings: Mapping[str, Any]) -> dict[str, int]:
    """The settings of a knowledge base that give these chunk settings: the inverse of `chunk_settings`."""
    return {
        "chunk_max": settings["maximum"],
        "chunk_min": settings["minimum"],
        "chunk_overlap": settings["overlap"],
    }


def settings_hash(settings: Mapping[str, Any]) -> bytes:
    """The identity of chunk settings."""
    return content_hash("chunk_settings", dict(settings))


class ChunkedDocument(NamedTuple):
    """A document's chunks, how many of them a fresh split would not make, and the links that were found meanwhile."""

    chunks: list[Chunk]
    drift_count: int
    found: TextLinks = TextLinks()


def chunk_text(
    text: str, *, title: str, media_type: str, settings: Mapping[str, Any], before: Sequence[str] = ()
) -> list[Chunk]:
    """Return only the chunks of `cut_document`."""
    return cut_document(text, title=title, media_type=media_type, settings=settings, before=before).chunks


def cut_document(
    text: str, *, title: str, media_type: str, settings: Mapping[str, Any], before: Sequence[str] = ()
) -> ChunkedDocument:
    """Split a document into chunks with the chunker for its type.

    Args:
        text: the document version's text.
        title: the document's title, or empty.
        media_type: one of `headwater.domain.media_types.MediaType`; any other type is split as plain text.
        settings: the result of `chunk_settings`.
        before: the pieces (chunks without their overlap) of the previous version with the same settings; unchanged text
            keeps its borders.

    Returns:
        Chunks in order; none for a text without visible characters.
    """
    if not text.strip():
        return ChunkedDocument([], 0)
    sizes = Sizes(maximum=settings["maximum"], minimum=settings["minimum"], overlap=settings["overlap"])
    cut = _cut(text, title, media_type, sizes)
    fresh = cut.ends()
    ends = _visible(text, find_ends(text, cut, fresh, before, sizes.minimum) if before else fresh)
    chunks = [cut.chunk(start, end) for start, end in pairwise([0, *ends])]
    measured = [_add_quality(chunk, parent) for chunk, parent in zip(chunks, cut.parents(chunks), strict=True)]
    return ChunkedDocument(measured, drift_count(ends, _visible(text, fresh)), cut.found())


def find_links(text: str, media_type: str) -> TextLinks:
    """Return what `cut_document` finds of links, without splitting."""
    if media_type == "text/markdown":
        return TextLinks(references=markdown_links(text, Blocks(text).code))
    code = code_type(media_type)
    return TextLinks(mentions=mentions_of(text, code)) if code else TextLinks()


def drift_count(ends: Sequence[int], fresh: Sequence[int]) -> int:
    """How many pieces, given by their ends, do not occur in a fresh split."""
    return len(set(pairwise([0, *ends])) - set(pairwise([0, *fresh])))


def _cut(text: str, title: str, media_type: str, sizes: Sizes) -> MarkdownChunker | ProseChunker | CodeChunker:
    if media_type == "text/markdown":
        return MarkdownChunker(text, title, sizes)
    code = code_type(media_type)
    return CodeChunker(text, title, code, sizes) if code else ProseChunker(text, title, sizes)


def _add_quality(chunk: Chunk, parent: int | None) -> Chunk:
    prose = chunk.prose if chunk.prose.strip() else chunk.text
    return replace(chunk, parent=parent, token_count=estimate_tokens(chunk.text), quality=quality(prose, chunk.kind))


def _visible(text: str, ends: Sequence[int]) -> list[int]:
    """Join blank pieces to a neighbour: nobody searches for them, but they belong to the document."""
    visible_ends: list[int] = []
    for start, end in pairwise([0, *ends]):
        is_blank = not text[start:end].strip()
        if is_blank and visible_ends:
            visible_ends[-1] = end
        elif not is_blank:
            visible_ends.append(end)
    return visible_ends


def chunk_ids(document_id: UUID, chunk_settings_hash: bytes, chunks: Sequence[Chunk]) -> list[UUID]:
    """Ids from the content of a chunk: its document, the settings, its text, and its number among equal chunks."""
    seen: Counter[str] = Counter()
    ids = []
    for chunk in chunks:
        text_hash = content_hash(chunk.kind.value, chunk.text, chunk.prose).hex()
        ids.append(content_id("chunk", str(document_id), chunk_settings_hash.hex(), text_hash, seen[text_hash]))
        seen[text_hash] += 1
    return ids


def embedding_text(breadcrumb: Sequence[str], prose: str) -> str:
    """The text that is embedded for a chunk: headings, then prose; never the file name, so a rename embeds nothing."""
    paragraphs = [" > ".join(breadcrumb), prose.strip()]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def embedding_hash(breadcrumb: Sequence[str], prose: str) -> bytes:
    """The identity of a chunk's embedded text, independent of the model."""
    return content_hash("embedding", embedding_text(breadcrumb, prose))


def heading_hash(breadcrumb: Sequence[str]) -> bytes | None:
    """The identity of a breadcrumb embedded alone; None if there is none."""
    return embedding_hash(breadcrumb, "") if breadcrumb else None
