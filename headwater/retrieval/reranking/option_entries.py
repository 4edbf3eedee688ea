"""Passages with the entry of an option that the question names.

Belongs here: what an entry of an option looks like in a passage. Not here: how much it counts (`lexical_reranker`),
which part of a passage is quoted (`headwater.quote`). Guarantee: pure; the work is linear in the text of the passages.
"""

import re
from collections.abc import Sequence

from headwater.domain.search import Passage
from headwater.understanding.entities import EntityKind, entities

_MAX_OPTIONS = 20  # of a question; one with more is a list, or data
_SHORT = 2  # letters of `-t`, which is another option than `-T`


def score_entries(question: str, passages: Sequence[Passage]) -> list[float]:
    """Score the passages that explain an option of the question.

    An entry is an item, a heading or a line in bold that begins with the option, such as `- **-t**, **--topic**: …`.

    Args:
        question: the question as it was asked.
        passages: the search results.

    Returns:
        1 for each passage that has such an entry, or stands below its heading, else 0; empty if none does.
    """
    options = [entity.text for entity in entities(question) if entity.kind is EntityKind.IDENTIFIER][:_MAX_OPTIONS]
    if not options:
        return []
    entry = _compile_entry(options)
    scores = [float(any(map(entry.search, (passage.text, *passage.breadcrumb[-1:])))) for passage in passages]
    return scores if any(scores) else []


def _compile_entry(options: Sequence[str]) -> re.Pattern[str]:
    """Matches a line that begins with one of some options, or with other names of it, in bold, italics or as code.

    What has a sign in it, such as `max_rate`, may stand without: `GitHub is …` is no entry.
    """
    names = "|".join(map(_escape, options))
    signed_names = "|".join(_escape(name) for name in options if not name.isalnum()) or "(?!)"
    return re.compile(
        r"^(?:[-*+•][ \t]+|#{1,6}[ \t]+)?(?:[*_`]{1,3}[^\n:.]{0,60}, )?"
        rf"(?:[*_`]{{1,3}}(?:{names})|{signed_names})(?![\w.-])[^\n]{{0,60}}(?:[*_`:]|$)",
        re.MULTILINE | re.IGNORECASE,
    )


def _escape(name: str) -> str:
    return f"(?-i:{re.escape(name)})" if len(name) <= _SHORT else re.escape(name)
