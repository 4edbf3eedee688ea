"""The sentences of the sources that support a statement.

Belongs here: holding a statement against all sources: its words, numbers, names and code. Not here: numbering citations
(`citations`), where a statement ends (`statement_stream`). Guarantee: pure but for the local embedding model; a support
is verbatim text of one passage; a statement with a number that no source has is not supported.

The number that the model wrote only decides between sources that support a statement about as well, and where no word
can be compared because the statement is in another language than the sources.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from headwater.domain.search import Passage
from headwater.generation.facts import denies, stated_code, stated_names, stated_values, values
from headwater.generation.sources import Source
from headwater.generation.statements import statement_spans, without_list_mark
from headwater.lexical.bm25 import mild_idf
from headwater.understanding.words import content_words

SUPPORTED = 0.5
"""Share of a statement's words, rare ones counting more, that the sentences which support it must have."""
NAMED = 0.35
"""The same for a source that the model named, or whose sentence is close in meaning."""
_SIMILAR = 0.6  # cosine of the local model from which on two sentences are close in meaning
_HINT = 0.15  # what the model's own number adds to a source
_ASKED = 0.25  # weight of a word that only the question has: an answer such as "Three months." names nothing
_MORE = 0.2  # share of the statement's words that a neighbouring sentence, or a second source, must add
_ENOUGH = 0.7  # share of the words from which on a statement is not put together from several sources
_LACKING = 0.3  # what a sentence without the statement's numbers loses
_OPPOSITE = 0.7  # share of the words from which on a denial that only one of the two has counts
_MAX_SOURCES = 3  # that one statement cites

