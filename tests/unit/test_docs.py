"""The pages that people read.

Belongs here: that what exists is documented, that examples work, that links lead somewhere. Not here: whether the
prose is good. Guarantee: no database is needed.
"""

import dataclasses
import json
import re
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cli.main import main
from headwater import errors
from headwater.administration.knowledge_base_file import read_file
from headwater.administration.sources import NewAddress, guess_address
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.source_settings import SourceSettings
from headwater.parsing.registry import parsers
from headwater.settings import REPOSITORY, Settings
from headwater.sources.connector import FetchedDocument, connectors, open_connector
from headwater.sources.source_context import SourceContext
from query_api.app import create_app
from tests.pages.reading import read_page

PAGES = sorted(path for folder in (".", "docs", "examples") for path in (REPOSITORY / folder).glob("*.md"))
SETTINGS = Settings(home=Path("home"), cache=Path("cache"))

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_PARAMETER = re.compile(r"<[^>]+>")
_BRACES = re.compile(r"\{[^}]+\}")
_ROUTE = re.compile(r"^\| `((?:GET|POST|PATCH|PUT|DELETE) [^`]+)` \|", re.MULTILINE)
_MACHINE_PATH = re.compile(r"(?:^|[\s\"'`=(:])(?:/home/|/Users/|/root/|/tmp/|/work/|/mnt/|[A-Z]:\\)", re.MULTILINE)


def page(name: str) -> str:
    """A page's text."""
    return (REPOSITORY / name).read_text(encoding="utf-8")


def row(text: str, name: str) -> list[str]:
    """The cells of the table row whose first cell is a name."""
    found = re.search(rf"^\| `{re.escape(name)}` \|(.*)\|$", text, re.MULTILINE)
    assert found, f"no row for {name}"
    return [cell.strip() for cell in found.group(1).split(" | ")]


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """Every code block of a language, with its page's name."""
    for path in PAGES:
        for found, body in _BLOCK.findall(path.read_text(encoding="utf-8")):
            if found == language:
                yield path.name, body


def anchors(path: Path) -> set[str]:
    """The fragments that a page's headings can be linked by, as GitHub makes them."""
    prose = _BLOCK.sub("", path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(prose)}


def all_errors(root: type[errors.HeadwaterError]) -> Iterator[type[errors.HeadwaterError]]:
    """An error and everything below it in the tree; errors of other modules are not part of it."""
    yield root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from all_errors(child)


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Settings)])
def test_every_setting_is_documented(field: str) -> None:
    """Each field of Settings has a row with its variable and, where it is a plain value, its default."""
    default, meaning = row(page("docs/settings.md"), f"HEADWATER_{field.upper()}")
    value = getattr(SETTINGS, field)
    if isinstance(value, str | int):
        assert default == f"`{int(value) if isinstance(value, bool) else value}`"
    assert meaning.endswith(".")


@pytest.mark.parametrize("field", KnowledgeBaseSettings.model_fields)
def test_every_knowledge_base_setting_is_documented(field: str) -> None:
    """Each setting of a knowledge base has a row with its default (KB-2)."""
    default, *_ = row(page("docs/knowledge-base-file.md"), field)
    value = getattr(KnowledgeBaseSettings(), field)
    shown = f"[{', '.join(value)}]" if isinstance(value, tuple) else json.dumps(value).strip('"')
    assert default == f"`{shown}`"


@pytest.mark.parametrize("field", SourceSettings.model_fields)
def test_every_setting_of_a_source_is_documented(field: str) -> None:
    """Each has a row with its default (SRC-10); a connector cannot have a field of the same name."""
    default, _ = row(page("docs/knowledge-base-file.md"), field)
    chosen = getattr(SourceSettings(), field)
    written = str(chosen).lower() if isinstance(chosen, bool) else chosen
    assert default.startswith(f"`{written}`" if written else "none")
    assert all(field not in connector.Config.model_fields for connector in connectors().values())


