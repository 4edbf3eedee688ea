"""`/kb/<slug>/lineage/<answer>`: why an answer says what it says (UI-4).

Belongs here: the page. Not here: the layout (`lineage_layout`), tracing (`headwater.store`). Guarantee: it shows the
lineage that the API returns; what is no longer kept is said, and leads to no dead end.
"""

from typing import Any
from uuid import UUID

from flask import Blueprint, Response

from headwater.domain.access import Scope
from headwater.domain.answers import StoredAnswer
from headwater.errors import NotFoundError
from query_api.app_context import settings, store
from query_api.guards.route_facts import allow
from query_api.marked_answer import link_markers
from query_api.pages.catalogue import N_, translate
from query_api.pages.lineage_layout import BOX, BOX_HEIGHT, Item, draw
from query_api.pages.navigation import kb_url
from query_api.pages.page_renderer import is_administrator, render
from query_api.pages.turns import passage_url, shorten_text, show_stored_passage, turn_of_answer
from query_api.routes.lineage_payloads import AnswerLineage, CitationLineage

routes = Blueprint("lineage_page", __name__)

_MAX_QUOTE_CHARS = 300  # characters
_UNTITLED = N_("Question not stored")
_STATES = {
    "current": N_("This version is live."),
    "replaced": N_("The document has changed since."),
    "withdrawn": N_("The document was removed from its source."),
    "unpublished": N_("This version was never published."),
    "deleted": N_("The source was deleted, and the text with it."),
    "expired": N_("The version is no longer kept: its retention period has passed."),
}


@routes.get("/kb/<kb>/lineage/<uuid:answer_id>")
@allow(Scope.READ)
def show_lineage(kb: str, answer_id: UUID) -> Response:
    """Trace an answer to the runs that fetched what it cites."""
    owner, answer = store().knowledge_bases.get(kb), store().answers.get(answer_id)
    if answer.knowledge_base != owner.slug:
        raise NotFoundError(f"{kb} has no answer {answer_id}.")
    traced = AnswerLineage.of(answer, settings().dagster_url)
    trusts = {(citation.marker, citation.document_version_id): citation.trust for citation in answer.citations}
    ways = [_way(owner.slug, citation) for citation in traced.citations]
    return render(
        "lineage.html",
        kb=owner,
        answer=answer,
        title=answer.title or answer.question or translate(_UNTITLED),
        url=_answer_url(owner.slug, answer),
        blocks=[
            link_markers(
                block, {citation.marker: f"#citation-{citation.marker.strip('[]')}" for citation in traced.citations}
            )
            for block in turn_of_answer(answer).blocks
        ],
        stale=traced.stale_because,
        drawing=draw(_answer_item(owner.slug, answer), ways) if ways else None,
        box=BOX,
        box_height=BOX_HEIGHT,
        ways=[
            {
                "traced": citation,
                "items": way,
                "words": translate(_STATES.get(citation.state, citation.state)),
                "quote": _quote(answer, citation),
                "trust": trusts.get((citation.marker, citation.document_version_id)),
            }
            for citation, way in zip(traced.citations, ways, strict=True)
        ],
        timings=sorted(answer.timings_ms.items(), key=lambda timing: (timing[0] == "total", -timing[1])),
        unused=_list_unused(owner.slug, answer),
    )


def _quote(answer: StoredAnswer, citation: CitationLineage) -> str:
    """The cited words, from the passages that were stored with the answer; empty if they are not among them."""
    cited_passage = next(
        (passage for passage in answer.passages if str(passage["chunk_id"]) == str(citation.chunk_id)), None
    )
    if cited_passage is None:
        return ""
    first, last = (max(0, offset - cited_passage["start"]) for offset in (citation.start, citation.end))
    return shorten_text(cited_passage["text"][first:last], _MAX_QUOTE_CHARS)


def _answer_url(slug: str, answer: StoredAnswer) -> str:
    if answer.conversation_id is None:
        return "#answer"
    return f"{kb_url(slug, 'chat')}/{answer.conversation_id}?turn={answer.id}#turn-{answer.id}"


def _answer_item(slug: str, answer: StoredAnswer) -> Item:
    title = answer.title or answer.question or translate(_UNTITLED)
    return Item(key="answer", title=title, note=answer.model, url=_answer_url(slug, answer))


def _way(slug: str, citation: CitationLineage) -> list[Item]:
    """From a citation to its run; what is gone leads to the citation's entry on this page."""
    entry = f"#citation-{citation.marker.strip('[]')}"
    version = f"{kb_url(slug, 'documents')}/{citation.document_id}?version={citation.document_version_id}"
    passage = passage_url(slug, citation.document_version_id, citation.start, citation.end)
    is_deleted = citation.unavailable_reason == "source_deleted"
    version_label = (
        translate(N_("Version %(number)s"), number=citation.sequence)
        if citation.sequence is not None
        else translate(N_("Version"))
    )
    return [
        Item(
            key=citation.marker,
            title=citation.title,
            note=citation.marker,
            url=passage if citation.available else entry,
        ),
        Item(
            key=str(citation.chunk_id),
            title=translate(N_("Chunk %(id)s"), id=str(citation.chunk_id)[:8]),
            note=citation.place.label if citation.place else f"{citation.start:,}–{citation.end:,}",
            url=f"{version}&chunk={citation.chunk_id}#chunk" if citation.available else entry,
        ),
        Item(
            key=str(citation.document_version_id),
            title=version_label if citation.available else translate(N_("%(version)s, gone"), version=version_label),
            note=citation.uri,
            url=version if citation.available else entry,
        ),
        Item(
            key=citation.source,
            title=citation.source,
            note=translate(N_("deleted")) if is_deleted else "",
            url=entry if is_deleted else f"{kb_url(slug, 'sources')}/{citation.source}",
        ),
        Item(
            key=citation.run_id,
            title=translate(N_("Run %(id)s"), id=citation.run_id[:8]),
            note=citation.code_version,
            url=citation.run_url if is_administrator() else entry,
        ),
    ]


def _list_unused(slug: str, answer: StoredAnswer) -> list[dict[str, Any]]:
    """The passages that were found, of which no citation cites a part."""
    cited = [(citation.document_version_id, citation.start, citation.end) for citation in answer.citations]
    unused = []
    for passage in answer.passages:
        version, start, end = UUID(str(passage["document_version_id"])), passage["start"], passage["end"]
        if any(version == other_version and start < last and first < end for other_version, first, last in cited):
            continue
        unused.append(show_stored_passage(passage, slug))
    return unused
