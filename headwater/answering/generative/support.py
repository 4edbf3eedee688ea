"""The sentences of a passage that support a statement.

Belongs here: splitting text into statements, and finding those with a statement's words. Not here: which passage a
marker names (`citing`). Guarantee: pure; a support is verbatim text of one passage.

Words are compared as trust does (`headwater.understanding.words`), without a model: a marker's passage is known, so only
the place in it has to be found, while the reply is being written.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from headwater.chunking.sentences import sentence_spans
from headwater.domain.search import Passage
from headwater.lexical.bm25 import mild_idf
from headwater.understanding.words import content_words

_ITEM = re.compile(r"\n(?=[ \t]*(?:[-*+•]\s|\d{1,3}[.)]\s|\||#{1,6}\s|`{3}|~{3}))|(?<=\|)[ \t]*\n")
_ASKED = 0.25  # weight of a word that only the question has: an answer such as "Three months." names nothing
_MORE = 0.2  # share of the statement's words that a neighbouring sentence must add


@dataclass(frozen=True, kw_only=True, slots=True)
class Support:
    """Sentences of a passage: `start` and `end` are offsets in its text.

    `score` is the share of the statement's words, weighted by how rare they are here, that the sentences contain.
    """

    passage: Passage
    start: int
    end: int
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sentence:
    passage: Passage
    start: int
    end: int
    words: frozenset[str]


def statements(text: str) -> list[tuple[int, int]]:
    """The spans of a text's sentences, list items, headings and table rows, without the blanks around them."""
    spans = []
    for start, end in sentence_spans(text):
        cuts = [start, *(match.end() for match in _ITEM.finditer(text, start, end)), end]
        for begin, stop in pairwise(cuts):
            piece = text[begin:stop]
            if piece.strip():
                spans.append((begin + len(piece) - len(piece.lstrip()), begin + len(piece.rstrip())))
    return spans


class Supporting:
    """Passages in which statements are looked for; they are split into sentences once, when the first one is.

    Args:
        passages: at least one, in one language.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages

    def find(self, statement: str, question: str) -> Support:
        """Find the sentences in which the passages say what a statement says.

        Args:
            statement: the statement, without markers.
            question: the question that it answers.

        Returns:
            The sentence with most of its words, together with neighbours that add more. If none has any, which is so
            for a statement in another language, it is the whole passage that is trusted most, with a score of 0.
        """
        language = self._passages[0].language
        sentences = self._sentences
        said = content_words(statement, language)
        asked = content_words(question, language) - said
        weights = mild_idf(said | asked, [sentence.words for sentence in sentences])
        wanted = {word: weight if word in said else weight * _ASKED for word, weight in weights.items()}
        rated = [sum(wanted[word] for word in sentence.words & wanted.keys()) for sentence in sentences]
        if not any(rated):
            return _whole(max(self._passages, key=lambda passage: passage.scores.trust or 0.0))
        best = rated.index(max(rated))
        first, last = _extended(sentences, best, {word: weights[word] for word in said})
        found = frozenset().union(*(sentence.words for sentence in sentences[first : last + 1]))
        return Support(
            passage=sentences[best].passage,
            start=sentences[first].start,
            end=sentences[last].end,
            score=round(_share({word: weights[word] for word in said}, found), 4),
        )

    @cached_property
    def _sentences(self) -> list[_Sentence]:
        return [
            _Sentence(
                passage=passage,
                start=start,
                end=end,
                words=frozenset(content_words(passage.text[start:end], passage.language)),
            )
            for passage in self._passages
            for start, end in statements(passage.text)
        ]


def _extended(sentences: Sequence[_Sentence], best: int, weights: dict[str, float]) -> tuple[int, int]:
    """The first and last of the sentences around the best that add to it, in its passage."""
    first = last = best
    found = set(sentences[best].words)
    is_growing = True
    while is_growing:
        is_growing = False
        for place in (last + 1, first - 1):
            if 0 <= place < len(sentences) and sentences[place].passage is sentences[best].passage:
                added = _share(weights, found | sentences[place].words) - _share(weights, found)
                if added >= _MORE:
                    found |= sentences[place].words
                    first, last = min(first, place), max(last, place)
                    is_growing = True
    return first, last


def _share(weights: dict[str, float], words: Iterable[str]) -> float:
    held = set(words)
    return sum(weight for word, weight in weights.items() if word in held) / (sum(weights.values()) or 1.0)


def _whole(passage: Passage) -> Support:
    text = passage.text
    return Support(passage=passage, start=len(text) - len(text.lstrip()), end=len(text.rstrip()), score=0.0)
