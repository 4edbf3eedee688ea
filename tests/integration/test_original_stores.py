"""A store of originals that is another database's, that is away, or that a setting names wrongly."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from click.testing import CliRunner

from cli import doctor_checks
from cli.backup.backup import back_up, restore
from cli.main import main
from headwater.administration.deletion import delete_source, finish_deletions
from headwater.administration.housekeeping import tidy
from headwater.files.file_store import FileStore, open_files
from headwater.files.folder_store import FolderStore
from headwater.settings import Settings
from headwater.store.server.dumps import BackupError
from headwater.store.store import open_store
from pipelines.definitions import build_definitions
from tests.conftest import Move
from tests.integration.test_originals import MILL, PUMP, kept, make_old
from tests.page_server import PageServer, add_site
from tests.support import Headwater

Make = Callable[..., Headwater]


@pytest.fixture
def files(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileStore:
    """Where originals are kept: outside the home."""
    monkeypatch.setenv("HEADWATER_FILES", str(tmp_path / "originals"))
    return FolderStore(tmp_path / "originals")


@pytest.fixture
def kb(headwater: Make, site: PageServer, files: FileStore) -> Headwater:
    """A knowledge base with a site of two documents that have an original, synced once."""
    made = replace(headwater(), settings=Settings.from_env())
    site.pages = {"mill.txt": MILL, "pump.txt": PUMP}
    add_site(made, site)
    assert made.sync("site")["site"].state == "ready"
    return made


def in_the_way(kb: Headwater, files: FileStore) -> Callable[[], None]:
    """Make the store unreachable; returns how to make it reachable again."""
    folder = files.folder or Path()
    away = folder.rename(kb.settings.home / "away")
    folder.write_text("in the way")

    def back() -> None:
        folder.unlink()
        away.rename(folder)

    return back


def found(name: str) -> list[tuple[str, str]]:
    """The finding of doctor with a name."""
    return [(each["state"], each["detail"]) for each in doctor_checks.examine() if each["name"] == name]


def test_a_restored_copy_removes_nothing_of_the_store_it_shares(
    kb: Headwater, site: PageServer, files: FileStore, tmp_path: Path, elsewhere: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither housekeeping nor deleting changes the store; both say so until it belongs to this database (OPS-5)."""
    monkeypatch.setattr(doctor_checks, "_CHECKS", {})
    back_up(tmp_path / "backup.tar", force=False)
    site.pages["fan.txt"] = b"The fan turns a wheel.\n% fan.pdf"
    kb.sync("site")
    everything = kept(files)
    assert len(everything) == 3
    settings = elsewhere("copy")
    restore(tmp_path / "backup.tar")
    make_old(files)
    with open_store(settings) as store:
        done = tidy(store, settings)
        assert done.originals == 0
        assert "belong to another database" in done.failures[0]
        assert "delete the file OWNER" in done.failures[0]
        assert [state for state, _ in found("originals")] == ["warning", "ok"]
        deletion = delete_source(settings, store, "kb", "site")
        assert (deletion.files_removed, deletion.finished_at is None) == (0, False)
        assert kept(files) == everything
        assert tidy(kb.store, kb.settings).failures == ()  # production's own housekeeping goes on
        (tmp_path / "originals" / "OWNER").unlink()
        done = tidy(store, settings)
        assert (done.originals, done.failures) == (3, ())
    assert "belong to another database" in tidy(kb.store, kb.settings).failures[0]


