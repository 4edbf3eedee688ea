"""Sentences that may stand for a text: those that lead it, and the most central one, word for word.

Belongs here: which stretches of a text are sentences, and which of them to quote. Not here: what a summary is made of
(`extractive`). Guarantee: pure and deterministic; every sentence stands in the text, but for the markup of its links.

A sentence is central if it shares rare words with many others. Source: Mihalcea and Tarau 2004, TextRank
(https://aclanthology.org/W04-3252). A document is introduced where it begins, so its own summary quotes leading
sentences: of the first few, those that say the words of its title, best where the sentence begins.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from headwater.chunking.sentences import each_sentence
from headwater.domain.summaries import SECTIONS
from headwater.lexical.token_estimate import estimate_tokens
from headwater.quote.inline_cleanup import clean_inline, without_admonition_marks, without_marks
from headwater.understanding.connectives import begins_with_connective
from headwater.understanding.words import content_words, terms

_DAMPING, _ROUNDS = 0.85, 30
_EARLY = 1.3  # the first sentence of a text mostly says what it is about
_MAX_SENTENCES = 400  # the work grows with their square
_MIN_WORDS = 4
_MIN_LEADING = 2
_LEADING = 12  # sentences among which a document says what it is for
_LEADING_CHARS = 8_000
_LATER = 0.25  # how much less each sentence counts than the one before
_TITLE_WORDS, _TITLE_FIRST = 0.4, 0.2  # for the share of the title's words; and if it begins with one of them
_LEANS = 0.5  # less for a sentence that needs the one before
_OPENING = 6  # words in which a sentence names what it is about
_ENDS = tuple(".!?。！？।؟…")
_CLOSING = "\"'”’»)]*_`"
_NO_SENTENCE = re.compile(r"[|#>`]|[-*+•] |\d+[.)] |https?://|\.\. |:\w+:|[{}<\[]")
_IMAGE = re.compile(r"!\[[^\]]{0,500}\]\([^)]{0,1000}\)")
_LINK = re.compile(r"\[([^\[\]\n]+)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_TEMPLATE = re.compile(r"\{[%{:].*?[%}]?\}")
_BEGINS = re.compile(r"[\"'“‘«„¿¡`]?\w")
_IN_LIST = re.compile(r"\n[ \t>]*(?:[-*+•]|\d+[.)])[ \t]")
_HEADING_LINE = re.compile(r"^[ ]{0,3}#{1,6}[ \t][^\n]*", re.MULTILINE)
_TAG_LINE = re.compile(r"^[ \t]*(?:[-*+] )?(?:\[?#[^\s#\[\]()]{1,200}\]?(?:\([^()\s]*\))?[ \t]*)++$", re.MULTILINE)
_ROW = re.compile(r"^[ ]{0,3}\|[^\n]*", re.MULTILINE)
_SPACE = re.compile(r"\s+")


def choose_leading_sentences(texts: Sequence[str], *, title: str, tokens: int, language: str = "") -> list[str]:
    """The sentences that say what a document is for: the best of the first few, and the one behind it if that fits.

    Args:
        texts: of the document, in order.
        title: of the document.
        tokens: the most tokens of all of them, by the estimate.
        language: of the texts, as a code; empty if it is unknown.

    Returns:
        At most two sentences.
    """
    leading = list(islice(_iterate_leading(texts), _LEADING))
    sentences = [sentence for _, sentence in leading]
    title_words = content_words(title, language)
    fitting = [place for place, sentence in enumerate(sentences) if estimate_tokens(sentence) <= tokens]
    if not fitting:
        return []
    openings = [place == 1 for place, _ in leading]
    best = max(
        fitting,
        key=lambda index: (_score(index, sentences[index], title_words, language, begins=openings[index]), -index),
    )
    both = [sentence for place, sentence in leading[best : best + 2] if place <= leading[best][0] + 1]
    return both if sum(map(estimate_tokens, both)) <= tokens else both[:1]


def central_sentence(text: str, *, tokens: int, language: str = "") -> str:
    """The most central sentence of a text, word for word.

    Args:
        text: the text.
        tokens: the most tokens of the sentence, by the estimate.
        language: of the text, as a code; empty if it is unknown.

    Returns:
        The sentence; empty if the text has none that is long enough to say something and short enough.
    """
    sentences = list(islice(_sentences(text), _MAX_SENTENCES))
    vectors = _vectors(sentences, language)
    ranks = _ranks(vectors)
    fitting = [
        place for place, sentence in enumerate(sentences) if vectors[place] and estimate_tokens(sentence) <= tokens
    ]
    return sentences[max(fitting, key=lambda place: (ranks[place], -place))] if fitting else ""


def beginning(texts: Sequence[str], tokens: int) -> str:
    """The first words of texts below their headings, or else the first characters where words are not apart.

    Of a table, the words of its cells; a dash stands between two of them.
    """
    fitting_words: list[str] = []
    text = _ROW.sub(_join_cells, "\n".join(texts)[:_LEADING_CHARS])
    body = _TAG_LINE.sub("", _HEADING_LINE.sub("", text)).strip()
    for word in clean_inline(body or text.replace("#", "")).split():
        cost = estimate_tokens(word)
        if cost > tokens:
            return " ".join(fitting_words) or word[: max(tokens, 0)]
        tokens -= cost
        fitting_words.append(word)
    return " ".join(fitting_words)


def _join_cells(row: re.Match[str]) -> str:
    """The words of a table's row; empty for the line below its header."""
    return " – ".join(cell.strip() for cell in row.group().split("|") if cell.strip(" :-"))


