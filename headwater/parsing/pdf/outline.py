"""A file's outline: its sections with their levels and pages.

Belongs here: reading it. Not here: what it does to headings (`headings`). Guarantee: bounded in entries and depth; an
outline that cannot be read is none.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_ENTRIES, _DEPTH = 5_000, 6
_LENGTH = 300
_NO_TITLE = re.compile(r"(?:page|slide|seite|folie|p\.)?\s*\d*\W*$", re.IGNORECASE)


class Section(NamedTuple):
    """An entry of an outline. `top` is its distance from the lower edge of its page, None if unknown."""

    title: str
    level: int
    page: int
    top: float | None


def sections(reader: Any) -> list[Section]:
    """The sections of an open file, in the order of their pages."""
    try:
        entries = list(_walk(reader, reader.outline, 1))
    except Exception:  # noqa: BLE001  # the outline can be broken in any way; the text can be read without it
        return []
    entries = entries[:_ENTRIES]
    return [] if len({section.title for section in entries}) < 2 else sorted(entries, key=lambda section: section.page)


def _walk(reader: Any, entries: Any, level: int) -> Iterator[Section]:
    for entry in entries:
        if isinstance(entry, list):
            yield from _walk(reader, entry, min(level + 1, _DEPTH))
            continue
        title = " ".join(str(entry.title or "").split())[:_LENGTH]
        page = reader.get_destination_page_number(entry)
        if page is None or page < 0 or _NO_TITLE.match(title):
            continue
        top = entry.top
        yield Section(title, level, page + 1, float(top) if isinstance(top, int | float) else None)
