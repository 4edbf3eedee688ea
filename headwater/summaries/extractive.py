"""Summaries without a model: the most central sentences of a text, word for word.

Belongs here: choosing sentences. Not here: what is summarised together (`tree`), summaries by a model. Guarantee: pure
and deterministic; every sentence of a summary stands in one of the texts.

A sentence is central if it shares rare words with many others. Sources: Mihalcea and Tarau 2004, TextRank
(https://aclanthology.org/W04-3252); Carbonell and Goldstein 1998, MMR (https://doi.org/10.1145/290941.291025).
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from headwater.chunking.sentences import sentence_spans
from headwater.domain.summaries import NodeKind
from headwater.lexical.token_estimate import estimate_tokens
from headwater.summaries.tree import Wanted
from headwater.understanding.words import content_words

_DAMPING, _ROUNDS = 0.85, 30
_EARLY = 1.3  # the first sentence of a text mostly says what it is about
_ALIKE = 0.6  # cosine: two sentences that say the same
_MOST_SENTENCES = 400  # the work grows with their square
_LEAST_WORDS = 4
_TITLE = 200  # characters
_ENDS = tuple(".!?。！？।؟…")
_CLOSING = "\"'”’»)]*_`"
_NO_SENTENCE = re.compile(r"[|#>`]|[-*+•] |\d+[.)] |https?://|\.\. |:\w+:|[{}<\[]")
_IMAGE = re.compile(r"!\[[^\]]{0,500}\]\([^)]{0,1000}\)")
_SPACE = re.compile(r"\s+")


def summarize(wanted: Wanted, *, tokens: int, language: str = "") -> str:
    """Summarise texts in their most central sentences, in their order.

    Args:
        wanted: the texts; a document's summary begins with its title.
        tokens: the most tokens of the summary, by the estimate.
        language: of the texts, as a code; empty if it is unknown.

    Returns:
        The summary; if no sentence fits, the beginning of the first text.
    """
    if wanted.kind in (NodeKind.PIECE, NodeKind.DOCUMENT):
        sentences, firsts = _sentences(wanted.texts)
    else:  # each summary below begins with what it is of
        sentences, firsts = [text for text in wanted.texts if text], set(range(len(wanted.texts)))
        sentences = [_first_sentence(text) for text in sentences]
    title = wanted.title[:_TITLE]
    head = f"{title}: " if wanted.kind is NodeKind.DOCUMENT and wanted.title else ""
    chosen = _chosen(sentences, firsts, tokens - estimate_tokens(head), language)
    body = " ".join(sentences[place] for place in chosen) or _beginning(wanted.texts, tokens - estimate_tokens(head))
    return body if head and body.startswith(title) else (head + body).strip()


def central_sentence(text: str, *, tokens: int, language: str = "") -> str:
    """The most central sentence of a text, word for word.

    Args:
        text: the text.
        tokens: the most tokens of the sentence, by the estimate.
        language: of the text, as a code; empty if it is unknown.

    Returns:
        The sentence; empty if the text has none that is long enough to say something and short enough.
    """
    sentences, firsts = _sentences([text])
    vectors = _vectors(sentences, language)
    ranks = _ranks(vectors, firsts)
    fitting = [
        place for place, sentence in enumerate(sentences) if vectors[place] and estimate_tokens(sentence) <= tokens
    ]
    return sentences[max(fitting, key=lambda place: (ranks[place], -place))] if fitting else ""


def _sentences(texts: Sequence[str]) -> tuple[list[str], set[int]]:
    """The sentences of texts that are prose, and which of them begin a text."""
    found: list[str] = []
    firsts: set[int] = set()
    for text in texts:
        begun = len(found)
        for start, end in sentence_spans(text):
            said = _SPACE.sub(" ", text[start:end]).strip()
            if _is_sentence(said):
                found.append(said)
        if len(found) > begun:
            firsts.add(begun)
    return found[:_MOST_SENTENCES], firsts


def _is_sentence(said: str) -> bool:
    """Whether a stretch of a text is prose that ends; what an image says in its place is none."""
    shown = _IMAGE.sub("", said)
    return not _NO_SENTENCE.match(said) and shown.rstrip(_CLOSING).endswith(_ENDS) and not _is_cut(shown)


def _is_cut(shown: str) -> bool:
    """Whether a stretch begins or ends inside an image or a link."""
    opened, closed, target = shown.find("["), shown.find("]"), shown.rfind("](")
    return (
        "![" in shown
        or shown.rfind("[") > shown.rfind("]")
        or (closed >= 0 and not 0 <= opened < closed)
        or (target >= 0 and ")" not in shown[target:])
    )


def _first_sentence(text: str) -> str:
    start, end = sentence_spans(text)[0]
    return _SPACE.sub(" ", text[start:end]).strip()


def _beginning(texts: Sequence[str], tokens: int) -> str:
    """The first words, or else the first characters where words are not apart."""
    kept: list[str] = []
    for word in " ".join(texts).split():
        cost = estimate_tokens(word)
        if cost > tokens:
            return " ".join(kept) or word[: max(tokens, 0)]
        tokens -= cost
        kept.append(word)
    return " ".join(kept)


def _chosen(sentences: Sequence[str], firsts: set[int], tokens: int, language: str) -> list[int]:
    """The places of the sentences to take, in order: the most central ones that fit and that none says already."""
    vectors = _vectors(sentences, language)
    ranks = _ranks(vectors, firsts)
    chosen: list[int] = []
    for place in sorted(range(len(sentences)), key=lambda place: -ranks[place]):
        cost = estimate_tokens(sentences[place])
        if not vectors[place] or cost > tokens:
            continue
        if all(_cosine(vectors[place], vectors[other]) < _ALIKE for other in chosen):
            chosen.append(place)
            tokens -= cost
    return sorted(chosen)


def _vectors(sentences: Sequence[str], language: str) -> list[Mapping[str, float]]:
    """Unit vectors of words, weighted by how rare they are; empty for a sentence with too few words."""
    words = [content_words(sentence, language) for sentence in sentences]
    counts = Counter(word for of_sentence in words for word in of_sentence)
    found: list[Mapping[str, float]] = []
    for of_sentence in words:
        weights = {word: math.log(1 + len(sentences) / counts[word]) for word in sorted(of_sentence)}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        is_enough = len(of_sentence) >= _LEAST_WORDS
        found.append({word: weight / length for word, weight in weights.items()} if is_enough else {})
    return found


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(weight * other.get(word, 0.0) for word, weight in one.items())


def _ranks(vectors: Sequence[Mapping[str, float]], firsts: set[int]) -> list[float]:
    """How central each sentence is."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, vector in enumerate(vectors):
        for word in vector:
            places[word].append(place)
    links: list[dict[int, float]] = [{} for _ in vectors]
    for word, found in places.items():
        for one in found:
            for other in found:
                if one != other:
                    links[one][other] = links[one].get(other, 0.0) + vectors[one][word] * vectors[other][word]
    totals = [sum(of_one.values()) or 1.0 for of_one in links]
    start = (1 - _DAMPING) / max(1, len(vectors))
    ranks = [1 / max(1, len(vectors))] * len(vectors)
    for _ in range(_ROUNDS):
        ranks = [
            start + _DAMPING * sum(ranks[other] * weight / totals[other] for other, weight in of_one.items())
            for of_one in links
        ]
    return [rank * (_EARLY if place in firsts else 1.0) for place, rank in enumerate(ranks)]
