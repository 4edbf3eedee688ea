"""The registry of connectors, and what every connector promises.

Belongs here: finding, checking and opening connectors. Not here: what each one reads.
"""

import runpy
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from headwater import sources
from headwater.domain.documents import ParsedDocument
from headwater.errors import InvalidConfigurationError
from headwater.identity import bytes_fingerprint
from headwater.parsing.text import decode
from headwater.sources import connector
from headwater.sources.connector import (
    GROUP,
    Connector,
    FetchedDocument,
    SourceConfig,
    check_config,
    connector_of,
    connectors,
    locate_config,
    open_connector,
)
from headwater.sources.source_context import SourceContext


@pytest.fixture
def context(tmp_path: Path) -> SourceContext:
    return SourceContext(folder=tmp_path / "own")


def test_every_connector_is_found_by_its_entry_point() -> None:
    """The built-in kinds are installed like any other (SRC-11)."""
    assert {"markdown_tree", "jsonl"} <= set(connectors())
    assert set(connectors()) == {entry.name for entry in entry_points(group=GROUP)}


def test_only_the_connector_that_is_asked_for_is_imported() -> None:
    """All of them take half a second, in each process that syncs a source."""
    program = (
        "import sys; from headwater.sources.connector import connector_of; connector_of('jsonl'); "
        "print(*(name for name in sys.modules if name.startswith('headwater.sources.') and 'connector' in name))"
    )
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert set(printed.split()) <= {"headwater.sources.connector", connector_of("jsonl").__module__}


def test_a_connector_that_cannot_be_imported_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no unknown kind, and other kinds work."""
    installed = tmp_path / "broken-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (installed / "entry_points.txt").write_text(f"[{GROUP}]\nbroken = a_broken_connector:Broken\n")
    (tmp_path / "a_broken_connector.py").write_text("raise KeyError('TOKEN')\n")
    monkeypatch.syspath_prepend(tmp_path)
    connectors.cache_clear()
    try:
        assert "broken" in connectors()
        with pytest.raises(ImportError, match=r"'broken' cannot be imported: KeyError\('TOKEN'\)"):
            connector_of("broken")
        assert connector_of("jsonl").kind == "jsonl"
    finally:
        connectors.cache_clear()


@pytest.mark.parametrize("kind", sorted(connectors()))
def test_every_connector_keeps_the_protocol(kind: str) -> None:
    """Its name is its entry point's, its version is set, and its config refuses unknown fields (SRC-11)."""
    found = connectors()[kind]
    assert found.kind == kind
    assert found.parser_version
    assert issubclass(found.Config, SourceConfig)
    assert found.Config.model_config["extra"] == "forbid"
    assert found.Config.model_config["frozen"]
    assert callable(found.fetch)


@pytest.mark.parametrize(
    ("kind", "config", "message"),
    [
        ("nope", {}, r"kind: there is no kind of source 'nope'\. Use one of: .*jsonl"),
        ("jsonl", {}, "`path` is missing"),
        ("jsonl", {"path": 5}, "path: "),
        ("jsonl", {"path": "/a", "pth": "b"}, "pth: "),
        ("jsonl", {"path": "/a", "media_type": "x"}, "media_type: "),
        ("markdown_tree", {}, "path: give a folder"),
        ("markdown_tree", {"path": "/a", "token": "x"}, "token: "),
        ("markdown_tree", {"path": "a"}, "path: must be an absolute path"),
        ("jsonl", {"path": "a"}, "path: must be an absolute path"),
        ("markdown_tree", {"git": 5}, "git: "),
        ("markdown_tree", {"git": "git@example.org:a"}, "credential: must name the key"),
        ("markdown_tree", {"git": "https://example.org/a", "branch": "-x"}, "branch: "),
        ("markdown_tree", {"git": "https://example.org/a", "path": "../x"}, "path: "),
    ],
)
def test_a_wrong_config_is_refused_by_field(kind: str, config: dict[str, Any], message: str) -> None:
    """The message names the field that is wrong, missing or unknown."""
    with pytest.raises(InvalidConfigurationError, match=message):
        check_config(kind, config)


def test_a_checked_config_is_json_without_defaults() -> None:
    """Given values come back as plain values; defaults do not."""
    assert check_config("jsonl", {"path": Path("/a")}) == {"path": "/a"}
    assert check_config("jsonl", {"path": "/a", "media_type": "text/plain"}) == {
        "path": "/a",
        "media_type": "text/plain",
    }
    assert check_config("markdown_tree", {"path": "/a", "git": None}) == {"path": "/a"}


