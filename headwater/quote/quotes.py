"""Choosing what a document says in answer to a question.

Belongs here: from passages to quotes. Not here: scores (`scoring`), finding passages (`headwater.retrieval`), answers
(`headwater.answering`). Guarantee: a quote's span is verbatim text of one document version; no two quotes are of one
section; the same passages give the same quotes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.domain.places import PlaceKind, PlaceRange
from headwater.domain.search import Passage
from headwater.models_gateway.answer_scorer import AnswerScorer
from headwater.quote.candidates import find_candidates
from headwater.quote.fragments import read_fragments
from headwater.quote.rendering import render
from headwater.quote.scoring import Scored, score_candidates
from headwater.quote.stretches import make_stretches
from headwater.understanding.words import content_words

MAX_QUOTES = 5
_MIN_LEAD = 0.1  # the share of the question's words by which the fragment in bold must be ahead


@dataclass(frozen=True, kw_only=True, slots=True)
class Quote:
    """Words of one section of a document.

    `text` is markdown, without headings; `headings` is the path above it, the document's title first. `passage` is the
    passage that it is taken from; `start` and `end` are offsets in the document version. `line` is its first sentence.
    `log_odds` is how likely it answers the question by the answer scorer, None without one. `is_open` means that a
    marker fits behind the text in the same line.
    """

    text: str
    headings: tuple[str, ...]
    passage: Passage
    start: int
    end: int
    score: float
    word_count: int
    line: str
    plain: str
    log_odds: float | None = None
    place: PlaceRange | None = None
    is_open: bool = True


def choose_quotes(
    question: str,
    passages: Sequence[Passage],
    nearby: Iterable[Passage] = (),
    *,
    weights: Mapping[str, float],
    scorer: AnswerScorer | None = None,
) -> list[Quote]:
    """Choose the best quote of each section, best first.

    Args:
        question: as it was asked, without misspelt words.
        passages: the search results, best first.
        nearby: the chunks around them, which complete lists and code.
        weights: of the question's words, by their stems.
        scorer: the answer scorer; None if there is none, or none for the documents' language.
    """
    ranks = {id(passage): rank for rank, passage in enumerate(passages)}
    candidates = []
    for stretch in make_stretches(passages, nearby):
        rank = min(ranks[id(passage)] for passage in stretch.passages)
        candidates += [(candidate, rank) for candidate in find_candidates(read_fragments(stretch))]
    language = passages[0].language if passages else ""
    scored = score_candidates(question, candidates, weights=weights, scorer=scorer, language=language)
    return [_quote(one, weights, language) for one in _best_of_sections(scored)]


def _best_of_sections(scored: Sequence[Scored]) -> list[Scored]:
    """The best candidate of each section."""
    best: dict[object, Scored] = {}
    for one in scored:
        stretch = one.candidate.first.stretch
        best.setdefault((stretch.chunks[0].document_version_id, one.candidate.headings), one)
    return list(best.values())[:MAX_QUOTES]


def _quote(one: Scored, weights: Mapping[str, float], language: str) -> Quote:
    candidate = one.candidate
    first, last, stretch = candidate.first, candidate.last, candidate.first.stretch
    deciding = _deciding(one, weights, language)
    shown = render(candidate.fragments, candidate.positions, deciding)
    best = candidate.fragments[candidate.positions[0] if deciding is None else deciding]
    chunk = stretch.passage_of(first.start, last.end) or stretch.chunk_at(first.start)
    place = stretch.place_of(first.start, last.end)
    if place is not None and place.kind == PlaceKind.SECOND:  # so that a link opens where it is said
        place = stretch.place_of(best.start, best.end) or place
    return Quote(
        text=shown.text,
        headings=candidate.headings,
        passage=chunk,
        start=stretch.start + first.start,
        end=stretch.start + last.end,
        score=one.score,
        word_count=candidate.word_count,
        line=best.plain,
        plain=candidate.plain,
        log_odds=one.log_odds,
        place=place,
        is_open=shown.is_open,
    )


def _deciding(one: Scored, weights: Mapping[str, float], language: str) -> int | None:
    """The fragment with most of the question's words; None if it is the only one, or not clearly ahead."""
    candidate = one.candidate
    if len(candidate.positions) < 2:
        return None
    total = sum(weights.values()) or 1.0
    shares = {
        position: sum(weights.get(word, 0.0) for word in content_words(candidate.fragments[position].plain, language))
        / total
        for position in candidate.positions
    }
    best, second, *_ = sorted(shares, key=lambda position: -shares[position])
    return best if shares[best] - shares[second] >= _MIN_LEAD else None
