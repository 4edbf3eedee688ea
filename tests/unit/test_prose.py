"""Pages and charters are true in what a machine can check.

Belongs here: tables, lists, and names of modules. Not here: links, examples and what must be documented (`test_docs`).
"""

import inspect
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from headwater.settings import REPOSITORY

PAGES = sorted(path for folder in (".", "docs", "examples") for path in (REPOSITORY / folder).glob("*.md"))
ROOTS = ("headwater", "query_api", "cli", "assets", "pipelines", "integrations", "bench", "tests")
PACKAGES = [*ROOTS, "packages/dagster_headwater/src/dagster_headwater"]
_CHARTER = re.compile(r'(?:#.*\n|\s)*"""(.*?)"""', re.DOTALL)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_KEY = re.compile(r"^\| (`[^|]+`) \|", re.MULTILINE)
_NUMBER = re.compile(r"^(\d+)\. ")
_PATH = re.compile(rf"`((?:{'|'.join(ROOTS)})/[\w/.-]*(?:\.[a-z]+|/))`")
_ELSEWHERE = re.compile(r"Not\s+here:(.*?)(?:Guarantee:|\n\n|$)", re.DOTALL)
_NEIGHBOURS = re.compile(r"\(((?:`[\w*]+`(?:,\s+|\s+and\s+)?)+)\)")
_DOTTED = re.compile(rf"`(?:python -m )?((?:{'|'.join(ROOTS)})(?:\.\w+)+)`")


def prose(path: Path) -> str:
    """A page without its blocks of code."""
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def repeated_keys(text: str) -> list[str]:
    """The keys that a table of a page has twice."""
    tables = (rows for is_row, rows in groupby(text.splitlines(), lambda line: line.startswith("|")) if is_row)
    return [key for rows in tables for key, count in Counter(_KEY.findall("\n".join(rows))).items() if count > 1]


def wrong_steps(text: str) -> list[tuple[int, int]]:
    """Numbers of ordered lists that do not follow the one before; a heading begins another list."""
    wrong = []
    for section in re.split(r"^#.*$", text, flags=re.MULTILINE):
        numbers = [int(match[1]) for line in section.splitlines() if (match := _NUMBER.match(line))]
        wrong += [(first, then) for first, then in pairwise([0, *numbers]) if then not in (first + 1, 1)]
    return wrong


def missing_modules(text: str) -> Iterator[str]:
    """What a text names in backticks as a file or module of ours, and is not there."""
    for name in _PATH.findall(text):
        if "NNNN" not in name and not (REPOSITORY / name.rstrip("/")).exists():
            yield name
    for name in _DOTTED.findall(text):
        is_attribute = name.count(".") == 1 and name.startswith("headwater.")  # of a span, of a request to a model
        if not is_attribute and not _is_there(name):
            yield name


def missing_neighbours(charter: str, folder: Path) -> list[str]:
    """What a charter names behind "Not here" as a module of its package, or of the one above, and is not there."""
    places = list(folder.parent.iterdir()) if folder.is_relative_to(REPOSITORY / "tests") else [folder, folder.parent]
    groups = [group for part in _ELSEWHERE.findall(charter) for group in _NEIGHBOURS.findall(part)]
    names = [name for group in groups for name in re.findall(r"`([\w*]+)`", group) if name not in ROOTS]
    return [name for name in names if not any(_is_in(place, name) for place in places)]


def _is_in(folder: Path, name: str) -> bool:
    return (folder / name).is_dir() or any(folder.glob(f"{name}.*"))


def _is_there(name: str) -> bool:
    """Whether a dotted name is a module, or what a module has."""
    parts = name.split(".")
    for end in range(len(parts), 1, -1):
        place = REPOSITORY.joinpath(*parts[:end])
        if place.with_suffix(".py").exists():
            words = place.with_suffix(".py").read_text(encoding="utf-8")
            return all(re.search(rf"\b{part}\b", words) for part in parts[end:])
        if place.is_dir():
            init = place / "__init__.py"
            return end == len(parts) or (init.exists() and parts[end] in init.read_text(encoding="utf-8"))
    return False


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_true_in_tables_lists_and_names(path: Path) -> None:
    """No key twice in a table, no list that counts backwards, and every module that it names exists."""
    text = prose(path)
    assert repeated_keys(text) == []
    assert wrong_steps(text) == []
    if path.name != "CHANGELOG.md":  # it tells what once was
        assert list(missing_modules(text)) == []


def test_the_first_page_is_short() -> None:
    """A newcomer reads all of the README; what is longer stands in docs/."""
    assert len((REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def test_charters_name_modules_that_exist() -> None:
    """A charter says where the other thing is, so that place has to be there."""
    wrong = []
    for package in PACKAGES:
        for file in (REPOSITORY / package).rglob("*.py"):
            opening = _CHARTER.match(file.read_text(encoding="utf-8"))
            charter = inspect.cleandoc(opening.group(1)) if opening else ""
            missing = [*missing_modules(charter), *missing_neighbours(charter, file.parent)]
            wrong += [(str(file.relative_to(REPOSITORY)), name) for name in missing]
    assert wrong == []


def test_what_is_not_true_is_noticed() -> None:
    """Each rule finds its mistake."""
    assert repeated_keys("| `a` | 1 |\n| `b` | 2 |\n| `a` | 3 |\n\n| `b` | 4 |\n") == ["`a`"]
    assert wrong_steps("1. One\n2. Two\n\n2. Two\n# Next\n1. One\n3. Three\n") == [(2, 2), (1, 3)]
    names = "`headwater.store.gone` `bench/gone.py` `headwater.store.store` `headwater.errors.ForbiddenError` `docs/x`"
    assert list(missing_modules(names)) == ["bench/gone.py", "headwater.store.gone"]
    charter = "Not here: quotes (`quote`), what is gone (`windows`, `gone`). Guarantee: none (`no_name`)."
    assert missing_neighbours(charter, REPOSITORY / "headwater" / "quote") == ["gone"]
