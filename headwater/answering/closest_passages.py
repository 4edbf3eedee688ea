"""The passages that came closest to a question that is refused, and why they are not an answer.

Belongs here: the text. Not here: refusing (`refusal`), trust (`headwater.retrieval.trust`). Guarantee: pure; the
reason names the same words that trust was computed from.
"""

import math
from collections.abc import Sequence

from headwater.answering.answer_evidence import Evidence
from headwater.domain.languages import language_code
from headwater.domain.search import Passage
from headwater.retrieval.question_words import evidence_words, find_forms, names_text
from headwater.understanding.reader_texts import CLOSEST, UNDECIDED, ends_sentence, reader_text
from headwater.understanding.words import is_pair, stem, terms

_NAMED = 5  # words
_OFFERED = 3  # passages


def closest_text(evidence: Evidence) -> str:
    """Name the passages that came closest; empty if none was found.

    If none is trusted, this is the most trusted one, with the words that it lacks.
    """
    language = evidence.language
    if evidence.passages:
        return f"{reader_text(UNDECIDED, language)}\n\n{_offer_passages(evidence.passages)}"
    passages = evidence.trusted.passages
    if not passages:
        return ""
    best = max(passages, key=lambda passage: passage.scores.trust or 0.0)
    trust, floor = best.scores.trust or 0.0, evidence.knowledge_base.settings.trust_floor
    rounded_trust = math.floor(100 * trust) / 100  # rounded up it could seem to be enough
    short = reader_text(
        CLOSEST, language, document=document_name(best), trust=f"{rounded_trust:.2f}", needed=f"{floor:.2f}"
    )
    if language_code(language) not in ("", "en"):
        return f"{short}{ends_sentence(language)}"
    if not evidence.knowledge_base.settings.store_questions:  # a refusal is stored, and must not repeat the question
        return f"{short}."
    lacks = find_missing_words(evidence.question, best)
    why = (
        f"the passage lacks {_join_words(lacks)}" if lacks else "it says something else with the words of the question"
    )
    return f"{short}: {why}."


def _offer_passages(passages: Sequence[Passage]) -> str:
    names = dict.fromkeys(map(document_name, passages))
    return "\n".join(f"- {name}" for name in list(names)[:_OFFERED])


def document_name(passage: Passage) -> str:
    """A document by its title, its URI, and the heading above the passage."""
    heading = passage.breadcrumb[-1] if passage.breadcrumb else ""
    section = f" › {heading}" if heading and heading != passage.title else ""  # a sign, which every language has
    is_titled = passage.title and passage.title != passage.uri
    return f"“{passage.title}{section}” ({passage.uri})" if is_titled else f"{passage.uri}{section}"


def find_missing_words(question: str, passage: Passage) -> list[str]:
    """The words of a question that a passage, its title and its headings do not contain, in the question's order."""
    passage_terms = set(terms(f"{names_text(passage)} {passage.text}", passage.language))
    question_words = [word for word in dict.fromkeys(evidence_words(question)) if not is_pair(word)]
    forms = find_forms(question_words, {passage.language})
    return [word for word in question_words if not forms[stem(word)] & passage_terms]


def _join_words(words: Sequence[str]) -> str:
    more_count = len(words) - _NAMED
    return ", ".join(f"“{word}”" for word in words[:_NAMED]) + (
        f" and {more_count} more words" if more_count > 0 else ""
    )
