"""The right document among many alike: what a passage gains from its document (RET-1, RET-6).

Belongs here: how much the documents of a search are about its question, the passages of those that are most about it,
and the new scores. Not here: the words of documents (`headwater.store.search.main_words`), what a knowledge base or a
conversation prefers (`boosts`). Guarantee: a passage that is its whole document keeps its score, so where all documents
are short nothing changes.

In an annual report hardly any passage names the company or the year, and the same words are in every other report. What
tells reports apart is in their title, file name and headings, and in what they speak of throughout.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from headwater.domain.search import Passage
from headwater.models_gateway.embedder import Vectors
from headwater.retrieval.finder import RERANKED, Finder
from headwater.retrieval.fusion import rescore
from headwater.retrieval.reranking.reranker_registry import NONE
from headwater.store.search.passage_search import Candidates
from headwater.understanding.question import Understanding

SHARE = 0.3
"""The share of its score that a passage loses if its document is not about the question at all.

Of 128 questions of `bench/exam`, whose documents are not alike, the right file is the first for 109 with .3, for 108
with .2, for 105 with .4 and for 106 without; of some 70 about 38 reports for .71 with .3, .69 with .4 and .5.
"""
_BEST = 3
"""The documents most about a question, whose passages are looked for among them alone, too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Aboutnesses:
    """How much documents are about a question, from 0 to 1 (the most of any); one that is missing is a single passage.

    `large` are those most about it that have more passages than candidates can be, with the number of their passages.
    """

    of: Mapping[UUID, float] = field(default_factory=dict)
    large: Mapping[UUID, int] = field(default_factory=dict)


def read_aboutnesses(finder: Finder, candidates: Candidates) -> Aboutnesses:
    """Read how much the best documents and those of candidates are about the question.

    Args:
        finder: of the search; only a hybrid search of the present is reranked, so only its order changes.
        candidates: what it found, with the question's words.

    Raises:
        InvalidInputError: a filter names an unknown source.
    """
    options = finder.options
    is_reranked = options.mode == "hybrid" and finder.knowledge_base.settings.rerank_model != NONE
    if not is_reranked or options.as_of is not None or not candidates.passages:
        return Aboutnesses()
    documents = finder.store.main_words.documents_about(
        finder.index,
        [term.lexeme for term in candidates.terms],
        filters=options.filters,
        candidates={passage.document_id for passage in candidates.passages},
        limit=_BEST,
    )
    most = max((document.score for document in documents), default=0.0)
    if not most:
        return Aboutnesses()
    large = {
        document.document_id: document.chunk_count
        for document in documents[:_BEST]
        if document.score and document.chunk_count > RERANKED
    }
    return Aboutnesses(of={document.document_id: document.score / most for document in documents}, large=large)


def add_passages(
    finder: Finder, understanding: Understanding, vector: Vectors | None, candidates: Candidates, about: Aboutnesses
) -> Candidates:
    """Add the best passages of the large documents that are most about the question, behind the candidates.

    Args:
        finder: of the search.
        understanding: of the question.
        vector: the question's.
        candidates: what the finder found.
        about: the result of `read_aboutnesses`.
    """
    if not about.large:
        return candidates
    candidate_ids = {passage.chunk_id for passage in candidates.passages}
    within = finder.find(understanding, vector, within=about.large).passages
    added = (passage for passage in within if passage.chunk_id not in candidate_ids)
    return replace(candidates, passages=(*candidates.passages, *added))


def inherit(passages: Sequence[Passage], about: Aboutnesses) -> tuple[Passage, ...]:
    """Lower the scores of passages whose documents are less about the question than others, and rank them again.

    Args:
        passages: best first; their scores are 0 or more.
        about: the result of `read_aboutnesses`.
    """
    if not about.of:
        return tuple(passages)
    scores = [passage.score * (1 - SHARE * (1 - about.of.get(passage.document_id, 1.0))) for passage in passages]
    return tuple(rescore(passages, scores, lambda old, _: old))
