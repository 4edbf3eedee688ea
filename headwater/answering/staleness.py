"""Why a stored answer is stale (ANS-2).

Belongs here: the reasons, as sentences. Not here: the decision whether an answer is served again, which is the same one
in SQL (`answer_is_stale` of `headwater/store/work/answers.sql`). Guarantee: pure; there is a reason exactly if the
answer is stale.
"""

from collections.abc import Iterator
from uuid import UUID

from headwater.domain.answers import StoredAnswer, StoredCitation
from headwater.domain.moments import format_moment
from headwater.domain.summaries import name_of
from headwater.domain.versions import is_current


def stale_because(answer: StoredAnswer) -> tuple[str, ...]:
    """Why an answer is stale, one sentence for each reason; empty if it is not."""
    deleted = list(_list_deleted(answer))
    if answer.source_revisions is None:
        return tuple(deleted)
    change_texts = [
        f"Documents of source {source.source}, or its tags or category, were added or changed after this answer, last"
        f" at {format_moment(source.changed_at)}."
        for source in answer.changed_sources
    ]
    return (*deleted, *_documents(answer), *_summaries(answer), *change_texts)


def _list_deleted(answer: StoredAnswer) -> Iterator[str]:
    if answer.stale_at is None:
        return
    gone = {citation.source: citation.source_deleted_at for citation in answer.citations if not citation.has_source}
    for source, deleted_at in gone.items() or {"": None}.items():
        source_name = f"Source {source}" if source else "A source"
        yield f"{source_name}, which this answer cites, was deleted at {format_moment(deleted_at or answer.stale_at)}."


def _documents(answer: StoredAnswer) -> Iterator[str]:
    """Cited documents that readers see no longer, or in another version."""
    by_document: dict[UUID, list[StoredCitation]] = {}
    for citation in answer.citations:
        if citation.has_source and not is_current(citation.visible):
            by_document.setdefault(citation.document_id, []).append(citation)
    for cited in by_document.values():
        first, markers = cited[0], " and ".join(citation.marker for citation in cited)
        yield f"{first.uri} of source {first.source}, cited as {markers}, {_what_happened(first)}."


def _summaries(answer: StoredAnswer) -> Iterator[str]:
    """Cited summaries that were made again, or whose source or knowledge base has none any more."""
    by_title = {summary.title: summary for summary in answer.summaries if summary.marker in answer.changed_summaries}
    for title, first in by_title.items():
        summary_name = name_of(first.kind, title)
        yield f"The summary of {summary_name}, cited as {first.marker}, was made again or deleted."


def _what_happened(citation: StoredCitation) -> str:
    last = citation.visible[-1] if citation.visible else None
    if last is None or last.withdrawn_at is None:
        return "is no longer kept in this version" if not citation.is_available else "was changed"
    what = "was changed" if last.replaced_by else "disappeared from its source"
    return f"{what} at {format_moment(last.withdrawn_at)}"
