"""Which process runs which tests, when several processes run everything.

Belongs here: the order of tests for each process. Not here: what tests share. Guarantee: every test is run once, and
tests for which a process starts or imports something large are in one process, unless another has nothing else to do.

Each process begins with its own part of the list, and takes from the ends of the others' when it is done. So the long
tests come first, then those that need a database, and at the ends those that need nothing.
"""

from collections import defaultdict
from collections.abc import Sequence

import pytest

_LONG = (
    "test_pages.py", "test_scale_out.py", "test_cli.py", "test_sync_client.py", "test_wheel.py", "test_plans.py",
    "test_messages.py", "test_memory.py", "test_drift.py", "test_ocr.py",
)  # fmt: skip
_COMPANY = {
    "litellm": {"chat", "models", "local_llm"},  # imported in 6 s
    "api": {"probe_database"},  # a knowledge base and a server, started in 5 s
    "browser": {"browser"},  # started in 2 s; it ends when tests of another folder run in between
}
_WEIGHT_LONG, _WEIGHT_DATABASE, _WEIGHT_SHORT = 4.0, 1.0, 0.1


def placed(items: Sequence[pytest.Item], processes: int) -> list[pytest.Item]:
    """The tests, so ordered that as many equal parts as there are processes are the parts to begin with."""
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    short: list[pytest.Item] = []
    for path, tests in _by_file(items).items():
        company = _company(tests)
        if path.endswith("/test_pages.py"):  # so much that two processes share it
            groups[f"{path} 0"], groups[f"{path} 1"] = tests[::2], tests[1::2]
        elif company or any(_weight(test) > _WEIGHT_SHORT for test in tests):
            groups[company or path] += tests
        else:
            short += tests
    parts: list[list[pytest.Item]] = [[] for _ in range(processes)]
    for group in sorted(groups.values(), key=lambda tests: -sum(map(_weight, tests))):
        min(parts, key=lambda part: sum(map(_weight, part))).extend(group)
    size, found = -(-len(items) // processes), []
    for part in sorted(parts, key=len, reverse=True):
        part.sort(key=_place)
        taken = max(size - len(part), 0)
        found += [*part, *short[:taken]]
        short = short[taken:]
    return found + short


def _by_file(items: Sequence[pytest.Item]) -> dict[str, list[pytest.Item]]:
    files: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        files[item.path.as_posix()].append(item)
    return files


def _company(tests: Sequence[pytest.Item]) -> str:
    """What a file's tests need that is large to start or import; empty if they need nothing of that kind."""
    needed = {name for test in tests for name in _fixtures(test)}
    found = [company for company, fixtures in _COMPANY.items() if fixtures & needed]
    imported = any(hasattr(getattr(test, "module", None), "litellm_client") for test in tests)
    return "litellm" if imported else "".join(found[:1])


def _fixtures(test: pytest.Item) -> Sequence[str]:
    return getattr(test, "fixturenames", ())


def _weight(test: pytest.Item) -> float:
    if test.path.name in _LONG:
        return _WEIGHT_LONG
    return _WEIGHT_DATABASE if "database_url" in _fixtures(test) else _WEIGHT_SHORT


def _place(test: pytest.Item) -> int:
    """Long ones come first; the others keep their order."""
    return _LONG.index(test.path.name) if test.path.name in _LONG else len(_LONG)