@pytest.mark.parametrize(
    "kind",
    [
        "bucket",
        "codebase",
        "confluence",
        "cosense",
        "files",
        "folder",
        "gdrive",
        "github",
        "gitlab",
        "imap",
        "jira",
        "jsonl",
        "markdown_tree",
        "mediawiki",
        "notion",
        "openapi",
        "sharepoint",
        "slack",
        "sql",
        "stack_exchange",
        "video",
        "webdav",
        "website",
    ],
)
def test_every_source_field_is_documented(kind: str) -> None:
    """Each field of a connector's config has a row."""
    text = page("docs/knowledge-base-file.md")
    for field in connectors()[kind].Config.model_fields:
        assert row(text, field)


@pytest.mark.parametrize("name", sorted(parsers()))
def test_every_parser_is_documented(name: str) -> None:
    """Each has a row in docs/formats.md, which names it or an ending of its files."""
    table = page("docs/formats.md").partition("| format |")[2].partition("\n\n")[0]
    formats = " ".join(re.findall(r"^\| ([^|]*) \|", table, re.MULTILINE)).lower()
    names = (name.replace("_", " "), *parsers()[name].suffixes)
    assert any(re.search(rf"(?<!\w){re.escape(known)}", formats) for known in names), f"Add a row for {names} there."


