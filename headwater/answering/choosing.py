"""Which units answer a question, and whether any does (ANS-4).

Belongs here: how many units an answer has, the parts of a question, and when no unit decides. Not here: scores
(`scoring`), which words of a unit decide (`deciding`). Guarantee: no text is chosen twice; the best unit is among the
chosen ones; the paragraphs of one section keep their order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.answering.asked import Asked, asking_part, clauses, read_asked
from headwater.answering.deciding import deciding_spans, narrowed
from headwater.answering.evidence import Evidence
from headwater.answering.growing import grown, items_joined
from headwater.answering.marking import marked
from headwater.answering.scoring import Scored, question_weights, score_units, sentence_shares, share
from headwater.answering.sections import can_answer, units_around
from headwater.answering.siblings import others_meant
from headwater.answering.sides import side_questions
from headwater.answering.signs import Want
from headwater.quote.stretches import make_stretches
from headwater.answering.units import Shape, Unit
from headwater.answering.unknown_names import has_unknown_name
from headwater.domain.languages import language_code
from headwater.understanding.words import content_words

_SCORE = 0.8  # about the score of a unit that has everything
_LEAST = 0.3
"""The least sum of the share of the question's words in a unit and its headings, and of its similarity."""
_BY_TRUST = 1.5  # how much of that trust makes up for, or takes away: a trusted passage may say it in other words
_TRUST = 0.75  # the trust at which it changes nothing
_COVERED = 0.8  # the share of a part's words that a unit must hold to answer that part, too


