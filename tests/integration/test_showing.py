"""Commands that show what the API shows, and change what it changes (API-7)."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli.main import main
from query_api.app import create_app
from tests.support import Headwater

FILES = {"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute."}
NOTHING = "00000000-0000-0000-0000-000000000007"

pytestmark = pytest.mark.synced(files=FILES)


def run(*arguments: str, status: int = 0) -> Result:
    """Run a command in this process."""
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == status, (arguments, done.output)
    return done


def document(*arguments: str, status: int = 0) -> Any:
    """What a command prints with `--json`."""
    return json.loads(run(*arguments, "--json", status=status).stdout)


def test_whatever_has_an_id_can_be_read_again(kb: Headwater) -> None:
    """With `--json` it is what the API returns; a wrong id says what was looked for."""
    answer = kb.ask("How many litres does the pump lift per minute?")
    citation, client = answer.citations[0], create_app(kb.settings).test_client()
    for path, row, words in (
        (f"answers/{answer.id}", answer.id, "forty litres"),
        (f"chunks/{citation.chunk_id}", citation.chunk_id, "forty litres"),
        (f"documents/{citation.document_id}", citation.document_id, "1 version"),
        (f"document-versions/{citation.document_version_id}", citation.document_version_id, "forty litres"),
    ):
        assert document("show", str(row)) == client.get(f"/api/v1/{path}").json
        assert words in run("show", str(row)).stdout
    span = ("--start", "8", "--end", "16")
    found = document("show", str(citation.document_version_id), *span)
    assert found["span"]["text"] == FILES["pump.md"][8:16]
    listed = document("show", str(citation.document_id), "--versions")
    assert listed == client.get(f"/api/v1/documents/{citation.document_id}/versions").json
    assert str(citation.document_version_id) in run("show", str(citation.document_id), "--versions").stdout
    assert document("show", NOTHING, status=2)["error"]["code"] == "NOT_FOUND"
    assert "There is no document 0" in document("show", NOTHING, "--versions", status=2)["error"]["message"]


def test_an_original_is_written_to_a_file(kb: Headwater, tmp_path: Path) -> None:
    """As it was read; a text without an original is refused, and so is a folder that does not exist."""
    upload, inbox = tmp_path / "a.html", ("upload", "kb", "inbox")
    upload.write_bytes(b"<html><body><h1>Pump</h1><p>It lifts forty litres of water.</p></body></html>")
    client = create_app(kb.settings).test_client()
    assert client.post("/api/v1/knowledge-bases/kb/sources", json={"slug": "inbox", "kind": "files"}).status_code == 201
    run(*inbox, str(upload))
    kb.sync("inbox")
    rows = kb.query("SELECT head_version_id AS id, uri FROM documents ORDER BY uri")
    version = {row["uri"]: str(row["id"]) for row in rows}
    written = tmp_path / "written.html"
    assert document("original", version["a.html"], str(written))["size"] == len(upload.read_bytes())
    assert written.read_bytes() == upload.read_bytes()
    assert CliRunner().invoke(main, ["original", version["a.html"], "-"]).stdout_bytes == upload.read_bytes()
    assert document("original", version["pump.md"], str(written), status=2)["error"]["code"] == "NOT_FOUND"
    assert document("original", version["a.html"], str(tmp_path / "no" / "x"), status=2)["error"]["code"]
    assert written.read_bytes() == upload.read_bytes()


def test_receipts_and_evaluations_are_listed(kb: Headwater) -> None:
    """Newest first, in pages, one receipt alone; as the API lists them."""
    client = create_app(kb.settings).test_client()
    assert run("evaluations", "kb").stdout == "kb was never evaluated. `headwater eval kb` does it.\n"
    run("golden", "add", "kb", "How many litres?", "--relevant", "pump.md")
    for _ in range(2):
        run("eval", "kb", "--no-answers")
    assert document("evaluations", "kb") == client.get("/api/v1/knowledge-bases/kb/evaluations").json
    assert "Older ones: headwater evaluations kb --after" in run("evaluations", "kb", "--limit", "1").stdout
    assert run("deletions").stdout == "Nothing was ever deleted.\n"
    run("delete", "kb", "docs", "--yes")
    run("delete", "kb", "--yes")
    listed = document("deletions")
    assert listed == client.get("/api/v1/deletions").json
    assert [one["key"] for one in listed["deletions"]] == ["kb", "kb/docs"]
    assert document("deletions", str(listed["deletions"][1]["id"])) == listed["deletions"][1]
    assert document("deletions", "99", status=2)["error"]["code"] == "NOT_FOUND"


def test_a_knowledge_base_is_shown_and_renamed(kb: Headwater) -> None:
    """`status KB` has its settings and its sources; `rename` gives it another slug."""
    client = create_app(kb.settings).test_client()
    (found,) = document("status", "kb")["knowledge_bases"]
    assert found.pop("sources") == client.get("/api/v1/knowledge-bases/kb/sources").json["sources"]  # type: ignore[index]
    assert found == client.get("/api/v1/knowledge-bases/kb").json
    assert 'embedding_model: "builtin/hash"' in run("status", "kb").stdout
    assert document("rename", "kb", "manuals")["slug"] == "manuals"
    assert document("status", "kb", status=2)["error"]["code"] == "NOT_FOUND"
    assert document("rename", "manuals", "A B", status=2)["error"]["code"] == "INVALID_INPUT"


def test_an_answer_of_another_process_is_cancelled(kb: Headwater) -> None:
    """Its text so far stays; what is neither a sync nor an answer is refused."""
    answer = kb.ask("How many litres does the pump lift per minute?")
    kb.query("UPDATE answers SET state = 'generating', saved_at = clock_timestamp() RETURNING id")
    assert document("cancel", str(answer.id))["state"] == "cancelled"
    assert document("cancel", NOTHING, status=2)["error"]["code"] == "NOT_FOUND"
    assert "neither the number of a sync" in document("cancel", "x", status=2)["error"]["message"]
