"""Whether a question asks for code, rather than for what documentation says (RET-3).

Belongs here: the wordings. Not here: code in a question (`code_split`), what it changes (`headwater.retrieval.boosts`).
Guarantee: pure.
"""

import re

from headwater.understanding.code_split import split_code

_ASKS = re.compile(
    r"^(?:in )?(?:which|what) (?:source |code )?(?:files?|class(?:es)?|functions?|methods?|modules?)\b"
    r"(?! (?:of|can|should|may|do|must|are|formats?|types?|systems?|sizes?|names?)\b)"
    r"|\bimplement(?:ed|ation|s)\b|\bsource code\b"
    r"|^where (?:is|are|does|do) .*\b(?<!\bthe )(?<!\ba )"  # "the feed" is a thing
    r"(?!(?:stored|saved|located|hosted|installed|documented|described|explained|mentioned|placed)\b)"
    r"\w+(?:ed|wn)[ ?]*$",
    re.IGNORECASE,
)


def asks_for_code(question: str) -> bool:
    """Whether a question names what only code has, such as a function, asks where something is done, or holds code.

    Args:
        question: as it was asked.
    """
    split = split_code(question)
    return any("\n" in block for block in split.code) or _ASKS.search(split.language_text) is not None
