"""Backups and what comes back from them (OPS-5)."""

import io
import itertools
import json
import os
import pty
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import dagster as dg
import psycopg
import pytest
from click.testing import CliRunner

from cli.backup import backup
from cli.backup.archive import MANIFEST, ArchiveReader, ArchiveWriter
from cli.backup.backup import back_up, restore
from cli.environment import dagster_variables
from cli.main import main
from cli.processes.process_records import locate_record
from cli.processes.service import Service
from cli.processes.shutdown import stop_services
from headwater.administration.keys import create_key, revoke_key
from headwater.domain.access import Scope
from headwater.errors import AlreadyExistsError, ConflictError, InvalidInputError
from headwater.indexing import preparation
from headwater.settings import Settings
from headwater.store.server import dumps, embedded_postgres
from headwater.store.server import migrations as migrations
from headwater.store.server.dumps import BackupError
from headwater.store.store import Store, open_store
from headwater.syncing.source_folders import source_folder
from query_api.app import create_app
from tests.conftest import with_database
from tests.support import Headwater

STAGES = ("documents", "chunks", "links", "embeddings", "summary_tree")
Make = Callable[..., Headwater]
_numbers = itertools.count(1)


@pytest.fixture
def kb(headwater: Make) -> Headwater:
    """A knowledge base of two sources, one of which cannot be read; the other has files of its own."""
    made = headwater("bad", "docs", files={"docs/a.md": "# Lamp\n\nThe lamp is blue.", "docs/b.md": "# B\n\nElse."})
    (made.folder / "bad").rmdir()
    folder = source_folder(made.settings, made.source().id) / "deep"
    folder.mkdir(parents=True)
    (folder / "upload.pdf").write_bytes(b"%PDF")
    (folder / "large.bin").write_bytes(bytes(3_000_000))
    (folder / "link").symlink_to("/etc/passwd")
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a backup goes."""
    return tmp_path / "backup.tar"


@pytest.fixture(scope="module")
def _packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("packed") / "backup.tar"


@pytest.fixture
def packed(_packed: Path, file: Path, request: pytest.FixtureRequest) -> Path:
    """A backup of `kb`, the test's own copy; it is made once for all tests that only read it."""
    if not _packed.exists():
        request.getfixturevalue("kb")
        back_up(_packed, force=False)
    return Path(shutil.copy(_packed, file))


@pytest.fixture
def elsewhere(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Settings]:
    """Makes the environment name an empty home and databases that do not exist yet."""

    def move() -> Settings:
        number = next(_numbers)
        url = with_database(server, f"restored_{number}")
        monkeypatch.setenv("HEADWATER_HOME", str(tmp_path / f"elsewhere_{number}"))
        monkeypatch.setenv("HEADWATER_DATABASE_URL", url)
        settings = Settings.from_env()
        for name, value in dagster_variables(settings).items():
            monkeypatch.setenv(name, value)
        return settings

    return move


def at(settings: Settings, store: Store, instance: dg.DagsterInstance, kb: Headwater) -> Headwater:
    """The same knowledge base in another place."""
    return Headwater(settings=settings, store=store, open_instance=lambda: instance, slug=kb.slug, folder=kb.folder)


def rewritten(file: Path, change: Callable[[dict[str, Any]], None], **members: bytes) -> Path:
    """A copy of a backup whose manifest, and members, are others."""
    other = file.with_name(f"other_{next(_numbers)}.tar")
    with closing(ArchiveReader(file)) as reader, other.open("w+b") as out:
        archive = ArchiveWriter(out)
        for name in reader.manifest["members"]:
            with archive.member(name) as member:
                member.write(members.get(name) or reader.open(name).read())
        manifest = dict(reader.manifest)
        change(manifest)
        archive.finish(manifest)
    return other


