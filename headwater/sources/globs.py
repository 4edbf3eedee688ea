"""Patterns of paths, such as `docs/**/*.pdf` or `drafts`.

Belongs here: matching a path with patterns. Not here: reading folders. Guarantee: pure; the work is bounded by the
pattern and the path, whatever they hold.
"""

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import cache
from typing import Annotated

from pydantic import AfterValidator, Field

_MAX_PATTERN_CHARS = 200


def check_glob(pattern: str) -> str:
    """Return a pattern if it is one.

    Raises:
        ValueError: it is empty, too long, or cannot match a path below a folder.
    """
    if not pattern.strip("/ ") or len(pattern) > _MAX_PATTERN_CHARS or "\x00" in pattern:
        raise ValueError(f"must be a pattern of at most {_MAX_PATTERN_CHARS} characters, such as *.pdf or docs/**")
    if ".." in pattern.split("/"):
        raise ValueError("a pattern cannot lead out of the folder")
    return pattern


Globs = Annotated[tuple[Annotated[str, AfterValidator(check_glob)], ...], Field(max_length=100)]


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Whether a file's path, or a folder that it is in, matches one of the patterns.

    `*` and `?` stand for characters within a name, `**` for any number of folders. A pattern without a slash matches a
    name at any depth; one with a slash begins at the root.
    """
    names = path.split("/")
    return any(_matches(names, _split(pattern)) for pattern in patterns)


@cache
def _split(pattern: str) -> tuple[re.Pattern[str] | None, ...]:
    """A pattern's names; None stands for any number of folders."""
    names = pattern.rstrip("/").removeprefix("./").split("/")
    if len(names) == 1:
        names = ["**", *names]
    return tuple(None if name == "**" else re.compile(translate(name)) for name in names if name)


def _matches(parts: Sequence[str], names: Sequence[re.Pattern[str] | None]) -> bool:
    """Whether the names match the beginning of the path: what follows is within a matching folder."""
    reached = {0}  # how many names may be used up so far
    for name in parts:
        reached |= {position + 1 for position in reached if position < len(names) and names[position] is None}
        if len(names) in reached and names[-1] is not None:
            return True
        reached = {position + 1 for position in reached if _is_next(names, position, name)} | {
            position for position in reached if position < len(names) and names[position] is None
        }
    return len(names) in reached or (len(names) - 1 in reached and names[-1] is None)


def _is_next(names: Sequence[re.Pattern[str] | None], number: int, part: str) -> bool:
    name = names[number] if number < len(names) else None
    return name is not None and name.match(part) is not None
