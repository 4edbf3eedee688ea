"""Lists of names, and numbers of things, in messages and tags.

Belongs here: how many names are shown, and the plural. Not here: the names. Guarantee: pure; the list stays short,
however many names there are.
"""

from collections.abc import Iterable

MAX_LISTED = 10  # names


def pluralize(number: int, noun: str) -> str:
    """A number with its noun, such as `1 document` or `1,200 documents`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def join_names(names: Iterable[str]) -> str:
    """Sorted names with commas, each once; only the first few are shown, and the others are counted."""
    every = sorted(set(names))
    remainder = [f"and {len(every) - MAX_LISTED} more"] if len(every) > MAX_LISTED else []
    return ", ".join(every[:MAX_LISTED] + remainder)