def test_a_copy_puts_nothing_into_the_store_of_another(
    kb: Headwater, site: PageServer, files: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner would remove it; the sync says what to do."""
    files.set_owner("another")
    site.pages["fan.txt"] = b"The fan turns a wheel.\n% fan.pdf"
    done = kb.sync("site")["site"]
    assert (done.state, done.errors[-1].code) == ("failed", "FILES_UNAVAILABLE")
    assert "belong to another database" in done.errors[-1].message
    assert kept(files) == {PUMP, MILL}


def test_housekeeping_does_the_rest_without_the_store(kb: Headwater, site: PageServer, files: FileStore) -> None:
    """The message and the exit status say what was not done; old versions and Dagster's runs are removed (DOC-1)."""
    site.pages["pump.txt"] = b"The pump turns two wheels.\n% pump.pdf"
    kb.sync("site")
    kb.query("UPDATE publications SET withdrawn_at = withdrawn_at - interval '31 days' RETURNING 1")
    back = in_the_way(kb, files)
    job = build_definitions(kb.settings).resolve_job_def("housekeeping")
    idle = kb.instance.create_run_for_job(job, status=dg.DagsterRunStatus.SUCCESS).run_id
    _age_runs(kb)
    run = CliRunner().invoke(main, ["tidy", "--json"])
    said = json.loads(run.stdout)
    assert run.exit_code == 1
    assert "HEADWATER_FILES" in said["failed"][0]
    assert (said["removed"]["document_versions"], said["removed"]["originals"]) == (1, 0)
    assert said["removed"]["runs"] == 1
    assert kb.instance.get_run_by_id(idle) is None
    again = CliRunner().invoke(main, ["tidy"])
    assert (again.exit_code, "Failed: The folder of originals" in again.stdout) == (1, True)
    result = job.execute_in_process(instance=kb.instance, raise_on_error=False)
    assert not result.success
    back()
    make_old(files)
    assert CliRunner().invoke(main, ["tidy"]).exit_code == 0
    assert len(kept(files)) == 2


def _age_runs(kb: Headwater) -> None:
    before = (datetime.now(UTC) - timedelta(days=31)).replace(tzinfo=None)
    with kb.instance.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.exec_driver_sql("UPDATE runs SET update_timestamp = %s", (before,))


def test_a_wrong_setting_shows_before_the_first_original(headwater: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """`doctor` asks the store; housekeeping does not, since nothing can be there."""
    monkeypatch.setattr(doctor_checks, "_CHECKS", {})
    kb = headwater()
    assert [state for state, _ in found("originals")] == ["ok"]
    monkeypatch.setenv("HEADWATER_FILES", "nonsense://bucket/headwater")
    ((state, detail),) = found("originals")
    assert (state, "nonsense://bucket/headwater, did not answer" in detail) == ("failed", True)
    assert tidy(kb.store, Settings.from_env()).failures == ()


def test_a_store_that_is_away_blocks_no_deletion(headwater: Make, kb: Headwater, files: FileStore) -> None:
    """Every deletion finishes; housekeeping removes its files when the store is back (KB-1, SRC-12)."""
    other = headwater(slug="other")
    kb.store.deletions.hide_source("kb", "site")
    kb.store.deletions.hide_knowledge_base("other")
    back = in_the_way(kb, files)
    finished = finish_deletions(kb.settings, kb.store)
    assert [(deletion.key, deletion.files_removed) for deletion in finished] == [("kb/site", 0), (other.slug, 0)]
    assert kb.query("SELECT count(*) AS n FROM document_versions")[0]["n"] == 0
    back()
    assert kept(files) == {PUMP, MILL}
    make_old(files)
    assert tidy(kb.store, kb.settings).originals == 2
    assert kept(files) == set()


def test_a_long_address_is_no_reason_for_a_backup_that_cannot_be_restored(
    headwater: Make, tmp_path: Path, elsewhere: Move, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A manifest is checked when it is written, as a restore does; else there is no file (OPS-5)."""
    headwater()
    address = f"memory://bucket/{'x' * 1_000}"
    monkeypatch.setenv("HEADWATER_FILES", f"{address}/{'y' * 1_000}")
    with pytest.raises(BackupError, match=r"`originals\.elsewhere` is wrong"):
        back_up(tmp_path / "backup.tar", force=False)
    assert not list(tmp_path.glob("backup.tar*"))
    monkeypatch.setenv("HEADWATER_FILES", address)
    back_up(tmp_path / "backup.tar", force=False)
    assert open_files(elsewhere("long")).folder is None
    assert restore(tmp_path / "backup.tar")["originals_elsewhere"] == address
