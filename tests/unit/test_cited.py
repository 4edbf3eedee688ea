"""The list of sources below an answer: neighbouring places are one line (ANS-3)."""

import uuid
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cli.result_texts import format_source
from headwater.domain.answers import Citation
from headwater.domain.places import PlaceKind, PlaceRange
from query_api.routes.citation_payloads import CitationPayload, CitedPayload, join_citations


def _citation(number: int, page: int | None, document: str = "a.pdf", **values: Any) -> CitationPayload:
    one = uuid.uuid5(uuid.NAMESPACE_URL, document)
    made: dict[str, Any] = {
        "marker": f"[{number}]", "title": "Handbook", "uri": document, "source": "docs", "chunk_id": one,
        "document_id": one, "document_version_id": one, "breadcrumb": ("Handbook", f"Part {page}"),
        "start": (page or 0) * 1000, "end": (page or 0) * 1000 + 10, "score": 0.0, "trust": number / 10,
        "place": None if page is None else PlaceRange(kind=PlaceKind.PAGE, first=page, last=page),
    }  # fmt: skip
    return CitationPayload.of(Citation(**{**made, **values}))


def _shown(listed: list[CitedPayload]) -> list[str]:
    return [format_source(one.model_dump(mode="json")) for one in listed]


def test_neighbouring_pages_are_one_line() -> None:
    """Cited in any order; a page between them, or another document, is a line of its own."""
    citations = [
        _citation(1, 14),
        _citation(2, 20),
        _citation(3, 12),
        _citation(4, 13),
        _citation(5, 13, "b.pdf"),
    ]
    assert _shown(join_citations(citations)) == [
        "[1][3][4] Handbook (a.pdf, p. 12–14, trust 0.40)",
        "[2] Handbook > Part 20 (a.pdf, p. 20, trust 0.20)",
        "[5] Handbook > Part 13 (b.pdf, p. 13, trust 0.50)",
    ]


def test_the_link_of_a_joined_place_opens_its_beginning() -> None:
    """Page 12 of pages 12 and 13, although 13 is cited first."""
    address = "https://example.org/a.pdf"
    (one,) = join_citations([_citation(1, 13, address), _citation(2, 12, address)])
    assert one.link == f"{address}#page=12"


def test_citations_without_a_place_stay_apart() -> None:
    """Nobody knows whether they touch."""
    assert [one.markers for one in join_citations([_citation(1, None), _citation(2, None)])] == [["[1]"], ["[2]"]]


@given(st.lists(st.tuples(st.none() | st.integers(1, 9), st.sampled_from(["a.pdf", "b.pdf"])), max_size=9))
def test_every_citation_is_listed_once(places: list[tuple[int | None, str]]) -> None:
    """Whatever touches."""
    citations = [_citation(number, *place) for number, place in enumerate(places, start=1)]
    listed = [marker for one in join_citations(citations) for marker in one.markers]
    assert sorted(listed) == sorted(citation.marker for citation in citations)
