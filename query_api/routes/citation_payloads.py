"""The shape of citations, of the list of sources made of them, and of what stands beside them.

Belongs here: response models. Not here: answers (`answer_payloads`), lineage (`lineage_payloads`). Guarantee: as in
`payloads`; every citation is in the list of sources once.
"""

from collections.abc import Container, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import takewhile
from typing import Literal, Protocol
from uuid import UUID

from pydantic import BaseModel, model_validator

from headwater.domain.answers import Citation, FurtherPassage, Statement, SummaryCitation
from headwater.domain.places import PlaceRange
from headwater.store.content.originals import OriginalStore
from query_api.routes.place_payloads import PlacePayload, original_url, place_link
from query_api.routes.summary_payloads import SummaryText

CitationKind = Literal["passage", "summary"]


class BelowSummary(Protocol):
    """A citation as stored or as shown, which may be of a document that a summary was made of."""

    @property
    def marker(self) -> str:
        """Its marker."""

    @property
    def node_id(self) -> UUID | None:
        """The summary."""

    @property
    def document_id(self) -> UUID:
        """The document."""


class SummaryCitationPayload(BaseModel):
    """The citation of a marker that stands behind a summary: not a quote of a document.

    `of` is what the summary is of: `document`, `group`, `source` or `knowledge_base`. `documents` are the ids of those
    that it was made of, as far as they are among the citations; there are `document_count`.
    """

    kind: CitationKind = "summary"
    marker: str
    node_id: UUID
    of: str
    title: str
    text: SummaryText
    documents: list[UUID] = []
    document_count: int
    model: str
    prompt_version: str
    run_id: str
    code_version: str
    made_at: datetime

    @classmethod
    def made(cls, cited: SummaryCitation) -> "SummaryCitationPayload":
        """Make it from a citation, without its documents."""
        return cls.model_validate({**asdict(cited), "kind": "summary", "of": cited.kind})

    def below(self, citations: Sequence[BelowSummary]) -> "SummaryCitationPayload":
        """Add the documents that it was made of; returns itself."""
        own_citations = (
            citation for citation in citations if citation.marker == self.marker and citation.node_id == self.node_id
        )
        self.documents = [citation.document_id for citation in own_citations]
        return self


class CitationPayload(BaseModel):
    """The citation of a marker in the answer.

    `place` is the position of the quoted sentences in the original, null if unknown; `link` opens the document
    there, null if its URI is not an address. `original` is the path in this API of the file that was read, at that
    place; null if the text is the whole document. `kind` is `passage` for a quote; `summary` for a document that the
    summary behind the marker was made of, which has the id `node_id`, and the span is then the whole document.
    `trust` is that of the passage, null if it is unknown or if `kind` is `summary`; `score` says how well the span fits
    the statement.
    """

    kind: CitationKind = "passage"
    node_id: UUID | None = None
    marker: str
    title: str
    uri: str
    source: str
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    breadcrumb: list[str]
    start: int
    end: int
    score: float
    trust: float | None = None
    place: PlacePayload | None = None
    link: str | None = None
    original: str | None = None

    @model_validator(mode="after")
    def _add_url(self) -> "CitationPayload":
        self.link = place_link(self.uri, self.place)
        self.kind = "passage" if self.node_id is None else "summary"
        return self

    @classmethod
    def of(cls, citation: Citation) -> "CitationPayload":
        """Make it from a citation."""
        return cls.model_validate(citation, from_attributes=True)

    def with_original(self, originals: OriginalStore) -> "CitationPayload":
        """Add the path of its original; returns itself."""
        return self.add_original(originals.among({self.document_version_id}))

    def add_original(self, held: Container[UUID]) -> "CitationPayload":
        """Add the path of its original if that is one of these; returns itself."""
        if self.document_version_id in held:
            self.original = original_url(self.document_version_id, self.place)
        return self


