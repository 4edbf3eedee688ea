"""The quotes that answer the evidence's question.

Belongs here: giving `headwater.quote` what the search knows. Not here: choosing among passages (`headwater.quote`),
answers made of quotes (`quote_answerer`). Guarantee: a quote is of a trusted passage, or of one that ranks right behind
the trusted ones.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from headwater.answering.answer_evidence import Evidence
from headwater.domain.documents import ChunkKind
from headwater.domain.languages import language_code
from headwater.errors import ModelUnavailableError
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.embedder_registry import is_local, load_embedder
from headwater.models_gateway.text_scorer import TextScorer
from headwater.quote.quotes import Quote, choose_quotes
from headwater.retrieval.boosts import is_test
from headwater.retrieval.model_languages import sure_language
from headwater.retrieval.reranking.reranker_registry import load_answer_reader
from headwater.retrieval.trust import question_weights
from headwater.settings import Settings
from headwater.understanding.code_questions import asks_for_code
from headwater.understanding.words import content_words, is_pair

_HASH = "builtin/hash"  # it compares letters, not meaning
_FRAGMENT_MODEL = "builtin/minilm-int8"
"""Compares fragments with the question where the knowledge base's own model is another machine's."""
_UNSAID = 0.5  # the factor for words of the turns before; .3 works equally well
_OTHER_LETTERS = re.compile(r"[^\W\d_\u0000-\u024f]")  # than Latin ones
_LIMITING = 3.0  # the weight of a word that the index does not count; 1.5 and 5 work equally well


def find_quotes(
    evidence: Evidence,
    settings: Settings,
    question: str = "",
    *,
    load_reader: Callable[[], TextScorer] = load_answer_reader,
) -> list[Quote]:
    """Find the best quote of each section, best first; none if no passage is trusted.

    Args:
        evidence: of the question.
        settings: says where the models are.
        question: a part of the question; by default all of it.
        load_reader: loads the model that reads English texts together with the question.
    """
    wide = evidence.widen()
    if not wide.passages:
        return []
    question_text = question or evidence.question
    language = wide.passages[0].language
    nearby, weights = wide.nearby, _weights(evidence, question_text, language)
    # A turn with the words of earlier turns behind it is no sentence. docs/benchmarks.md, "Conversations", has figures.
    is_sentence = not evidence.unsaid
    code = [passage for passage in wide.passages if passage.kind == ChunkKind.CODE and not is_test(passage)]
    quotes_code = bool(code) and asks_for_code(question_text)
    passages = code if quotes_code else wide.passages
    choose = partial(choose_quotes, question_text, passages, nearby, weights=weights, is_sentence=is_sentence)
    # A model's files may be missing or damaged, which only shows when they are used.
    if _is_english(evidence) and is_sentence and not quotes_code:
        with suppress(ModelUnavailableError):
            return choose(reader=load_reader(), embedder=_local_model(evidence, settings, language))
    with suppress(ModelUnavailableError):
        return choose(embedder=_local_model(evidence, settings, language))
    return choose()


def _is_english(evidence: Evidence) -> bool:
    asked_language = sure_language(evidence.found.understanding)
    return all(language_code(language) in ("", "en") for language in (asked_language, evidence.passages[0].language))


def _weights(evidence: Evidence, question: str, language: str) -> dict[str, float]:
    """The weight of each word of the question: its idf; the index has none of words such as `only` and `before`.

    In a script without spaces, pairs that the index does not count are mostly grammar. Words of the turns before count
    less: they say where to look, not what for.
    """
    known_weights = question_weights(question, {term.lexeme: term.idf for term in evidence.found.terms}, language)
    limiting = (word for word in content_words(question, language) if not is_pair(word))
    weights = {**dict.fromkeys(limiting, _LIMITING), **known_weights}
    unsaid = content_words(evidence.unsaid, language)
    return {word: weight * (_UNSAID if word in unsaid else 1.0) for word, weight in weights.items()}


def _local_model(evidence: Evidence, settings: Settings, language: str) -> Embedder | None:
    """A model of this machine that knows the language, or its letters; None if there is none.

    Raises:
        ModelUnavailableError: the built-in model is not installed.
    """
    embedder = evidence.embedder
    if embedder is not None and embedder.model != _HASH and is_local(embedder.model) and embedder.knows(language):
        return embedder
    built_in = load_embedder(_FRAGMENT_MODEL, settings)
    return built_in if built_in.knows(language) or not _OTHER_LETTERS.search(evidence.question) else None
