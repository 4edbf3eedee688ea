"""Links: from a place in a document to another document, or to a symbol of code.

Belongs here: these classes and their fields. Not here: reading and resolving links. Guarantee: nothing here does input
or output.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID


class LinkKind(StrEnum):
    """What a link says: a document refers to another one; code defines, imports or calls a symbol."""

    REFERENCES = "references"
    DEFINES = "defines"
    IMPORTS = "imports"
    CALLS = "calls"


class Link(NamedTuple):
    """A link as a document's text states it, which does not say whether the target exists.

    `targets` are the names that it may mean, the likeliest first: URIs of documents, or qualified names of symbols;
    none if the text does not say. `name` is the link as written, or the last part of the symbol's name. `family` is the
    language for symbols, `origin` the qualified name of the definition in which it stands (empty outside any), and
    `offset` its place in the text.
    """

    kind: LinkKind
    name: str
    targets: tuple[str, ...]
    offset: int
    family: str = ""
    origin: str = ""
    anchor: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkEnd:
    """A document at one end of a link; `symbol` is the definition there, empty for the whole document.

    `line` counts from 1. `chunk_id` is the chunk that contains the line, in the index that serves readers.
    """

    document_id: UUID
    source: str
    uri: str
    title: str
    line: int
    chunk_id: UUID | None
    symbol: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ResolvedLink:
    """A link of a published document; `target` is None if it leads to nothing that is published.

    `qualified` is the likeliest qualified name of a symbol, empty if the code does not say. `is_dead` says that the
    link names a document that ought to be there and is not. `offset` is its place in the text.
    """

    kind: LinkKind
    name: str
    qualified: str
    origin: LinkEnd
    target: LinkEnd | None
    is_dead: bool = False
    offset: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Symbol:
    """A symbol of code: where it is defined, and where it is called and imported.

    `possible` are calls of this name whose target the code does not say, such as those of a method of an unknown
    object. `uses` are the calls that its own definitions contain, as far as they lead to a definition.
    """

    name: str
    definitions: tuple[LinkEnd, ...]
    callers: tuple[LinkEnd, ...]
    importers: tuple[LinkEnd, ...]
    possible: tuple[LinkEnd, ...]
    uses: tuple[ResolvedLink, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentLinks:
    """The links from and to a document; `is_truncated` says that there are more."""

    outgoing: tuple[ResolvedLink, ...]
    incoming: tuple[ResolvedLink, ...]
    is_truncated: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ReferenceCount:
    """A source's links to documents: how many there are, lead to a document, and are dead; the others lead outside."""

    source: str
    count: int
    resolved: int
    dead: int
