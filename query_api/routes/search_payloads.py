"""The shape of search results.

Belongs here: passages with their scores, and their explanation. Not here: answers (`answer_payloads`).
Guarantee: every passage that a step saw is either returned or listed with the reason why it was dropped.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, model_validator

from headwater.domain.knowledge_base_settings import GroupBy
from headwater.domain.search import Passage, Scores
from headwater.domain.summaries import RankedSummary
from headwater.lexical.symbol_terms import is_definition_word
from headwater.retrieval.context import Context, ContextPart
from headwater.retrieval.context_builder import GatheredContext
from headwater.retrieval.excerpts import excerpt
from headwater.retrieval.search_result import SearchResult
from headwater.retrieval.trust import Dropped, question_weights
from headwater.store.search.passage_search import TermEvidence
from query_api.routes.place_payloads import PlacePayload, place_link
from query_api.routes.summary_payloads import SummaryText

_NOTHING_MATCHES = "Nothing matches the filters."


class PassagePayload(BaseModel):
    """A passage that search found; `start` and `end` are offsets in the document version's text.

    `line` is the line of that text in which it begins; `place` is its position in the original, null if
    unknown and for dropped passages; `link` opens the document there, null if its URI is not an address.
    `vector_score` and `text_score` are those of `scores`, under their original names. `summary` is one sentence, null
    if the chunk has none.
    """

    rank: int
    score: float
    scores: Scores
    vector_score: float | None = None
    text_score: float | None = None
    chunk_id: UUID
    document_id: UUID
    document_version_id: UUID
    source: str
    uri: str
    title: str
    category: str
    breadcrumb: list[str]
    start: int
    end: int
    line: int
    text: str
    summary: SummaryText | None = None
    place: PlacePayload | None = None
    link: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _accept_older_form(cls, value: Any) -> Any:
        """Read a passage of an answer from a release that stored only two scores."""
        if isinstance(value, dict) and "scores" not in value:
            scores = {"vector": value.get("vector_score"), "text": value.get("text_score"), "fused": value.get("score")}
            return {**value, "scores": scores}
        return value

    @model_validator(mode="after")
    def _first_names(self) -> "PassagePayload":
        self.vector_score, self.text_score = self.scores.vector, self.scores.text
        self.link = place_link(self.uri, self.place)
        return self

    @classmethod
    def of(cls, passage: Passage, **shown: Any) -> Self:
        """Make it from a passage, with the values of other fields, or another rank."""
        return cls(**{**dict(zip(_OWN, _own(passage), strict=True)), **shown})


_OWN = tuple(PassagePayload.model_fields.keys() & Passage.__dict__.keys())
_own = attrgetter(*_OWN)


class MatchPayload(BaseModel):
    """The position of a query word in an excerpt's text, in characters."""

    start: int
    end: int


class ExcerptPayload(BaseModel):
    """The part of a passage that best matches the query, about 200 characters; offsets are in the passage's text."""

    text: str
    start: int
    end: int
    matches: list[MatchPayload]

    @classmethod
    def of(cls, text: str, weights: Mapping[str, float], language: str) -> "ExcerptPayload":
        """Make it from a passage's text, the weights of the query's words, and the passage's language."""
        best_excerpt = excerpt(text, weights, language)
        matches = [MatchPayload(start=start, end=end) for start, end in best_excerpt.matches]
        return cls(text=best_excerpt.text, start=best_excerpt.start, end=best_excerpt.end, matches=matches)


class ShownPassagePayload(PassagePayload):
    """A passage with its excerpt; below a document's best passage, `rank` counts from 2."""

    excerpt: ExcerptPayload


class HitPayload(ShownPassagePayload):
    """One result of a search: a passage, or the best one of a document; `more` are its others, best first."""

    more: list[ShownPassagePayload]

    @classmethod
    def all_of(cls, query: str, found: SearchResult) -> list["HitPayload"]:
        """Make them from a search result."""
        idf = {word: term.idf for term in found.terms for word in (*term.words, term.lexeme)}
        weights = {
            language: question_weights(query, idf, language)
            for language in {passage.language for passage in found.passages}
        }

        def part(passage: Passage) -> ExcerptPayload:
            return ExcerptPayload.of(passage.text, weights[passage.language], passage.language)

        def below(others: Sequence[Passage]) -> list[ShownPassagePayload]:
            return [
                ShownPassagePayload.of(companion, rank=rank, excerpt=part(companion))
                for rank, companion in enumerate(others, start=2)
            ]

        return [
            cls.of(best, rank=rank, excerpt=part(best), more=below(companions))
            for rank, (best, *companions) in enumerate(found.groups, start=1)
        ]


class DroppedPayload(BaseModel):
    """A passage that was found but not used, and the reason."""

    passage: PassagePayload
    reason: str

    @classmethod
    def of(cls, dropped: Dropped) -> "DroppedPayload":
        """Make it from a dropped passage."""
        return cls(passage=PassagePayload.of(dropped.passage), reason=dropped.reason)


