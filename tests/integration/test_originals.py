"""The files that documents were taken from: kept with their versions, and gone with the last of them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cli import doctor_checks
from cli.backup import backup
from cli.backup.archive import MANIFEST, ArchiveReader, ArchiveWriter
from cli.backup.backup import back_up, restore
from cli.backup.backup_texts import backup_text, restore_text
from cli.backup.original_files import pack_originals
from headwater.administration.deletion import finish_deletions
from headwater.administration.housekeeping import tidy
from headwater.administration.original_access import MIN_AGE
from headwater.errors import AlreadyExistsError, InvalidInputError
from headwater.files.file_store import FileStore, hash_of, open_files
from headwater.files.folder_store import FolderStore
from headwater.files.remote_store import RemoteStore
from headwater.settings import REPOSITORY, Settings
from headwater.store.content.documents import DocumentStore
from headwater.store.server.dumps import BackupError
from headwater.store.store import open_store
from headwater.syncing.source_folders import source_folder
from tests.conftest import Move
from tests.page_server import PageServer, add_site, full_sync
from tests.support import Headwater

Make = Callable[..., Headwater]
PUMP = b"The pump turns a wheel.\n% pump.pdf"
MILL = b"The mill turns a wheel.\n% mill.pdf"
PLAIN = b"The lamp is blue."


@pytest.fixture
def kb(headwater: Make, site: PageServer) -> Headwater:
    """A knowledge base with a site of two documents that have an original, and one that has none; synced once."""
    made = headwater()
    site.pages = {"lamp.txt": PLAIN, "mill.txt": MILL, "pump.txt": PUMP}
    add_site(made, site)
    done = made.sync("site")["site"]
    assert (done.state, done.added, done.errors) == ("ready", 3, [])
    return made


@pytest.fixture
def files(settings: Settings) -> FileStore:
    """Where they are kept."""
    return open_files(settings)


def kept(files: FileStore) -> set[bytes]:
    """The contents of the store."""
    return {files.read(file.hash) for file in files.all()}


def make_old(files: FileStore) -> None:
    """Let the time pass after which housekeeping looks at files."""
    assert files.folder is not None
    long_ago = (datetime.now(UTC) - MIN_AGE - timedelta(minutes=1)).timestamp()
    for path in files.folder.rglob("*"):
        os.utime(path, (long_ago, long_ago))


def originals(kb: Headwater) -> dict[str, tuple[str, str] | None]:
    """The original of each document's newest version."""
    rows = kb.query(
        "SELECT d.uri, v.original_hash, v.original_media_type AS type"
        " FROM documents d JOIN document_versions v ON v.id = d.head_version_id ORDER BY d.uri"
    )
    return {row["uri"]: (row["original_hash"].hex(), row["type"]) if row["original_hash"] else None for row in rows}


def test_an_original_is_kept_with_its_version(kb: Headwater, site: PageServer, files: FileStore) -> None:
    """By its hash and type; what is its own text has none; a second sync puts nothing."""
    pump, mill = (hash_of(PUMP), "application/x-page"), (hash_of(MILL), "application/x-page")
    assert originals(kb) == {"lamp.txt": None, "mill.txt": mill, "pump.txt": pump}
    assert kept(files) == {PUMP, MILL}
    site.salt = "another server"
    before = kb.content()
    for done in (kb.sync("site")["site"], full_sync(kb)):
        assert (done.unchanged, done.rows_written) == (3, 0)
    assert {name: rows for name, rows in kb.content().items() if name != "documents"} == {
        name: rows for name, rows in before.items() if name != "documents"
    }
    assert kept(files) == {PUMP, MILL}


def test_equal_files_are_kept_once(kb: Headwater, site: PageServer, files: FileStore) -> None:
    """Two documents, in two sources, share one file."""
    site.pages["copy.txt"] = PUMP
    add_site(kb, site, "second")
    kb.sync()
    assert len(list(files.all())) == 2
    assert kb.query("SELECT count(*) AS n FROM document_versions WHERE original_hash IS NOT NULL")[0]["n"] == 6


def test_other_bytes_of_the_same_text_are_no_new_version(kb: Headwater, site: PageServer, files: FileStore) -> None:
    """The version keeps its own original, and the other file is not kept."""
    before = originals(kb)
    site.pages["pump.txt"] = PUMP + b", printed again"
    done = kb.sync("site")["site"]
    assert (done.unchanged, done.changed) == (3, 0)
    assert originals(kb) == before
    assert kept(files) == {PUMP, MILL}
    assert kb.sync("site")["site"].unchanged == 3


