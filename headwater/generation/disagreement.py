"""Where a reply and the quote beneath it contradict each other.

Belongs here: comparing their numbers, their names, and yes with no. Not here: what supports a reply (`support`).
Guarantee: pure; what only one of the two mentions is no contradiction.
"""

import re

from headwater.generation.facts import denies, find_names, numbers, values
from headwater.understanding.words import content_words

_YES = re.compile(r"[\W_]*(?:yes|ja|oui|s[íì]|sim|да|はい|是)\b", re.IGNORECASE)
_NO = re.compile(r"[\W_]*(?:no|nein|non(?!-)|n[ãa]o|nee|нет|いいえ|否)\b", re.IGNORECASE)
_WHO = re.compile(r"\b(?:who|whom|whose|wer|wen|wem|wessen|qui|qui[ée]n|chi|quem|wie is|кто)\b", re.IGNORECASE)
_MARKER = re.compile(r"\[\d+\]")
_SAME = 0.3  # share of the question's words that the quote must have for its yes or no to count
_SHOWN = 3  # numbers of each that a note names


def find_disagreement(question: str, reply: str, quote: str, language: str = "") -> str:
    """Say where a reply and a quote contradict each other, for the reader; empty if they do not.

    Args:
        question: that both answer.
        reply: of the model, without the quote.
        quote: plain text.
        language: of the quote.
    """
    reply = _MARKER.sub("", reply)
    replied, quoted = _numbers_apart(reply, quote, language)
    if replied:
        return (
            f"The answer and the quoted passage give different numbers: {_join_values(replied)} and"
            f" {_join_values(quoted)}. Check the source."
        )
    if _WHO.search(question):
        question_words = content_words(question, language)
        mine, theirs = find_names(reply, language) - question_words, find_names(quote, language) - question_words
        if mine and theirs and not mine & content_words(quote, language):
            return "The answer and the quoted passage give different names. Check the source."
    return _opposites(question, reply, quote, language)


def _numbers_apart(reply: str, quote: str, language: str) -> tuple[list[str], list[str]]:
    """The numbers of each side that count the same thing, if the quote has none of the reply's."""
    replied, quoted, there = numbers(reply, language), numbers(quote, language), values(quote, language)
    for unit in dict.fromkeys(quantity.unit for quantity in replied if quantity.unit):
        mine = [quantity.value for quantity in replied if quantity.unit == unit]
        theirs = [quantity.value for quantity in quoted if quantity.unit == unit]
        if theirs and there.isdisjoint(mine):
            return mine, theirs
    return [], []


def _opposites(question: str, reply: str, quote: str, language: str) -> str:
    says_yes, says_no = _YES.match(reply) is not None, _NO.match(reply) is not None
    if says_yes == says_no:
        return ""
    question_words = content_words(question, language)
    if len(question_words & content_words(quote, language)) < _SAME * len(question_words):
        return ""
    quote_says_no = _NO.match(quote) is not None or (denies(quote) and not _YES.match(quote))
    quote_says_yes = _YES.match(quote) is not None
    if says_yes and quote_says_no:
        return "The answer says yes, but the quoted passage seems to deny it. Check the source."
    if says_no and quote_says_yes:
        return "The answer says no, but the quoted passage says yes. Check the source."
    return ""


def _join_values(values: list[str]) -> str:
    return ", ".join(list(dict.fromkeys(values))[:_SHOWN])
