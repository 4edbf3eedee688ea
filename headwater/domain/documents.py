"""Documents, their versions and chunks.

Belongs here: these nouns and their fields. Not here: how they are read, cut or stored. Guarantee: nothing here does
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
    """The file that a document's text was taken from, such as a PDF; kept by its hash (`headwater.files`)."""

    content: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedDocument:
    """The text of one document, ready to be versioned.

    `metadata` is what the document says about itself, JSON values only; `references` are the URIs that it links to
    within its source, in order of appearance. `media_type` chooses the chunker. `places` says where in the original the
    text stands, None when nobody knows; it is no part of what makes a version. `original` is None where the text is
    the document, as of markdown, plain text and JSONL.
    """

    uri: str
    title: str
    text: str
    media_type: MediaType = "text/markdown"
    category: str = ""
    language: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what of the document could not be read, for the sync to report; not stored
    places: Places | None = None
    original: Original | None = None


class Known(Protocol):
    """What is stored of a document as it was fetched last: enough to ask whether it has changed since."""

    @property
    def fingerprint(self) -> str:
        """The one that its connector gave."""
        ...

    @property
    def validator(self) -> str:
        """The one that its connector gave, such as an ETag; empty when it gave none."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentProblem:
    """One document that could not be read, or was read in part. `uri` is empty when even that is unknown."""

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
    """Which chunker's rules a chunk follows."""

    MARKDOWN = "markdown"
    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """A contiguous span of one document version: `text == version.text[start:end]`.

    `prose` is the text without multi-line code, which is what gets embedded; equal to `text` where there is no such
    code. `overlap` counts the leading characters that repeat the chunk before. `line` is 1-based. `parent` is the
    position of the chunk that it stands under, by headings or by nesting. `outgoing` are the targets of its links as
    they are written; `quality` is between 0 and 1 (CHK-3).
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
    outgoing: tuple[str, ...] = ()
    token_count: int = 0
    quality: float = 0.0
