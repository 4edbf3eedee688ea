"""The citation of a quote, and of any span of a passage.

Belongs here: from a place in a passage to its citation. Not here: which places are cited. Guarantee: pure; the span is
that of the document version.
"""

from collections.abc import Sequence

from headwater.domain.answers import Citation
from headwater.domain.places import PlaceRange
from headwater.domain.search import Passage
from headwater.quote.breadcrumbs import breadcrumb_at, format_heading
from headwater.quote.quotes import Quote


def cite_part(passage: Passage, marker: str, start: int, end: int, *, score: float) -> Citation:
    """The citation of a part of a passage, with the headings above it and its place in the original.

    Args:
        passage: where it stands.
        marker: in the answer.
        start: offset in the document version.
        end: offset behind it.
        score: between 0 and 1.
    """
    first, last = start - passage.start, end - passage.start  # in the passage's text
    breadcrumb = breadcrumb_at(passage, first)
    return _cite(passage, marker, (start, end), breadcrumb=breadcrumb, score=score, place=passage.place_of(first, last))


def cite_quote(quote: Quote, marker: str) -> Citation:
    """The citation of a quote; its score is the trust of its passage."""
    passage = quote.passage
    return _cite(
        passage,
        marker,
        (quote.start, quote.end),
        breadcrumb=quote.headings or passage.breadcrumb,
        score=round(passage.scores.trust or 0.0, 4),
        place=quote.place,
    )


def _cite(
    passage: Passage,
    marker: str,
    span: tuple[int, int],
    *,
    breadcrumb: Sequence[str],
    score: float,
    place: PlaceRange | None,
) -> Citation:
    return Citation(
        marker=marker,
        title=format_heading(passage.title, passage.uri),
        uri=passage.uri,
        source=passage.source,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_version_id=passage.document_version_id,
        breadcrumb=tuple(breadcrumb),
        start=span[0],
        end=span[1],
        score=score,
        place=place,
        trust=None if passage.scores.trust is None else round(passage.scores.trust, 4),
    )
