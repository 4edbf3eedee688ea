"""Names of emoji and icons in markdown, such as `:white_check_mark:`, as the signs that a reader sees.

Belongs here: the sign of a name. Not here: finding names outside code (`markup`). Guarantee: pure; a name that nobody
knows is none.
"""

import re

from rich.emoji import Emoji

NAME = r"(?<![\w:]):(?P<emoji>[a-z0-9_+-]{1,60}):(?![\w:`])"
_ICON = re.compile(r"(?:material|fontawesome|octicons|simple)-(?P<name>[a-z0-9-]+)")
_YES, _NO = re.compile(r"\bcheck|\bdone\b"), re.compile(r"\bclose\b|\bcancel\b|\bxmark\b|^x(?:-|$)")


def sign_of(name: str) -> str | None:
    """The sign of a name without its colons, empty for an icon that only adorns; None if it is the name of nothing."""
    if icon := _ICON.fullmatch(name):
        return "✓" if _YES.search(icon["name"]) else "✗" if _NO.search(icon["name"]) else ""
    short_name = f":{name}:"
    sign = Emoji.replace(short_name)
    return None if sign == short_name else sign
