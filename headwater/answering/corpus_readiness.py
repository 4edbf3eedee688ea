"""Whether there is anything to answer from (ANS-7).

Belongs here: the errors for a knowledge base without documents, filters that select none, and a first sync that has
not ended. Not here: documents that do not answer the question, which is a refusal (`refusal`). Guarantee: an error
says what to do; it costs no query if there are passages.
"""

from headwater.answering.answer_evidence import Evidence
from headwater.domain.search import SearchFilters
from headwater.errors import NoDocumentsError, ProcessingIncompleteError
from headwater.store.store import Store
from headwater.store.work.readiness import SourceReadiness

_RETRY_AFTER = 10  # seconds
_NAMED = 3  # sources


def require_documents(store: Store, evidence: Evidence) -> None:
    """Check that the documents which a request selects exist.

    Raises:
        NoDocumentsError: the knowledge base has no documents, or the filters select none.
        ProcessingIncompleteError: the first sync of the sources is waiting or running.
    """
    result = evidence.found
    if result.passages or result.dropped:
        return
    slug = evidence.knowledge_base.slug
    # A keyword search that finds nothing says nothing about the filters, unless they leave nothing.
    is_filtered_out = result.is_nothing_left or (evidence.filters != SearchFilters() and not result.is_by_words)
    if result.as_of is not None:
        if is_filtered_out or not result.is_by_words:
            what = "documents that match the filters" if is_filtered_out else "documents"
            past = f"{slug} showed readers no {what} as of {result.as_of.isoformat()}."
            raise NoDocumentsError(" ".join([past, *result.notes]))
        return
    sources = store.readiness.of(evidence.knowledge_base, evidence.filters.sources)
    if not any(source.has_documents for source in sources):
        raise _not_ready_error(slug, sources)
    if is_filtered_out:
        advice = " ".join(result.notes) or "Widen or drop them."
        raise NoDocumentsError(f"No document of {slug} matches the filters. {advice}")


def _not_ready_error(slug: str, sources: list[SourceReadiness]) -> NoDocumentsError | ProcessingIncompleteError:
    if not sources:
        return NoDocumentsError(
            f"{slug} has no sources, so there is nothing to answer from. Add one: `headwater add {slug} ADDRESS`."
        )
    if waiting := [source for source in sources if source.has_open_sync]:
        progress = "; ".join(_progress(source) for source in waiting[:_NAMED])
        rest_text = f"; and {len(waiting) - _NAMED} more" if len(waiting) > _NAMED else ""
        return ProcessingIncompleteError(
            f"{slug} has no documents to answer from yet: {progress}{rest_text}. Ask again when the first sync has "
            f"ended; `headwater syncs {slug}` shows how far it is.",
            retry_after=_RETRY_AFTER,
        )
    if failed := [source for source in sources if source.error]:
        return NoDocumentsError(
            f"{slug} has no documents to answer from, because the last sync of {failed[0].source} failed: "
            f"{(failed[0].error or '').rstrip('.')}. When that is corrected, run `headwater sync {slug}`."
        )
    if any(source.was_synced for source in sources):
        return NoDocumentsError(
            f"{slug} has no documents to answer from: its sources are empty. `headwater status` says what "
            "they left out."
        )
    return NoDocumentsError(
        f"{slug} has no documents to answer from, because its sources were not synced yet. Run `headwater sync {slug}`."
    )


def _progress(source: SourceReadiness) -> str:
    if not source.is_syncing:
        return f"source {source.source} is waiting for its sync, which Dagster's sensor `requested_syncs` starts"
    if source.documents_total is None:
        return f"source {source.source} is being listed"
    return f"source {source.source} is being synced ({source.documents_done} of {source.documents_total} documents)"
