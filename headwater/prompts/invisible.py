"""Characters that a model reads and no person sees.

Belongs here: taking them out of texts before a model gets them. Not here: what looks like another role or source
(`headwater.generation.prompt_messages`), documents, which stay as they are. Guarantee: no letter, sign or emoji
disappears; what is taken out could hide an order to a model, or split a word or a mark that a check looks for.

Unicode's tag characters spell ASCII without a glyph, variation selectors spell bytes, and joiners spell bits; models
read all three. A joiner or a selector stays where scripts and emoji need one: alone, beside what it joins.
"""

import re

_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_JOINERS = re.compile("[\u200c\u200d\ufe00-\ufe0f]+")
_NEEDED = re.compile("[\u200c\u200d]|[\ufe00-\ufe0f]\u200d?")
_KEYCAP = "\u20e3"


def without_invisible(text: str) -> str:
    """A text as a person sees it: without characters that have neither a glyph nor a width."""
    if text.isascii():
        return text
    return _JOINERS.sub(_keep_needed, _HIDDEN.sub("", text))


def _keep_needed(match: re.Match[str]) -> str:
    """A joiner between two characters that are not ASCII, or a selector behind one or in a keycap; else nothing."""
    run, text = match[0], match.string
    preceding, following = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if not _NEEDED.fullmatch(run):
        return ""
    has_joiner = run[-1] in "\u200c\u200d"
    is_joined = bool(following) and not following.isascii() and not following.isspace()
    is_behind = bool(preceding) and not preceding.isascii() and not preceding.isspace()
    if has_joiner:
        return run if is_behind and is_joined else ""
    return run if is_behind or following == _KEYCAP else ""
