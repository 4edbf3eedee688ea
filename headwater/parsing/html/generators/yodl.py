"""Chapters that Yodl made: lists that lead to the chapters beside them.

Belongs here: those lists. Not here: menus of any page (`page_frame`). Guarantee: a list with any other words stays.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import drop_elements

_TURNS = frozenset({"Next Chapter", "Previous Chapter"})
_LINKS = _TURNS | {"Table of Contents"}


def restore_yodl(tree: Any) -> None:
    """Leave out the lists that turn from chapter to chapter."""
    drop_elements([turns for turns in tree.iter("ul") if 0 < len(turns) <= len(_LINKS) and _turns_chapters(turns)])


def _turns_chapters(turns: Any) -> bool:
    if any((item.text or "").strip() or len(item) != 1 or item[0].tag != "a" for item in turns):
        return False
    words = [(item[0].text or "").strip() for item in turns]
    return _LINKS.issuperset(words) and not _TURNS.isdisjoint(words)
