"""The links of published documents, as people and programs read them (GRA-1).

Belongs here: links of a document and of a symbol, dead links, and the defects that checks count. Not here: writing
(`links`), following them in a search (`passage_links`). Guarantee: only what an index serves is returned; what a link
leads to is found at this moment, so nothing here is out of date.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.links import DocumentLinks, LinkEnd, LinkKind, ReferenceCount, ResolvedLink, Symbol
from headwater.domain.search import SearchIndex
from headwater.store.search.index_health import Finding
from headwater.store.server.database import Database
from headwater.store.server.query_session import Row

LINK_LIMIT = 1_000
"""The most links that are read in each direction."""
_CANDIDATE_LIMIT = 10_000
"""Of how many links of code it is found out where they lead, for one direction: it bounds the time of a request."""

# A link without an ending, or with one of these, names a document; others, such as pictures, may not be documents.
_DOCUMENT = re.compile(r"(?:\A|/)(?:[^/]+\.(?:mdx?|markdown|rst|html?|txt|adoc|ipynb|pdf|docx)|[a-z][^/.]*)/?\Z")
_TEXTS = 100  # links whose documents are read at once
_MAX_WORDS = 200  # characters
_WORDS = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]")
_SEPARATORS = re.compile(r"::|#|->")


class LinkReader:
    """Reads the links table by the views `resolved_links` and `described_links`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_document(self, index: SearchIndex | None, document_id: UUID, uri: str) -> DocumentLinks:
        """The links from and to a document.

        Args:
            index: the index that readers see, or None if there is none yet.
            document_id: the document.
            uri: its URI.
        """
        if index is None:
            return DocumentLinks(outgoing=(), incoming=(), is_truncated=False)
        parameters = {"search_index_id": index.id, "document_id": document_id, "limit": LINK_LIMIT + 1}
        out = self._rows("links_from_document", **parameters)
        used = self._rows("uses_of_document", **parameters, candidates=_CANDIDATE_LIMIT)
        into = [*self._rows("references_to_document", **parameters, uri=uri), *used]
        return DocumentLinks(
            outgoing=tuple(map(_link, out[:LINK_LIMIT])),
            incoming=tuple(map(_link, into[:LINK_LIMIT])),
            is_truncated=len(out) > LINK_LIMIT or len(into) > LINK_LIMIT,
        )

    def documents_of_uri(self, index: SearchIndex, uri: str) -> list[UUID]:
        """The published documents with a URI: at most one of each source."""
        return [row["id"] for row in self._rows("document_of_uri", search_index_id=index.id, uri=uri)]

    def symbol(self, index: SearchIndex | None, name: str) -> Symbol:
        """A symbol with its definitions, and what uses it; without any if the index has none of this name.

        Args:
            index: the index that readers see, or None if there is none yet.
            name: its name, or the end of its qualified name, such as `Pump.lift` or `works.pump.Pump.lift`.
        """
        symbol_name = _SEPARATORS.sub(".", name.strip()).removesuffix("()")
        if index is None or not symbol_name:
            return Symbol(name=name, definitions=(), callers=(), importers=(), possible=(), uses=())
        last = re.split(r"[./]", symbol_name)[-1]
        parameters = {"search_index_id": index.id, "name": last, "limit": LINK_LIMIT}
        defined = self._rows("definitions_of_symbol", **parameters, symbol=symbol_name)
        if not defined and "." in symbol_name:  # a file may be a symbol: `k.h`
            parameters["name"] = posixpath.basename(symbol_name)
            defined = self._rows("definitions_of_symbol", **parameters, symbol=symbol_name)
        places = {
            "symbols": [row["targets"][0] for row in defined],
            "document_ids": [row["document_id"] for row in defined],
            "candidates": _CANDIDATE_LIMIT,
        }
        families = [row["family"] for row in defined]
        used = self._rows("uses_of_symbol", **parameters, **places, families=families)
        resolved_uses = [row for row in used if row["target_document_id"] is not None]
        within = self._rows("calls_within", search_index_id=index.id, limit=LINK_LIMIT, **places)
        return Symbol(
            name=name,
            definitions=tuple(_definition(row) for row in defined),
            callers=tuple(_origin(row) for row in resolved_uses if row["kind"] == LinkKind.CALLS),
            importers=tuple(_origin(row) for row in resolved_uses if row["kind"] == LinkKind.IMPORTS),
            possible=tuple(_origin(row) for row in used if row["target_document_id"] is None),
            uses=tuple(map(_link, within)),
        )

    def dead(self, knowledge_base: KnowledgeBase, index: SearchIndex | None) -> list[ResolvedLink]:
        """The links to documents that are not there, by source and document.

        A link counts if it is a relative path that looks like a document's, or leads to a document that was removed. An
        address outside is not opened, and where a site has its root (`/a`) is not known.
        """
        if index is None:
            return []
        rows = self._rows("unresolved_references", search_index_id=index.id, knowledge_base_id=knowledge_base.id)
        return [_link(row, is_dead=True) for row in rows if row["was_there"] or _names_document(row)]

    def words_of(self, index: SearchIndex | None, links: Sequence[ResolvedLink]) -> list[str]:
        """The words of links, such as `the guide` of `[the guide](guide.md)`; empty for a link without words."""
        if index is None:
            return []
        texts: dict[UUID, str] = {}
        words: list[str] = []
        for begin in range(0, len(links), _TEXTS):
            batch = links[begin : begin + _TEXTS]
            missing_ids = {link.origin.document_id for link in batch} - texts.keys()
            texts = {id_: texts[id_] for id_ in {link.origin.document_id for link in batch} & texts.keys()}
            rows = self._rows("published_texts", search_index_id=index.id, document_ids=list(missing_ids))
            texts |= {row["document_id"]: row["text"] for row in rows}
            words += [_find_words(texts.get(link.origin.document_id, ""), link.offset) for link in batch]
        return words

    def reference_counts(self, index: SearchIndex, dead: Sequence[ResolvedLink]) -> list[ReferenceCount]:
        """For each source: how many links to documents it has, how many lead to one, and how many are dead."""
        lost = Counter(link.origin.source for link in dead)
        rows = self._rows("reference_counts", search_index_id=index.id)
        return [
            ReferenceCount(source=row["slug"], count=row["count"], resolved=row["resolved"], dead=lost[row["slug"]])
            for row in rows
        ]

    def without_links(self, index: SearchIndex, documents: Sequence[UUID] | None) -> Finding:
        """Published documents whose links were not read, all or some."""
        return self._find(
            "documents_without_links", search_index_id=index.id, document_ids=documents and list(documents)
        )

    def without_origin(self, documents: Sequence[UUID] | None) -> Finding:
        """Links whose version or document is gone."""
        return self._find("links_without_origin", document_ids=documents and list(documents))

    def _find(self, query: str, **values: Any) -> Finding:
        (row,) = self._rows(query, **values)
        return Finding(count=row["count"], examples=tuple(row["examples"]))

    def _rows(self, query: str, **values: Any) -> list[Row]:
        return self._database.rows(query, **values)


