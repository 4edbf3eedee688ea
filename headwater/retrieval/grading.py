"""The trust of what a search found.

Belongs here: what the index, the model and the knowledge base know, handed to `trust`. Not here: how trust comes about.
Guarantee: the order is that of the passages that came in.
"""

from collections.abc import Sequence
from dataclasses import replace

from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import Passage
from headwater.lexical.bm25 import idf
from headwater.retrieval.finding import Finder
from headwater.retrieval.fusion import numbered
from headwater.retrieval.reading import sure_language
from headwater.retrieval.trust import Trusted, grade, keep
from headwater.retrieval.understanding.question import Understanding
from headwater.store.search.searching import TermEvidence

_WORDS_ONLY_FLOOR = 0.3  # what grading by words alone takes for a model's relevance floor; it has no part in it


def graded(
    understanding: Understanding, passages: Sequence[Passage], finder: Finder, terms: Sequence[TermEvidence]
) -> tuple[Passage, ...]:
    """Give each passage its trust.

    Args:
        understanding: of the question.
        passages: those that are shown, best first.
        finder: what they were found with.
        terms: the question's words as the index knows them.
    """
    embedder, language, reading = finder.embedder, sure_language(understanding), finder.reading
    grades = grade(
        understanding.question,
        passages,
        relevance_floor=embedder.relevance_floor if embedder else _WORDS_ONLY_FLOOR,
        idf=_capped_idf(terms, is_english=_is_english(language, passages)) or None,
        language=language,
        by_words={passage.chunk_id for passage in passages if not reading.knows(passage.language)},
    )
    return tuple(
        numbered(
            replace(passage, scores=replace(passage.scores, trust=round(trust, 4)))
            for passage, trust in zip(passages, grades, strict=True)
        )
    )


def trusted(settings: KnowledgeBaseSettings, passages: Sequence[Passage]) -> Trusted:
    """Part passages by their trust, as a knowledge base wants it; one that has none is not trusted.

    Args:
        settings: the knowledge base's.
        passages: as `graded` returns them.
    """
    grades = [passage.scores.trust or 0.0 for passage in passages]
    return keep(passages, grades, floor=settings.trust_floor, margin=settings.trust_margin)


def _is_english(language: str, passages: Sequence[Passage]) -> bool:
    """Whether a question is in English, or in what nobody knows: then it is what the passages are in."""
    return language == "en" or (not language and all(passage.language in ("", "en") for passage in passages))


def _capped_idf(terms: Sequence[TermEvidence], *, is_english: bool) -> dict[str, float]:
    """The idf of the question's lexemes, and of its words: of one with several stems that which most entries hold.

    It is capped on purpose: a word that no entry holds tells no more than one that a single entry holds. In English,
    whose coefficients were fitted without the cap, it does: in an index of eight entries half as much again.
    """
    found: dict[str, float] = {}
    for term in terms:
        own = term.idf if is_english or term.held else idf(term.total, 1)
        for word in (term.lexeme, *term.words):
            found[word] = min(own, found.get(word, own))
    return found
