"""Files that people upload: over HTTP and by command, from the upload to the citation (SRC-1, API-1, API-7)."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.backup.backup import back_up, restore
from cli.main import main
from headwater.administration import uploads
from headwater.administration.housekeeping import tidy
from headwater.administration.sources import add_source
from headwater.administration.sync_requests import request_due_syncs
from headwater.errors import ConflictError, FilesUnavailableError, StorageFullError, TooLargeError
from headwater.files.file_store import FileStore, hash_of, open_files
from headwater.files.folder_store import FolderStore
from headwater.settings import Settings
from headwater.sources.files import Files
from headwater.store.store import open_store
from query_api.app import create_app
from tests.conftest import Move
from tests.integration.test_conditional_requests import reachable
from tests.integration.test_originals import kept, make_old
from tests.support import Headwater

Make = Callable[..., Headwater]
FILES = "/api/v1/knowledge-bases/kb/sources/inbox/files"
PUMP = b"# Pump\n\nThe pump lifts forty litres of water per minute.\n"
MILL = b"# Mill\n\nThe mill grinds two sacks of corn per hour.\n"


@pytest.fixture
def kb(headwater: Make) -> Headwater:
    """A knowledge base with a source that takes files."""
    made = headwater()
    add_source(made.store, "kb", "inbox", kind="files", config={})
    return made


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """A client of the app."""
    return create_app(settings).test_client()


@pytest.fixture
def files(settings: Settings) -> FileStore:
    """Where the contents are kept."""
    return open_files(settings)


def put(client: FlaskClient, name: str, content: bytes, media_type: str = "", **query: str) -> Any:
    """Upload a file."""
    return client.put(f"{FILES}/{name}", data=content, content_type=media_type or None, query_string=query)


def states(client: FlaskClient) -> dict[str, tuple[str, str | None]]:
    """What became of each file."""
    listed = client.get(FILES).json
    assert listed is not None
    return {file["name"]: (file["state"], file["error"]) for file in listed["files"]}


def test_an_uploaded_file_answers_and_opens(kb: Headwater, client: FlaskClient) -> None:
    """Upload, sync, ask, and open the original that the citation names."""
    made = put(client, "manuals/pump.md", PUMP, "text/markdown")
    assert made.status_code == 201
    assert made.headers["Location"] == f"{FILES}/manuals/pump.md"
    shown = {name: made.json[name] for name in ("name", "size", "hash", "media_type", "state", "changed", "sync")}
    assert shown == {
        "name": "manuals/pump.md", "size": len(PUMP), "hash": hash_of(PUMP), "media_type": "text/markdown",
        "state": "waiting", "changed": True, "sync": None,
    }  # fmt: skip
    assert kb.sync("inbox")["inbox"].added == 1
    assert states(client) == {"manuals/pump.md": ("ready", None)}
    body = {"question": "How many litres does the pump lift per minute?"}
    answer = client.post("/api/v1/knowledge-bases/kb/answers", json=body).json
    assert answer is not None
    (citation,) = answer["citations"]
    assert citation["uri"] == "manuals/pump.md"
    opened = client.get(citation["original"])
    assert (opened.status_code, opened.data) == (200, PUMP)
    assert client.get(f"/api/v1/answers/{answer['id']}").json["citations"][0]["original"] == citation["original"]  # type: ignore[index]


def test_the_same_bytes_again_change_nothing(kb: Headwater, client: FlaskClient) -> None:
    """Nor does syncing them again; other bytes are another version (DOC-1)."""
    first = put(client, "pump.md", PUMP).json
    kb.sync("inbox")
    again = put(client, "pump.md", PUMP)
    assert (again.status_code, again.json["changed"], again.json["state"]) == (200, False, "ready")
    assert again.json["uploaded_at"] == first["uploaded_at"]
    before = kb.content()
    assert (kb.sync("inbox")["inbox"].unchanged, kb.content()) == (1, before)
    assert put(client, "pump.md", MILL).json["changed"]
    assert states(client) == {"pump.md": ("waiting", None)}
    assert kb.store.uploads.all(kb.source("inbox"))[0].document_id is None
    assert kb.sync("inbox")["inbox"].changed == 1
    assert states(client) == {"pump.md": ("ready", None)}
    assert str(kb.store.uploads.all(kb.source("inbox"))[0].document_id) in client.get("/kb/kb/sources/inbox").text


def test_a_deleted_file_leaves_with_the_next_sync(kb: Headwater, client: FlaskClient, files: FileStore) -> None:
    """Its document is removed; one that was never synced leaves nothing at all."""
    put(client, "pump.md", PUMP)
    kb.sync("inbox")
    put(client, "mill.md", MILL)
    assert kept(files) == {PUMP, MILL}
    assert client.delete(f"{FILES}/mill.md").json == {"name": "mill.md", "sync": None}
    assert kept(files) == {PUMP}
    assert client.delete(f"{FILES}/pump.md").status_code == 200
    assert kept(files) == {PUMP}  # its version still refers to it
    assert kb.sync("inbox")["inbox"].removed == 1
    gone = client.delete(f"{FILES}/pump.md")
    assert (gone.status_code, gone.json["code"]) == (404, "NOT_FOUND")  # type: ignore[index]


def test_a_file_that_nobody_reads_says_why(kb: Headwater, client: FlaskClient) -> None:
    """It fails with its reason, and the others are read."""
    put(client, "a.bin", bytes(range(256)) * 8)
    put(client, "pump.md", PUMP)
    put(client, "empty.md", b"")
    kb.sync("inbox")
    found = states(client)
    assert found["pump.md"] == ("ready", None)
    assert found["a.bin"][0] == found["empty.md"][0] == "failed"
    assert "file type isn't supported" in str(found["a.bin"][1])
    assert found["empty.md"][1] == "The file is empty."


def test_a_sync_can_be_asked_for(kb: Headwater, client: FlaskClient) -> None:
    """With the upload, and while another sync runs; then the source becomes due again as soon as that ends (SRC-10)."""
    sync = put(client, "pump.md", PUMP, sync="true").json["sync"]
    assert client.get(f"/api/v1/syncs/{sync}").json["state"] == "pending"  # type: ignore[index]
    assert put(client, "mill.md", MILL, sync="true").json["sync"] == sync  # it joins the one that waits
    source = kb.source("inbox")
    kb.store.syncs.cancel(sync)
    with kb.store.workers.hold_batch("batch"):
        running = kb.store.syncs.request(kb.knowledge_base.id, [source], "command_line", "batch")
        with kb.store.workers.hold_source(source, "batch", "run", is_whole=True, is_full=False):
            assert put(client, "pump.md", MILL, sync="true").json["sync"] is None
            assert [one.slug for one in kb.store.sources.due()] == []
        kb.store.syncs.cancel(running)
    assert request_due_syncs(kb.store) == 1
    kb.sync("inbox")
    assert request_due_syncs(kb.store) == 0
    assert set(states(client).values()) == {("ready", None)}


def test_only_a_source_of_files_takes_them(kb: Headwater, client: FlaskClient) -> None:
    """A folder does not, nor a source that does not exist; nothing is stored."""
    for path, status, code in (
        ("/api/v1/knowledge-bases/kb/sources/docs/files/a.md", 409, "CONFLICT"),
        ("/api/v1/knowledge-bases/kb/sources/none/files/a.md", 404, "NOT_FOUND"),
        ("/api/v1/knowledge-bases/none/sources/inbox/files/a.md", 404, "NOT_FOUND"),
    ):
        refused = client.put(path, data=PUMP)
        assert (refused.status_code, refused.json["code"]) == (status, code)  # type: ignore[index]
    assert kb.query("SELECT count(*) AS n FROM source_files")[0]["n"] == 0


def test_a_name_has_one_form(kb: Headwater, client: FlaskClient) -> None:
    """A name whose accents are separate characters is the same file."""
    put(client, "re\u0301sume\u0301.md", PUMP)
    assert put(client, "r\u00e9sum\u00e9.md", PUMP).json["changed"] is False
    assert list(states(client)) == ["r\u00e9sum\u00e9.md"]


def test_lists_come_in_pages(kb: Headwater, client: FlaskClient) -> None:
    """By name; `next` leads on."""
    for name in ("c.md", "a.md", "b.md"):
        put(client, name, PUMP)
    page = client.get(FILES, query_string={"limit": 2}).json
    assert page is not None
    assert ([file["name"] for file in page["files"]], page["next"]) == (["a.md", "b.md"], "b.md")
    rest = client.get(FILES, query_string={"limit": 2, "after": "b.md"}).json
    assert rest is not None
    assert ([file["name"] for file in rest["files"]], rest["next"]) == (["c.md"], None)


def test_housekeeping_keeps_what_was_uploaded(kb: Headwater, client: FlaskClient, files: FileStore) -> None:
    """Also before any sync, however old it is; a file that broke off is removed."""
    put(client, "pump.md", PUMP)
    assert files.folder is not None
    (files.folder / "00/00/.broken.part").write_bytes(b"half")
    make_old(files)
    assert tidy(kb.store, kb.settings).originals == 1
    assert kept(files) == {PUMP}
    assert [each.hash for each in kb.store.originals.held()] == [hash_of(PUMP)]


def test_deleting_the_source_removes_its_files(kb: Headwater, client: FlaskClient, files: FileStore) -> None:
    """The receipt counts them; a file of another source stays (SRC-12)."""
    add_source(kb.store, "kb", "other", kind="files", config={})
    put(client, "pump.md", PUMP)
    put(client, "mill.md", MILL)
    client.put("/api/v1/knowledge-bases/kb/sources/other/files/pump.md", data=PUMP)
    kb.sync("inbox")
    deletion = kb.delete("inbox")
    assert (deletion.files_removed, deletion.removed["source_files"]) == (1, 2)
    assert kept(files) == {PUMP}
    assert kb.delete().files_removed == 1
    assert kept(files) == set()


def blocks_then(error: Exception | None) -> Iterator[bytes]:
    """An upload that breaks off."""
    yield PUMP
    if error is not None:
        raise error


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("broken")])
def test_an_upload_that_breaks_off_leaves_nothing(
    kb: Headwater, files: FileStore, error: Exception, settings: Settings
) -> None:
    """No row, no file; a full disk has a code of its own."""
    uploads.upload(settings, kb.store, "kb", "inbox", "pump.md", [MILL])
    expected = StorageFullError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected):
        uploads.upload(settings, kb.store, "kb", "inbox", "pump.md", blocks_then(error))
    assert kept(files) == {MILL}
    assert kb.store.uploads.get(kb.source("inbox"), "pump.md").hash == hash_of(MILL)
    assert files.folder is not None
    assert list(files.folder.rglob("*.part")) == []


def test_the_limit_is_the_last_size_that_passes(kb: Headwater, settings: Settings, files: FileStore) -> None:
    """One byte more is refused, whatever length was announced."""
    small = replace(settings, upload_limit=1)
    blocks = [bytes(250_000)] * 4
    assert uploads.upload(small, kb.store, "kb", "inbox", "a", blocks).upload.size == 1_000_000
    with pytest.raises(TooLargeError, match="HEADWATER_UPLOAD_LIMIT"):
        uploads.upload(small, kb.store, "kb", "inbox", "b", [*blocks, b"x"])
    refused = create_app(small).test_client().put(f"{FILES}/c", data=bytes(1_000_001))
    assert (refused.status_code, refused.json["code"]) == (413, "REQUEST_ENTITY_TOO_LARGE")  # type: ignore[index]
    assert len(list(files.all())) == 1


def test_of_two_uploads_with_one_name_the_last_complete_one_wins(
    kb: Headwater, settings: Settings, files: FileStore
) -> None:
    """A slow one that began first and ends last replaces the other as a whole; nothing of the other stays."""
    begun, go_on = threading.Event(), threading.Event()

    def slowly() -> Iterator[bytes]:
        yield PUMP[:20]
        begun.set()
        go_on.wait(30)
        yield PUMP[20:]

    slow = threading.Thread(
        target=uploads.upload, args=(settings, kb.store, "kb", "inbox", "pump.md", slowly()), daemon=True
    )
    slow.start()
    begun.wait(30)
    uploads.upload(settings, kb.store, "kb", "inbox", "pump.md", [MILL])
    assert kb.store.uploads.get(kb.source("inbox"), "pump.md").hash == hash_of(MILL)
    go_on.set()
    slow.join(30)
    assert kb.store.uploads.get(kb.source("inbox"), "pump.md").hash == hash_of(PUMP)
    assert kept(files) == {PUMP}


def test_an_upload_is_not_kept_by_its_own_lock(kb: Headwater, settings: Settings, files: FileStore) -> None:
    """What it replaces is removed, although the connection of the lock stays open for the next one."""
    for content in (MILL, PUMP):
        uploads.upload(settings, kb.store, "kb", "inbox", "pump.md", [content])
        assert len(kb.store.database._lock_connections._spare) == 1
    assert kept(files) == {PUMP}


def test_a_store_of_another_database_takes_no_uploads(kb: Headwater, settings: Settings, files: FileStore) -> None:
    """As it takes no originals."""
    files.set_owner("somebody else")
    with pytest.raises(FilesUnavailableError, match="another database"):
        uploads.upload(settings, kb.store, "kb", "inbox", "pump.md", [PUMP])
    assert list(files.all()) == []


def test_a_content_that_is_lost_fails_alone(kb: Headwater, client: FlaskClient, files: FileStore) -> None:
    """The others are read; the message names the file's hash."""
    put(client, "pump.md", PUMP)
    put(client, "mill.md", MILL)
    files.delete(hash_of(PUMP))
    assert kb.sync("inbox")["inbox"].added == 1
    assert hash_of(PUMP) in str(states(client)["pump.md"][1])


