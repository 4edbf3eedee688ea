"""The sentences of the sources that support a statement.

Belongs here: holding a statement against all sources: its words, numbers, names and code. Not here: numbering citations
(`citations`), where a statement ends (`statement_stream`), splitting sources (`searched_source`). Guarantee: pure but
for the local embedding model; a support is verbatim text of one passage; a statement with a number that no source has
is not supported.

The number that the model wrote only decides between sources that support a statement about as well, and where no word
can be compared because the statement is in another language than the sources.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from headwater.domain.languages import language_code
from headwater.domain.search import Passage
from headwater.generation.facts import (
    denies,
    find_code,
    find_names,
    find_values,
    has_other_measure,
    values,
    without_yes_or_no,
)
from headwater.generation.prompt_sources import PromptSource
from headwater.generation.searched_source import SearchedSource, SourceSentence
from headwater.generation.statement_splitter import without_list_mark
from headwater.generation.support_span import Support, take_lines, take_passage
from headwater.lexical.bm25 import mild_idf
from headwater.understanding.language_detector import detect_language
from headwater.understanding.words import content_words

SUPPORTED = 0.5
"""Share of a statement's words, rare ones counting more, that the sentences which support it must have."""
NAMED = 0.35
"""The same for a source that the model named, or whose sentence is close in meaning."""
SAID = 0.4
"""The same for the sentences without their headings: a heading says what a section is about, not what it says of it."""
CLOSE = 1.25
"""What this share and the cosine of a statement to its sentences are together, at least. Numbers and code need
neither: they are compared one by one. docs/benchmarks.md, "Statements and what supports them", has the figures."""
_SIMILAR = 0.6  # cosine of the local model from which on two sentences are close in meaning
_MANY = 4  # words from which on a statement must be said without headings: "It is forbidden." names nothing
_WHOLE = 0.9  # share of the words from which on the model is not asked
_HINT = 0.15  # what the model's own number adds to a source
_ASKED = 0.25  # weight of a word that only the question has: an answer such as "Three months." names nothing
_MORE = 0.2  # share of the statement's words that a neighbouring sentence, or a second source, must add
_ENOUGH = 0.7  # share of the words from which on a statement is not put together from several sources
_LACKING = 0.3  # what a sentence without the statement's numbers loses
_OPPOSITE = 0.7  # share of the words from which on a denial that only the statement has counts
_SAME = 0.7  # share of the words in common that the clause which denies must have
_CLAUSE_END = re.compile(r"[,;:()–—|]\s|\b(?:but|so|because|unless|until|aber|sondern|mais|pero)\b", re.IGNORECASE)
_AROUND = 120  # characters before and behind a sentence that may hold its denial
_READ = 500  # characters of each source that tell its language
_MAX_SOURCES = 3  # that one statement cites

