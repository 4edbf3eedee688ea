"""Lists of names, and numbers of things, in messages and tags.

Belongs here: how many names are shown, and the plural. Not here: the names. Guarantee: pure; the list stays short,
however many names there are.
"""

import re
from collections.abc import Iterable

MAX_LISTED = 10  # names


def pluralize(number: int, noun: str) -> str:
    """A number with its noun, such as `1 document`, `1,200 documents` or `2 summaries`."""
    if number == 1:
        return f"{number:,} {noun}"
    return f"{number:,} {noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{number:,} {noun}s"


def join_names(names: Iterable[str], *, most: int = MAX_LISTED) -> str:
    """Sorted names with commas, each once; only the first `most` are shown, and the others are counted."""
    every = sorted(set(names))
    remainder = [f"and {len(every) - most} more"] if len(every) > most else []
    return ", ".join(every[:most] + remainder)
