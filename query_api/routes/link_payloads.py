"""Shapes of links.

Belongs here: links, symbols and dead links, and the address that a picture opens. Not here: reading them
(`headwater.store.content.link_reader`).
"""

from collections.abc import Sequence
from uuid import UUID

from pydantic import BaseModel

from headwater.domain.links import DocumentLinks, LinkEnd, LinkKind, ResolvedLink, Symbol


class LinkEndPayload(BaseModel):
    """A place at one end of a link: `symbol` is the definition there, empty for the whole document."""

    document_id: UUID
    source: str
    uri: str
    title: str
    line: int
    chunk_id: UUID | None
    symbol: str

    @classmethod
    def of(cls, end: LinkEnd) -> "LinkEndPayload":
        """Make it from an end."""
        return cls(
            document_id=end.document_id,
            source=end.source,
            uri=end.uri,
            title=end.title,
            line=end.line,
            chunk_id=end.chunk_id,
            symbol=end.symbol,
        )


class LinkPayload(BaseModel):
    """A link; `target` is null if it leads to nothing that readers see. `name` is the link as written, or the symbol's.

    `qualified` is the name of the symbol as far as the code says it.
    """

    kind: LinkKind
    name: str
    qualified: str
    origin: LinkEndPayload
    target: LinkEndPayload | None

    @classmethod
    def of(cls, link: ResolvedLink) -> "LinkPayload":
        """Make it from a link."""
        return cls(
            kind=link.kind,
            name=link.name,
            qualified=link.qualified,
            origin=LinkEndPayload.of(link.origin),
            target=None if link.target is None else LinkEndPayload.of(link.target),
        )


class DocumentLinksPayload(BaseModel):
    """The links from a document (`out`, with its definitions) and to it (`in`); `truncated` if there are more."""

    document_id: UUID
    uri: str
    out: list[LinkPayload]
    into: list[LinkPayload]
    truncated: bool

    @classmethod
    def of(cls, document_id: UUID, uri: str, links: DocumentLinks) -> "DocumentLinksPayload":
        """Make it from the links of a document."""
        return cls(
            document_id=document_id,
            uri=uri,
            out=[LinkPayload.of(link) for link in links.outgoing],
            into=[LinkPayload.of(link) for link in links.incoming],
            truncated=links.is_truncated,
        )


class SymbolPayload(BaseModel):
    """A symbol of code: its definitions, what calls and imports it, and the calls (`uses`) that it contains.

    `possible` are calls of the name whose target the code does not say.
    """

    name: str
    definitions: list[LinkEndPayload]
    callers: list[LinkEndPayload]
    importers: list[LinkEndPayload]
    possible: list[LinkEndPayload]
    uses: list[LinkPayload]

    @classmethod
    def of(cls, symbol: Symbol) -> "SymbolPayload":
        """Make it from a symbol."""
        return cls(
            name=symbol.name,
            definitions=[LinkEndPayload.of(end) for end in symbol.definitions],
            callers=[LinkEndPayload.of(end) for end in symbol.callers],
            importers=[LinkEndPayload.of(end) for end in symbol.importers],
            possible=[LinkEndPayload.of(end) for end in symbol.possible],
            uses=[LinkPayload.of(link) for link in symbol.uses],
        )


class DeadLinkPayload(BaseModel):
    """A link to a document that is not there: its target as written, its words, and where it stands."""

    link: str
    words: str
    origin: LinkEndPayload


class DeadLinkList(BaseModel):
    """The dead links of a knowledge base, by source and document."""

    dead_links: list[DeadLinkPayload]

    @classmethod
    def of(cls, links: Sequence[ResolvedLink], words: Sequence[str]) -> "DeadLinkList":
        """Make it from dead links and their words."""
        return cls(
            dead_links=[
                DeadLinkPayload(link=link.name, words=link_words, origin=LinkEndPayload.of(link.origin))
                for link, link_words in zip(links, words, strict=True)
            ]
        )


def address_of(end: LinkEnd, api_url: str) -> str:
    """The address that opens an end of a link: the page itself, or the document in the API."""
    return end.uri if end.uri.startswith(("http://", "https://")) else f"{api_url}/api/v1/documents/{end.document_id}"