def _iterate_leading(texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The sentences at the beginning of texts that say something, without the markup of links.

    Each comes with its place from 1, headings not counted.
    """
    chars_left, place = _LEADING_CHARS, 0
    for text in texts:
        for start, end in each_sentence(text := _IMAGE.sub("", text[: max(chars_left, 0)])):
            stretch = _HEADING_LINE.sub("", text[start:end]).strip()  # a heading may stand right above a sentence
            place += bool(stretch)
            if not stretch or _IN_LIST.search(stretch):
                continue
            sentence = _SPACE.sub(" ", without_admonition_marks(stretch)).strip()
            if _is_sentence(sentence) and not sentence.startswith(SECTIONS):
                plain = without_marks(_TEMPLATE.sub("", clean_inline(_LINK.sub(r"\1", sentence)))).strip("_* ")
                if _BEGINS.match(plain) and len(terms(plain)) >= _MIN_LEADING:
                    yield place, plain
        chars_left -= len(text)


def _score(place: int, sentence: str, title: set[str], language: str, *, begins: bool) -> float:
    sentence_terms = terms(sentence, language)
    share = len(title & set(sentence_terms)) / max(1, len(title))
    opening = title & content_words(" ".join(sentence.split()[:_OPENING]), language)
    is_connected = begins_with_connective(sentence, language) and not begins  # nothing stands before the first
    leans = is_connected or sentence[0].islower()
    bonus = _TITLE_WORDS * share + _TITLE_FIRST * bool(opening) - _LEANS * leans
    return 1 / (1 + _LATER * place) + bonus


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text that are prose."""
    for start, end in each_sentence(text):
        sentence = _SPACE.sub(" ", text[start:end]).strip()
        if _is_sentence(sentence):
            yield sentence


def _is_sentence(sentence: str) -> bool:
    """Whether a stretch of a text is prose that ends; what an image says in its place is none."""
    without_images = _IMAGE.sub("", sentence)
    return (
        not _NO_SENTENCE.match(sentence)
        and without_images.rstrip(_CLOSING).endswith(_ENDS)
        and not _is_cut(without_images)
    )


def _is_cut(shown: str) -> bool:
    """Whether a stretch begins or ends inside an image or a link."""
    opens_at, closed, target = shown.find("["), shown.find("]"), shown.rfind("](")
    return (
        "![" in shown
        or shown.rfind("[") > shown.rfind("]")
        or (closed >= 0 and not 0 <= opens_at < closed)
        or (target >= 0 and ")" not in shown[target:])
    )


def _vectors(sentences: Sequence[str], language: str) -> list[Mapping[str, float]]:
    """Unit vectors of words, weighted by how rare they are; empty for a sentence with too few words."""
    words = [content_words(sentence, language) for sentence in sentences]
    counts = Counter(word for of_sentence in words for word in of_sentence)
    vectors: list[Mapping[str, float]] = []
    for of_sentence in words:
        weights = {word: math.log(1 + len(sentences) / counts[word]) for word in sorted(of_sentence)}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        is_enough = len(of_sentence) >= _MIN_WORDS
        vectors.append({word: weight / length for word, weight in weights.items()} if is_enough else {})
    return vectors


def _ranks(vectors: Sequence[Mapping[str, float]]) -> list[float]:
    """How central each sentence is; the first counts more."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, vector in enumerate(vectors):
        for word in vector:
            places[word].append(place)
    links: list[dict[int, float]] = [{} for _ in vectors]
    for word, indexes in places.items():
        for first in indexes:
            for second in indexes:
                if first != second:
                    links[first][second] = links[first].get(second, 0.0) + vectors[first][word] * vectors[second][word]
    totals = [sum(of_one.values()) or 1.0 for of_one in links]
    start = (1 - _DAMPING) / max(1, len(vectors))
    ranks = [1 / max(1, len(vectors))] * len(vectors)
    for _ in range(_ROUNDS):
        ranks = [
            start
            + _DAMPING * sum(ranks[neighbour] * weight / totals[neighbour] for neighbour, weight in of_one.items())
            for of_one in links
        ]
    return [rank * (1.0 if place else _EARLY) for place, rank in enumerate(ranks)]