Similarity = Callable[[str, str], float]
"""How close two sentences are in meaning: the cosine of their vectors."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Statement:
    """What of a statement can be compared."""

    text: str
    weights: Mapping[str, float]
    asked: Mapping[str, float]
    values: set[str]
    names: set[str]
    code: set[str]


class SupportFinder:
    """Finds what supports statements among some sources.

    Args:
        sources: what the model was given.
        question: that the statements answer.
        similarity: of two sentences in meaning; None if only words are compared.
    """

    def __init__(self, sources: Sequence[PromptSource], question: str, similarity: Similarity | None = None) -> None:
        languages = {passage.language for source in sources for passage in source.passages}
        self._language = languages.pop() if len(languages) == 1 else ""
        self._sources = [SearchedSource(source, self._language) for source in sources if source.passages]
        self._question = question
        self._similarity = cache(similarity) if similarity is not None else None

    def find(self, statement: str, numbers: Collection[int] = ()) -> tuple[Support, ...]:
        """Find what supports a statement, the best first; empty if nothing does.

        Args:
            statement: without markers.
            numbers: of the sources that the model named.
        """
        if not self._sources or not statement.strip():
            return ()
        parsed = self._read(statement)
        pairs = [(source, self._best(parsed, source)) for source in self._sources]
        ranked = sorted(pairs, key=lambda pair: -self._rank(parsed, pair[0], pair[1], numbers))
        chosen_pairs = self._choose_sources(parsed, ranked, numbers)
        if self._is_supported(parsed, chosen_pairs, numbers):
            return tuple(support for _, support in chosen_pairs)
        return self._unread(parsed, numbers) if self._is_foreign(statement) else ()

    def find_code(self, code: str, numbers: Collection[int] = ()) -> tuple[Support, ...]:
        """Find the source that has most lines of a block of code; empty if none has most of them."""
        lines = [" ".join(line.split()).casefold() for line in code.splitlines()]
        code_lines = {line for line in lines if any(map(str.isalnum, line)) and not line.startswith(("```", "~~~"))}
        best: tuple[float, Support] | None = None
        for source in self._sources:
            for passage in source.passages:
                spaced = " ".join(passage.text.split()).casefold()
                share = sum(line in spaced for line in code_lines) / len(code_lines) if code_lines else 0.0
                share += _HINT * (source.number in numbers) if share else 0.0
                if share > SUPPORTED and (best is None or share > best[0]):
                    best = share, take_lines(passage, code_lines, min(share, 1.0))
        return (best[1],) if best else ()

    def _read(self, statement: str) -> _Statement:
        text = without_list_mark(statement)
        language = self._language
        statement_words = content_words(without_yes_or_no(text), language)
        question_words = content_words(self._question, language) - statement_words
        weights = mild_idf(
            statement_words | question_words,
            [sentence.words for source in self._sources for sentence in source.sentences],
        )
        return _Statement(
            text=text,
            weights={word: weights[word] for word in statement_words},
            asked={word: weights[word] * _ASKED for word in question_words},
            values=find_values(text, language),
            names=find_names(text, language) - content_words(self._question, language),
            code=find_code(text),
        )

    def _best(self, statement: _Statement, source: SearchedSource) -> Support:
        """The sentences of a source with most of a statement's words and numbers; the whole passage if none has any."""
        weights = {**statement.asked, **statement.weights}
        total = sum(statement.weights.values()) or 1.0
        rated = []
        for sentence in source.sentences:
            overlap = sum(weights[word] for word in sentence.words & weights.keys()) / total
            rated.append(overlap - (_LACKING if overlap and statement.values - sentence.values else 0.0))
        if not rated or max(rated) <= 0:
            return take_passage(max(source.passages, key=_trust))
        best = rated.index(max(rated))
        first, last = _extend_span(source.sentences, best, statement)
        span_words = source.heading_words.union(*(sentence.words for sentence in source.sentences[first : last + 1]))
        share = _share(statement.weights, span_words)
        question_share = (
            _share(statement.asked, span_words) if not statement.weights or len(statement.weights) < 2 else 0.0
        )
        return Support(
            passage=source.sentences[best].passage,
            start=source.sentences[first].start,
            end=source.sentences[last].end,
            score=round(max(share, question_share), 4),
        )

    def _rank(self, statement: _Statement, source: SearchedSource, support: Support, numbers: Collection[int]) -> float:
        lacking = len(statement.values - values(support.text, self._language)) > 0
        hint = _HINT if source.number in numbers else 0.0
        return support.score + hint - (_LACKING if lacking else 0.0)

    def _choose_sources(
        self, statement: _Statement, ranked: Sequence[tuple[SearchedSource, Support]], numbers: Collection[int]
    ) -> list[tuple[SearchedSource, Support]]:
        """The best source, and others that add what it lacks, or that the model named and that say it as well."""
        chosen_pairs = [ranked[0]]
        for source, support in ranked[1:]:
            supports = [support for _, support in chosen_pairs]
            headings = set().union(*(pair[0].heading_words for pair in chosen_pairs))
            share = _coverage_share(statement, supports, headings)
            added = _coverage_share(statement, [*supports, support], headings) - share if share < _ENOUGH else 0.0
            lacking = statement.values.difference(*(values(support.text, self._language) for support in supports))
            there = values(support.text, self._language)
            is_named = source.number in numbers and support.score >= SUPPORTED and statement.values <= there
            if len(chosen_pairs) < _MAX_SOURCES and (added >= _MORE or lacking & there or is_named):
                chosen_pairs.append((source, support))
        return chosen_pairs

    def _is_supported(
        self, statement: _Statement, pairs: Sequence[tuple[SearchedSource, Support]], numbers: Collection[int]
    ) -> bool:
        if not self._has_facts(statement, pairs) or has_other_measure(statement.text, (pair[1].text for pair in pairs)):
            return False
        words_share = _coverage_share(statement, [support for _, support in pairs])
        if not (statement.values or statement.code) and not self._is_close(
            statement, [support for _, support in pairs], words_share
        ):
            return False
        share = max(words_share, *(support.score for _, support in pairs))
        best = pairs[0][1]
        if self._is_opposite(statement, best, share):
            return False
        is_named = any(source.number in numbers for source, _ in pairs)
        return share >= SUPPORTED or (share >= NAMED and (is_named or self._is_similar(statement.text, best)))

    def _has_facts(self, statement: _Statement, pairs: Sequence[tuple[SearchedSource, Support]]) -> bool:
        """Whether the chosen sources have the numbers of a statement, and some source its names and its code."""
        sources = [source for source, _ in pairs]
        if statement.values.difference(*(source.values for source in sources)):
            return False
        if statement.names.difference(*(source.words for source in self._sources)):
            return False
        question = self._question.casefold()
        missing = [
            code
            for code in statement.code
            if code not in question and not any(code in source.plain for source in sources)
        ]
        return len(missing) * 3 <= len(statement.code) and not any(code.startswith("-") for code in missing)

    def _unread(self, statement: _Statement, numbers: Collection[int]) -> tuple[Support, ...]:
        """The support of a statement whose words cannot be compared: the source that the model named, if any."""
        for source in self._sources:
            if source.number in numbers and not statement.values - source.values:
                return (take_passage(max(source.passages, key=_trust)),)
        return ()

    def _is_foreign(self, statement: str) -> bool:
        """Whether a statement is in another language than the sources."""
        language = detect_language(statement) or detect_language(self._question)
        theirs = self._language or detect_language("\n".join(source.plain[:_READ] for source in self._sources))
        return bool(language and theirs) and language_code(language) != language_code(theirs)

    def _is_close(self, statement: _Statement, supports: Sequence[Support], words_share: float) -> bool:
        """Whether sentences say what a statement says, in its words or in others."""
        if len(statement.weights) < _MANY or words_share >= _WHOLE:
            return True
        if self._similarity is None:
            return words_share >= SAID
        return words_share + self._similarity(statement.text, " ".join(support.text for support in supports)) >= CLOSE

    def _is_similar(self, statement: str, support: Support) -> bool:
        return self._similarity is not None and self._similarity(statement, support.text) >= _SIMILAR

    @staticmethod
    def _is_opposite(statement: _Statement, support: Support, share: float) -> bool:
        """Whether only one of two sentences denies what both are about.

        A sentence that denies may say the same in other words, such as `lost` for `not paid`, so it must have nearly
        the same words; a source that denies must do so in the clause that the statement is about.
        """
        denies_here, denies_there = denies(statement.text), denies(support.text)
        if denies_here and not denies_there and share >= _OPPOSITE:
            around = support.passage.text[max(0, support.start - _AROUND) : support.end + _AROUND]
            return not denies(around)
        if not denies_there or denies_here:
            return False
        clauses = [clause for clause in _CLAUSE_END.split(support.text) if clause]
        shares = [_share(statement.weights, content_words(clause, support.passage.language)) for clause in clauses]
        return denies(clauses[shares.index(max(shares))]) and max(shares) >= _SAME * support.score


