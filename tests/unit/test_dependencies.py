"""Every dependency has a use.

Belongs here: what pyproject.toml declares, against what the code imports, names or runs, and what is installed. Not
here: versions. Guarantee: no database is needed; the test fails if a change leaves a dependency without a use.
"""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import distribution, entry_points, packages_distributions

import pytest

from headwater.settings import REPOSITORY

PRESCRIBED = {
    "dagster", "dagster-postgres", "dagster-webserver", "pgvector", "psycopg", "litellm", "trafilatura", "yt-dlp",
    "pypdf", "gitpython", "flask",
}  # fmt: skip
"""Libraries that Headwater was asked to build on; some wait for their connector."""

PLUGINS = {"flask-openapi3-swagger": "flask_openapi3.plugins", "pytest-timeout": "pytest11", "pytest-xdist": "pytest11"}
"""Loaded by others, by an entry point of this group."""

WANTED = {"lxml-html-clean": "justext"}
"""What a library imports, but its installation may lack: pip 23 does not know `lxml[html_clean]`."""

RUNNING = ("headwater", "assets", "pipelines", "query_api", "cli")
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def name_of(requirement: str) -> str:
    """The normal form of a requirement's name."""
    found = re.match(r"[\w.-]+", requirement)
    assert found
    return re.sub(r"[-_.]+", "-", found.group()).lower()


def declared(extra: str = "") -> list[str]:
    """What running needs, or an extra; other extras of Headwater's that it names are left out."""
    lines = PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    return sorted({name_of(line) for line in lines} - {"headwater"})


def named(folders: Iterable[str]) -> frozenset[str]:
    """Every module that code imports, and every text in it: some modules are imported by a name in a table."""
    return _named_together(tuple(folders))


@cache
def _named_together(folders: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(_named, folders))


@cache
def _named(folder: str) -> frozenset[str]:
    """The same of one folder; parsing all takes seconds."""
    paths = (REPOSITORY / folder).rglob("*.py")
    return frozenset(name for path in paths for name in _names(ast.parse(path.read_text(encoding="utf-8"))))


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.partition(".")[0]


@cache
def _brought() -> Mapping[str, set[str]]:
    """Every installed distribution with its top-level modules; finding them takes a third of a second."""
    brought: dict[str, set[str]] = defaultdict(set)
    for module, owners in packages_distributions().items():
        for owner in owners:
            brought[name_of(owner)].add(module)
    return brought


def modules(requirement: str) -> Iterable[str]:
    """The top-level modules that an installed distribution brings."""
    return _brought().get(requirement, set())


def is_plugin(requirement: str) -> bool:
    """Whether it registers itself where the table says."""
    group = PLUGINS.get(requirement)
    return group is not None and any(
        entry.dist is not None and name_of(entry.dist.name) == requirement for entry in entry_points(group=group)
    )


def is_run(requirement: str) -> bool:
    """Whether the Makefile calls a command that it brings."""
    commands = {entry.name for entry in distribution(requirement).entry_points if entry.group == "console_scripts"}
    commands |= {file.name for file in distribution(requirement).files or () if file.parent.name == "bin"}
    return bool(commands & set(re.findall(r"\$\(BIN\)/([\w-]+)", (REPOSITORY / "Makefile").read_text("utf-8"))))


@pytest.mark.parametrize("requirement", declared())
def test_every_dependency_of_a_run_has_a_use(requirement: str) -> None:
    """An import, a module named in a table, a plug-in, a prescribed library, or what one of those imports."""
    if requirement in WANTED:
        wanting = distribution(WANTED[requirement]).requires or []
        assert any("html_clean" in line for line in wanting)
        return
    assert requirement in PRESCRIBED or is_plugin(requirement) or named(RUNNING) & set(modules(requirement))


@pytest.mark.parametrize("extra", ["celery", "docker", "kubernetes", "ocr"])
def test_every_package_of_an_extra_has_a_use(extra: str) -> None:
    """Whoever installs an extra gets what a setting can choose."""
    for requirement in declared(extra):
        assert named(RUNNING) & set(modules(requirement)), requirement


@pytest.mark.parametrize("requirement", declared("dev") + declared("bench"))
def test_every_tool_has_a_use(requirement: str) -> None:
    """What tests, checks and benchmarks want is imported, called, plugged in, or describes the types of what is."""
    where = (*RUNNING, "tests", "bench")
    if requirement == "setuptools":
        assert "--no-build-isolation" in named(("tests",))  # the test of the wheel builds with it
    elif requirement.startswith("types-"):
        typed = requirement.removeprefix("types-")
        assert named(where) & {typed, *modules(typed)}
    else:
        assert is_plugin(requirement) or is_run(requirement) or named(where) & set(modules(requirement))


def test_what_is_prescribed_is_there() -> None:
    """The libraries that Headwater was asked to build on are dependencies of every run."""
    assert set(declared()) >= PRESCRIBED


@pytest.mark.parametrize("group", PROJECT["entry-points"])
def test_every_entry_point_is_installed(group: str) -> None:
    """Without it, the files of a new parser are read as plain text, and nothing says so."""
    installed = {entry.name: entry.value for entry in distribution("headwater").entry_points if entry.group == group}
    assert installed == PROJECT["entry-points"][group], "pyproject.toml names others. Run `make install`."
