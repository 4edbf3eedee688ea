"""Continuous parts of a section that models compare with the question.

Belongs here: which fragments make a window, which windows are read or compared, and their order. Not here: the
question's words in a fragment (`fragment_evidence`), what else is quoted with a window (`extension`). Guarantee: pure
but for the models; a window is of one section and has a fragment of a trusted passage, and the sentence that introduces
its list.

A cross-encoder sees question and text together, so it knows what no comparison of words or vectors does: whether the
text says what was asked. It was trained on text, and reads rows of tables and names less well, so the question's names
count beside it. It knows English only; elsewhere windows are compared by vectors and words, and without a
model that knows the language mostly by words. docs/benchmarks.md has the figures.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.late_interaction import Closeness, compare_texts
from headwater.models_gateway.text_scorer import TextScorer, log_odds
from headwater.quote.extension import extend_window
from headwater.quote.fragment_evidence import FragmentEvidence, Question, find_evidence, find_named_rows
from headwater.quote.fragments import Fragment
from headwater.quote.selection import Selection, introduces
from headwater.understanding.inventory import inventory_of
from headwater.understanding.words import content_words, every_word

FIRST_READ, MAX_READ = 4, 9
"""How many windows the model reads, each in about 19 ms of processor time: the first ones, and the others only if none
of the first is likely to answer. docs/benchmarks.md says what each number gains and costs."""
_LIKELY = 0.5
"""The score from which a window is likely to answer, as the answer reader was trained. With its first training, .6 and
.7 worked equally well, and read more."""
_NEAR, _SIMILARITY = 1.0, 2.0
"""Windows whose log-odds are this close to the best one's are compared with the question by vectors, too, and how much
their similarity weighs: another model decides between what the first finds equally good. .5 to 3, and 1 to 4, work
equally well."""
_MIN_SCORE = 1e-6
_READ_WORDS = 40
"""Of a window: the model tells two sentences from two others better than two paragraphs. The quote is longer, because
what was asked for often stands in the next line. docs/benchmarks.md has figures for both numbers."""
MAX_COMPARED = 12
"""How many windows get a vector; with 24, no more quotes hold the fact."""
_TOKENS, _PASSAGE, _COMPARED_WORDS = 4.0, 0.5, 0.4
"""Weights beside the similarity of a window, which weighs 1: the similarity of its tokens to those of the question, the
similarity of its passage, and the share of the question's words in it. 2 to 5 for the tokens work about as well."""
_HEADED_WORDS, _NAMED_ROW, _QUANTITY, _LATER = 0.8, 0.45, 0.15, 0.012
"""Weights beside the similarity of a window's passage, which weighs 1: the share of the question's words in the window
and the headings above it, those in a row that it names, a quantity, if one was asked for, and one rank of the search.
They choose what is read. They were fitted on 1,710 questions; .5 to 1 for the words work equally well.
docs/benchmarks.md has the figures."""
_RANK, _COMPARED_ENTRY = 0.03, 0.5
"""What one rank of the search weighs among windows that are compared, and that a window explains what the question
names, times the share of the question's words in it and above it. Of 300 headings of German, French and Spanish
documentation as questions, 251 are answered from their section instead of 211."""
_HEADING_WORDS = 0.4
"""Of the share of the question's words in a window or the headings above it, if nothing but words compares windows. Of
74 headings of German laws as questions, 61 are answered from their section instead of 56; of 80 names in French, 71
from their page instead of 72. With .8, 62 and 66."""
_STRANGE = 0.1
"""Of the closeness by a model that does not know the language, but its letters: it still finds the same names and parts
of words. Of 74 headings of German laws as questions, 65 are answered from their section instead of 61; of 80 names in
French, 70 from their page instead of 71; of 48 questions of German, French and Spanish sites, 28 have the fact in the
first quote instead of 24. With .25, 65, 62 and 27; as in a known language, 66, 54 and 31."""
_NAMED = 6.0
"""What it weighs, in log-odds, that a window has a row whose whole label is in the question, times the share of the
question's words in that row. The reader was trained on text, and finds the words that explain a column
likelier than the row that was asked for. 8 works as well; with 4, three of 72 quotes fewer have the fact."""
_ENTRY = 4.0
"""What it weighs, in log-odds and for the order alone, that a window explains the option or the term that the question
names, times the share of the question's words in it and above it: a text that only mentions the option reads as well.
3 and 6 work equally well. It says nothing of whether the question is answered."""
_MISSING = 3.0
"""What it weighs, in log-odds, that a window, its headings and its file have none of the names of the question that
other windows have; of some of them, their share by weight. A name that no window has, such as that of the reader's own
company, tells nothing. docs/benchmarks.md has the figures."""
_SAME = 0.9
"""Of the question's words, by weight, that a heading has which asks the same."""
_HEADINGS = 3  # the nearest, which are read with a window