def test_a_checked_config_passes_again() -> None:
    """A stored config is valid as it was stored."""
    for kind, config in (
        ("jsonl", {"path": "/a"}),
        ("markdown_tree", {"git": "https://example.org/a", "path": "docs"}),
    ):
        assert check_config(kind, check_config(kind, config)) == config


@pytest.mark.parametrize(
    ("kind", "config", "field", "expected"),
    [
        ("jsonl", {"path": "a.jsonl"}, "path", "{base}/a.jsonl"),
        ("jsonl", {"path": "../a.jsonl"}, "path", "{parent}/a.jsonl"),
        ("jsonl", {"path": "/srv/a.jsonl"}, "path", "/srv/a.jsonl"),
        ("markdown_tree", {"path": "docs"}, "path", "{base}/docs"),
        ("markdown_tree", {"git": "repo", "path": "docs"}, "git", "{base}/repo"),
        ("markdown_tree", {"git": "repo", "path": "docs"}, "path", "docs"),
        ("markdown_tree", {"git": "https://example.org/a"}, "git", "https://example.org/a"),
        ("markdown_tree", {"git": "git@example.org:a"}, "git", "git@example.org:a"),
        ("jsonl", {"path": "a\x00b"}, "path", "a\x00b"),
        ("jsonl", {"path": "~nobody-by-this-name/a"}, "path", "~nobody-by-this-name/a"),
        ("jsonl", {"path": 5}, "path", 5),
        ("nope", {"path": "a"}, "path", "a"),
    ],
)
def test_relative_paths_are_taken_from_the_file(
    kind: str, config: dict[str, Any], field: str, expected: object, tmp_path: Path
) -> None:
    """Local paths become absolute; addresses, paths within repositories and nonsense stay for the check to judge."""
    base = (tmp_path / "kb").resolve()
    if isinstance(expected, str):
        expected = expected.format(base=base, parent=base.parent)
    assert locate_config(kind, config, base)[field] == expected


def test_an_invalid_stored_config_does_not_open(context: SourceContext) -> None:
    """A config that has become invalid is refused before anything is read."""
    with pytest.raises(InvalidConfigurationError, match="pth"):
        open_connector("jsonl", {"path": "/a", "pth": "b"}, context)


class Greeting(Connector):
    """A connector of one's own, as the package's documentation shows it."""

    kind = "greeting"
    parser_version = "greeting-1"

    class Config(SourceConfig):
        """Whom to greet."""

        name: str

    def fetch(self) -> Iterator[FetchedDocument]:
        """One document."""
        text = f"Hello, {self.config.name}."
        yield FetchedDocument(
            uri="hello", fingerprint=text, parse=lambda: ParsedDocument(uri="hello", title="", text=text)
        )


def test_a_connector_of_ones_own_is_one_class(context: SourceContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but the class and its registration is needed (SRC-11)."""
    monkeypatch.setattr(connector, "connectors", lambda: {"greeting": Greeting})
    assert check_config("greeting", {"name": "Ada"}) == {"name": "Ada"}
    (item,) = open_connector("greeting", {"name": "Ada"}, context).fetch()
    assert isinstance(item, FetchedDocument)
    assert item.parse().text == "Hello, Ada."
    with pytest.raises(InvalidConfigurationError, match=r"Use one of: greeting\."):
        check_config("jsonl", {})


def test_a_class_that_is_no_connector_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names what is missing, before a source uses it."""
    monkeypatch.setattr(connector, "connectors", lambda: {"greeting": SourceConfig})
    with pytest.raises(InvalidConfigurationError, match=r"'greeting' must derive from .*Connector"):
        check_config("greeting", {})


def test_the_connector_in_the_docstring_works(context: SourceContext, tmp_path: Path) -> None:
    """The example in the package's docstring reads a folder (SRC-11)."""
    shown = textwrap.dedent((sources.__doc__ or "").partition("of packaging:\n")[2].partition("    [project")[0])
    given = {
        "AbsolutePath": connector.AbsolutePath,
        "Connector": Connector,
        "FetchedDocument": FetchedDocument,
        "ParsedDocument": ParsedDocument,
        "SourceConfig": SourceConfig,
        "bytes_fingerprint": bytes_fingerprint,
        "decode": decode,
    }
    (tmp_path / "notes.py").write_text(shown)
    names = runpy.run_path(str(tmp_path / "notes.py"), init_globals=given)
    (tmp_path / "a.txt").write_text("Rest.")
    (found,) = names["Notes"](names["NotesConfig"](folder=tmp_path), context).fetch()
    assert (found.uri, found.validator, found.parse().text) == ("a.txt", "", "Rest.")
