"""The evidence for a turn of a conversation that can be read in two ways (RET-4).

Belongs here: which reading is meant, by what each of them finds, and whether that stays open. Not here: the readings
(`question_reader`, `headwater.understanding.follow_ups`), searching, asking the reader (`clarification`). Guarantee: a
question without earlier turns is searched for once, as it was read.

Words cannot tell whether "How do I clean up the store?" is still about scripts. The documents can. A turn stays with
its subject as long as the best passages there hold the turn's own words as well as the best ones without it. It stands
alone if these hold clearly more of them, or are nearer in meaning than the best ones with the subject: words of a
subject that a turn is about bring it nearer. In between the reader is asked, if both readings are trusted equally and
find different documents.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from headwater.answering.answer_evidence import Evidence
from headwater.answering.question_reader import ReadQuestion
from headwater.domain.search import Passage
from headwater.retrieval.question_words import names_text
from headwater.retrieval.trust import question_weights
from headwater.understanding.words import terms

_BEST, _AHEAD = 3, 0.3
"""How many passages of each reading are compared, and how much more of a turn's own words one of them must hold without
the subject, as a share of their weight. With one passage, or .2, fewer right documents are cited."""
_SLIGHTLY_AHEAD = 0.1
"""The same for a turn whose reader is asked."""
_LESS_TRUST, _EQUAL_TRUST = 0.2, 0.05
"""How much less trust the best passage without the subject may have, and how much apart equal trust may be."""


class Meant(StrEnum):
    """Which reading of a turn is meant."""

    FOLLOWED = "followed"
    ALONE = "alone"
    UNCLEAR = "unclear"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnFound:
    """The reading of a turn that is meant, and its evidence.

    `readings` are both as questions that stand alone, if which is meant stays open; otherwise empty.
    """

    read: ReadQuestion
    evidence: Evidence
    readings: tuple[str, ...] = ()


def search_turn(search: Callable[[ReadQuestion], Evidence], read: ReadQuestion) -> TurnFound:
    """Search for a turn.

    Args:
        search: searches for one reading.
        read: the turn with what was spoken of, and if words cannot tell, also without it.
    """
    followed = search(read)
    if read.alone is None:
        return TurnFound(read=read, evidence=followed)
    alone = search(read.alone)
    meant = _choose_meaning(alone, followed)
    chosen_reading, evidence = (read.alone, alone) if meant is Meant.ALONE else (read, followed)
    evidence = replace(evidence, found=replace(evidence.found, timings_ms=_sums(alone, followed)))
    readings = (read.alone.search_text, _with_subject(read)) if meant is Meant.UNCLEAR else ()
    lines = tuple(" ".join(reading.split()) for reading in readings)
    return TurnFound(read=chosen_reading, evidence=evidence, readings=lines)


def _with_subject(read: ReadQuestion) -> str:
    """A turn with what was spoken of as people write it."""
    return f"{read.search_text.removesuffix(read.unsaid).strip()} ({read.unsaid})"


def _choose_meaning(alone: Evidence, followed: Evidence) -> Meant:
    if not alone.passages or not followed.passages:  # a subject that nothing is said about is not spoken of any more
        return Meant.ALONE if alone.passages else Meant.FOLLOWED
    less_trust = _trust(followed) - _trust(alone)
    if less_trust > _LESS_TRUST:
        return Meant.FOLLOWED
    weights = _own_weights(alone)
    shares = [_best_share(weights, evidence.trusted.passages[:_BEST]) for evidence in (alone, followed)]
    ahead = shares[0] - shares[1]
    if ahead >= _AHEAD or _similarity(alone) >= _similarity(followed) > 0:
        return Meant.ALONE
    is_equal = ahead >= _SLIGHTLY_AHEAD and abs(less_trust) <= _EQUAL_TRUST
    return Meant.UNCLEAR if is_equal and _are_apart(alone, followed) else Meant.FOLLOWED


def _trust(evidence: Evidence) -> float:
    return max((passage.scores.trust or 0.0 for passage in evidence.passages), default=0.0)


def _similarity(evidence: Evidence) -> float:
    return max((passage.scores.vector or 0.0 for passage in evidence.trusted.passages), default=0.0)


def _are_apart(first: Evidence, second: Evidence) -> bool:
    """Whether the best document of neither is among the best ones of the other."""
    documents = [[passage.document_id for passage in evidence.passages[:_BEST]] for evidence in (first, second)]
    return documents[0][0] not in documents[1] and documents[1][0] not in documents[0]


def _own_weights(alone: Evidence) -> dict[str, float]:
    """The weights of the words that a turn itself has, by their stems."""
    idf = {term.lexeme: term.idf for term in alone.found.terms}
    return question_weights(alone.question, idf, alone.passages[0].language)


def _best_share(weights: Mapping[str, float], passages: Sequence[Passage]) -> float:
    """The largest share of some words that one of several passages holds with its headings."""
    passage_stems = ({*terms(f"{names_text(passage)} {passage.text}", passage.language)} for passage in passages)
    shares = (sum(weight for word, weight in weights.items() if word in stems) for stems in passage_stems)
    return max(shares, default=0.0) / (sum(weights.values()) or 1.0)


def _sums(first: Evidence, second: Evidence) -> dict[str, float]:
    """How long each step of both searches took."""
    laps = dict(first.found.timings_ms)
    for step, took in second.found.timings_ms.items():
        laps[step] = round(laps.get(step, 0.0) + took, 1)
    return laps
