"""Noticing a prompt's own words in a model's reply.

Belongs here: comparing a reply with the prompt. Not here: what happens to such a reply. Guarantee: pure; words that the
person or the documents have written may be repeated.
"""

import re

_WORD = re.compile(r"\w+")
RUN = 8
"""Words in a row that are the prompt's own: shorter runs, such as "at most 60 characters", occur by chance."""


def repeats(text: str, prompt: str, *, but: str = "") -> bool:
    """Whether a text contains a run of the prompt's words.

    Args:
        text: of a model.
        prompt: the whole prompt, filled in.
        but: what was filled in, which a reply may repeat.
    """
    return bool(_runs(text) & (_runs(prompt) - _runs(but)))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return {tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1)}