def _extend_span(sentences: Sequence[SourceSentence], best: int, statement: _Statement) -> tuple[int, int]:
    """The first and last of the sentences around the best that add to it, in its passage."""
    first = last = best
    words, numbers = set(sentences[best].words), set(sentences[best].values)
    is_growing = True
    while is_growing:
        is_growing = False
        for place in (last + 1, first - 1):
            if 0 <= place < len(sentences) and sentences[place].passage is sentences[best].passage:
                sentence = sentences[place]
                added = _share(statement.weights, words | sentence.words) - _share(statement.weights, words)
                if added >= _MORE or (statement.values - numbers) & sentence.values:
                    words |= sentence.words
                    numbers |= sentence.values
                    first, last = min(first, place), max(last, place)
                    is_growing = True
    return first, last


def _coverage_share(statement: _Statement, supports: Iterable[Support], headings: Iterable[str] = ()) -> float:
    """The share of a statement's words that some supports have together, with the words of headings that are given."""
    words = (content_words(support.text, support.passage.language) for support in supports)
    return _share(statement.weights, set(headings).union(*words))


def _share(weights: Mapping[str, float], words: Iterable[str]) -> float:
    word_set = set(words)
    return sum(weight for word, weight in weights.items() if word in word_set) / (sum(weights.values()) or 1.0)


def _trust(passage: Passage) -> float:
    return passage.scores.trust or 0.0