Similarity = Callable[[str, str], float]
"""How close two sentences are in meaning: the cosine of their vectors."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Support:
    """Sentences of a passage: `start` and `end` are offsets in its text.

    `score` is the share of the statement's words, weighted by how rare they are here, that the sentences contain.
    """

    passage: Passage
    start: int
    end: int
    score: float

    @property
    def text(self) -> str:
        """The sentences."""
        return self.passage.text[self.start : self.end]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sentence:
    passage: Passage
    start: int
    end: int
    words: frozenset[str]
    values: frozenset[str]

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Statement:
    """What of a statement can be compared."""

    text: str
    weights: Mapping[str, float]
    asked: Mapping[str, float]
    values: set[str]
    names: set[str]
    code: set[str]


class _Searched:
    """A source, split into sentences once."""

    def __init__(self, source: Source, language: str) -> None:
        self.number = source.number
        self.passages = source.passages
        self._heading = source.heading
        self._language = language

    @cached_property
    def sentences(self) -> list[_Sentence]:
        return [
            _Sentence(
                passage=passage,
                start=start,
                end=end,
                words=frozenset(content_words(passage.text[start:end], self._language)),
                values=frozenset(values(passage.text[start:end])),
            )
            for passage in self.passages
            for start, end in statement_spans(passage.text)
        ]

    @cached_property
    def heading_words(self) -> set[str]:
        return content_words(self._heading, self._language)

    @cached_property
    def words(self) -> set[str]:
        return self.heading_words.union(*(sentence.words for sentence in self.sentences))

    @cached_property
    def values(self) -> set[str]:
        return values(self._heading).union(*(sentence.values for sentence in self.sentences))

    @cached_property
    def plain(self) -> str:
        """What code is looked up in."""
        return "\n".join((self._heading, *(passage.text for passage in self.passages))).casefold()


class SupportFinder:
    """Finds what supports statements among some sources.

    Args:
        sources: what the model was given.
        question: that the statements answer.
        similarity: of two sentences in meaning; None if only words are compared.
    """

    def __init__(self, sources: Sequence[Source], question: str, similarity: Similarity | None = None) -> None:
        languages = {passage.language for source in sources for passage in source.passages}
        self._language = languages.pop() if len(languages) == 1 else ""
        self._sources = [_Searched(source, self._language) for source in sources if source.passages]
        self._question = question
        self._similarity = similarity

    def find(self, statement: str, numbers: Collection[int] = ()) -> tuple[Support, ...]:
        """Find what supports a statement, the best first; empty if nothing does.

        Args:
            statement: without markers.
            numbers: of the sources that the model named.
        """
        if not self._sources or not statement.strip():
            return ()
        said = self._read(statement)
        found = [(source, self._best(said, source)) for source in self._sources]
        ranked = sorted(found, key=lambda one: -self._rank(said, one[0], one[1], numbers))
        if not any(support.score for _, support in found):
            return self._unread(said, numbers)
        chosen = self._chosen(said, ranked, numbers)
        return tuple(support for _, support in chosen) if self._is_supported(said, chosen, numbers) else ()

    def find_code(self, code: str, numbers: Collection[int] = ()) -> tuple[Support, ...]:
        """Find the source that has most lines of a block of code; empty if none has most of them."""
        lines = [" ".join(line.split()).casefold() for line in code.splitlines()]
        wanted = {line for line in lines if any(map(str.isalnum, line)) and not line.startswith(("```", "~~~"))}
        best: tuple[float, Support] | None = None
        for source in self._sources:
            for passage in source.passages:
                spaced = " ".join(passage.text.split()).casefold()
                share = sum(line in spaced for line in wanted) / len(wanted) if wanted else 0.0
                share += _HINT * (source.number in numbers) if share else 0.0
                if share > SUPPORTED and (best is None or share > best[0]):
                    best = share, _of_lines(passage, wanted, min(share, 1.0))
        return (best[1],) if best else ()

    def _read(self, statement: str) -> _Statement:
        text = without_list_mark(statement)
        language = self._language
        said = content_words(text, language)
        asked = content_words(self._question, language) - said
        weights = mild_idf(said | asked, [one.words for source in self._sources for one in source.sentences])
        return _Statement(
            text=text,
            weights={word: weights[word] for word in said},
            asked={word: weights[word] * _ASKED for word in asked},
            values=stated_values(text),
            names=stated_names(text, language) - content_words(self._question, language),
            code=stated_code(text),
        )

    def _best(self, said: _Statement, source: _Searched) -> Support:
        """The sentences of a source with most of a statement's words and numbers; the whole passage if none has any."""
        wanted = {**said.asked, **said.weights}
        total = sum(said.weights.values()) or 1.0
        rated = []
        for sentence in source.sentences:
            own = sum(wanted[word] for word in sentence.words & wanted.keys()) / total
            rated.append(own - (_LACKING if own and said.values - sentence.values else 0.0))
        if not rated or max(rated) <= 0:
            return _whole(max(source.passages, key=_trust))
        best = rated.index(max(rated))
        first, last = _extended(source.sentences, best, said)
        held = source.heading_words.union(*(one.words for one in source.sentences[first : last + 1]))
        share = _share(said.weights, held)
        asked = _share(said.asked, held) if not said.weights or len(said.weights) < 2 else 0.0
        return Support(
            passage=source.sentences[best].passage,
            start=source.sentences[first].start,
            end=source.sentences[last].end,
            score=round(max(share, asked), 4),
        )

    def _rank(self, said: _Statement, source: _Searched, support: Support, numbers: Collection[int]) -> float:
        lacking = len(said.values - values(support.text)) > 0
        hint = _HINT if source.number in numbers else 0.0
        return support.score + hint - (_LACKING if lacking else 0.0)

    def _chosen(
        self, said: _Statement, ranked: Sequence[tuple[_Searched, Support]], numbers: Collection[int]
    ) -> list[tuple[_Searched, Support]]:
        """The best source, and others that add what it lacks, or that the model named and that say it as well."""
        chosen = [ranked[0]]
        for source, support in ranked[1:]:
            held = [one for _, one in chosen]
            share = _covered(said, held)
            added = _covered(said, [*held, support]) - share if share < _ENOUGH else 0.0
            lacking = said.values.difference(*(values(one.text) for one in held))
            is_named = source.number in numbers and support.score >= SUPPORTED
            if len(chosen) < _MAX_SOURCES and (added >= _MORE or lacking & values(support.text) or is_named):
                chosen.append((source, support))
        return chosen

    def _is_supported(
        self, said: _Statement, chosen: Sequence[tuple[_Searched, Support]], numbers: Collection[int]
    ) -> bool:
        if not self._has_facts(said, chosen):
            return False
        share = max(_covered(said, [support for _, support in chosen]), *(support.score for _, support in chosen))
        best = chosen[0][1]
        if share >= _OPPOSITE and denies(said.text) != denies(best.text) and not denies(self._around(best)):
            return False
        is_named = any(source.number in numbers for source, _ in chosen)
        return share >= SUPPORTED or (share >= NAMED and (is_named or self._is_similar(said.text, best)))

    def _has_facts(self, said: _Statement, chosen: Sequence[tuple[_Searched, Support]]) -> bool:
        """Whether the chosen sources have the numbers of a statement, and some source its names and its code."""
        sources = [source for source, _ in chosen]
        if said.values.difference(*(source.values for source in sources)):
            return False
        if said.names.difference(*(source.words for source in self._sources)):
            return False
        asked = self._question.casefold()
        missing = [code for code in said.code if code not in asked and not any(code in one.plain for one in sources)]
        return len(missing) * 3 <= len(said.code) and not any(code.startswith("-") for code in missing)

    def _unread(self, said: _Statement, numbers: Collection[int]) -> tuple[Support, ...]:
        """The support of a statement that shares no word with any source: that which the model named, if one was."""
        for source in self._sources:
            if source.number in numbers and not said.values - source.values:
                return (_whole(max(source.passages, key=_trust)),)
        return ()

    def _is_similar(self, statement: str, support: Support) -> bool:
        return self._similarity is not None and self._similarity(statement, support.text) >= _SIMILAR

    @staticmethod
    def _around(support: Support) -> str:
        """The sentences with what stands directly before and behind them."""
        return support.passage.text[max(0, support.start - 120) : support.end + 120]


