"""The part of a passage that best matches the query.

Belongs here: which words of a text are in the question, and which span of about 200 characters contains most of them.
Not here: the passage's rank and trust, highlighting in a terminal or a page. Guarantee: pure; an excerpt is a part of
its text, of whole words; without a matching word it is the beginning; the work is linear in the text.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from headwater.chunking.sentences import sentence_spans
from headwater.lexical.tokens import PAIRED
from headwater.understanding.words import ASCII_WORDS, stem_by_word

LENGTH = 200
"""Characters at most."""
_LEAD = 60  # characters before the first match, if its sentence is too long to be shown completely
_WORD = re.compile(rf"[{PAIRED}]+|[^\W_{PAIRED}]+")
_MARK = re.compile(rf"[^\w\x00-\x7f{PAIRED}]")  # without quotation marks, dashes and arrows, most texts are ASCII
_SPACE = re.compile(r"\s")
_PAIRED_WORD = re.compile(f"[{PAIRED}]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Excerpt:
    """The part of a text from `start` to `end`; `matches` are the positions of the question's words in `text`.

    They are in order, and none begins within another.
    """

    text: str
    start: int
    end: int
    matches: tuple[tuple[int, int], ...]


def excerpt(text: str, weights: Mapping[str, float], language: str = "") -> Excerpt:
    """Cut out the span that best matches the question.

    Args:
        text: the passage's text.
        weights: the weight of each word of the question, by its stem, as `trust.question_weights` returns them.
        language: the passage's language, for stemming.

    Returns:
        A span that begins with a sentence or, if the sentence is too long for that, shortly before a match. Of equally
        good spans, the one whose first match comes earliest.
    """
    matches = _matches(text, weights, language)
    _, _, best = max(_rate_excerpts(matches, _starts(text, matches), weights), key=lambda rated: rated[:2])
    start, end = _whole_words(text, best)
    inside = [(a - start, b - start) for a, b, _ in matches if start <= a and b <= end]
    return Excerpt(text=text[start:end], start=start, end=end, matches=tuple(_join_overlapping(inside)))


def _join_overlapping(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans of which none begins within another: the pairs of characters of one word do."""
    start, end = spans[0] if spans else (0, 0)
    for begin, stop in spans[1:]:
        if begin >= end:
            yield start, end
            start = begin
        end = max(end, stop)
    if spans:
        yield start, end


def _matches(text: str, weights: Mapping[str, float], language: str) -> list[tuple[int, int, str]]:
    """Each word of the question in a text, in order: its span, and its stem.

    In ASCII, each different word is looked up once, which takes a quarter of the time.
    """
    stems = stem_by_word(language)
    plain = text if text.isascii() else _MARK.sub(" ", text)
    if not plain.isascii():
        return list(_find_matches(plain, weights, stems))
    spaced = f" {plain.translate(ASCII_WORDS)} "
    word_stems = {word: stems[word] for word in set(spaced.split())}
    return sorted(
        (start, start + len(word), term)
        for word, term in word_stems.items()
        if term in weights
        for start in _places(f" {word} ", spaced)
    )


def _places(wanted: str, text: str) -> Iterator[int]:
    position = text.find(wanted)
    while position >= 0:
        yield position
        position = text.find(wanted, position + 1)


def _find_matches(text: str, weights: Mapping[str, float], stems: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    for match in _WORD.finditer(text):
        word = match[0]
        if word >= PAIRED[0] and _PAIRED_WORD.match(word):
            start, end = match.span()
            pairs = ((place, min(place + 2, end)) for place in range(start, max(start + 1, end - 1)))
            yield from ((*pair, text[slice(*pair)]) for pair in pairs if text[slice(*pair)] in weights)
        elif (term := stems[word]) in weights:
            yield *match.span(), term


def _starts(text: str, matches: Sequence[tuple[int, int, str]]) -> list[int]:
    """Possible starts of an excerpt: at a sentence, or shortly before a match that such an excerpt would not reach."""
    sentences = [start for start, _ in sentence_spans(text)] or [0]
    starts = set(sentences)
    for first, last, _ in matches:
        if last - sentences[bisect_right(sentences, first) - 1] > LENGTH:
            starts.add(max(0, first - _LEAD))
    return sorted(starts)


def _rate_excerpts(
    matches: Sequence[tuple[int, int, str]], starts: Sequence[int], weights: Mapping[str, float]
) -> Iterator[tuple[float, int, int]]:
    """The quality of the excerpt from each start: the weight of its matches, and how near its first match is.

    The window of matches moves along the text. If no match follows, the distance is that to the beginning of the text.
    """
    term_counts: Counter[str] = Counter()
    begin = end = 0
    for start in starts:
        while end < len(matches) and matches[end][1] <= start + LENGTH:
            term_counts[matches[end][2]] += 1
            end += 1
        while begin < len(matches) and matches[begin][0] < start:
            if begin < end:
                _drop(term_counts, matches[begin][2])
            begin += 1
        end = max(begin, end)
        lead = matches[begin][0] - start if begin < len(matches) else start
        yield round(sum(weights[term] for term in term_counts), 6), -lead, start


def _drop(counts: Counter[str], term: str) -> None:
    counts[term] -= 1
    if not counts[term]:
        del counts[term]


def _whole_words(text: str, start: int) -> tuple[int, int]:
    """The excerpt that begins at an offset, without partial words at its ends if there are spaces to cut at."""
    end = min(len(text), start + LENGTH)
    if start and not text[start - 1].isspace() and (space := _SPACE.search(text, start, start + _LEAD)):
        start = space.end()
    if end < len(text) and not text[end].isspace():
        cut = max(text.rfind(mark, start + LENGTH // 2, end) for mark in (" ", "\n", "\t"))
        end = cut if cut > start else end
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return start, end