@dataclass(frozen=True, kw_only=True, slots=True)
class _Window:
    """A window, and what is known of it before a model has seen it.

    `similarity` and `rank` are those of its best passage, `share` is that of the question's words in it, and
    `headed_share` that of those in it or the headings above it. `row_share` is that of those in a row that the
    question names, `has_quantity` says that it has one and that one was asked for, `names` are the question's names in
    the window, above it or in the name of its file.
    """

    selection: Selection
    similarity: float
    share: float
    headed_share: float
    rank: int
    row_share: float
    has_quantity: bool
    names: frozenset[str]

    @property
    def promise(self) -> float:
        """How likely it is to answer, before a model has seen it."""
        words = _HEADED_WORDS * self.headed_share + _NAMED_ROW * max(self.row_share, self.selection.entry_share)
        return self.similarity + words + _QUANTITY * self.has_quantity - _LATER * self.rank

    def weigh(self, score: float, missing_names: float) -> float:
        """How likely it is to answer, from 0 to 1, if a cross-encoder gives it a score, and with what names say.

        Args:
            score: the model's.
            missing_names: the share of the names that other windows have, and this one has not.
        """
        odds = log_odds(score, least=_MIN_SCORE) + _NAMED * self.row_share - _MISSING * missing_names
        return 1 / (1 + math.exp(-odds))

    def score(self, closeness: Closeness | None, *, is_known: bool = True) -> float:
        """How likely it is to answer.

        Args:
            closeness: to the question; None without a model.
            is_known: whether the model knows the language.
        """
        words = _COMPARED_WORDS * self.share - _RANK * self.rank + _COMPARED_ENTRY * self.selection.entry_share
        meaning = 0.0 if closeness is None else closeness.similarity + _TOKENS * closeness.tokens
        if closeness is None or not is_known:  # little but words says that a section is about what only its title names
            return words + _HEADING_WORDS * self.headed_share + _STRANGE * meaning
        return meaning + _PASSAGE * self.similarity + words


def read_windows(
    question: Question, stretches: Sequence[Sequence[Fragment]], reader: TextScorer, embedder: Embedder | None = None
) -> list[Selection]:
    """Have a cross-encoder read the windows that are most likely to answer.

    Args:
        question: the question.
        stretches: the fragments of each stretch.
        reader: the model.
        embedder: a local model that decides between windows that the reader finds equally good; None if there is none.

    Returns:
        The windows that were read, best first; their score is the reader's with what names say, from 0 to 1.

    Raises:
        ModelUnavailableError: a model cannot be loaded.
    """
    windows = list(_find_windows(question, stretches))
    known_names = frozenset().union(*(window.names for window in windows))
    promising = _most_promising(windows, MAX_READ)
    read: list[Selection] = []
    for batch in (promising[:FIRST_READ], promising[FIRST_READ:]):
        if batch and max((window.score for window in read), default=0.0) < _LIKELY:
            scores = reader.score(question.text, [_read_text(question, window.selection) for window in batch])
            for window, score in zip(batch, scores, strict=True):
                missing_names = question.share(known_names - window.names, known_names)
                read.append(replace(window.selection, score=window.weigh(score, missing_names)))
    return _extend_each(question, _best_first(question, read, embedder))


def compare_windows(
    question: Question, stretches: Sequence[Sequence[Fragment]], embedder: Embedder | None
) -> list[Selection]:
    """Compare the windows that are most likely to answer with the question by vectors and words.

    Args:
        question: the question.
        stretches: the fragments of each stretch.
        embedder: a local model; None if there is none: then words and ranks decide, and nearly so if it does not know
            the language.

    Returns:
        The windows, best first. Their score has no unit.

    Raises:
        ModelUnavailableError: the model cannot be loaded.
    """
    if embedder is None:
        scores = [(window, window.score(None)) for window in _find_windows(question, stretches)]
    else:
        promising = _most_promising(_find_windows(question, stretches), MAX_COMPARED)
        texts = [_read_text(question, window.selection) for window in promising]
        closeness = compare_texts(embedder, question.text, texts, is_by_tokens=question.is_sentence)
        is_known = embedder.knows(question.language)
        scores = [
            (window, window.score(close, is_known=is_known)) for window, close in zip(promising, closeness, strict=True)
        ]
    compared = [replace(window.selection, score=score) for window, score in scores]
    return _extend_each(question, sorted(compared, key=lambda window: -window.score))


def _extend_each(question: Question, windows: Sequence[Selection]) -> list[Selection]:
    """The windows with what is quoted with each: a list that is asked for, the opening of a section."""
    inventory = inventory_of(question.text)
    wants_list = inventory is not None and not inventory.is_count
    return [
        extend_window(window, wants_list=wants_list, wants_opening=_is_asked_by_heading(question, window))
        for window in windows
    ]


def _is_asked_by_heading(question: Question, window: Selection) -> bool:
    """Whether the nearest heading below the title asks the same as the question, and not much more."""
    heading = window.headings[-1] if window.headings[1:] else ""
    words = question.words_in(heading)
    return question.share(words) >= _SAME and 2 * len(words) >= len(content_words(heading, question.language))


