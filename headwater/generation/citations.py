"""The numbered citations of a reply.

Belongs here: numbering, and the citation of a support or of a quote. Not here: what supports a statement (`support`).
Guarantee: each marker has exactly one citation, of a source that the model was given, or of the quote beneath its
reply; numbers count from 1 in the order in which they come out; a place that is cited again keeps its number.
"""

from collections.abc import Iterable, Iterator

from headwater.domain.answers import Citation
from headwater.generation.support_span import Support
from headwater.quote.citation import cite_part, cite_quote
from headwater.quote.quotes import Quote


class CitationList:
    """The citations so far."""

    def __init__(self) -> None:
        self.citations: list[Citation] = []

    def cite(self, supports: Iterable[Support]) -> Iterator[tuple[str, Citation | None]]:
        """Yield the markers of supports, each once, with the citations that are new."""
        markers = set()
        for support in supports:
            earlier = next((citation for citation in self.citations if _covers(citation, support)), None)
            citation = earlier or _of_support(self._next_marker(), support)
            if citation.marker in markers:
                continue
            markers.add(citation.marker)
            if earlier is None:
                self.citations.append(citation)
            yield citation.marker, None if earlier else citation

    def cite_quote(self, quote: Quote) -> tuple[str, Citation | None]:
        """The marker of a quote, and its citation if its span is not cited yet."""
        version = quote.passage.document_version_id
        span = (version, quote.start, quote.end)
        earlier = next(
            (
                citation
                for citation in self.citations
                if (citation.document_version_id, citation.start, citation.end) == span
            ),
            None,
        )
        if earlier is not None:
            return earlier.marker, None
        citation = cite_quote(quote, self._next_marker())
        self.citations.append(citation)
        return citation.marker, citation

    def _next_marker(self) -> str:
        return f"[{len(self.citations) + 1}]"


def _covers(citation: Citation, support: Support) -> bool:
    passage = support.passage
    start, end = passage.start + support.start, passage.start + support.end
    is_same = citation.document_version_id == passage.document_version_id
    return is_same and citation.start <= start and end <= citation.end


def _of_support(marker: str, support: Support) -> Citation:
    start, end = support.passage.start + support.start, support.passage.start + support.end
    return cite_part(support.passage, marker, start, end, score=support.score)
