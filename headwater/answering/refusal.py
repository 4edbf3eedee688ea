"""Refusing: when a question gets no answer, and what its reader gets instead.

Belongs here: whether the best quote answers, the events of a refusal. Not here: the trust of a passage
(`headwater.retrieval.trust`), the words about the closest passages (`closest_passages`), replies by which a model
declines (`headwater.understanding.refusal_phrases`, `stand_in`). Guarantee: a refusal gives a reason and cites
nothing.

A question is refused for one of four reasons, in this order:

1. It is small talk, which its reading tells before anything is searched (`answer_maker`).
2. No passage that was found is trusted (`select_trusted` of `headwater.retrieval.trust`), and no summary answers.
3. Without a chat model: a trusted passage and its best quote are together not likely enough to answer (`is_answered`).
4. With a chat model: the model declines, or nothing supports what it wrote, and no quote answers either (`stand_in`).
"""

from collections.abc import Iterator, Sequence

from headwater.answering.answer_evidence import SMALL_TALK, Evidence
from headwater.answering.closest_passages import closest_text
from headwater.answering.events import Delta, Done, Event, Further
from headwater.answering.next_passages import nearest_passages
from headwater.domain.moments import format_moment
from headwater.domain.plurals import join_names
from headwater.domain.search import SearchFilters
from headwater.models_gateway.text_scorer import log_odds
from headwater.quote.quotes import Quote
from headwater.understanding.reader_texts import (
    GREETING,
    PART_REFUSAL,
    PAST_REFUSAL,
    REFUSAL,
    SOURCES_REFUSAL,
    reader_text,
)

_TRUST_WEIGHT = 0.5
"""Of the log-odds of trust beside those of a quote's score, which weigh 1: the reader knows better what answers."""
_MIN_LOG_ODDS = -0.3
"""What both are together, at least, if a quote answers. docs/benchmarks.md has figures for other values of both."""
_MIN_PROBABILITY = 0.001


def is_answered(evidence: Evidence, quotes: Sequence[Quote]) -> bool:
    """Whether the best quote is likely to answer the question; if no cross-encoder has read it, trust has decided.

    The trust of a passage and the score of a quote see different things: the same words may be spread over a passage,
    or stand together in one place.
    """
    if not quotes or not quotes[0].is_read:
        return bool(quotes)
    trust = max(passage.scores.trust or 0.0 for passage in evidence.passages)
    odds_of_trust = _TRUST_WEIGHT * log_odds(trust, least=_MIN_PROBABILITY)
    return odds_of_trust + log_odds(quotes[0].score, least=_MIN_PROBABILITY) >= _MIN_LOG_ODDS


def refusal_text(evidence: Evidence) -> str:
    """The first sentence of a refusal: why there is no answer, in the question's language."""
    language = evidence.language
    if evidence.refusal_reason == SMALL_TALK:
        return reader_text(GREETING, language)
    as_of = evidence.found.as_of
    if as_of is not None:
        return reader_text(PAST_REFUSAL, language, time=format_moment(as_of))
    filters = evidence.filters
    if filters == SearchFilters():
        return reader_text(REFUSAL, language)
    if filters == SearchFilters(sources=filters.sources):
        return reader_text(SOURCES_REFUSAL, language, sources=join_names(filters.sources))
    return reader_text(PART_REFUSAL, language)


def refuse(evidence: Evidence, quotes: Sequence[Quote] = ()) -> Iterator[Event]:
    """Yield the events of a refusal, which names the documents that came closest, and shows the nearest passages."""
    if nearest := nearest_passages(evidence, quotes):
        yield Further(passages=nearest)
    yield Delta(text=" ".join(filter(None, (refusal_text(evidence), closest_text(evidence)))))
    yield Done(reason=evidence.refusal_reason)
