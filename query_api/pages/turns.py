"""A question with its answer, as pages show it.

Belongs here: its values for the template, from a turn of a conversation or from a stored answer. Not here: which turns
are shown (`branches`), the page (`chat`). Guarantee: each citation leads to the passage that it cites; a state other
than `done` is said.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit
from uuid import UUID

from headwater.domain.answers import Citation, Degraded, FurtherPassage, StoredAnswer, StoredCitation
from headwater.domain.conversations import ConversationTurn, Stale
from headwater.domain.places import PlaceKind
from headwater.models_gateway.chat_registry import EXTRACTIVE
from query_api.bare_addresses import holds_address
from query_api.marked_answer import answer_blocks, find_quotation, link_markers, quote_number
from query_api.pages.branches import Shown
from query_api.pages.catalogue import N_, translate, trust_words
from query_api.pages.navigation import kb_url
from query_api.routes.citation_payloads import CitationPayload, CitedPayload, FurtherPayload, join_citations
from query_api.routes.place_payloads import PlacePayload
from query_api.widget.payloads import public_title

_STATES = {
    "generating": N_("Answering …"),
    "cancelled": N_("You stopped this answer."),
    "interrupted": N_("This answer was interrupted: the server stopped while it was made. Try again."),
    "failed": N_("This answer failed."),
}
_DEGRADED: Mapping[Degraded, str] = {
    "model_unavailable": N_("The model was not available, so this is a quote."),
    "too_slow": N_("The model took too long, so this is a quote."),
    "broke_off": N_("The model broke off, so a quote follows."),
    "declined": N_("The model gave no answer that the documents support, so this is the closest quote."),
}
_FAILURES: Sequence[Degraded | None] = ("model_unavailable", "too_slow", "broke_off")
_SIGNS = re.compile(r"^#{1,6} |\*\*", re.MULTILINE)
_MAX_EXCERPT_CHARS = 300
_HIGH, _MIDDLE = 0.8, 0.65  # trust


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownSource:
    """A source card: the numbers of its markers, what it is, where it is, how far it is trusted."""

    numbers: Sequence[str]
    title: str
    uri: str
    file: str
    """The name of the file, empty if that is the title."""
    type: str
    """The ending of its name, such as `pdf`, or `video`; empty without one."""
    source: str
    headings: str
    place: str
    trust: str
    """`high`, `middle` or `low`; empty for a document below a summary, which no search has judged."""
    trust_words: str
    url: str
    """The page of the passage."""
    link: str | None
    """The document itself, at the place, if it has an address."""

    @classmethod
    def of(cls, source: CitedPayload, url: str) -> "ShownSource":
        """Make it from an entry of the list of sources."""
        trust = source.trust
        headings = [heading for heading in source.breadcrumb if heading != source.title]
        return cls(
            numbers=[marker.strip("[]") for marker in source.markers],
            title=source.title,
            uri=source.uri,
            file=file_name(source.uri) if file_name(source.uri) != source.title else "",
            type="video" if second_of(source.place) is not None else file_type(source.uri),
            source=source.source,
            headings=" › ".join(headings),
            place=source.place.label if source.place else "",
            trust=trust_level(trust),
            trust_words="" if trust is None else trust_words(trust),
            url=url,
            link=source.link or source.original,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownFurther:
    """A card of a passage that the answer does not cite: what it is, where it is, one line of it."""

    title: str
    uri: str
    source: str
    headings: str
    place: str
    line: str
    url: str
    link: str | None

    @classmethod
    def of(cls, found: FurtherPassage, kb: str) -> "ShownFurther":
        """Make it from a passage."""
        payload = FurtherPayload.of(found)
        return cls(
            title=found.title or found.uri,
            uri=found.uri,
            source=found.source,
            headings=" › ".join(heading for heading in found.breadcrumb if heading != found.title),
            place=payload.place.label if payload.place else "",
            line=found.line,
            url=passage_url(kb, found.document_version_id, found.start, found.end),
            link=payload.link,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownTurn:
    """What the template of a turn shows; `blocks` are the answer's HTML, `citations` the passages by marker.

    `quote_at` is the number of the block that quotes a document beneath a written answer, -1 if none does.
    """

    id: UUID
    parent_id: UUID | None
    question: str
    search_text: str
    blocks: Sequence[str]
    quote_at: int
    state: str
    said: str
    """What its state means, empty if it is complete."""
    degraded: str
    """Why a quote stands in for the model, empty if none does."""
    is_failure: bool
    """Whether it does because the model failed, so that another attempt may help."""
    notes: Sequence[str]
    further: Sequence[ShownFurther]
    is_refused: bool
    sources: Sequence[ShownSource]
    citations: dict[str, str]
    model: str
    seconds: float
    tokens: int
    cost: float | None
    vote: str | None
    comment: str
    version: Shown | None = None
    related: Sequence[str] = ()
    readings: Sequence[str] = ()
    stale: Stale | None = None

    @property
    def is_doubtful(self) -> bool:
        """Whether a source has so little trust that its card says so by its colour."""
        return any(source.trust in ("middle", "low") for source in self.sources)


def shorten_text(text: str, length: int) -> str:
    """A text of markdown without the signs that would only be noise, cut between words."""
    plain = _SIGNS.sub("", text).strip()
    return plain if len(plain) <= length else f"{plain[:length].rsplit(maxsplit=1)[0]}…"


def file_name(uri: str) -> str:
    """The last part of a URI's path, or all of it if that is empty."""
    path = unquote(urlsplit(uri).path if "://" in uri else uri)
    return path.rstrip("/").rpartition("/")[2] or uri