def test_a_new_version_has_its_own_original(kb: Headwater, site: PageServer, files: FileStore) -> None:
    """The one before keeps its own until it is gone."""
    new = b"The pump turns two wheels.\n% pump.pdf"
    site.pages["pump.txt"] = new
    assert kb.sync("site")["site"].changed == 1
    assert originals(kb)["pump.txt"] == (hash_of(new), "application/x-page")
    make_old(files)
    assert tidy(kb.store, kb.settings).originals == 0
    assert kept(files) == {PUMP, MILL, new}


def test_a_lost_original_is_found_missing_and_fetched_again(
    kb: Headwater, site: PageServer, files: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`doctor` names it, with its document; a full sync puts it back, also when its bytes are others by now (OPS-5)."""
    monkeypatch.setattr(doctor_checks, "_CHECKS", {})
    assert _found("originals") == ("ok", f"2 are stored in {files.shown}")
    files.delete(hash_of(PUMP))
    files.delete(hash_of(MILL))
    site.pages["mill.txt"] = MILL + b", printed again"
    state, detail = _found("originals")
    assert (state, detail.partition(":")[0]) == ("warning", f"2 of 2 are missing in {files.shown}")
    assert f"kb/site pump.txt ({hash_of(PUMP)})" in detail
    assert "headwater sync --full" in detail
    done = full_sync(kb)
    assert (done.unchanged, done.changed, done.rows_written) == (3, 0, 1)  # the fingerprint of other bytes
    assert kept(files) == {PUMP, MILL + b", printed again"}
    assert originals(kb)["mill.txt"] == (hash_of(MILL + b", printed again"), "application/x-page")
    assert _found("originals")[0] == "ok"


def _found(name: str) -> tuple[str, str]:
    ((state, detail),) = [(each["state"], each["detail"]) for each in doctor_checks.examine() if each["name"] == name]
    return state, detail


def test_deleting_a_source_takes_what_only_it_had(
    headwater: Make, kb: Headwater, site: PageServer, files: FileStore
) -> None:
    """Files that another source refers to, even in another knowledge base, stay; the receipt counts files (SRC-12)."""
    other = headwater(slug="other")
    site.pages = {"pump.txt": PUMP}
    add_site(other, site)
    other.sync("site")
    own = source_folder(kb.settings, kb.source("site").id)
    own.mkdir(parents=True)
    (own / "state").touch()
    deletion = kb.delete("site")
    assert (deletion.files_removed, deletion.removed["document_versions"]) == (2, 3)  # MILL, and the file of its own
    assert kept(files) == {PUMP}
    assert other.delete().files_removed == 1
    assert kept(files) == set()


def test_a_deletion_that_was_killed_counts_each_file_once(
    kb: Headwater, files: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next deletion also counts files that the killed one had removed but not recorded."""
    delete = FolderStore.delete
    calls: list[str] = []

    def killed(store: FolderStore, file_hash: str) -> None:
        delete(store, file_hash)
        calls.append(file_hash)
        if len(calls) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(FolderStore, "delete", killed)
        with pytest.raises(KeyboardInterrupt):
            kb.delete("site")
    (deletion,) = finish_deletions(kb.settings, kb.store)
    assert (deletion.files_removed, deletion.removed["documents"]) == (2, 3)
    assert kept(files) == set()


def test_housekeeping_removes_what_nothing_refers_to(kb: Headwater, files: FileStore) -> None:
    """Once it is old: what a sync has just put, and has not referred to yet, stays (DOC-1)."""
    lost = files.put(b"a sync was killed after this")
    assert tidy(kb.store, kb.settings).originals == 0
    make_old(files)
    files.put(b"a sync has just put this")
    assert tidy(kb.store, kb.settings).originals == 1
    assert not files.exists(lost)
    assert kept(files) == {PUMP, MILL, b"a sync has just put this"}


def test_an_old_version_takes_its_original_along(kb: Headwater, site: PageServer, files: FileStore) -> None:
    """When its retention has passed (DOC-1)."""
    site.pages["pump.txt"] = b"The pump turns two wheels.\n% pump.pdf"
    kb.sync("site")
    kb.query("UPDATE publications SET withdrawn_at = withdrawn_at - interval '31 days' RETURNING 1")
    make_old(files)
    done = tidy(kb.store, kb.settings)
    assert (done.document_versions, done.originals) == (1, 1)
    assert PUMP not in kept(files)
    assert len(kept(files)) == 2


def test_a_file_that_is_being_referred_to_is_not_removed(
    kb: Headwater, site: PageServer, files: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However old it is: if it is removed between being stored and its version's transaction, it is stored again."""
    new = b"The fan turns a wheel.\n% fan.pdf"
    site.pages["fan.txt"] = new
    put = DocumentStore.put_versions
    removed: list[int] = []

    def interrupted(store: DocumentStore, *given: object, **more: object) -> int:
        if files.exists(hash_of(new)) and not removed:
            make_old(files)
            removed.append(tidy(kb.store, kb.settings).originals)
        return put(store, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(DocumentStore, "put_versions", interrupted)
    kb.sync("site")
    assert removed == [1]
    assert originals(kb)["fan.txt"] == (hash_of(new), "application/x-page")
    assert kept(files) == {PUMP, MILL, new}


def test_no_file_goes_while_a_version_that_refers_to_it_is_written(kb: Headwater, files: FileStore) -> None:
    """A process that wants to remove it waits for that transaction, and then sees the reference."""
    from concurrent.futures import ThreadPoolExecutor
    from concurrent.futures import TimeoutError as NotYetError

    from headwater.store.content.originals import share_originals

    lost = files.put(b"about to be referred to")
    with ThreadPoolExecutor() as pool:
        with kb.store.database.transaction() as session:
            share_originals(session)
            removing = pool.submit(kb.store.originals.remove_unheld, [lost], files.delete)
            with pytest.raises(NotYetError):
                removing.result(timeout=0.3)
            session.connection.execute(
                "UPDATE document_versions SET original_hash = %s WHERE original_hash = %s",
                (bytes.fromhex(lost), bytes.fromhex(hash_of(PUMP))),
            )
        assert removing.result(timeout=30) == 0
    assert files.exists(lost)


def test_a_sync_that_is_killed_after_a_put_leaves_nothing_half_done(
    kb: Headwater, site: PageServer, files: FileStore
) -> None:
    """The file is there, and no version refers to it; the next sync writes the version, and counts it once."""
    new = b"The fan turns a wheel.\n% fan.pdf"
    site.pages["fan.txt"] = new
    script = """
import os, signal, time
import dagster as dg
import psycopg
from pathlib import Path
from headwater.settings import Settings
from headwater.sources import connector
from headwater.store.content.documents import DocumentStore
from headwater.store.store import open_store
from tests.page_server import Pages
from tests.support import Headwater

def kill(self, *_, **__):
    with psycopg.connect(settings.database_url, autocommit=True) as connection:
        while not connection.execute("SELECT FROM sync_sources WHERE documents_done = 4").fetchall():
            time.sleep(0.01)  # what was counted is reported beside the work
    os.kill(os.getpid(), signal.SIGKILL)

installed = dict(connector.connectors())
connector.connectors = lambda: {**installed, Pages.kind: Pages}
DocumentStore.put_versions = kill
settings = Settings.from_env()
with open_store(settings) as store, dg.DagsterInstance.get() as instance:
    Headwater(settings=settings, store=store, open_instance=lambda: instance, slug="kb", folder=Path()).sync("site")
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], cwd=REPOSITORY, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    assert kept(files) == {PUMP, MILL, new}
    assert "fan.txt" not in originals(kb)
    assert kb.sync("site")["site"].added == 1
    assert originals(kb)["fan.txt"] == (hash_of(new), "application/x-page")
    make_old(files)
    assert tidy(kb.store, kb.settings).originals == 0


def test_a_file_store_that_is_away_fails_the_source(
    kb: Headwater, site: PageServer, files: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No version is written that refers to a missing file; the next sync continues."""
    site.pages["fan.txt"] = b"The fan turns a wheel.\n% fan.pdf"
    (files.folder or Path()).rename(kb.settings.home / "away")
    (kb.settings.home / "files").write_text("in the way")
    done = kb.sync("site")["site"]
    assert (done.state, done.errors[-1].code) == ("failed", "FILES_UNAVAILABLE")
    assert "HEADWATER_FILES" in done.errors[-1].message
    assert "fan.txt" not in originals(kb)
    (kb.settings.home / "files").unlink()
    (kb.settings.home / "away").rename(kb.settings.home / "files")
    assert kb.sync("site")["site"].added == 1


def test_originals_travel_in_a_backup(kb: Headwater, files: FileStore, tmp_path: Path, elsewhere: Move) -> None:
    """They are restored by their hash, for their owner alone, and nothing is missing (OPS-5)."""
    made = back_up(tmp_path / "backup.tar", force=False)
    assert (made["originals"], made["originals_elsewhere"]) == (2, None)
    assert "2 originals." in backup_text(made)
    settings = elsewhere("restored")
    restored = restore(tmp_path / "backup.tar")
    assert (restored["originals"], restored["originals_elsewhere"]) == (2, None)
    assert "2 originals." in restore_text(restored)
    new = open_files(settings)
    assert new.folder == settings.home / "files"
    assert kept(new) == {PUMP, MILL}
    assert {path.stat().st_mode & 0o077 for path in (settings.home / "files").rglob("*")} == {0}
    with open_store(settings) as store:
        assert {original.hash for original in store.originals.held()} == {hash_of(PUMP), hash_of(MILL)}
    with pytest.raises(InvalidInputError, match="inside the data to back up"):
        back_up(settings.home / "files" / "backup.tar", force=False)


@pytest.mark.dagster
def test_originals_of_a_remote_store_stay_there(
    headwater: Make,
    site: PageServer,
    tmp_path: Path,
    elsewhere: Move,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A backup says where, without credentials; a home with the same setting finds them."""
    monkeypatch.setenv("HEADWATER_FILES", f"memory://user:geheim@{tmp_path.name}/remote")
    settings = Settings.from_env()
    kb = headwater()
    site.pages = {"pump.txt": PUMP}
    add_site(kb, site)
    kb.sync("site")
    assert isinstance(open_files(settings), RemoteStore)
    assert kept(open_files(settings)) == {PUMP}
    assert not (settings.home / "files").exists()
    made = back_up(tmp_path / "backup.tar", force=False)
    assert (made["originals"], made["originals_elsewhere"]) == (0, f"memory://{tmp_path.name}/remote")
    assert f"keeps them in memory://{tmp_path.name}/remote" in backup_text(made)
    assert b"geheim" not in (tmp_path / "backup.tar").read_bytes()
    new = elsewhere("of_remote")
    assert "memory://" in restore_text(restore(tmp_path / "backup.tar"))
    with open_store(new) as store:
        (original,) = store.originals.held()
    assert open_files(new).read(original.hash) == PUMP
    assert "geheim" not in kb.dump()


def test_no_original_is_removed_while_a_backup_is_made(
    kb: Headwater,
    files: FileStore,
    tmp_path: Path,
    elsewhere: Move,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its rows still refer to it; housekeeping removes it afterwards."""

    def deleting_first(*given: object) -> int:
        assert kb.delete("site").files_removed == 0
        return pack_originals(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(backup, "pack_originals", deleting_first)
    assert back_up(tmp_path / "backup.tar", force=False)["originals"] == 2
    assert kept(files) == {PUMP, MILL}
    make_old(files)
    assert tidy(kb.store, kb.settings).originals == 2
    settings = elsewhere("unharmed")
    restore(tmp_path / "backup.tar")
    assert kept(open_files(settings)) == {PUMP, MILL}


def test_an_original_that_is_not_what_its_name_says_is_refused(kb: Headwater, tmp_path: Path, elsewhere: Move) -> None:
    """Nothing is restored then, and of originals only what was there before is left (SEC-1)."""
    back_up(tmp_path / "backup.tar", force=False)
    with closing(ArchiveReader(tmp_path / "backup.tar")) as reader:
        packed = reader.open("originals.tar").read()
    wrong = {
        "changed": packed.replace(b"% pump.pdf", b"% PUMP.pdf"),
        "led_away": packed.replace(hash_of(PUMP).encode(), b"../../../../evil".ljust(64, b"\0")),
    }
    assert all(len(content) == len(packed) and content != packed for content in wrong.values())
    for name, content in wrong.items():
        file = _rewritten(tmp_path / "backup.tar", tmp_path / f"{name}.tar", content)
        settings = elsewhere(name)
        there = open_files(settings).put(b"there before")
        with pytest.raises(BackupError, match=r"original|read"):
            restore(file)
        assert kept(open_files(settings)) == {b"there before"}
        assert not list(tmp_path.rglob("*evil*"))
        open_files(settings).delete(there)
    restore(tmp_path / "backup.tar")
    with pytest.raises(AlreadyExistsError):
        restore(tmp_path / "backup.tar")


def _rewritten(file: Path, other: Path, originals: bytes) -> Path:
    """A copy of a backup with other originals."""
    with closing(ArchiveReader(file)) as reader, other.open("w+b") as out:
        archive = ArchiveWriter(out)
        for name in reader.manifest["members"]:
            with archive.member(name) as member:
                member.write(originals if name == "originals.tar" else reader.open(name).read())
        archive.finish({name: value for name, value in reader.manifest.items() if name != "members"})
    assert MANIFEST not in reader.manifest["members"]
    return other


def test_a_backup_of_before_originals_is_restored(kb: Headwater, tmp_path: Path, elsewhere: Move) -> None:
    """It has no such part, and names none."""
    kb.delete("site")
    back_up(tmp_path / "backup.tar", force=False)
    old = tmp_path / "old.tar"
    with closing(ArchiveReader(tmp_path / "backup.tar")) as reader, old.open("w+b") as out:
        archive = ArchiveWriter(out)
        for name in reader.manifest["members"]:
            if name != "originals.tar":
                with archive.member(name) as member:
                    member.write(reader.open(name).read())
        archive.finish({k: value for k, value in reader.manifest.items() if k not in ("members", "originals")})
    elsewhere("of_old")
    assert (restored := restore(old))["originals"] == 0
    assert restored["originals_elsewhere"] is None
