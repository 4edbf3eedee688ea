"""Sentences in a font for code, as in letters, laws and press reviews that were typed so.

Belongs here: telling them from code. Not here: which fonts and styles are for code (`docx_styles`). Guarantee: lines of
commands, comments and names are code.
"""

import re
from collections.abc import Sequence

_WORD = re.compile(r"[\"'(«„“]?[^\W\d_]+(?:[-'’][^\W\d_]+)*[\"'»“”)]?[.,:;!?]?")
_PROSE_WORDS = 6  # in a line
_PROSE_SHARE = 0.75  # of the words that are letters alone
_COMMENTS = ("*", "/", "#", "--", ";", "<")
_LOWER_SHARE = 0.5  # of the words that begin with a small letter, where a script has such
_SENTENCE_END = (".", ":", "!", "?", "。")


def is_prose(lines: Sequence[str]) -> bool:
    """Whether lines in a style or font for code are sentences.

    Args:
        lines: paragraphs, one below the other.
    """
    words = [word for line in lines for word in line.split()]
    plain_words = [word for word in words if _WORD.fullmatch(word)]
    filled_lines = [line for line in lines if line.strip()]
    return (
        len(words) >= _PROSE_WORDS * len(filled_lines)
        and len(plain_words) >= _PROSE_SHARE * len(words)
        and sum(not word[:1].isupper() for word in plain_words) >= _LOWER_SHARE * len(plain_words)
        and any(line.rstrip().endswith(_SENTENCE_END) for line in filled_lines)
        and not any(line.lstrip().startswith(_COMMENTS) for line in filled_lines)
    )