class TermPayload(BaseModel):
    """A word of the query in the index: how many of its `total` entries contain it, and its weight."""

    lexeme: str
    held: int
    total: int
    idf: float

    @classmethod
    def of(cls, term: TermEvidence) -> "TermPayload":
        """Make it from the index's data."""
        return cls(lexeme=term.lexeme, held=term.held, total=term.total, idf=round(term.idf, 4))


class Explanation(BaseModel):
    """Why these passages were returned, and not others: how the query was understood, its words, and what was dropped.

    `is_sure` means that rules were enough to understand it; otherwise `concepts` is the result of a model.
    """

    language: str
    intent: str
    entities: list[str]
    complexity: list[str]
    is_sure: bool
    concepts: list[str]
    code: list[str]
    terms: list[TermPayload]
    dropped: list[DroppedPayload]

    @classmethod
    def of(cls, found: SearchResult, gathered: GatheredContext | None) -> "Explanation":
        """Make it from a search result, and its context if there is one."""
        understood = found.understanding
        untrusted = gathered.dropped if gathered else ()
        return cls(
            language=understood.language,
            intent=understood.intent.value,
            entities=[entity.text for entity in understood.entities],
            complexity=list(understood.complexity),
            is_sure=found.is_sure,
            concepts=list(found.concepts),
            code=list(understood.code),
            terms=[TermPayload.of(term) for term in found.terms if term.held or not is_definition_word(term.lexeme)],
            dropped=[DroppedPayload.of(dropped) for dropped in (*untrusted, *found.dropped)],
        )


class ContextPartPayload(BaseModel):
    """A span of one document version in a context: its text from `start` to `end`, and its chunks.

    `summaries` are those of its chunks that have one, in the same order.
    """

    number: int
    title: str
    uri: str
    document_version_id: UUID
    start: int
    end: int
    chunk_ids: list[UUID]
    summaries: list[SummaryText]

    @classmethod
    def of(cls, part: ContextPart) -> "ContextPartPayload":
        """Make it from a part."""
        first = part.passages[0]
        return cls(
            number=part.number,
            title=first.title,
            uri=first.uri,
            document_version_id=first.document_version_id,
            start=part.start,
            end=part.end,
            chunk_ids=[passage.chunk_id for passage in part.passages],
            summaries=[passage.summary for passage in part.passages if passage.summary],
        )


class ContextPayload(BaseModel):
    """The text that a language model would get; empty if nothing is trusted.

    `token_count` is an estimate.
    """

    text: str
    token_count: int
    parts: list[ContextPartPayload]

    @classmethod
    def of(cls, context: Context) -> "ContextPayload":
        """Make it from a context."""
        return cls(
            text=context.text,
            token_count=context.token_count,
            parts=[ContextPartPayload.of(context_part) for context_part in context.parts],
        )


class FoundSummaryPayload(BaseModel):
    """A summary that a broad question asks for: not a quote of a document.

    `of` is what it is of: `document`, `group`, `source` or `knowledge_base`. `similarity` is null if it was found by
    its place in the tree. `documents` are the titles of some of those that it was made of, of `document_count`.
    """

    kind: Literal["summary"] = "summary"
    id: UUID
    of: str
    source: str
    title: str
    text: SummaryText
    similarity: float | None
    documents: list[str]
    document_count: int

    @classmethod
    def made(cls, found: RankedSummary) -> "FoundSummaryPayload":
        """Make it from a summary that was found."""
        return cls(
            id=found.id,
            of=found.kind.value,
            source=found.source,
            title=found.title,
            text=found.text,
            similarity=found.similarity,
            documents=[document.title for document in found.documents],
            document_count=found.document_count,
        )


class SearchPayload(BaseModel):
    """The results of a search, best first; `as_of` is the past time that was searched, null for the present.

    `group_by` says what `passages` contains: the best passage of each `document`, or every single `passage`.
    `notes` say what a reader must know to interpret the result, such as that old versions are no longer kept. `context`
    and `explanation` are null unless they were requested. `summaries` are those that a broad question asks for.
    """

    query: str
    group_by: GroupBy
    summaries: list[FoundSummaryPayload] = []
    passages: list[HitPayload]
    timings_ms: dict[str, float]
    as_of: datetime | None
    notes: list[str]
    context: ContextPayload | None
    explanation: Explanation | None

    @classmethod
    def of(
        cls, query: str, found: SearchResult, *, gathered: GatheredContext | None = None, explain: bool = False
    ) -> "SearchPayload":
        """Make it from a search result."""
        return cls(
            query=query,
            group_by=found.group_by,
            summaries=[FoundSummaryPayload.made(summary) for summary in found.summaries],
            passages=HitPayload.all_of(query, found),
            timings_ms=dict(found.timings_ms),
            as_of=found.as_of,
            notes=[*([_NOTHING_MATCHES] if found.is_nothing_left else []), *found.notes],
            context=None if gathered is None else ContextPayload.of(gathered.context),
            explanation=Explanation.of(found, gathered) if explain else None,
        )
