"""`/kb/<slug>/documents` and `/kb/<slug>/documents/<id>`: what was read, beside what was made of it (UI-3).

Belongs here: the list and the page of one document. Not here: the timeline and the diff themselves, the passage that a
citation cites (`passages`). Guarantee: a page reads a bounded number of rows, whatever the size of the knowledge base;
of a long text it shows the part around the chosen chunk.
"""

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from flask import Blueprint, Response, request

from headwater.domain.access import Scope
from headwater.domain.code_files import EXTENSIONS
from headwater.domain.corpus import KnowledgeBase
from headwater.domain.versions import ChunkSpan, StoredChunk, StoredVersion, VersionChunks
from headwater.errors import NotFoundError
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.pages.diff import difference
from query_api.pages.highlight import highlight_span
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import render, words
from query_api.pages.timeline import GROUPS, HEIGHT, MAX_CHUNKS, level, timeline
from query_api.pages.turns import file_type
from query_api.response_urls import asset_url, find_run_url, partition_url, run_url
from query_api.routes.lineage_payloads import find_state
from query_api.routes.place_payloads import PlacePayload, original_url, place_link

routes = Blueprint("documents_page", __name__)

_MAX_DOCUMENTS = 50  # documents on a page
_MAX_VERSIONS = 50
_MOST_FIELDS, _LONGEST_VALUE = 40, 300  # of metadata
_MAX_REFERENCES = 30
_MAX_QUERY_CHARS = 200  # characters of a text to find
_BEFORE, _AFTER = 400, 4_000  # characters that are shown beside the chosen chunk: it must be seen without scrolling
_HEADING = re.compile(r"<(/?)h[1-6]>")  # of the text; a part of it may begin below its first heading
_WEB = ("http://", "https://")


@routes.get("/kb/<kb>/documents")
@allow(Scope.READ)
def show_documents(kb: str) -> Response:
    """List the documents by URI; `source` and `find` choose some of them."""
    owner, url = store().knowledge_bases.get(kb), settings().dagster_url
    source, text = (request.args.get(name, "")[:_MAX_QUERY_CHARS].strip() for name in ("source", "find"))
    last_id = request.args.get("after", None, UUID)
    documents = store().overviews.all_documents(
        owner, source=source, text=text, after=last_id, limit=_MAX_DOCUMENTS + 1
    )
    return render(
        "documents.html",
        kb=owner,
        documents=documents[:_MAX_DOCUMENTS],
        following=documents[_MAX_DOCUMENTS - 1].id if len(documents) > _MAX_DOCUMENTS else None,
        after=last_id,
        find=text,
        source=source,
        sources=[known_source.source for known_source in store().sources.names(owner.slug)],
        dagster=None if owner.managed_by else _asset_url(url, owner.slug, source),
    )


@routes.get("/kb/<kb>/documents/<uuid:document_id>")
@allow(Scope.READ)
def show_document(kb: str, document_id: UUID) -> Response:
    """Show a document: `version` is the one to show, `chunk` the chosen chunk, `diff` compares with the one before."""
    owner, document = store().knowledge_bases.get(kb), store().versions.document(document_id)
    if document.knowledge_base != owner.slug:
        raise NotFoundError(f"{kb} has no document {document_id}.")
    history = store().versions.history(document_id, with_chunk_sets=False)
    version_id = request.args.get("version", None, UUID) or document.current_version_id or document.newest_version_id
    version = next((candidate for candidate in history if candidate.id == version_id), None)
    if version is None:
        raise NotFoundError(f"This document has no version {version_id}, or it is no longer kept.")
    return render(
        "document.html",
        kb=owner,
        document=document,
        version=version,
        type=file_type(version.uri).upper() or version.media_type,
        url=f"{kb_url(owner.slug, 'documents')}/{document_id}",
        versions=[_describe_version(listed_version) for listed_version in history[:_MAX_VERSIONS]],
        hidden_versions=max(0, len(history) - _MAX_VERSIONS),
        compared=_compare_versions(version, history) if "diff" in request.args else None,
        dagster=find_run_url(version.outside_url, version.run_id)
        or _asset_url(settings().dagster_url, document.knowledge_base, document.source),
        run=run_url(version.outside_url or settings().dagster_url, version.run_id),
        link=document.uri if document.uri.startswith(_WEB) else None,
        original=original_url(version.id, None) if store().originals.among({version.id}) else None,
        fields=_fields(version),
        height=HEIGHT,
        **_parts(owner, version),
    )