def all_commands(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with its whole name; groups by what is in them."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from all_commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


@pytest.mark.parametrize(("name", "command"), [pytest.param(*found, id=found[0]) for found in all_commands(main)])
def test_every_command_is_documented(name: str, command: click.Command) -> None:
    """Each command has a row in docs/commands.md that names every option it has."""
    found = re.search(rf"^\| `headwater {name}\b.*$", page("docs/commands.md"), re.MULTILINE)
    assert found, f"no row for headwater {name}"
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert re.findall(r"`(--[\w-]+)`", found.group(0)) == [option.opts[0] for option in options]


def test_every_route_is_documented() -> None:
    """Each route, with its method, is in docs/http-api.md, and nothing else is (API-1)."""
    exist = {
        f"{method} {_PARAMETER.sub(r'{_}', rule.rule)}"
        for rule in create_app(SETTINGS).url_map.iter_rules()
        if rule.rule.startswith(("/api/v1", "/health"))
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    documented = {_BRACES.sub("{_}", route) for route in _ROUTE.findall(page("docs/http-api.md"))}
    assert not exist - documented, f"Add rows to docs/http-api.md: {sorted(exist - documented)}"
    assert not documented - exist, f"Remove rows from docs/http-api.md: {sorted(documented - exist)}"


def test_every_route_of_openais_api_is_documented() -> None:
    """Each route below /v1, with its method, is in docs/openai.md, and nothing else is (API-3, API-4)."""
    exist = {
        f"{method} {_PARAMETER.sub(r'{_}', rule.rule)}"
        for rule in create_app(SETTINGS).url_map.iter_rules()
        if rule.rule.startswith("/v1")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert {_BRACES.sub("{_}", route) for route in _ROUTE.findall(page("docs/openai.md"))} == exist


@pytest.mark.parametrize("error", list(all_errors(errors.HeadwaterError)), ids=lambda error: error.__name__)
def test_every_error_code_is_documented(error: type[errors.HeadwaterError]) -> None:
    """Each error's code is in docs/http-api.md with its status."""
    status, _ = row(page("docs/http-api.md"), error.code)
    assert status == str(error.http_status)


def test_every_code_of_http_itself_is_documented() -> None:
    """Each code that the API refuses with on its own is in docs/http-api.md with its status (API-1)."""
    rooms = [REPOSITORY / "query_api" / room for room in ("", "guards", "server")]
    sources = "".join(path.read_text(encoding="utf-8") for room in rooms for path in room.glob("*.py"))
    found = set(re.findall(r'(?:problem|RefusedError)\(\s*(\d{3}), "([A-Z_]+)"', sources))
    assert len(found) > 8
    for status, code in found:
        assert row(page("docs/http-api.md"), code)[0] == status


def test_knowledge_base_files_in_the_pages_are_valid(tmp_path: Path) -> None:
    """Each YAML block that is a knowledge base file can be read (KB-4)."""
    found = [(name, body) for name, body in blocks("yaml") if re.search(r"^knowledge_base:", body, re.MULTILINE)]
    assert found
    for number, (name, body) in enumerate(found):
        file = tmp_path / f"{number}-{name}.yaml"
        file.write_text(body, encoding="utf-8")
        assert read_file(file).slug


@pytest.mark.parametrize(
    "file",
    [file for file in sorted((REPOSITORY / "examples").glob("*.yaml")) if not file.name.startswith("kubernetes-")],
    ids=lambda file: file.name,
)
def test_examples_name_what_is_there(file: Path) -> None:
    """Each example file can be read, and the local paths of its sources exist."""
    for source in read_file(file).sources:
        if "git" not in source.config:
            assert Path(source.config["path"]).exists()


def test_json_in_the_pages_is_json() -> None:
    """Each JSON block is one JSON document, or one a line."""
    for name, body in blocks("json"):
        texts = [body] if body.startswith("{\n") else body.splitlines()
        for text in texts:
            assert isinstance(json.loads(text), dict), name


def test_the_worked_connector_and_parser_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package in docs/connectors.md, as it is written: its kind and its format are found and read (SRC-11)."""
    files = {block.text: block.body for block in read_page(REPOSITORY / "docs/connectors.md") if block.rule == "file"}
    for name, body in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(body, encoding="utf-8")
    groups = tomllib.loads(files["my_interviews/pyproject.toml"])["project"]["entry-points"]
    installed = tmp_path / "my_interviews" / "my_interviews-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my-interviews\nVersion: 1\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text(
        "".join(f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
                for group, entries in groups.items()), encoding="utf-8",
    )  # fmt: skip
    monkeypatch.syspath_prepend(installed.parent)
    connectors.cache_clear()
    parsers.cache_clear()
    try:
        new = NewAddress(text="interviews", base=tmp_path)
        found, config = guess_address(Settings(home=tmp_path, cache=tmp_path), new)
        assert (found.kind, found.guess.slug) == ("interviews", "interviews")
        (document,) = open_connector(found.kind, config, SourceContext(folder=tmp_path / "own")).fetch()
        assert isinstance(document, FetchedDocument)
        parsed = document.parse()
        assert (document.uri, parsed.text) == ("pump.said", "Open the valve.\nClose it again.")
        assert parsed.places is not None
        place = parsed.places.between(16, 31, text=parsed.text)
        assert place is not None
        assert place.label == "01:15"
        (tmp_path / "interviews" / "pump.said").write_text("Open it.", encoding="utf-8")
        folder = open_connector("folder", {"path": str(tmp_path / "interviews")}, SourceContext(folder=tmp_path))
        (document,) = folder.fetch()
        assert isinstance(document, FetchedDocument)
        with pytest.raises(errors.DocumentError, match="Line 1 does not begin with a second"):
            document.parse()
    finally:
        connectors.cache_clear()
        parsers.cache_clear()


def test_asking_whether_a_document_has_changed_is_shown_as_it_works() -> None:
    """The lines in docs/connectors.md are those of a connector that tests sync (SRC-11)."""
    (shown,) = [body for name, body in blocks("text") if name == "connectors.md" and "UnchangedDocument" in body]
    assert textwrap.indent(shown, " " * 12) in page("tests/page_server.py")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """Each relative link names a file that exists, and a heading that it has."""
    for link in _LINK.findall(_BLOCK.sub("", path.read_text(encoding="utf-8"))):
        if "://" in link:
            continue
        file, _, fragment = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        assert not fragment or fragment in anchors(target), link


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_name_no_machine(path: Path) -> None:
    """No page shows a path of the machine that it was written on."""
    assert not _MACHINE_PATH.search(path.read_text(encoding="utf-8"))


def test_every_page_is_linked_from_the_readme() -> None:
    """Readers find every page, because the README links to each one."""
    linked = {(REPOSITORY / link).resolve() for link in _LINK.findall(page("README.md")) if "://" not in link}
    assert {path for path in PAGES if path.name != "README.md"} <= linked
