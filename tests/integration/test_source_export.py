"""Exporting a source and importing the file (SRC-8).

Belongs here: the round trip through the database, the command and the route. Not here: the form of a line
(`unit/test_jsonl_documents`).
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli.main import main
from headwater.administration.source_export import export_lines, export_to
from headwater.errors import InvalidInputError
from headwater.sources.json_lines import json_object
from headwater.sources.jsonl_documents import read_document, write_line
from headwater.store.content.documents import clean_document
from headwater.store.server.json_values import to_json
from query_api.app import create_app
from tests.support import Headwater
from tests.unit.test_jsonl_documents import JSON, ODD

Make = Callable[..., Headwater]
FILES = {
    "guides/pump.md": "---\ncategory: tools/pumps\nlang: de\nrank: 1e400\nweight: 1.50\n---\n# Pumpe\n\n"
    "Siehe [Rad](wheel.md).",
    "guides/wheel.md": "# Wheel \U0001d11e\n\nIt turns\u2028slowly.",
    "notes.txt": "Keys\r\nhang in the shed.\r",
}
_ANY = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def export(kb: Headwater, source: str) -> bytes:
    """What a source exports."""
    return b"".join(export_lines(kb.store, kb.source(source)))


def imported(kb: Headwater, slug: str, content: bytes) -> bytes:
    """Import a file as a new source; returns what that exports."""
    path = kb.folder / f"{slug}.jsonl"
    path.write_bytes(content)
    kb.store.sources.create(kb.slug, slug=slug, kind="jsonl", config={"path": str(path)})
    done = kb.sync(slug)[slug]
    assert (done.state, done.errors) == ("ready", [])
    return export(kb, slug)


def test_an_export_imported_and_exported_again_is_the_same_bytes(headwater: Make) -> None:
    """Texts, titles, categories, languages, metadata, links and places (SRC-8); and the copy answers as well."""
    kb = headwater(files=FILES)
    kb.sync()
    first = export(kb, "docs")
    assert [json.loads(line)["uri"] for line in first.splitlines()] == [
        "guides/pump.md",
        "guides/wheel.md",
        "notes.txt",
    ]
    assert imported(kb, "copy", first) == first
    columns = "title, text, media_type, category, language, metadata, outgoing, detected_language"
    rows = kb.query(
        f"SELECT d.uri, {columns} FROM documents d JOIN document_versions v ON v.id = d.head_version_id"
        " ORDER BY d.uri, v.id"
    )
    assert rows[0::2] == rows[1::2]
    assert {hit.source for hit in kb.search("Where do the keys hang?", top_k=2)} == {"docs", "copy"}


LINE = st.fixed_dictionaries(
    {"text": ODD},
    optional={"title": ODD, "metadata": st.dictionaries(ODD, JSON, max_size=3), "page": st.integers(-5, 10**9)},
)


def test_whatever_is_imported_is_exported_as_the_same_bytes(headwater: Make) -> None:
    """Odd texts, metadata of any shape, numbers of any size, keys in any order, a page's URI."""
    kb = headwater()

    @_ANY
    @given(LINE)
    def check(values: dict[str, Any]) -> None:
        first = stored(kb, json.dumps({**values, "uri": "u"}).encode())
        assert stored(kb, first) == first

    check()


def stored(kb: Headwater, line: bytes) -> bytes:
    """A line after Postgres has stored its document and given it back."""
    document = clean_document(read_document(json_object(line), "text/plain"))
    (row,) = kb.query("SELECT %s::text AS text, %s::jsonb AS data", document.text, to_json(dict(document.metadata)))
    return write_line(replace(document, text=row["text"], metadata=row["data"]))


def test_the_command_writes_a_file_that_is_complete_or_not_there(headwater: Make, tmp_path: Path) -> None:
    """Or stdout; a second export is the same, and replaces the first."""
    kb = headwater(files=FILES)
    kb.sync()
    target = tmp_path / "out.jsonl"
    for _ in range(2):
        done = CliRunner().invoke(main, ["export", "kb", "docs", str(target)])
        assert (done.exit_code, done.output) == (0, f"Wrote 3 documents, 0.0 MB, to {target}.\n")
    assert target.read_bytes() == export(kb, "docs")
    assert CliRunner().invoke(main, ["export", "kb", "docs", "-"]).stdout_bytes == export(kb, "docs")
    told = json.loads(CliRunner().invoke(main, ["export", "kb", "docs", str(target), "--json"]).stdout)
    assert told == {"file": str(target), "documents": 3, "size": target.stat().st_size}
    assert list(tmp_path.glob(".out*")) == []
    missing = CliRunner().invoke(main, ["export", "kb", "nothing", str(target)])
    assert missing.exit_code == 2
    nowhere = CliRunner().invoke(main, ["export", "kb", "docs", str(tmp_path / "no" / "out.jsonl")])
    assert nowhere.exit_code == 2
    assert "cannot be written" in nowhere.stderr


def test_an_export_that_breaks_off_leaves_the_old_file(
    headwater: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no other file beside it."""
    kb = headwater(files=FILES)
    target = tmp_path / "out.jsonl"
    target.write_text("old")

    def broken(*_: object) -> Any:
        yield b"{}\n"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("headwater.administration.source_export.export_lines", broken)
    with pytest.raises(InvalidInputError, match="No space left"):
        export_to(kb.store, kb.source(), target)
    assert target.read_text() == "old"
    assert list(tmp_path.glob(".out*")) == []


def test_the_route_sends_the_same_file(headwater: Make) -> None:
    """As an attachment, with its length; 404 for a source that is not there."""
    kb = headwater(files=FILES)
    kb.sync()
    client = create_app(kb.settings).test_client()
    response = client.get("/api/v1/knowledge-bases/kb/sources/docs/export")
    assert (response.status_code, response.mimetype) == (200, "application/jsonl")
    assert response.data == export(kb, "docs")
    assert response.content_length == len(response.data)
    assert response.headers["Content-Disposition"].startswith('attachment; filename="kb-docs-')
    assert client.get("/api/v1/knowledge-bases/kb/sources/none/export").status_code == 404
