"""The title, slug and description of a question, by rules (ANS-1).

Belongs here: mending, shortening and describing a question in its own words. Not here: a model's title
(`headwater.answering.question_model`). Guarantee: pure; a title has at most 60 characters, a slug at most 50, a
description 100 to 150, and none is empty; a title has no word that the question lacks.
"""

import re
import unicodedata

from headwater.understanding.code_split import split_code
from headwater.understanding.intents import Intent, without_politeness

TITLE_LIMIT, SLUG_LIMIT = 60, 50  # characters
DESCRIPTION_LEAST, DESCRIPTION_LIMIT = 100, 150  # characters

_KINDS = {
    Intent.HOW_TO: "It asks how something is done, step by step",
    Intent.DEFINITION: "It asks what something is or what a word means",
    Intent.TROUBLESHOOTING: "It asks why something fails and how to fix it",
    Intent.COMPARISON: "It asks how several things differ from each other",
    Intent.LIST: "It asks for a list of the things that there are",
    Intent.YES_NO: "It asks whether something is so, yes or no",
    Intent.LOOKUP: "It asks for a fact, a number or a name",
    Intent.CHIT_CHAT: (
        "It is small talk and asks for nothing that the documents of this knowledge base could possibly answer"
    ),
}
_ENDS = (".", "?", "!", "…", "。", "？", "！")
_ANSWERED = "the answer comes from the documents of this knowledge base."
_SPACE_BEFORE_MARK = re.compile(r"(?<=[^\W_])\s+(?=[,;.!?](?:\s|$))")
_MARKS = re.compile(r"[?!.,;]{2,}+(?=\s|$)")
_NO_SPACE = re.compile(r"(?<=[^\W\d_]{2})([,;?!])(?=[^\W\d_]{2})")
_THANKS = re.compile(
    r"(?<![,\s])[,\s]*+\b(?:please|thanks?(?: you)?(?: in advance| a lot| so much)?|thx|danke|merci|gracias)\b"
    r"[.! ]*(?=\?*$)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=\w{3}\.)\s+|(?<=[!?…])\s+|(?<=[。！？])")  # not after "vs."
_LONE_I = re.compile(r"(?<![\w'’.-])i(?=[\s,?!]|['’](?:m|d|ll|ve)\b|$)")
_ASKING = re.compile(
    r"(?:what|who|whom|whose|when|where|why|which|how|is|are|was|were|do|does|did|can|could|should|will|would|may|must|"
    r"has|have)\b",
    re.IGNORECASE,
)
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?[,:;]?")


def title_of(question: str) -> str:
    """The question as a title: without politeness, with its spaces, capitals and end mark mended, cut at a word.

    Args:
        question: the question as it was asked.
    """
    text = " ".join((split_code(question).language_text or question).split())
    text = _choose_sentence(_THANKS.sub("", without_politeness(text)) or text)
    text = _SPACE_BEFORE_MARK.sub("", _MARKS.sub(_one_mark, text))
    text = _NO_SPACE.sub(r"\1 ", text)
    text = _without_shouting(text)
    if _ASKING.match(text):
        text = f"{_LONE_I.sub('I', text).rstrip(' .!,;:')}"
        text = text if text.endswith(("?", "？")) else f"{text}?"
    return truncate(_capitalise(text), TITLE_LIMIT)


def slug_of_question(question: str) -> str:
    """The question for an address: letters, marks and digits of any script, in lower case, the rest as hyphens."""
    plain = unicodedata.normalize("NFKC", " ".join(question.split())).casefold()
    characters = "".join(
        character if unicodedata.category(character)[0] in "LMN" else "-"
        for character in plain
        if character not in "'’"
    )
    slug = re.sub(r"-+", "-", characters).strip("-")
    if len(slug) > SLUG_LIMIT:
        cut = slug[: SLUG_LIMIT + 1]
        slug = cut[: cut.rfind("-")] if "-" in cut[SLUG_LIMIT // 2 :] else slug[:SLUG_LIMIT]
    return slug or "question"


def description_of(question: str, title: str, intent: Intent) -> str:
    """What the question asks, in 100 to 150 characters: its own words, or its title and its kind."""
    text = without_politeness(" ".join((split_code(question).language_text or question).split()))
    if len(text) >= DESCRIPTION_LEAST:
        return truncate(_capitalise(text), DESCRIPTION_LIMIT, least=DESCRIPTION_LEAST)
    title_sentence, kind = title if title.endswith(_ENDS) else f"{title}.", _KINDS[intent]
    short = f"{title_sentence} {kind}."
    text = short if len(short) >= DESCRIPTION_LEAST else f"{title_sentence} {kind}; {_ANSWERED}"
    return truncate(text, DESCRIPTION_LIMIT, least=DESCRIPTION_LEAST)


def truncate(text: str, limit: int, *, least: int = 0) -> str:
    """Cut a text at a word, with an ellipsis, so that it has `least` to `limit` characters.

    A script without spaces, or a word that is longer than the rest allows, is cut at a character.
    """
    if len(text) <= limit:
        return text
    cut = text[:limit]
    space = cut.rfind(" ")
    shortened = cut[:space] if space >= max(least, limit // 2) else cut[: limit - 1]
    return f"{shortened.rstrip(' ,;:.?!')[: limit - 1]}…"


def _choose_sentence(text: str) -> str:
    """The first sentence that asks, or all of the text."""
    sentences = (sentence.strip() for sentence in _SENTENCE.split(text))
    return without_politeness(next((sentence for sentence in sentences if sentence.endswith(("?", "？"))), text))


def _one_mark(match: re.Match[str]) -> str:
    marks = match.group()
    return "?" if "?" in marks else ("…" if set(marks) == {"."} else marks[0])


def _without_shouting(text: str) -> str:
    """A text in capitals in lower case; single words may be acronyms."""
    letters = [letter for letter in text if letter.isalpha()]
    is_shouted = len(text.split()) > 2 and len(letters) > 10 and text.upper() == text and text.lower() != text
    return text.lower() if is_shouted else text


def _capitalise(text: str) -> str:
    """With a capital first letter, unless the first word is a name such as `pip-tools` or `iPhone`."""
    first = text.split(" ", 1)[0].rstrip("?!.")
    is_word = bool(_PLAIN_WORD.fullmatch(first)) and first[1:] == first[1:].lower()
    return f"{text[0].upper()}{text[1:]}" if text and is_word else text