def test_commands_do_what_the_api_does(kb: Headwater, tmp_path: Path) -> None:
    """Upload, list, delete (API-7)."""
    paths = [tmp_path / "pump.md", tmp_path / "mill.md"]
    for path, content in zip(paths, (PUMP, MILL), strict=True):
        path.write_bytes(content)
    command = CliRunner()
    done = command.invoke(main, ["upload", "kb", "inbox", *map(str, paths), "--folder", "manuals", "--json"])
    assert [file["name"] for file in json.loads(done.stdout)["files"]] == ["manuals/pump.md", "manuals/mill.md"]
    assert "waiting" in command.invoke(main, ["files", "kb", "inbox"]).stdout
    kb.sync("inbox")
    listed = json.loads(command.invoke(main, ["files", "kb", "inbox", "--json"]).stdout)
    assert {file["name"]: file["state"] for file in listed["files"]} == {
        "manuals/mill.md": "ready",
        "manuals/pump.md": "ready",
    }
    deleted = command.invoke(main, ["delete", "kb", "inbox", "manuals/pump.md", "--yes", "--json"])
    assert json.loads(deleted.stdout) == {"name": "manuals/pump.md", "sync": None}
    assert "pump" not in command.invoke(main, ["files", "kb", "inbox"]).stdout
    missing = command.invoke(main, ["upload", "kb", "inbox", str(tmp_path / "none.md")])
    assert (missing.exit_code, "does not exist" in missing.stderr) == (2, True)