def _most_promising(windows: Iterable[_Window], count: int) -> list[_Window]:
    """The windows that are most likely to answer, before a model has seen them."""
    return sorted(windows, key=lambda window: -window.promise)[:count]


def _find_windows(question: Question, stretches: Sequence[Sequence[Fragment]]) -> Iterator[_Window]:
    for fragments in stretches:
        evidence = find_evidence(question, fragments)
        for positions in _windows(fragments):
            yield _make_window(question, fragments, evidence, positions)


def _best_first(question: Question, read: Sequence[Selection], embedder: Embedder | None) -> list[Selection]:
    """The windows in the order of their scores, and near the best one also of their similarity."""
    odds = {id(window): log_odds(window.score, least=_MIN_SCORE) + _ENTRY * window.entry_share for window in read}
    best_odds = max(odds.values(), default=0.0)
    near = [window for window in read if odds[id(window)] >= best_odds - _NEAR]
    if embedder is not None and len(near) > 1:
        asked, *vectors = embedder.embed([question.text, *(_read_text(question, window) for window in near)])
        for window, vector in zip(near, vectors, strict=True):
            odds[id(window)] += _SIMILARITY * float(asked @ vector)
    return sorted(read, key=lambda window: -odds[id(window)])


def _windows(fragments: Sequence[Fragment]) -> Iterator[tuple[int, ...]]:
    """The positions of the fragments of each window; the next one begins in the middle of the last one."""
    leads = {fragment.lead for fragment in fragments}
    start = 0
    while start < len(fragments):
        end, words = _end_of(fragments, start)
        lead = fragments[start].lead
        positions = range(start, end)
        if any(
            fragments[position].is_found and (position in leads or not introduces(fragments[position]))
            for position in positions
        ):
            yield (*(() if lead is None or lead in positions else (lead,)), *positions)
        is_section_over = end == len(fragments) or fragments[end].headings != fragments[start].headings
        start = end if is_section_over else _middle(fragments, start, end, words)


def _end_of(fragments: Sequence[Fragment], start: int) -> tuple[int, int]:
    """Where a window ends that begins at `start`, and how many words it has."""
    end, words = start, 0
    while (
        end < len(fragments)
        and fragments[end].headings == fragments[start].headings
        and (end == start or words + fragments[end].word_count <= _READ_WORDS)
    ):
        words += fragments[end].word_count
        end += 1
    return end, words


def _middle(fragments: Sequence[Fragment], start: int, end: int, words: int) -> int:
    middle, passed = start + 1, fragments[start].word_count
    while middle < end and passed < words / 2:
        passed += fragments[middle].word_count
        middle += 1
    return middle


def _make_window(
    question: Question, fragments: Sequence[Fragment], evidence: Sequence[FragmentEvidence], positions: tuple[int, ...]
) -> _Window:
    trusted = [position for position in positions if fragments[position].is_found]
    saying = [position for position in trusted if not introduces(fragments[position])] or trusted
    named_rows = find_named_rows(fragments, evidence, saying)
    entries = {position for position in saying if evidence[position].entry_share}
    candidates = set(named_rows) & set(saying) or entries or saying
    best = max(candidates, key=lambda position: (evidence[position].score, -position))
    stretch = fragments[best].stretch
    owners = [stretch.passage_of(fragments[position].start, fragments[position].end) for position in trusted]
    passages = [passage for passage in owners if passage is not None]
    words = frozenset().union(*(evidence[position].words for position in positions))
    words |= question.words_in(fragments[positions[0]].speaker)
    headed_words = words | question.words_in(" ".join(fragments[best].headings))
    return _Window(
        selection=Selection(
            fragments=fragments,
            positions=positions,
            core=positions,
            best=best,
            score=0.0,
            named_rows=named_rows,
            entry_share=evidence[best].entry_share * question.share(headed_words),
        ),
        similarity=max(passage.scores.vector or 0.0 for passage in passages),
        share=question.share(words),
        headed_share=question.share(headed_words),
        rank=min(passage.rank for passage in passages),
        row_share=evidence[best].covered if named_rows else 0.0,
        has_quantity=any(evidence[position].has_quantity for position in positions),
        names=question.names & (headed_words | question.words_in(stretch.chunks[0].uri)),
    )


def _read_text(question: Question, window: Selection) -> str:
    """What the model reads: the title, the nearest headings and, in a transcript, who speaks, then the window.

    The name of the file comes first if only it has a word of the question: who asks about RFC 34 may mean a document
    that is `rfc-0034.txt` and whose title has no number.
    """
    title, nearest = window.headings[:1], window.headings[1:][-_HEADINGS:]
    text = " ".join(fragment.plain for fragment in window.chosen)
    name = PurePosixPath(window.stretch.chunks[0].uri).stem
    is_named = bool(question.words_in(name) - question.words_in(" ".join(window.headings)))
    file_words = " ".join(every_word(name)) if is_named else ""
    path = " > ".join(filter(None, (file_words, *title, *nearest, window.chosen[0].speaker_to_name)))
    return f"{path}: {text}" if path else text
