"""Documents, their versions and chunks.

Belongs here: these classes and their fields. Not here: how they are read, split or stored. Guarantee: nothing here does
input or output; names are the table names' singular.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from headwater.domain.media_types import MediaType
from headwater.domain.places import Places


@dataclass(frozen=True, kw_only=True, slots=True)
class Original:
    """The file that a document's text was read from, such as a PDF; stored by its hash (`headwater.files`)."""

    content: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedDocument:
    """The text of one document, ready to be versioned.

    `metadata` is what the document says about itself, as JSON values; `references` are the URIs that it links to
    within its source, in order of appearance. `media_type` selects the chunker. `places` maps the text to positions in
    the original, None if unknown; it does not affect versions. `original` is None if the text itself is the document,
    as with markdown, plain text and JSONL.
    """

    uri: str
    title: str
    text: str
    media_type: MediaType = "text/markdown"
    category: str = ""
    language: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # parts of the document that could not be read, for the sync to report; not stored
    places: Places | None = None
    original: Original | None = None


class KnownState(Protocol):
    """What is stored of a document since its last fetch: enough to ask whether it has changed."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint from its connector."""
        ...

    @property
    def validator(self) -> str:
        """The validator from its connector, such as an ETag; empty if there is none."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentProblem:
    """A document that could not be read, or only in part. `uri` is empty if it is unknown."""

    uri: str
    code: str
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentVersion:
    """One state of a document's text."""

    id: UUID
    document_id: UUID
    uri: str
    title: str
    text: str
    media_type: str


class ChunkKind(StrEnum):
    """The chunker whose rules a chunk follows."""

    MARKDOWN = "markdown"
    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """A contiguous span of one document version: `text == version.text[start:end]`.

    `prose` is the text without multi-line code, which is what gets embedded; equal to `text` if there is no such
    code. `overlap` counts the leading characters that repeat the previous chunk. `line` is 1-based. `parent` is the
    position of the parent chunk, by headings or by nesting. `quality` is between 0 and 1 (CHK-3).
    """

    kind: ChunkKind
    start: int
    end: int
    text: str
    prose: str
    breadcrumb: tuple[str, ...]
    line: int
    overlap: int = 0
    parent: int | None = None
    token_count: int = 0
    quality: float = 0.0
