"""Putting search results into a better order (RET-6).

Belongs here: the reranker's role, the local one with the evidence that it counts, and applying one to passages. Not
here: rerankers with a model (`headwater.models_gateway`), boosts, which names code defines
(`headwater.lexical.symbol_terms`). Guarantee: only passages below the threshold are dropped, and they are named; if a
reranker is not available, the local one orders the passages and the search still succeeds.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from headwater.domain.documents import ChunkKind
from headwater.domain.search import Passage
from headwater.errors import ModelUnavailableError
from headwater.lexical.symbol_terms import find_asked_name, find_defined_names
from headwater.retrieval.fusion import normalize, rescore
from headwater.retrieval.reranking.option_entries import score_entries
from headwater.retrieval.reranking.term_table import TermTable
from headwater.spans import span
from headwater.understanding.entities import entities
from headwater.understanding.words import terms


class Reranker(Protocol):
    """Scores passages for a question."""

    name: str
    """The name in the settings: `builtin/…`, or `provider/model`."""

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Score passages.

        Args:
            question: the question as it was asked.
            passages: the search results, with their scores.

        Returns:
            A score between 0 and 1 for each passage, in the order of the passages.

        Raises:
            ModelUnavailableError: the model is not installed, or its server does not answer.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Reranked:
    """Passages in their new order; `dropped` are those below the threshold, `note` explains another reranker."""

    passages: tuple[Passage, ...]
    dropped: tuple[Passage, ...]
    reranker: str
    note: str | None = None


def apply_reranker(
    reranker: Reranker, question: str, passages: Sequence[Passage], *, threshold: float = 0.0
) -> Reranked:
    """Order passages with a reranker, or with the local one if it is not available.

    Args:
        reranker: the reranker.
        question: the question as it was asked.
        passages: the search results, best first; equal scores keep this order.
        threshold: passages with a lower score are dropped.

    Returns:
        The passages with `scores.rerank`, which is also their score, ranked from 1.
    """
    note = None
    try:
        with span("rerank", reranker=reranker.name, passages=len(passages)):
            judged = reranker.rerank(question, passages)
    except ModelUnavailableError as error:
        note = f"Not reranked by {reranker.name}, but by {LexicalReranker.name}. {error}"
        reranker, threshold = LexicalReranker(), 0.0  # the threshold was chosen for the other reranker's scores
        judged = reranker.rerank(question, passages)
    ordered = rescore(passages, judged, lambda old, new: replace(old, rerank=new))
    return Reranked(
        passages=tuple(passage for passage in ordered if passage.score >= threshold),
        dropped=tuple(passage for passage in ordered if passage.score < threshold),
        reranker=reranker.name,
        note=note,
    )


class LexicalReranker:
    """Scores passages by the search's scores and by the question's words in them; without a model, in milliseconds.

    It uses seven kinds of evidence, each between 0 and 1:

    - the scores of the legs (cosine similarity, BM25), each scaled over the passages: unlike ranks, they show how far
      ahead a passage is;
    - pairs: words that are neighbours in the question are neighbours in the passage (Metzler and Croft 2005);
    - company: similarity to the best passages (Jardine and van Rijsbergen 1971: passages that answer the same question
      resemble each other);
    - names: quoted phrases, numbers, identifiers and names of the question, verbatim;
    - headings: the question's words in the title and the breadcrumb;
    - entries: the option that the question names is explained, not only mentioned;
    - definitions: if the question is one name, code that defines it.
    """

    name: str = "builtin/lexical"

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """Score passages by comparing them with each other: the best one is near 1, even if it is a poor match."""
        if not passages:
            return []
        question_terms = terms(question, Counter(passage.language for passage in passages).most_common(1)[0][0])
        table = TermTable(
            [terms(passage.text, passage.language) for passage in passages],
            [terms(heading_text(passage), passage.language) for passage in passages],
        )
        leg_scores = _leg_scores(question_terms, passages, table)
        evidence: list[tuple[float, Sequence[float]]] = [(LEGS, leg_scores)]
        if any(first != second for first, second in pairwise(question_terms)):
            evidence.append((PAIRS, table.pairs(question_terms)))
        if len(passages) > 1:
            evidence.append((COMPANY, normalize(table.company(leg_scores))))
        if exact_names := _exact(question):
            evidence.append((NAMES, [_share_held(exact_names, passage) for passage in passages]))
        if entries := score_entries(question, passages):
            evidence.append((ENTRIES, entries))
        if defined := score_definitions(question, passages):
            evidence.append((DEFINITIONS, defined))
        if question_terms:
            evidence.append((HEADINGS, table.coverage(question_terms, table.headings)))
        total = sum(weight for weight, _ in evidence)
        return [
            round(sum(weight * scores[place] for weight, scores in evidence) / total, 6)
            for place in range(len(passages))
        ]


LEGS, PAIRS, COMPANY, NAMES, HEADINGS = 1.0, 0.4, 0.3, 0.1, 0.1
"""Weights of the evidence. The search's scores come first; each other kind can decide close cases, not overturn clear
ones. They are round numbers in the middle of a plateau: with .2 to .4, 0 to .3, 0 to .2 and 0 to .1 for the last four,
every choice beats reciprocal rank fusion on each of four sets of questions (cranfield, xquad, northwind, headings of
documentation), and the best choice for three of them gains as much on the fourth.
"""

ENTRIES = 0.3
"""Of 295 questions for the default of an option, the first passage is the option's entry for 241 instead of 212.
docs/benchmarks.md has the sets."""

DEFINITIONS = 1.0
"""Who asks for nothing but the name of a function wants its definition, not the places that mention it most."""

_MAX_NAMES = 20  # names that are searched for; a question with more is a list, or data


def heading_text(passage: Passage) -> str:
    """The title, the headings and the header of the table above a passage."""
    return " ".join(dict.fromkeys(filter(None, (passage.title, *passage.breadcrumb, passage.table_header))))


def _leg_scores(question_terms: Sequence[str], passages: Sequence[Passage], table: TermTable) -> list[float]:
    """The scores of the legs that took part; if none did, the share of the question's words.

    A passage without a similarity, such as one in a language that the model does not know, counts only by its words.
    """
    vectors, texts = [passage.scores.vector for passage in passages], [passage.scores.text for passage in passages]
    legs = [normalize(leg) for leg in (vectors, texts) if any(score is not None for score in leg)]
    if not legs:
        both = [(*body, *heading) for body, heading in zip(table.bodies, table.headings, strict=True)]
        return table.coverage(question_terms, both)
    if len(legs) == 1:
        return legs[0]
    return [
        text if similarity is None else (near_score + text) / 2
        for similarity, near_score, text in zip(vectors, *legs, strict=True)
    ]


def _exact(question: str) -> list[re.Pattern[str]]:
    """The names of a question, for texts in lower case; a pattern that begins with its name is found much faster."""
    escaped_names = [re.escape(entity.text.lower()) for entity in list(entities(question))[:_MAX_NAMES]]
    return [re.compile(rf"{name}(?<!\w{name})(?!\w)") for name in escaped_names]


def _share_held(wanted: Sequence[re.Pattern[str]], passage: Passage) -> float:
    text = f"{heading_text(passage)}\n{passage.text}".lower()
    return sum(bool(pattern.search(text)) for pattern in wanted) / len(wanted)


def score_definitions(question: str, passages: Sequence[Passage]) -> list[float]:
    """1 for each passage that defines the only name of a question, else 0; empty if none does."""
    name = find_asked_name(question)
    if name is None:
        return []
    scores = [
        float(passage.kind == ChunkKind.CODE and name in find_defined_names(passage.text, passage.breadcrumb))
        for passage in passages
    ]
    return scores if any(scores) else []
