"""Loads every statement Headwater runs, by name: `store/*/*.sql`, each file next to the module that runs it.

Belongs here: splitting the files at their `-- name:` lines. Not here: running anything. Guarantee: names are unique
over all files, and each has a comment that says what it is for.
"""

import re
from functools import cache
from pathlib import Path
from typing import LiteralString, cast

_STORE = Path(__file__).parents[1]
FOLDERS = ("server", "catalogue", "content", "search", "work", "access")
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def query_files() -> list[Path]:
    """The files of queries, in order."""
    return [path for folder in FOLDERS for path in sorted((_STORE / folder).glob("*.sql"))]


@cache
def load_queries() -> dict[str, LiteralString]:
    """Read every query once; the files are part of the program, so their text counts as literal."""
    queries: dict[str, LiteralString] = {}
    for path in query_files():
        names_and_texts = _NAME.split(path.read_text(encoding="utf-8"))
        for name, text in zip(names_and_texts[1::2], names_and_texts[2::2], strict=True):
            if name in queries:
                raise ValueError(f"{path.name}: a query {name} exists already")
            queries[name] = cast("LiteralString", text.strip())
    return queries