_UNITS = 3  # of an answer to one question
_BROAD_UNITS = 3  # the same if several things may be asked for, and the best unit is more than one of them
_BROAD = (Want.LIST, Want.ANYTHING)
_ONE_THING = (Shape.ROW, Shape.ITEM, Shape.CODE)
_AGAINST = ("positive", "denied", "contrary", "opposite", "history")  # values of a unit that says something else
_MOST_UNITS = 4  # of an answer to several
_GAIN = 0.1  # the share of the question's words that a further unit should add
_ADDING, _EQUAL = 0.65, 0.75  # the share of the best score that a further unit needs if it adds them, and otherwise
_NEAREST = 0.7  # the share of the best score that a unit which begins with the name of a side needs
_STRETCH, _BROAD_STRETCH = 2, 3  # how long an answer with further units may be, relative to the wanted length


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A unit of an answer: its score between 0 and 1, and the spans of its stretch's text that decide.

    `title` is shown above it; empty for none.
    """

    unit: Unit
    score: float
    deciding: tuple[tuple[int, int], ...] = ()
    title: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Part:
    """A question, or one thing that it asks for, with the units that may answer it, best first."""

    question: str
    asked: Asked
    scored: Sequence[Scored]


def choose_units(evidence: Evidence, word_limit: int = 100) -> list[Choice]:
    """Choose the units that answer the evidence's question; none if no unit decides.

    Args:
        evidence: the question and its passages.
        word_limit: about how many words the answer should have; a unit is never cut for it, but further ones are left
            out.
    """
    stretches = make_stretches(evidence.passages, evidence.nearby)
    around = [unit for stretch in stretches for unit in units_around(stretch)]
    units = list(filter(can_answer, around))
    units = _of_those_meant(evidence, units)
    whole = _part(evidence, asking_part(evidence.question), units)
    if not whole.scored or _lacks(whole, evidence):
        return []
    parts = [_part(evidence, text, units, whole.asked) for text in _parts(evidence, whole.asked)]
    whole = _covering_first(evidence, whole, parts)
    is_decided = _decides(whole.scored[0], evidence)
    is_apart = bool(parts) and not _covers(evidence, whole.scored[0], parts) and (is_decided or whole.asked.sides)
    if is_apart and (by_part := _by_part(evidence, whole, parts, word_limit)):
        joined = items_joined(by_part, around)
        return [each for one in joined for each in grown([one], around, whole.asked)] if whole.asked.sides else joined
    if not is_decided:
        return []
    chosen = [_choice(one, evidence, whole) for one in _chosen(evidence, whole, word_limit)]
    shares = sentence_shares(whole.question, evidence)
    return marked(grown(chosen, around, whole.asked), whole.asked, shares)


def _of_those_meant(evidence: Evidence, units: Sequence[Unit]) -> list[Unit]:
    """The units without those of documents whose sibling is meant, unless none is left."""
    others = others_meant(evidence.question, evidence.passages)
    return [one for one in units if one.stretch.chunks[0].document_id not in others] or list(units)


def _part(evidence: Evidence, question: str, units: Sequence[Unit], above: Asked | None = None) -> _Part:
    asked = read_asked(question)
    if above is not None and asked.want == Want.ANYTHING and above.want != Want.COMPARISON:
        asked = above
    return _Part(
        question=question, asked=asked, scored=score_units(question, evidence, asked, units, evidence.embedder)
    )


def _parts(evidence: Evidence, asked: Asked) -> tuple[str, ...]:
    """The things that a question asks for, each as a text of its own; empty if it asks for one."""
    found = evidence.found.concepts
    if asked.sides:
        return side_questions(evidence.question, asked.sides)
    return found if len(found) > 1 else clauses(evidence.question)


def _decides(best: Scored, evidence: Evidence) -> bool:
    """Whether the best unit is near enough; without a similarity, the trust of its passage has decided."""
    if best.similarity is None or language_code(best.unit.language) not in ("", "en"):
        return True
    trust = max((passage.scores.trust or 0.0 for passage in evidence.passages), default=0.0)
    return best.topic + best.similarity >= _LEAST - _BY_TRUST * (trust - _TRUST)


def _lacks(whole: _Part, evidence: Evidence) -> bool:
    """Whether no unit can answer: none has the quantity that was asked for, or a name in the question is unknown."""
    lacks_quantity = whole.asked.is_counted and all("unsigned" in one.values for one in whole.scored)
    return lacks_quantity or has_unknown_name(evidence.question, evidence.found.passages)


def _covering_first(evidence: Evidence, whole: _Part, parts: Sequence[_Part]) -> _Part:
    """The whole of a comparison with a unit first that says something about both sides, if it is nearly as good."""
    if not parts or not whole.asked.sides:
        return whole
    near = [one for one in whole.scored if one.score >= _EQUAL * whole.scored[0].score]
    first = next((one for one in near if _covers(evidence, one, parts)), near[0])
    return replace(whole, scored=[first, *(one for one in whole.scored if one is not first)])


def _covers(evidence: Evidence, best: Scored, parts: Sequence[_Part]) -> bool:
    """Whether one unit says something about every part."""
    own = content_words(f"{' '.join(best.unit.headings)} {best.unit.text}", best.unit.language)
    weights = [question_weights(part.question, evidence, best.unit.language) for part in parts]
    return all(share(weight, own) >= _COVERED for weight in weights)


def _by_part(evidence: Evidence, whole: _Part, parts: Sequence[_Part], word_limit: int) -> list[Choice]:
    """The best unit of each part, under its document's title if each has its own, and further ones of the whole.

    If a side of a comparison has none, it is empty: one side alone compares nothing.
    """
    chosen: list[tuple[Scored, _Part]] = []
    sides = [content_words(side) for side in whole.asked.sides]
    for number, part in enumerate(parts):
        best = _of_side(part, sides, number) if sides else next(iter(part.scored), None)
        is_same = _overlaps if whole.asked.sides else _repeats
        if best and _decides(best, evidence) and not any(is_same(best, other) for other, _ in chosen):
            chosen.append((best, part))
    titles = [one.unit.stretch.chunks[0].title for one, _ in chosen]
    if whole.asked.sides and len(chosen) < len(parts):
        return []
    if not whole.asked.sides:
        further = [one for one in _chosen(evidence, whole, word_limit) if not any(_repeats(one, o) for o, _ in chosen)]
        chosen += [(one, whole) for one in further[: max(0, _MOST_UNITS - len(chosen))]]
    are_apart = bool(whole.asked.sides) and len(set(titles)) == len(titles) > 1
    return [_choice(one, evidence, part, one.unit.stretch.chunks[0].title if are_apart else "") for one, part in chosen]


def _of_side(part: _Part, sides: Sequence[set[str]], number: int) -> Scored | None:
    """The best unit about one side: rather one that begins with its name than one that only mentions it."""
    if not part.scored:
        return None
    others = set().union(*sides[:number], *sides[number + 1 :])
    own = sides[number] - others or sides[number]
    near = [one for one in part.scored if one.score >= _NEAREST * part.scored[0].score]
    return next((one for one in near if own <= content_words(_opening(one.unit, len(sides[number])))), part.scored[0])


def _opening(unit: Unit, words: int) -> str:
    """The first words of a unit, without marks: the name of what it is about, if it begins with one."""
    text = unit.text[len(unit.lead) :] if unit.text.startswith(unit.lead) and unit.shape == Shape.SECTION else unit.text
    return " ".join(text.lstrip("-*+•`# ").split()[: words + 1])


def _choice(one: Scored, evidence: Evidence, part: _Part, title: str = "") -> Choice:
    weights = question_weights(part.question, evidence, one.unit.language)
    unit = narrowed(one.unit, part.asked, weights)
    score = round(min(max(one.score / _SCORE, 0.0), 1.0), 4)
    return Choice(unit=unit, score=score, deciding=deciding_spans(unit, part.asked, weights), title=title)


def _chosen(evidence: Evidence, part: _Part, word_limit: int) -> list[Scored]:
    """The best unit, and those near it that add words of the question or are as good."""
    best = part.scored[0]
    weights = question_weights(part.question, evidence, best.unit.language)
    chosen, covered = [best], set(best.words)
    length = _words(best)
    is_broad = part.asked.want in _BROAD and best.unit.shape not in _ONE_THING
    most, stretch = (_BROAD_UNITS, _BROAD_STRETCH) if is_broad else (_UNITS, _STRETCH)
    for one in part.scored[1:]:
        if len(chosen) == most:
            break
        if length + _words(one) > stretch * max(word_limit, _words(best)):
            continue
        gain = share(weights, one.words - covered)
        near = _ADDING if gain >= _GAIN else _EQUAL
        if one.score >= near * best.score and _adds(one, best) and not any(_repeats(one, other) for other in chosen):
            chosen.append(one)
            covered |= one.words
            length += _words(one)
    return _in_order(_with_rows_joined(chosen))


def _with_rows_joined(chosen: Sequence[Scored]) -> list[Scored]:
    """The units, with rows of one table as one unit."""
    found: list[Scored] = []
    for one in chosen:
        same = [n for n, other in enumerate(found) if _is_same_table(one.unit, other.unit)]
        if not same:
            found.append(one)
            continue
        other = found[same[0]]
        rows = tuple(sorted((*one.unit.blocks, *other.unit.blocks), key=lambda row: row.start))
        joined = replace(other.unit, start=rows[0].start, end=rows[-1].end, blocks=rows)
        found[same[0]] = replace(other, unit=joined)
    return found


def _is_same_table(one: Unit, other: Unit) -> bool:
    is_near = one.stretch is other.stretch and one.lead == other.lead and one.headings == other.headings
    return one.shape == other.shape == Shape.ROW and is_near


def _in_order(chosen: Sequence[Scored]) -> list[Scored]:
    """The units by their score, but paragraphs of one section as they stand in it; a list that answers comes first."""
    first = chosen[0].unit
    if first.shape in (Shape.LIST, Shape.TABLE):
        return list(chosen)
    beside = [one for one in chosen if one.unit.stretch is first.stretch and one.unit.headings == first.headings]
    return [*sorted(beside, key=lambda one: one.unit.start), *(one for one in chosen if one not in beside)]


def _adds(one: Scored, best: Scored) -> bool:
    """Whether a further unit may stand beside the best: it is about the same names and says nothing contrary."""
    is_second_procedure = best.unit.is_steps and (one.unit.is_steps or one.unit.shape == Shape.SECTION)
    is_about_others = one.values["lacking"] > best.values["lacking"] and not _is_of_one_document(one.unit, best.unit)
    is_against = any(one.values.get(name, 0.0) > best.values.get(name, 0.0) for name in _AGAINST)
    is_other_row = _is_same_table(one.unit, best.unit) and one.values["named"] < best.values["named"]
    return not (is_second_procedure or is_about_others or is_against or is_other_row)


def _is_of_one_document(one: Unit, other: Unit) -> bool:
    return one.stretch.chunks[0].document_id == other.stretch.chunks[0].document_id


def _words(one: Scored) -> int:
    return len(one.unit.text.split())


def _overlaps(one: Scored, other: Scored) -> bool:
    mine, theirs = one.unit, other.unit
    return mine.stretch is theirs.stretch and mine.start < theirs.end and theirs.start < mine.end


def _repeats(one: Scored, other: Scored) -> bool:
    """Whether two units overlap or say the same."""
    if _overlaps(one, other):
        return True
    own, their = content_words(one.unit.text), content_words(other.unit.text)
    return len(own & their) >= 0.7 * min(len(own), len(their) or 1)
