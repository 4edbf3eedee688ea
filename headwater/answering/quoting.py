"""The quotes that answer the evidence's question.

Belongs here: giving `headwater.quote` what the search knows. Not here: choosing among passages (`headwater.quote`),
answers made of quotes (`quote_answerer`). Guarantee: a quote is of a trusted passage, or of one that ranks right behind
the trusted ones.
"""

from headwater.answering.evidence import Evidence
from headwater.errors import ModelUnavailableError
from headwater.models_gateway.answer_scorer import AnswerScorer
from headwater.models_gateway.registry import load_answer_scorer
from headwater.quote.quotes import Quote, choose_quotes
from headwater.retrieval.trust import question_weights
from headwater.settings import Settings


def find_quotes(evidence: Evidence, settings: Settings, question: str = "") -> list[Quote]:
    """Find the best quote of each section, best first; none if no passage is trusted.

    Args:
        evidence: of the question.
        settings: says where the models are.
        question: a part of the question; by default all of it.
    """
    wide = evidence.widened()
    if not wide.passages:
        return []
    asked = question or evidence.question
    language = wide.passages[0].language
    return choose_quotes(
        asked,
        wide.passages,
        wide.nearby,
        weights=question_weights(asked, {term.lexeme: term.idf for term in evidence.found.terms}, language),
        scorer=_scorer(settings, language),
    )


def _scorer(settings: Settings, language: str) -> AnswerScorer | None:
    """The answer scorer, if it is installed and knows the language."""
    if language not in ("", "en"):
        return None
    try:
        return load_answer_scorer(settings)
    except ModelUnavailableError:
        return None