def _parts(owner: KnowledgeBase, version: StoredVersion) -> dict[str, Any]:
    """The timeline, the chosen chunk and the text."""
    chunk_id = request.args.get("chunk", None, UUID)
    chunks = store().versions.chunks_of(version.id, chunk_id, most=MAX_CHUNKS, groups=GROUPS)
    chunk = store().versions.chunk(chunk_id) if chunk_id else None
    if chunk and (chunk.document_id != version.document_id or chunk.knowledge_base != owner.slug):
        raise NotFoundError(f"This document has no chunk {chunk_id}.")
    return {
        "chunk_count": chunks.count,
        "rows": timeline(chunks.groups, chunks.around),
        "chunk": _describe_chunk(version, chunk, chunks) if chunk else None,
        "first_chunk": chunks.groups[0].id if chunks.groups else None,
        "text": _text(version, chunks.chosen),
    }


def _describe_chunk(version: StoredVersion, chunk: StoredChunk, chunks: VersionChunks) -> dict[str, Any]:
    """What the page says of the chosen chunk; without a span, the version is not split like that any more."""
    span = chunks.chosen
    place = None
    if span:
        (places,) = store().places.of_spans([(version.id, span.start, span.end)])
        place_range = (
            places.between(span.start, span.end, text=chunk.text, offset=span.start, line=span.line) if places else None
        )
        place = PlacePayload.model_validate(place_range) if place_range else None
    return {
        "kept": chunk,
        "number": span.number if span else None,
        "level": level(chunk.quality),
        "place": place.label if place else "",
        "link": link if (link := place_link(version.uri, place)) and link.startswith(_WEB) else None,
        "references": chunk.outgoing[:_MAX_REFERENCES],
        "more_references": max(0, len(chunk.outgoing) - _MAX_REFERENCES),
        "before": span.before if span else None,
        "after": span.after if span else None,
    }


def _text(version: StoredVersion, span: ChunkSpan | None) -> dict[str, Any]:
    """The version's text around a span, or from its beginning; of a long text no more than that is read."""
    start, end = (span.start, span.end) if span else (0, 0)
    first = max(0, start - 2 * _BEFORE)
    excerpt = store().versions.text_part(version.id, first, end + _AFTER - first)
    line = excerpt.text.rfind("\n", 0, max(0, start - _BEFORE - first)) + 1
    shown_text, offset = excerpt.text[line:], first + line
    is_markdown = version.media_type not in ("text/plain", *EXTENSIONS)
    html = highlight_span(shown_text, start - offset, end - offset, is_markdown=is_markdown)
    return {
        "html": _HEADING.sub(r"<\1h3>", html),
        "characters": excerpt.character_count,
        "is_cut_before": offset > 0,
        "is_cut_after": offset + len(shown_text) < excerpt.character_count,
    }


def _describe_version(version: StoredVersion) -> dict[str, Any]:
    state, since = find_state(version.visible, is_newest=version.is_newest)
    return {
        "kept": version,
        "state": state,
        "since": since,
        "run": run_url(version.outside_url or settings().dagster_url, version.run_id),
    }


def _compare_versions(version: StoredVersion, history: Sequence[StoredVersion]) -> dict[str, Any]:
    """The version before the one that is shown, and what changed since; `history` is newest first."""
    previous = next((candidate for candidate in history if candidate.sequence < version.sequence), None)
    if previous is None:
        return {"before": None, "difference": None}
    old, new = (store().versions.get(compared.id).text or "" for compared in (previous, version))
    return {"before": previous, "difference": difference(old, new)}


def _fields(version: StoredVersion) -> list[tuple[str, str]]:
    """The metadata of the version, cut to what people read."""
    fields = list(version.metadata.items())[:_MOST_FIELDS]
    return [
        (str(name)[:_MAX_QUERY_CHARS], words(value)[:_LONGEST_VALUE])
        for name, value in fields
        if value not in (None, "", [])
    ]


def _asset_url(dagster_url: str, knowledge_base: str, source: str) -> str:
    if not source:
        return asset_url(dagster_url, "documents")
    return partition_url(dagster_url, "documents", f"{knowledge_base}/{source}")
