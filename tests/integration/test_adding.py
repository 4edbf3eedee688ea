"""Sources by their address alone: the command `add`, and the API (SRC-11)."""

import json
import os
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from cli.main import main
from headwater.administration.knowledge_bases import create_knowledge_base
from headwater.domain.source_settings import SourceSettings
from headwater.settings import Settings
from headwater.store.store import Store
from query_api.app import create_app
from tests.support import Headwater

Make = Callable[..., Headwater]


def add(folder: Path, *arguments: str, status: int = 0) -> Any:
    """Run the command; returns its document."""
    with chdir(folder):
        done = CliRunner().invoke(main, ["add", *arguments, "--json"])
    assert done.exit_code == status, (done.output, done.exception)
    return json.loads(done.stdout)


def test_one_command_adds_folders_and_files(settings: Settings, store: Store, tmp_path: Path) -> None:
    """It creates the knowledge base, names each source, and says what it took an address for."""
    (tmp_path / "My Docs").mkdir()
    (tmp_path / "lines.jsonl").write_text('{"uri": "a", "text": "b"}\n')
    found = add(tmp_path, "notes", "My Docs", "lines.jsonl", "missing", status=1)
    assert found["created"] is True
    assert [(one["slug"], one["kind"], one["guess"]) for one in found["added"]] == [
        ("my-docs", "folder", "a folder with files of any kind"),
        ("lines", "jsonl", "a file with a document per line"),
    ]
    assert [one["address"] for one in found["failed"]] == ["missing"]
    assert [source.slug for source in store.sources.all("notes")] == ["lines", "my-docs"]
    again = add(tmp_path, "notes", f"{tmp_path}/My Docs/")
    assert (again["created"], again["added"]) == (False, [])
    assert again["present"][0]["message"] == f"{tmp_path}/My Docs/ is already the source my-docs of notes."
    other = add(tmp_path, "notes", "My Docs", "--set", "include=[*.md]", "--set", "refresh=1h")
    assert other["added"][0]["slug"] == "my-docs-2"
    source = store.sources.get("notes", "my-docs-2")
    assert (source.config["include"], SourceSettings.of(source).refresh) == (["*.md"], 3600)


def test_the_name_of_the_knowledge_base_is_missed(tmp_path: Path) -> None:
    """Whoever gives the address alone reads what to type."""
    for words, advice in (
        ([str(tmp_path)], f"Name the knowledge base first, such as: headwater add NAME {tmp_path}"),
        (["notes"], "What shall be added to notes? headwater add notes URL-OR-PATH"),
    ):
        refused = CliRunner().invoke(main, ["add", *words])
        assert (refused.exit_code, advice in refused.stderr) == (2, True)


def test_each_added_source_comes_with_advice(settings: Settings, store: Store, tmp_path: Path) -> None:
    """If an address was taken for something else than was meant, the line below it says what to type."""
    for name in ("manuals", "letters"):
        (tmp_path / name).mkdir()
    with chdir(tmp_path):
        lines = CliRunner().invoke(main, ["add", "notes", "manuals", "letters"]).stdout.splitlines()
    for name in ("manuals", "letters"):
        (at,) = [number for number, line in enumerate(lines) if line.startswith(f"Added {name}: ")]
        advice = f"Not what you meant? headwater delete notes {name}, then headwater add notes {name} --kind "
        assert lines[at + 1].startswith(advice)


def test_a_wrong_address_creates_nothing(settings: Settings, store: Store, tmp_path: Path) -> None:
    """Not even the knowledge base."""
    assert add(tmp_path, "notes", "missing", status=1)["created"] is False
    assert store.knowledge_bases.all() == []


def test_the_api_guesses_the_same(settings: Settings, store: Store, tmp_path: Path) -> None:
    """A body with an address needs no more; the same address again is a conflict."""
    create_knowledge_base(store, "notes")
    client = create_app(settings).test_client()
    route = "/api/v1/knowledge-bases/notes/sources"
    made = client.post(route, json={"address": str(tmp_path), "tags": ["a"], "exclude": ["*.pdf"]})
    assert made.status_code == 201, made.json
    assert made.json is not None
    assert made.json["kind"] == "folder"
    assert made.json["config"] == {"path": os.path.realpath(tmp_path), "exclude": ["*.pdf"]}
    assert made.json["tags"] == ["a"]
    again = client.post(route, json={"address": str(tmp_path), "exclude": ["*.pdf"]})
    assert (again.status_code, again.json and again.json["code"]) == (409, "ALREADY_EXISTS")
    relative = client.post(route, json={"address": "docs"})
    assert (relative.status_code, relative.json and relative.json["code"]) == (422, "INVALID_CONFIGURATION")
    neither = client.post(route, json={"slug": "a"})
    assert neither.status_code in (400, 422)
    assert "kind is missing" in neither.get_data(as_text=True)


def test_a_folder_of_many_formats_is_asked_after_its_sync(headwater: Make, tmp_path: Path) -> None:
    """Files of several formats become documents, and those that nobody reads are listed by type."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "pump.rst").write_text("Pump\n====\n\nThe oil of the pump is changed every four hundred hours.\n")
    (folder / "prices.csv").write_text("plan,price\nHarbour,40 euros\n")
    (folder / "clip").write_bytes(b"\x1a\x45\xdf\xa3" + bytes(100))
    kb = headwater()
    kb.store.sources.create(kb.slug, slug="mixed", kind="folder", config={"path": str(folder)})
    assert kb.sync()["mixed"].added == 2
    again = kb.sync()["mixed"]
    assert (again.state, again.unchanged, again.added) == ("ready", 2, 0)
    assert "four hundred hours" in kb.search("How often is the oil of the pump changed?")[0].text
    source = kb.source("mixed")
    (line,) = [line for line in source.skipped if line.reason == "no_parser"]
    assert line.message == "1 video/x-matroska file: no parser reads this type here."