def file_type(uri: str) -> str:
    """The ending of a file's name, in lower case; empty if it has none that is one."""
    ending = file_name(uri).rpartition(".")[2].lower()
    return ending if "." in file_name(uri) and ending.isalnum() and len(ending) <= 5 else ""


def trust_level(trust: float | None) -> str:
    """A class of trust: `high`, `middle` or `low`; empty if it is unknown."""
    if trust is None:
        return ""
    return "high" if trust >= _HIGH else "middle" if trust >= _MIDDLE else "low"


def turn_of(shown: Shown, kb: str) -> ShownTurn:
    """A turn of a conversation."""
    turn = shown.turn
    return _turn(turn, turn.citations, kb, vote=turn.vote, comment=turn.comment or "", version=shown)


def to_shared_turn(shown: Shown, kb: str) -> ShownTurn:
    """A turn of a conversation for strangers: no reason of a failure, which is for operators, and no path of a file."""
    turn = turn_of(shown, kb)
    return replace(
        turn,
        blocks=[link_markers(block, _places_below(turn)) for block in turn.blocks],
        said=translate(_STATES.get(turn.state, "")),
        notes=() if turn.is_failure else turn.notes,
        sources=[replace(source, title=public_title(source.title, source.uri)) for source in turn.sources],
        further=[replace(passage, title=public_title(passage.title, passage.uri)) for passage in turn.further],
    )


def _places_below(turn: ShownTurn) -> dict[str, str]:
    """Where a shared page lists the source of each marker."""
    return {
        f"[{citation_number}]": f"#source-{turn.id}-{source.numbers[0]}"
        for source in turn.sources
        for citation_number in source.numbers
    }


def turn_of_answer(answer: StoredAnswer) -> ShownTurn:
    """A stored answer, whether it belongs to a conversation or not."""
    return _turn(answer, answer.citations, answer.knowledge_base)


def passage_url(kb: str, version_id: UUID, start: int, end: int, place: PlacePayload | None = None) -> str:
    """The page of a passage; of a video at the second that answers, which is not always its first."""
    second = second_of(place)
    query = {"start": start, "end": end} | ({} if second is None else {"second": second})
    return f"{kb_url(kb, 'passages')}/{version_id}?{urlencode(query)}"


def second_of(place: PlacePayload | None) -> int | None:
    """The second of a video; None if the place is in something else."""
    return int(place.first) if place is not None and place.kind is PlaceKind.SECOND else None


def show_stored_passage(passage: Mapping[str, Any], kb: str) -> dict[str, Any]:
    """A passage that was stored with an answer, for a list of those that were found."""
    return {
        "title": passage["title"],
        "headings": " › ".join(heading for heading in passage.get("breadcrumb", ()) if heading != passage["title"]),
        "score": (passage.get("scores") or {}).get("trust") or 0.0,
        "text": shorten_text(passage["text"], _MAX_EXCERPT_CHARS),
        "url": passage_url(kb, UUID(str(passage["document_version_id"])), passage["start"], passage["end"]),
    }


def _turn(
    kept: ConversationTurn | StoredAnswer,
    citations: Iterable[Citation | StoredCitation],
    kb: str,
    *,
    vote: str | None = None,
    comment: str = "",
    version: Shown | None = None,
) -> ShownTurn:
    payloads = [CitationPayload.model_validate(citation, from_attributes=True) for citation in citations]
    urls = {  # a summary's marker has a citation of each document below it
        (payload.marker, payload.document_version_id): passage_url(
            kb, payload.document_version_id, payload.start, payload.end, payload.place
        )
        for payload in payloads
    }
    usage: Any = kept.usage
    documents_words = find_quotation(kept.answer) if kept.quote or kept.model == EXTRACTIVE else ""
    said = "\n".join((documents_words, *(payload.uri for payload in payloads)))
    blocks = answer_blocks(
        kept.answer,
        [(statement.text, statement.supported) for statement in kept.statements],
        is_known=lambda address: holds_address(said, address),
    )
    return ShownTurn(
        id=kept.id,
        parent_id=kept.parent_id,
        question=kept.question,
        search_text=kept.search_text if kept.search_text != kept.question else "",
        blocks=blocks,
        quote_at=quote_number(blocks) if kept.quote else -1,
        state=kept.state,
        said=" ".join(filter(None, (translate(_STATES.get(kept.state, "")), kept.error_detail))),
        degraded=translate(_DEGRADED[kept.degraded]) if kept.degraded else "",
        is_failure=kept.degraded in _FAILURES,
        notes=kept.notes,
        further=[ShownFurther.of(passage, kb) for passage in kept.further],
        is_refused=kept.is_refused,
        sources=[
            ShownSource.of(citation, urls[citation.markers[0], citation.document_version_id])
            for citation in join_citations(payloads)
        ],
        citations={marker: url for (marker, _), url in reversed(urls.items())},
        model=kept.model,
        seconds=kept.timings_ms.get("total", 0.0) / 1000,
        tokens=usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0),
        cost=usage.get("cost", 0.0),
        vote=vote,
        comment=comment,
        version=version,
        readings=kept.readings,
    )
