"""Finding a stored answer for a new request, and the state of the sources that an answer was made from.

Belongs here: the identity of stored answers, finding them by it. Not here: which requests are the same
(`headwater.answering.reuse`), the answers themselves (`answers`). Guarantee: a stale answer is never found; the time
of a search does not grow with the number of stored answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from headwater.domain.corpus import KnowledgeBase
from headwater.models_gateway.embedder import Vectors
from headwater.store.server.database import Database
from headwater.store.server.json_values import to_json
from headwater.store.server.typed_rows import from_row

_COMPARED = 1000  # newest answers with the same options
_CANDIDATES = 20  # of these, the most similar


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerIdentity:
    """What a stored answer is found by, and what its staleness is judged by.

    `request_hash` is the hash of the question and everything else that decides the answer, `options_hash` the same
    without the question; without them the answer is not served again. `question_vector` has the shape (dimensions,).
    `source_revisions` are the revisions of the sources, by id, before the search; None for an answer that no later
    document makes stale. `asked_sources` are the slugs of a filter, None for all sources.
    """

    request_hash: bytes | None = None
    options_hash: bytes | None = None
    question_vector: Vectors | None = None
    source_revisions: Mapping[str, int] | None = None
    asked_sources: tuple[str, ...] | None = None


def identity_values(identity: AnswerIdentity) -> dict[str, Any]:
    """The values of an identity's columns."""
    revisions = identity.source_revisions
    return {
        "request_hash": identity.request_hash,
        "options_hash": identity.options_hash,
        "question_vector": identity.question_vector,
        "source_revisions": None if revisions is None else to_json(dict(revisions)),
        "asked_sources": None if identity.asked_sources is None else list(identity.asked_sources),
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class SimilarAnswer:
    """An answer to a similar question; `similarity` is the cosine of both questions' vectors."""

    id: UUID
    question: str
    similarity: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedState:
    """What a knowledge base would answer from: its active index with its model, and the revisions of its sources by id.

    `summarised` is how many of its sources have summaries: those of a new one come a little after its documents.
    `index_id`, `model` and `dimensions` are None before the first sync.
    """

    index_id: int | None
    model: str | None
    dimensions: int | None
    summarised: int
    revisions: Mapping[str, int]


class AnswerReuse:
    """The answers table, as a cache."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def state(self, knowledge_base: KnowledgeBase, sources: Sequence[str] = ()) -> AskedState:
        """Return what a knowledge base would answer from now, with all sources or those with these slugs."""
        row = self._database.one("asked_state", knowledge_base_id=knowledge_base.id, slugs=list(sources) or None)
        return from_row(AskedState, row)

    def same(self, knowledge_base: KnowledgeBase, identity: AnswerIdentity) -> UUID | None:
        """Return the answer to the same request, if there is one that is neither a refusal nor stale."""
        row = self._database.row("same_answer", knowledge_base_id=knowledge_base.id, request_hash=identity.request_hash)
        return None if row is None else row["id"]

    def similar(
        self, knowledge_base: KnowledgeBase, identity: AnswerIdentity, *, similarity: float
    ) -> list[SimilarAnswer]:
        """Return answers to similar questions with the same options, most similar first; none is a refusal or stale.

        Args:
            knowledge_base: the knowledge base that is asked.
            identity: of the request, with the question's vector.
            similarity: the lowest cosine similarity.
        """
        rows = self._database.rows(
            "similar_answers",
            knowledge_base_id=knowledge_base.id,
            options_hash=identity.options_hash,
            vector=identity.question_vector,
            similarity=similarity,
            compared=_COMPARED,
            limit=_CANDIDATES,
        )
        return [SimilarAnswer(**row) for row in rows]