def _extended(sentences: Sequence[_Sentence], best: int, said: _Statement) -> tuple[int, int]:
    """The first and last of the sentences around the best that add to it, in its passage."""
    first = last = best
    held, numbers = set(sentences[best].words), set(sentences[best].values)
    is_growing = True
    while is_growing:
        is_growing = False
        for place in (last + 1, first - 1):
            if 0 <= place < len(sentences) and sentences[place].passage is sentences[best].passage:
                one = sentences[place]
                added = _share(said.weights, held | one.words) - _share(said.weights, held)
                if added >= _MORE or (said.values - numbers) & one.values:
                    held |= one.words
                    numbers |= one.values
                    first, last = min(first, place), max(last, place)
                    is_growing = True
    return first, last


def _covered(said: _Statement, supports: Iterable[Support]) -> float:
    """The share of a statement's words that some supports have together, without headings."""
    held: set[str] = set()
    for support in supports:
        held |= content_words(support.text, support.passage.language)
    return _share(said.weights, held)


def _share(weights: Mapping[str, float], words: Iterable[str]) -> float:
    held = set(words)
    return sum(weight for word, weight in weights.items() if word in held) / (sum(weights.values()) or 1.0)


def _trust(passage: Passage) -> float:
    return passage.scores.trust or 0.0


def _whole(passage: Passage) -> Support:
    text = passage.text
    return Support(passage=passage, start=len(text) - len(text.lstrip()), end=len(text.rstrip()), score=0.0)


def _of_lines(passage: Passage, wanted: Collection[str], score: float) -> Support:
    """The part of a passage from the first to the last of some lines."""
    found: list[tuple[int, int]] = []
    at = 0
    for line in passage.text.splitlines(keepends=True):
        spaced = " ".join(line.split()).casefold()
        if any(one in spaced for one in wanted):
            found.append((at, at + len(line.rstrip())))
        at += len(line)
    if not found:
        return replace(_whole(passage), score=score)
    return Support(passage=passage, start=found[0][0], end=found[-1][1], score=round(score, 4))
