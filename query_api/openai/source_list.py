"""Citations as OpenAI's clients show them.

Belongs here: the list of sources below a text, annotations. Not here: the shape of citations
(`query_api.routes.citation_payloads`). Guarantee: pure; every address can be opened; a list that was added to a text
can be found and removed again.
"""

import re
from collections.abc import Sequence
from typing import Any

from query_api.response_urls import address_of
from query_api.routes.citation_payloads import CitationPayload, CitedPayload, join_citations

_HEADING = "**Sources**"
_ITEM = re.compile(r"- (?:\[\d+\])+ \[")
_ESCAPED = r"\\\1"
_SPECIAL = re.compile(r"([\\\[\]`*_<>])")


def source_list(citations: Sequence[CitationPayload], root: str) -> str:
    """The list of sources that follows an answer's text, with the blank line before it; empty without citations."""
    if not citations:
        return ""
    addresses = {
        (citation.marker, citation.document_version_id): address_of(citation, root, citation.original)
        for citation in citations
    }
    lines = [
        _line(citation, addresses[citation.markers[0], citation.document_version_id])
        for citation in join_citations(citations)
    ]
    return "\n".join([f"\n\n{_HEADING}\n", *lines])


def without_sources(text: str) -> str:
    """A text without the list of sources at its end."""
    answer_text, heading, listed = text.rpartition(f"{_HEADING}\n\n")
    items = listed.rstrip("\n").split("\n")
    is_list = bool(heading) and all(_ITEM.match(item) and "](" in item for item in items)
    return answer_text.rstrip() if is_list else text


def annotations(citations: Sequence[CitationPayload], text: str, root: str) -> list[dict[str, Any]]:
    """The place of each citation's marker in a text, with the address that it stands for."""
    links = []
    for citation in citations:
        start = text.find(citation.marker)
        if start >= 0:
            link = {
                "start_index": start,
                "end_index": start + len(citation.marker),
                "title": citation.title,
                "url": address_of(citation, root, citation.original),
            }
            links.append({"type": "url_citation", "url_citation": link})
    return links


def _line(citation: CitedPayload, address: str) -> str:
    title = _SPECIAL.sub(_ESCAPED, " ".join((citation.title or citation.uri).split()))
    place = f", {_SPECIAL.sub(_ESCAPED, citation.place.label)}" if citation.place and citation.place.label else ""
    return f"- {''.join(citation.markers)} [{title}]({address}){place}"
