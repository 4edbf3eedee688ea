"""The trust of search results.

Belongs here: passing what the index, the model and the knowledge base know to `trust`. Not here: computing trust.
Guarantee: the order of the passages stays.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from headwater.domain.corpus import KnowledgeBase
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.search import Passage
from headwater.lexical.bm25 import idf
from headwater.retrieval.finder import Finder
from headwater.retrieval.fusion import number_ranks
from headwater.retrieval.model_languages import sure_language
from headwater.retrieval.trust import TrustedPassages, grade, select_trusted
from headwater.store.search.passage_search import TermEvidence
from headwater.understanding.question import Understanding
from headwater.understanding.sub_questions import find_questions, find_sides
from headwater.understanding.words import stem, words

_FREQUENT, _FEW = 0.02, 3  # the share of entries, and the number, from which a word of a question names their subject
_WORDS_ONLY_FLOOR = 0.3  # passed as the relevance floor when only words are graded; it is not used then


def add_trust(
    understanding: Understanding,
    passages: Sequence[Passage],
    finder: Finder,
    terms: Sequence[TermEvidence],
    others: Sequence[Passage] = (),
) -> tuple[Passage, ...]:
    """Give each passage its trust.

    Args:
        understanding: of the question.
        passages: the shown passages, best first.
        finder: the finder that found them.
        terms: the question's words as the index knows them.
        others: what else was found, best first.
    """
    embedder, language, reading = finder.embedder, sure_language(understanding), finder.reading
    idf = _cap_idf(terms, is_english=_is_english(language, passages)) or None
    own_names = _own_names(finder.knowledge_base, terms)
    by_words = {passage.chunk_id for passage in passages if not reading.knows(passage.language)}

    def grades_for(question: str) -> list[float]:
        floor = embedder.relevance_floor if embedder else _WORDS_ONLY_FLOOR
        return grade(
            question,
            passages,
            relevance_floor=floor,
            idf=idf,
            language=language,
            by_words=by_words,
            others=others,
            own_names=own_names,
        )

    grades = _best_grades(grades_for, understanding, floor=finder.knowledge_base.settings.trust_floor)
    return tuple(
        number_ranks(
            replace(passage, scores=replace(passage.scores, trust=round(trust, 4)))
            for passage, trust in zip(passages, grades, strict=True)
        )
    )


def _best_grades(
    grades_for: Callable[[str], list[float]], understanding: Understanding, *, floor: float
) -> list[float]:
    """The trust of each passage for the question, or for the part of it that it fits best.

    A comparison needs evidence for both sides: no passage is trusted more than the best one of its weaker side.
    """
    whole_grades = grades_for(understanding.question)
    grades_of_parts = [grades_for(question) for question in find_questions(understanding)]
    if not grades_of_parts and (sides := [grades_for(side) for side in find_sides(understanding)]):
        weaker = min(max(side, default=0.0) for side in sides)
        if weaker < floor:
            return [min(grade, weaker) for grade in whole_grades]
        grades_of_parts = sides
    return [max(grades) for grades in zip(whole_grades, *grades_of_parts, strict=True)]


def _own_names(knowledge_base: KnowledgeBase, terms: Sequence[TermEvidence]) -> set[str]:
    """The stems of words that name the subject of all documents: those of many entries, or of the knowledge base."""
    frequent = {word for term in terms if term.held >= max(_FEW, _FREQUENT * term.total) for word in term.words}
    return {stem(word) for word in {*frequent, *words(f"{knowledge_base.name} {knowledge_base.slug}")}}


def split_by_trust(settings: KnowledgeBaseSettings, passages: Sequence[Passage]) -> TrustedPassages:
    """Divide passages by their trust, with the knowledge base's settings; a passage without trust is not trusted.

    Args:
        settings: the knowledge base's settings.
        passages: the result of `add_trust`.
    """
    grades = [passage.scores.trust or 0.0 for passage in passages]
    return select_trusted(passages, grades, floor=settings.trust_floor)


def _is_english(language: str, passages: Sequence[Passage]) -> bool:
    """Whether a question is in English; if its language is unknown, whether the passages are."""
    return language == "en" or (not language and all(passage.language in ("", "en") for passage in passages))


def _cap_idf(terms: Sequence[TermEvidence], *, is_english: bool) -> dict[str, float]:
    """The idf of the question's lexemes and words; a word with several stems gets that of the most frequent one.

    The idf is capped on purpose: a word that no entry contains says no more than one that a single entry contains. It
    is not capped in English, whose coefficients were fitted without: in an index of eight entries it is then half as
    much again.
    """
    weights: dict[str, float] = {}
    for term in terms:
        term_idf = term.idf if is_english or term.held else idf(term.total, 1)
        for word in (term.lexeme, *term.words):
            weights[word] = min(term_idf, weights.get(word, term_idf))
    return weights