@pytest.mark.dagster
def test_a_restored_home_gives_the_same_answers(
    kb: Headwater, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a new home with a Postgres of its own: search, old answers, lineage, syncs and colours are as they were."""
    kb.sync()
    kb.sync("docs")
    answer = kb.ask("What colour is the lamp?")
    found, traced = kb.search("lamp"), kb.store.answers.get(answer.id)
    colours = {asset: kb.coloured(asset) for asset in (*STAGES, "search_index")}
    made = back_up(file, force=False)
    assert (made["files"], stat.S_IMODE(file.stat().st_mode)) == (2, 0o600)
    assert [path for path in file.parent.iterdir() if path.name.startswith("backup")] == [file]

    home = tmp_path / "new-home"
    monkeypatch.setenv("HEADWATER_HOME", str(home))
    monkeypatch.delenv("HEADWATER_DATABASE_URL")
    settings = Settings.from_env()
    try:
        restored = restore(file)
        assert (restored["rows"], restored["files"], restored["applied"]) == (made["rows"], 2, [])
        with open_store(settings) as store, dg.DagsterInstance.get() as instance:
            new = at(settings, store, instance, kb)
            assert new.search("lamp") == found
            assert store.answers.get(answer.id) == traced
            assert all(citation.is_available for citation in store.answers.get(answer.id).citations)
            assert instance.get_run_by_id(traced.citations[0].run_id) is not None
            assert {asset: new.coloured(asset) for asset in colours} == colours
            before = new.content()
            done = new.sync("docs")["docs"]
            assert (done.state, done.rows_written, done.embedded, done.unchanged) == ("ready", 0, 0, 2)
            assert new.content() == before
            assert {asset: new.coloured(asset) for asset in colours} == colours
            new.write("docs/c.md", "# C\n\nThe gasket is round.")
            assert new.sync("docs")["docs"].added == 1
            assert new.search("round gasket")[0].uri == "c.md"
        copied = source_folder(settings, kb.source().id) / "deep"
        assert sorted(path.name for path in copied.iterdir()) == ["large.bin", "upload.pdf"]
        assert (copied / "upload.pdf").read_bytes() == b"%PDF"
        with pytest.raises(AlreadyExistsError, match="sources"):
            restore(file)
    finally:
        embedded_postgres.stop(home / "postgres")


def test_a_backup_is_one_state_while_others_write(
    headwater: Make, file: Path, elsewhere: Callable[[], Settings], database_url: str
) -> None:
    """The restored rows are those that the manifest counts, whatever is written meanwhile."""
    kb = headwater()
    stopped = threading.Event()

    def write() -> None:
        with psycopg.connect(database_url, autocommit=True) as connection:
            for number in itertools.count():
                connection.execute(
                    "INSERT INTO embeddings (model, text_hash, vector, token_count, run_id, code_version)"
                    " SELECT 'm', int8send(%s * 100 + n), '[1]', 1, 'r', '0' FROM generate_series(1, 100) AS n",
                    (number,),
                )
                if stopped.is_set():
                    return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        back_up(file, force=False)
    finally:
        stopped.set()
        writer.join()
    with closing(ArchiveReader(file)) as archive:
        counted = archive.manifest["rows"]["headwater.dump"]["embeddings"]
    assert 0 < counted < kb.query("SELECT count(*) AS n FROM embeddings")[0]["n"]
    with open_store(_restored(elsewhere(), file)) as store:
        assert store.database.url != database_url
        assert dumps.row_counts(store.database.url)["embeddings"] == counted


def _restored(settings: Settings, file: Path) -> Settings:
    restore(file)
    return settings


@pytest.mark.dagster
def test_a_large_index_is_restored_with_its_own_partition(
    headwater: Make, file: Path, elsewhere: Callable[[], Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """HNSW is rebuilt and gives the same results (EMB-4)."""
    kb = headwater(files={f"{n}.md": f"# Topic {n}\n\nAbout item {n} and its valve {n * 3}." for n in range(30)})
    monkeypatch.setattr(preparation, "MAX_EXACT_ENTRIES", 10)
    kb.sync()
    found = kb.search("item 7 valve 21", top_k=5)
    back_up(file, force=False)
    with open_store(_restored(elsewhere(), file)) as store, dg.DagsterInstance.get() as instance:
        new = at(kb.settings, store, instance, kb)
        index = store.search_indexes.active("kb")
        assert index is not None
        assert index.shard
        assert new.search("item 7 valve 21", top_k=5) == found
        indexes = new.query("SELECT indexdef FROM pg_indexes WHERE tablename = %s", f"search_entries_chunk_{index.id}")
        assert any("hnsw" in row["indexdef"] for row in indexes)


@pytest.mark.dagster
def test_a_run_that_was_going_on_has_failed_after_a_restore(
    kb: Headwater, file: Path, elsewhere: Callable[[], Settings]
) -> None:
    """Its source can be synced at once."""
    from pipelines.definitions import build_definitions

    job = build_definitions(kb.settings).resolve_job_def("sync_sources")
    run = kb.instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED)
    with kb.store.workers.hold_source(kb.source(), None, run.run_id):
        back_up(file, force=False)
    settings = elsewhere()
    assert restore(file)["interrupted_runs"] == 1
    with open_store(settings) as store, dg.DagsterInstance.get() as instance:
        stored = instance.get_run_by_id(run.run_id)
        assert stored is not None
        assert stored.is_failure
        assert at(settings, store, instance, kb).sync("docs")["docs"].state == "ready"


def test_a_backup_replaces_no_file_unless_told(kb: Headwater, file: Path) -> None:
    """The existing file stays complete; --force replaces it atomically."""
    file.write_text("precious")
    with pytest.raises(AlreadyExistsError, match="--force"):
        back_up(file, force=False)
    assert file.read_text() == "precious"
    back_up(file, force=True)
    assert tarfile.is_tarfile(file)


def test_a_backup_that_fails_leaves_no_file(
    kb: Headwater, file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Neither the file nor its beginning."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(backup, "_pack", full)
        with pytest.raises(BackupError, match="No space left"):
            back_up(file, force=False)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("backup")]
    with pytest.raises(InvalidInputError, match="folder"):
        back_up(tmp_path / "nowhere" / "b.tar", force=False)
    with pytest.raises(InvalidInputError, match="elsewhere"):
        back_up(kb.settings.home / "sources" / "b.tar", force=False)


def test_the_password_is_on_no_command_line(
    kb: Headwater, file: Path, server: str, monkeypatch: pytest.MonkeyPatch, elsewhere: Callable[[], Settings]
) -> None:
    """It goes into a file that only the owner reads and that is gone afterwards, and into no message."""
    seen: list[str] = []
    kept: list[str] = []
    popen = subprocess.Popen

    def watched(command: list[str], **options: Any) -> Any:
        seen.extend(command)
        for place in (part.split("passfile=")[1].split()[0] for part in command if "passfile=" in part):
            assert stat.S_IMODE(Path(place).stat().st_mode) == 0o600
            kept.append(Path(place).read_text())
        return popen(command, **options)

    monkeypatch.setattr(subprocess, "Popen", watched)
    for settings in (kb.settings, elsewhere()):
        url = re.sub("//postgres:?@", "//postgres:ge%3Aheim@", str(settings.database_url))
        assert "heim" in url
        monkeypatch.setenv("HEADWATER_DATABASE_URL", url)
        _ = back_up(file, force=False) if settings is kb.settings else restore(file)
    assert any("pg_dump" in part for part in seen)
    assert any("pg_restore" in part for part in seen)
    assert not any("heim" in part for part in seen)
    assert set(kept) == {"*:*:*:*:ge\\:heim\n"}


def test_a_newer_server_is_refused_in_words(kb: Headwater, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Postgres's tools cannot read one newer than themselves."""
    monkeypatch.setattr(dumps, "tools_version", lambda: 17)
    with pytest.raises(BackupError, match="Postgres 18, which Headwater's pg_dump 17"):
        back_up(file, force=False)


def test_a_damaged_file_is_refused_before_anything_is_made(packed: Path, elsewhere: Callable[[], Settings]) -> None:
    """A byte that changed, an end that is missing, another kind of file, none: exit status 2 and an empty home."""
    whole = packed.read_bytes()
    settings = elsewhere()
    for damaged in (whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:], whole[:-20_000], b"hello" * 300, b"", None):
        packed.unlink()
        if damaged is not None:
            packed.write_bytes(damaged)
        with pytest.raises(InvalidInputError, match=re.escape(str(packed))) as caught:
            restore(packed)
        assert caught.value.exit_status == 2
    assert not (settings.home / "sources").exists()
    packed.write_bytes(whole)
    assert restore(packed)["files"] == 2


