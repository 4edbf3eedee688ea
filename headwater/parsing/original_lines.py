"""Which line of a file each line of the markdown made of it comes from.

Belongs here: comparing the words of both. Not here: the text (`rst`, `troff`, `asciidoc`). Guarantee: pure; lines never
go backwards or beyond the file; a line that is not found counts as the one before it.

Lines whose words occur once come first: the longest row of them that rises in both is certain. The others are looked
for between these, so a word that occurs everywhere cannot lead astray (the idea of Bram Cohen's patience diff). A line
that no original line holds was made of several, as a term and its definition are: it begins where the first of them
does.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"[ \t]*\d{1,9}\.[ \t]")  # of an item: the original may only have a sign for it
_COMPARED, _HELD = 4, 12  # words of a line of the text, and words at the beginning of an original line
_MIN_WORDS = 3  # words of a line that can be certain
_MAX_CANDIDATES = 50  # original lines with a word; more are not compared
_LOOK_AHEAD = 400  # original lines
_JOINED_LINES, _JOINED_WORDS = 8, 28  # what is compared with a line that was made of several original lines


def line_starts(text: str, source: str) -> list[tuple[int, int]]:
    """The offset of each line of the text that has words, and the number of its original line, from 1."""
    originals = [_WORD.findall(line)[:_HELD] for line in source.split("\n")]
    line_words = [_WORD.findall(_NUMBER.sub("", line, count=1))[:_COMPARED] for line in text.split("\n")]
    known_words = {word for original in originals for word in original}
    certain = _certain(line_words, originals)
    ends = _next_certain(certain, len(line_words), len(originals))
    starts, offset, current = [], 0, 0
    for index, line in enumerate(text.split("\n")):
        words = line_words[index]
        if words:
            until = min(ends[index], current + _LOOK_AHEAD)
            position = certain.get(index)
            if position is None and known_words.issuperset(words):
                position = _find(originals, words, range(current, until))
            if position is not None:
                current = position + 1
            starts.append((offset, max(current, 1)))
        offset += len(line) + 1
    return starts


def _find(originals: Sequence[Sequence[str]], words: Sequence[str], candidates: range) -> int | None:
    """The first original line that holds some words, or else the first with which lines begin that do together."""
    position = next((candidate for candidate in candidates if _holds(originals[candidate], words)), None)
    if position is None and len(words) >= _MIN_WORDS:
        beginnings = (candidate for candidate in candidates if words[0] in originals[candidate])
        position = next((start for start in beginnings if _holds(_join(originals, start, words[0]), words)), None)
    return position


def _join(originals: Sequence[Sequence[str]], start: int, first_word: str) -> list[str]:
    """The words from one in a line on, with those of the lines behind it."""
    following = chain.from_iterable(originals[start + 1 : start + _JOINED_LINES])
    return [*originals[start][originals[start].index(first_word) :], *islice(following, _JOINED_WORDS)]


def _certain(wanted: Sequence[Sequence[str]], originals: Sequence[Sequence[str]]) -> dict[int, int]:
    """Lines of the text with the one original line that holds their words, as many as rise in both."""
    having: dict[str, list[int]] = defaultdict(list)
    for index, words in enumerate(originals):
        for word in set(words):
            having[word].append(index)
    pairs: list[tuple[int, int]] = []
    for index, words in enumerate(wanted):
        candidates = min((having[word] for word in words), key=len, default=[])
        if len(words) >= _MIN_WORDS and len(candidates) <= _MAX_CANDIDATES:
            matches = [candidate for candidate in candidates if _holds(originals[candidate], words)]
            pairs += [(index, matches[0])] if len(matches) == 1 else []
    return dict(_longest_rise(pairs))


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The longest row of pairs whose second numbers rise, too; backwards."""
    lasts: list[int] = []  # the least last number of a row of each length, and its pair
    places: list[int] = []
    predecessors: list[int | None] = []
    for place, (_, original) in enumerate(pairs):
        length = bisect_left(lasts, original)
        predecessors.append(places[length - 1] if length else None)
        lasts[length : length + 1] = [original]
        places[length : length + 1] = [place]
    index = places[-1] if places else None
    while index is not None:
        yield pairs[index]
        index = predecessors[index]


def _next_certain(certain: Mapping[int, int], count: int, most: int) -> list[int]:
    """For each line of the text, the original line before which it must lie."""
    ends, end = [most] * count, most
    for index in range(count - 1, -1, -1):
        ends[index] = end
        end = certain.get(index, end)
    return ends


def _holds(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a line has some words in order near its beginning; roles and markup may stand before and between."""
    remaining_words = iter(words)
    return all(word in remaining_words for word in wanted)
