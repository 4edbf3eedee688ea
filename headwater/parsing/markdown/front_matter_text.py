"""What front matter says to readers, as text.

Belongs here: the sentences among its values, and a file that is front matter alone. Not here: reading it
(`front_matter`), metadata. Guarantee: pure; what the text below says already is not said twice; no markup of a value
reaches beyond it.
"""

import re
from collections.abc import Mapping
from typing import Any

from headwater.parsing.markdown.markup import without_markup
from headwater.parsing.markdown.writer import plain_markdown

_SENTENCE_WORDS = 6  # words from which on a value is a sentence, and no name, address or date
_LISTED_WORDS = 3  # words between commas, on average: fewer are a list of keywords
_SUMMARIES = frozenset({"description", "summary"})  # what site generators show without a label
_COMPARED_CHARS = 60  # of a value that may stand in the text, too
_WORD = re.compile(r"\w")
_OPENING = re.compile(r"(?P<closed>`[^`]++`|\\.)|<(?=[A-Za-z/!?])|\{(?=/\*|%)|\{(?!\{?[^{}]*+\})")
_ADDRESS = re.compile(r"\w+://|[/#]")


def front_matter_text(values: Mapping[str, Any], body: str) -> str:
    """The paragraphs that front matter adds to a text: its sentences; of a file without a text, all of its values."""
    sentences = {name: value for name, value in values.items() if name.lower() != "title" and _is_sentence(value)}
    if not sentences:
        return ""
    if not _WORD.search(body):
        lines = ((name, _flat(value)) for name, value in values.items() if name.lower() != "title")
        return "".join(f"- **{_label(name)}**: {_enclose(value)}\n" for name, value in lines if value)
    body_words = _plain(body)
    return "".join(
        f"{_paragraph(name, value)}\n\n"
        for name, value in sentences.items()
        if _plain(value)[:_COMPARED_CHARS] not in body_words
    )


def _is_sentence(value: Any) -> bool:
    if not isinstance(value, str) or _ADDRESS.match(value):
        return False
    words = len(value.split())
    return words >= _SENTENCE_WORDS and words >= _LISTED_WORDS * value.count(",")


def _paragraph(name: str, value: str) -> str:
    words = _enclose(value)
    return plain_markdown(words if name.lower() in _SUMMARIES else f"{_label(name)}: {words}")


def _enclose(words: str) -> str:
    """Words without tags and comments; what opens one and does not close it would take text of the body with it."""
    return _escape(" ".join(without_markup(" ".join(words.split()), is_mdx=False).split()))


def _escape(words: str) -> str:
    return _OPENING.sub(lambda match: match["closed"] or f"\\{match[0]}", words)


def _label(name: str) -> str:
    return _escape(re.sub(r"[\s_-]+", " ", name).strip().capitalize())


def _flat(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_label(name)}: {words}" for name, item in value.items() if (words := _flat(item)))
    if isinstance(value, list):
        mark = "; " if any(isinstance(item, Mapping) for item in value) else ", "
        return mark.join(filter(None, map(_flat, value)))
    return "" if value is None else " ".join(str(value).split())


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
