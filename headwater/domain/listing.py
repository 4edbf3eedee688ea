"""Names in messages.

Belongs here: how many of them a message shows. Not here: which names there are. Guarantee: pure; however many names
there are, a message stays short.
"""

from collections.abc import Iterable

MOST_LISTED = 10  # names in a message


def listed(names: Iterable[str], at_most: int = MOST_LISTED) -> str:
    """Names in order, each once, with commas; those beyond the first few are only counted.

    Args:
        names: what to list.
        at_most: how many to show.
    """
    every = sorted(set(names))
    more = [f"and {len(every) - at_most} more"] if len(every) > at_most else []
    return ", ".join(every[:at_most] + more)