class StatementPayload(BaseModel):
    """A sentence, list item, table or block of code that a chat model wrote.

    `supported` is false if no source of the model says the same; `markers` are those of the citations that do.
    """

    text: str
    supported: bool
    markers: list[str]

    @classmethod
    def of(cls, statement: Statement) -> "StatementPayload":
        """Make it from a statement."""
        return cls.model_validate(statement, from_attributes=True)


class FurtherPayload(BaseModel):
    """A passage that an answer does not cite: where it is, and one line of it.

    `start` and `end` are offsets in the text of the document version. `place`, `link` and `original` are those of a
    citation.
    """

    title: str
    uri: str
    source: str
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    breadcrumb: list[str]
    start: int
    end: int
    line: str
    place: PlacePayload | None = None
    link: str | None = None
    original: str | None = None

    @model_validator(mode="after")
    def _add_url(self) -> "FurtherPayload":
        self.link = place_link(self.uri, self.place)
        return self

    @classmethod
    def of(cls, passage: FurtherPassage) -> "FurtherPayload":
        """Make it from a passage."""
        return cls.model_validate(passage, from_attributes=True)

    def add_original(self, held: Container[UUID]) -> "FurtherPayload":
        """Add the path of its original if that is one of these; returns itself."""
        if self.document_version_id in held:
            self.original = original_url(self.document_version_id, self.place)
        return self


class CitedPayload(BaseModel):
    """What a list of sources shows: a citation, or several of one document whose places touch, such as `p. 12–14`.

    `markers` are those of the citations, `breadcrumb` is what their headings share, `score` and `trust` are the best of
    theirs. `kind` and `node_id` are those of the citations.
    """

    kind: CitationKind = "passage"
    node_id: UUID | None = None
    markers: list[str]
    title: str
    uri: str
    source: str
    document_id: UUID
    document_version_id: UUID
    breadcrumb: list[str]
    score: float
    trust: float | None = None
    place: PlacePayload | None = None
    link: str | None = None
    original: str | None = None


def join_citations(citations: Sequence[CitationPayload]) -> list[CitedPayload]:
    """Join the citations of a document version whose places touch; in the order of the first marker of each."""
    groups: list[list[CitationPayload]] = []
    for citation in sorted(citations, key=lambda citation: citation.start):
        joinable = next((group for group in groups if _join_places([*group, citation])), None)
        if joinable:
            joinable.append(citation)
        else:
            groups.append([citation])
    order = {citation.marker: index for index, citation in enumerate(citations)}
    for group in groups:
        group.sort(key=lambda citation: order[citation.marker])
    return [_as_one(group) for group in sorted(groups, key=lambda group: order[group[0].marker])]


def _join_places(citations: Sequence[CitationPayload]) -> PlaceRange | None:
    """The place of all citations, in the order of their text; None if they are not of one place."""
    if len({(citation.document_version_id, citation.node_id) for citation in citations}) > 1:
        return None
    place: PlaceRange | None = None
    for citation in sorted(citations, key=lambda citation: citation.start):
        if citation.place is None:
            return None
        place = place.joined(citation.place.range) if place else citation.place.range
        if place is None:
            return None
    return place


def _as_one(citations: Sequence[CitationPayload]) -> CitedPayload:
    first = min(citations, key=lambda citation: citation.start)
    shared = takewhile(
        lambda level: len(set(level)) == 1, zip(*(citation.breadcrumb for citation in citations), strict=False)
    )
    place = _join_places(citations)
    return CitedPayload(
        kind=first.kind,
        node_id=first.node_id,
        markers=[citation.marker for citation in citations],
        title=first.title,
        uri=first.uri,
        source=first.source,
        document_id=first.document_id,
        document_version_id=first.document_version_id,
        breadcrumb=[level[0] for level in shared],
        score=max(citation.score for citation in citations),
        trust=max((citation.trust for citation in citations if citation.trust is not None), default=None),
        place=None if place is None else PlacePayload.model_validate(place),
        link=first.link,
        original=first.original,
    )
