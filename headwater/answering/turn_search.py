"""The evidence for a turn of a conversation that can be read in two ways (RET-4).

Belongs here: which reading is meant, by what each of them finds. Not here: the readings (`reading`,
`headwater.understanding.follow_ups`), searching. Guarantee: a question without earlier turns is searched for once, as
it was read.

Words cannot tell whether "How do I clean up the store?" is still about scripts. The documents can: a turn stays with
its subject as long as the best passages there hold the turn's own words about as well as the best ones without it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from headwater.answering.evidence import Evidence
from headwater.answering.reading import ReadQuestion
from headwater.domain.search import Passage
from headwater.retrieval.question_words import heading_of
from headwater.retrieval.trust import question_weights
from headwater.understanding.words import terms

_BEST, _AHEAD = 3, 0.3
"""How many passages of each reading are compared, and how much more of a turn's own words one of them must hold without
the subject, as a share of their weight. With one passage, or .2, fewer right documents are cited."""


def search_turn(search: Callable[[ReadQuestion], Evidence], read: ReadQuestion) -> tuple[ReadQuestion, Evidence]:
    """Search for a turn.

    Args:
        search: searches for one reading.
        read: the turn with what was spoken of, and if words cannot tell, also without it.

    Returns:
        The reading that is meant, and its evidence.
    """
    followed = search(read)
    if read.alone is None:
        return read, followed
    alone = search(read.alone)
    chosen, evidence = (read.alone, alone) if _stands_alone(alone, followed) else (read, followed)
    return chosen, replace(evidence, found=replace(evidence.found, timings_ms=_sums(alone, followed)))


def _stands_alone(alone: Evidence, followed: Evidence) -> bool:
    """Whether a turn is understood better without what was spoken of."""
    if not alone.passages or not followed.passages:  # a subject that nothing is said about is not spoken of any more
        return bool(alone.passages)
    weights = _own_weights(alone)
    held = [_best_share(weights, evidence.trusted.passages[:_BEST]) for evidence in (alone, followed)]
    return held[0] - held[1] >= _AHEAD


def _own_weights(alone: Evidence) -> dict[str, float]:
    """The weights of the words that a turn itself has, by their stems."""
    idf = {term.lexeme: term.idf for term in alone.found.terms}
    return question_weights(alone.question, idf, alone.passages[0].language)


def _best_share(weights: dict[str, float], passages: Sequence[Passage]) -> float:
    """The largest share of some words that one of several passages holds with its headings."""
    held = ({*terms(f"{heading_of(one)} {one.text}", one.language)} for one in passages)
    shares = (sum(weight for word, weight in weights.items() if word in stems) for stems in held)
    return max(shares, default=0.0) / (sum(weights.values()) or 1.0)


def _sums(first: Evidence, second: Evidence) -> dict[str, float]:
    """How long each step of both searches took."""
    laps = dict(first.found.timings_ms)
    for step, took in second.found.timings_ms.items():
        laps[step] = round(laps.get(step, 0.0) + took, 1)
    return laps