def test_a_backup_of_a_newer_headwater_is_refused(packed: Path, elsewhere: Callable[[], Settings]) -> None:
    """Its schema, or its form, is not known here."""
    elsewhere()
    newer = rewritten(packed, lambda manifest: manifest["migrations"].append("9999_future"))
    with pytest.raises(InvalidInputError, match="9999_future"):
        restore(newer)
    with pytest.raises(InvalidInputError, match="its format"):
        restore(rewritten(packed, lambda manifest: manifest.update(format=2)))
    with pytest.raises(InvalidInputError, match="server is 18"):
        restore(rewritten(packed, lambda manifest: manifest.update(postgres=19)))
    with pytest.raises(InvalidInputError, match="not a complete backup"):
        restore(rewritten(packed, lambda manifest: manifest.pop("rows")))


def test_a_backup_of_an_older_schema_is_brought_up_to_date(
    settings: Settings, server: str, file: Path, elsewhere: Callable[[], Settings], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    """Later migrations are applied after it is restored."""
    first = migrations.migrations()[0]
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / first.name).write_bytes(first.read_bytes())
    elsewhere()
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "FOLDER", folder)
        migrations.migrate(str(Settings.from_env().database_url))
        back_up(file, force=False)
    url = str(elsewhere().database_url)
    assert restore(file)["applied"] == [path.stem for path in migrations.migrations()[1:]]
    assert migrations.list_pending(url) == []