def test_a_source_that_is_being_deleted_takes_no_files(kb: Headwater, settings: Settings) -> None:
    """Not even one that began before."""

    def blocks() -> Iterator[bytes]:
        yield PUMP
        kb.store.deletions.hide_source("kb", "inbox")

    with pytest.raises(ConflictError, match="being deleted"):
        uploads.upload(settings, kb.store, "kb", "inbox", "pump.md", blocks())
    assert FolderStore(settings.home / "files").folder


def test_a_backup_contains_what_was_uploaded(
    kb: Headwater, client: FlaskClient, tmp_path: Path, elsewhere: Move
) -> None:
    """Also what no sync has read; the restored one is complete (OPS-5)."""
    put(client, "pump.md", PUMP)
    assert back_up(tmp_path / "backup.tar", force=False)["originals"] == 1
    new = elsewhere("restored")
    restore(tmp_path / "backup.tar")
    with open_store(new) as store:
        restored = store.uploads.get(store.sources.get("kb", "inbox"), "pump.md")
    assert open_files(new).read(restored.hash) == PUMP


def test_uploads_and_originals_may_be_in_a_remote_store(
    headwater: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are stored, read in parts, and deleted there."""
    monkeypatch.setenv("HEADWATER_FILES", f"memory://{tmp_path.name}/remote")
    settings = Settings.from_env()
    made = replace(headwater(), settings=settings)
    add_source(made.store, "kb", "inbox", kind="files", config={})
    client = create_app(settings).test_client()
    put(client, "pump.md", PUMP)
    assert made.sync("inbox")["inbox"].added == 1
    version = made.query("SELECT head_version_id AS id FROM documents")[0]["id"]
    part = client.get(f"/api/v1/document-versions/{version}/original", headers={"Range": "bytes=2-5"})
    assert (part.status_code, part.data, part.headers["Content-Disposition"]) == (
        206, PUMP[2:6], 'inline; filename="pump.md"',
    )  # fmt: skip
    put(client, "mill.md", MILL)
    assert client.delete(f"{FILES}/mill.md").status_code == 200
    assert kept(open_files(settings)) == {PUMP}


def test_a_connector_gets_bytes_and_no_way_to_their_store(
    kb: Headwater, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the list of uploads nor one of them leads to the database or the folder (SEC-1)."""
    seen: set[str] = set()
    fetch = Files.fetch

    def looking(connector: Files) -> Iterator[Any]:
        (upload,) = connector.context.uploads()
        seen.update(found for found in reachable((connector.context, upload)) if isinstance(found, str))
        assert upload.read() == PUMP
        yield from fetch(connector)

    put(client, "pump.md", PUMP)
    monkeypatch.setattr(Files, "fetch", looking)
    assert kb.sync("inbox")["inbox"].added == 1
    assert "pump.md" in seen
    assert not [text for text in seen if kb.store.database.url in text or str(kb.settings.home / "files") in text]
