"""Judging an answer without a model, by its words, numbers and names.

Belongs here: the rules and their limits. Not here: the metrics that verdicts make (`verdicts`), judging by a model
(`model_judge`). Guarantee: pure; the same answer always gets the same verdicts.

The limits were chosen on 30 of the 60 answers in `bench/judged_answers.jsonl`, which a reader judged;
`python -m bench.answer_judgements` measures how well the rules agree with that reader on the others.
"""

import re
from collections.abc import Iterable

from headwater.evaluation.claims import CitedText, Claim, GivenAnswer, without_markers
from headwater.evaluation.verdicts import Verdicts, leads_to
from headwater.generation.statement_splitter import statement_spans
from headwater.understanding.answer_kinds import asks_for_quantity
from headwater.understanding.words import content_words, names

SUPPORTED = 0.6
"""Share of a claim's words that the text which it cites must contain."""
LEADS = 0.22
"""Share of the known answer's words that a citation must contain to be right, if it leads to a right document."""
STATES = 0.35
"""The same share for a citation that leads to another document or page."""
ANSWERED = 0.4
"""Share of the known answer's words that an answer must contain to be relevant."""
SHORT = 0.4
"""Share of the words of a short text that must be the known answer's instead: it need not repeat all of that."""
ON_SUBJECT = 0.5
"""Share of the question's words that an answer must contain to be relevant, if no answer is known."""

_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_WORDS = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMERALS = {word: str(value) for value, word in enumerate(_WORDS.split(), start=2)}  # `one` is mostly no number
_NUMERALS |= {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "hundred": "100"}
_NEGATION = re.compile(r"\b(?:not|no|never|cannot|without|none|neither|nor)\b|n['’]t\b", re.IGNORECASE)
_NEAR = 0.7  # share of a claim's words that one sentence must have before its negation counts


def judge_by_rule(given: GivenAnswer) -> Verdicts:
    """Decide on every claim and citation of an answer, and on the whole of it."""
    return Verdicts(
        claims=tuple(is_supported(claim, given) for claim in given.claims),
        citations=tuple(is_right(citation, given) for citation in given.citations),
        is_relevant=is_relevant(given),
    )


def is_supported(claim: Claim, given: GivenAnswer) -> bool:
    """Whether what a claim cites contains its numbers, its names and most of its words, and denies as it does."""
    cited = given.find_citations(claim)
    if not cited:
        return False
    text = "\n".join(f"{citation.heading}\n{citation.text}" for citation in cited)
    there = content_words(text, given.language)
    if numbers(claim.text) - numbers(text):
        return False
    question_words = content_words(given.golden.question, given.language)
    if {name for name in names(claim.text, given.language) if not name.isdecimal()} - there - question_words:
        return False
    words = {word for word in content_words(claim.text, given.language) if not word.isdecimal()}
    return _share(words, there) >= SUPPORTED and not _is_opposite(claim.text, words, text, given.language)


def is_right(citation: CitedText, given: GivenAnswer) -> bool:
    """Whether a citation leads to a right place.

    Its text must have words of the known answer: few if its document is a right one, more if it is another. If no
    answer is known, quotes of the right documents take its place; without these, the document and the page decide.
    """
    leads = any(leads_to(citation, document) for document in given.golden.relevant)
    expected = given.golden.answer or " ".join(document.quote for document in given.golden.relevant if document.quote)
    if not expected:
        return leads
    there = content_words(f"{citation.heading}\n{citation.text}", given.language)
    expected_words = content_words(expected, given.language)
    is_short = leads and _share(content_words(citation.text, given.language), expected_words) >= SHORT
    return is_short or _share(expected_words, there) >= (LEADS if leads else STATES)


def is_relevant(given: GivenAnswer) -> bool:
    """Whether an answer has enough words of the known answer, or consists of few others and no other number.

    If the question asks for a number, the answer must have one of the known answer's. If no answer is known, it must
    have enough words of the question, in itself or in the headings that it cites.
    """
    text = without_markers(given.text)
    answer_words = content_words(text, given.language)
    if not given.golden.answer:
        answer_words |= content_words("\n".join(citation.heading for citation in given.citations), given.language)
        return _share(content_words(given.golden.question, given.language), answer_words) >= ON_SUBJECT
    expected_words = content_words(given.golden.answer, given.language)
    expected, stated = numbers(given.golden.answer), numbers(text)
    if expected and asks_for_quantity(given.golden.question) and not expected & stated:
        return False
    is_short = bool(answer_words) and _share(answer_words, expected_words) >= SHORT and not stated - expected
    return is_short or _share(expected_words, answer_words) >= ANSWERED


def numbers(text: str) -> set[str]:
    """The numbers of a text, as digits without separators of thousands; English numerals count."""
    numerals = {match.replace(",", "").rstrip(".") for match in _NUMBER.findall(text)}
    return numerals | {_NUMERALS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _NUMERALS}


def _is_opposite(claim: str, words: set[str], text: str, language: str) -> bool:
    """Whether the sentences that say most of a claim deny it, or the claim denies them."""
    sentences = [text[start:end] for start, end in statement_spans(text)]
    rated = [(_share(words, content_words(sentence, language)), sentence) for sentence in sentences]
    best = max((share for share, _ in rated), default=0.0)
    denies = _NEGATION.search(claim) is not None
    nearest = [sentence for share, sentence in rated if share == best]
    return best >= _NEAR and all((_NEGATION.search(sentence) is not None) is not denies for sentence in nearest)


def _share(words: Iterable[str], there: set[str]) -> float:
    needed = set(words)
    return len(needed & there) / len(needed) if needed else 1.0