def test_a_restore_overwrites_nothing(packed: Path, elsewhere: Callable[[], Settings]) -> None:
    """It names what is there: rows, files, or a process at work."""
    settings = elsewhere()
    (settings.home / "sources" / "7").mkdir(parents=True)
    with pytest.raises(AlreadyExistsError, match="sources is not empty") as caught:
        restore(packed)
    assert caught.value.exit_status == 2
    (settings.home / "sources" / "7").rmdir()
    migrations.migrate(str(settings.database_url))
    with pytest.raises(AlreadyExistsError, match=r"Headwater's database already has \d+ tables: schema_migrations"):
        restore(packed)


def test_a_restore_waits_for_no_running_headwater(
    packed: Path, elsewhere: Callable[[], Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`headwater up` would work on what is half there."""
    elsewhere()
    monkeypatch.setattr(backup, "read_pid", lambda _: 4711)
    with pytest.raises(ConflictError, match="headwater down"):
        restore(packed)


def test_a_restore_waits_for_the_processes_of_a_killed_headwater(
    packed: Path, elsewhere: Callable[[], Settings]
) -> None:
    """They work on as `headwater up` itself would."""
    home = elsewhere().home
    record = locate_record(home, "api")
    left = Service("api", [sys.executable, "-c", "import time; time.sleep(60)"], home / "api.log", record=record)
    left.start({})
    try:
        with pytest.raises(ConflictError, match=r"left processes .*: api\. Stop them with `headwater down`"):
            restore(packed)
    finally:
        stop_services([left])


def test_a_file_that_leads_elsewhere_is_not_followed(
    packed: Path, elsewhere: Callable[[], Settings], tmp_path: Path
) -> None:
    """A backup from a stranger writes nowhere but into the home, and what was begun is taken back."""
    evil = io.BytesIO()
    with tarfile.open(fileobj=evil, mode="w:gz") as tar:
        tar.addfile(tarfile.TarInfo("../../evil.txt"))
    settings = elsewhere()
    with pytest.raises(BackupError, match="not in the folder of a source"):
        restore(rewritten(packed, lambda _: None, **{"sources.tar.gz": evil.getvalue()}))
    assert not list(tmp_path.rglob("evil.txt"))
    assert restore(packed)["files"] == 2  # nothing is in its way
    assert (settings.home / "sources").is_dir()


def test_a_dump_that_cannot_be_restored_leaves_everything_empty(
    packed: Path, elsewhere: Callable[[], Settings]
) -> None:
    """The message has pg_restore's words, and a second try with a whole file succeeds."""
    elsewhere()
    with pytest.raises(BackupError, match="Nothing was restored"):
        restore(rewritten(packed, lambda _: None, **{"headwater.dump": b"PGDMP nonsense"}))
    assert restore(packed)["rows"]["headwater"] > 0


def test_rows_that_are_missing_after_a_restore_are_noticed(packed: Path, elsewhere: Callable[[], Settings]) -> None:
    """The manifest says how many there were."""
    elsewhere()
    with pytest.raises(BackupError, match="sources has 2 rows, not 3"):
        restore(rewritten(packed, lambda manifest: manifest["rows"]["headwater.dump"].update(sources=3)))


def test_the_manifest_lists_what_is_in_the_file(kb: Headwater, file: Path) -> None:
    """Any tar reads it; each member has its size."""
    made = back_up(file, force=False)
    with tarfile.open(file) as tar:
        sizes = {member.name: member.size for member in tar}
        manifest = json.load(tar.extractfile(MANIFEST))  # type: ignore[arg-type]
    assert list(sizes) == ["headwater.dump", "dagster.dump", "sources.tar.gz", "originals.tar", MANIFEST]
    assert {name: member["bytes"] for name, member in manifest["members"].items()} == {
        name: size for name, size in sizes.items() if name != MANIFEST
    }
    assert manifest["rows"]["headwater.dump"]["sources"] == 2
    assert sum(manifest["rows"]["headwater.dump"].values()) == made["rows"]["headwater"]


def test_a_restore_says_who_has_no_access_any_more(
    kb: Headwater, file: Path, elsewhere: Callable[[], Settings]
) -> None:
    """A key that was revoked after the backup opens nothing; with --keep-access it does, and the command says so."""
    made = create_key(kb.store, "a", Scope.ADMIN)
    back_up(file, force=False)
    revoke_key(kb.store, made.key.id)
    run = CliRunner().invoke
    for options, opens, says in (
        ([], False, "Nobody gets in any more by what the backup holds (1 API key)"),
        (["--keep-access"], True, "also those that were revoked or withdrawn since"),
    ):
        settings = elsewhere()
        said = run(main, ["restore", str(file), *options]).stdout
        assert says in said
        client = create_app(settings).test_client()
        found = client.get("/api/v1/keys", headers={"Authorization": f"Bearer {made.text}"}).status_code
        assert found == (200 if opens else 401)
        client.application.extensions["headwater"].store.close()


def test_the_commands_say_what_they_did(kb: Headwater, file: Path, elsewhere: Callable[[], Settings]) -> None:
    """One document with --json, a sentence without; wrong use is 2; on a terminal a bar is drawn beside the result."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "cli.main", "backup", str(file), "--json"]
    environ = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environ) as running:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 65_536)
            except OSError:  # the other end is closed
                break
        assert running.stdout is not None
        made = json.load(running.stdout)
    os.close(ours)
    assert b"Headwater's database" in shown
    assert made["bytes"] == file.stat().st_size

    run = CliRunner().invoke
    again = run(main, ["backup", str(file), "--json"])
    assert (again.exit_code, json.loads(again.stdout)["error"]["code"]) == (2, "ALREADY_EXISTS")
    assert "Wrote" in run(main, ["backup", str(file), "--force"]).stdout
    elsewhere()
    assert run(main, ["restore", str(file.with_name("none.tar"))]).exit_code == 2
    restored = run(main, ["restore", str(file), "--json"])
    assert (restored.exit_code, json.loads(restored.stdout)["files"]) == (0, 2)
    assert "is not empty" in run(main, ["restore", str(file)]).stderr
    removed = json.loads(run(main, ["tidy", "--json"]).stdout)
    assert removed == {"removed": dict.fromkeys(removed["removed"], 0), "failed": [], "vacuum": []}
    assert run(main, ["tidy"]).stdout == "There was nothing to remove.\n"