def _find_words(text: str, offset: int) -> str:
    """The words of the link at a place of a markdown text, in one line."""
    match = _WORDS.match(text[offset : offset + _MAX_WORDS])
    return " ".join(match[1].split()) if match else ""


def _names_document(row: Row) -> bool:
    path = str(row["name"]).partition("#")[0].partition("?")[0]
    is_relative = not path.startswith("/") and "://" not in str(row["targets"][0])
    return is_relative and bool(_DOCUMENT.search(path))


def _origin(row: Row) -> LinkEnd:
    return LinkEnd(
        document_id=row["document_id"],
        source=row["origin_source"],
        uri=row["origin_uri"],
        title=row["origin_title"],
        line=row["origin_line"],
        chunk_id=row["origin_chunk_id"],
        symbol=row["origin_symbol"],
    )


def _definition(row: Row) -> LinkEnd:
    return LinkEnd(
        document_id=row["document_id"],
        source=row["origin_source"],
        uri=row["origin_uri"],
        title=row["origin_title"],
        line=row["origin_line"],
        chunk_id=row["origin_chunk_id"],
        symbol=row["targets"][0],
    )


def _target(row: Row) -> LinkEnd | None:
    if row["target_document_id"] is None:
        return None
    return LinkEnd(
        document_id=row["target_document_id"],
        source=row["target_source"],
        uri=row["target_uri"],
        title=row["target_title"],
        line=row["target_line"],
        chunk_id=row["target_chunk_id"],
        symbol=row["target_symbol"],
    )


def _link(row: Row, *, is_dead: bool = False) -> ResolvedLink:
    return ResolvedLink(
        kind=LinkKind(row["kind"]),
        name=row["name"],
        qualified=row["targets"][0] if row["targets"] and row["kind"] != LinkKind.REFERENCES else "",
        origin=_origin(row),
        target=_target(row),
        is_dead=is_dead,
        offset=row["start_offset"],
    )
