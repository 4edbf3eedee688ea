"""The commands `backup` and `restore`.

Belongs here: which parts of Headwater's data go into a backup, in which order, and where a restore may put them.
Not here: the file format (`cli.backup.archive`), Postgres's tools (`headwater.store.server.dumps`). Guarantee: a
backup appears complete or not at all; a restore overwrites nothing.
"""

import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, cast

from cli.backup.archive import ArchiveReader, ArchiveWriter, Member
from cli.backup.folder_restore import unpack
from cli.backup.manifest import FOLDERS, FORMAT, ORIGINALS, OURS, THEIRS, Manifest, check_manifest, check_written
from cli.backup.original_files import Unpacking, pack_originals
from cli.environment import dagster_instance
from cli.processes.process_records import find_remaining_processes
from cli.processes.up_file import read_pid
from cli.progress import Tell, byte_progress
from headwater import __version__
from headwater.errors import AlreadyExistsError, ConflictError, InvalidInputError
from headwater.files.file_store import open_files
from headwater.settings import Settings
from headwater.store.access.restored import AccessClosing
from headwater.store.content.originals import OriginalStore
from headwater.store.server.database import Database
from headwater.store.server.database_urls import create_databases, dagster_database_url, database_url
from headwater.store.server.dump_restore import Plan, load
from headwater.store.server.dumps import BackupError, analyze, drop_tables, dump, row_counts, server_version, snapshot
from headwater.store.server.migrations import make_schema, migrate
from headwater.store.store import ready_url

_IN_MEMORY = 1 << 20  # bytes; a file up to this size may change while it is read


def back_up(file: Path, *, force: bool) -> dict[str, Any]:
    """Write everything that cannot be rebuilt into one file; Headwater may run meanwhile.

    Args:
        file: the file to write.
        force: replace an existing file.

    Raises:
        InvalidInputError: no such file can be written.
        AlreadyExistsError: the file exists.
        BackupError: the backup failed; there is no file then.
        DatabaseUnavailableError: Postgres cannot be reached.
    """
    settings = Settings.from_env()
    file = file.expanduser().resolve()
    _check_target(file, settings, force=force)
    url = ready_url(settings)
    files = open_files(settings)
    with _complete_file(file) as out, byte_progress() as tell, _originals_kept(url):
        archive = ArchiveWriter(out)
        created_at = datetime.now(UTC).isoformat(timespec="seconds")
        # Our database first: if a sync tells Dagster something after this, it tells it again after a restore. In the
        # other order, our rows would claim that Dagster knows something that it does not.
        with snapshot(url) as ours, archive.member(OURS) as member:
            dump(url, ours, _tell_progress(member, tell, "Headwater's database"))
        with snapshot(dagster_database_url(url)) as theirs, archive.member(THEIRS) as member:
            dump(dagster_database_url(url), theirs, _tell_progress(member, tell, "Dagster's database"))
        with archive.member(FOLDERS) as member:
            folder_files = _pack(settings.home / "sources", member, tell)
        with archive.member(ORIGINALS) as member:
            originals = pack_originals(files, member, tell)
        elsewhere = None if files.folder else files.shown
        archive.finish(
            {
                "format": FORMAT,
                "headwater": __version__,
                "dagster": version("dagster"),
                "created_at": created_at,
                "postgres": ours.postgres,
                "migrations": ours.migrations,
                "rows": {OURS: ours.rows, THEIRS: theirs.rows},
                "files": folder_files,
                "originals": {"files": originals, "elsewhere": elsewhere},
            },
            check_written,
        )
    rows = {"headwater": sum(ours.rows.values()), "dagster": sum(theirs.rows.values())}
    return {
        "file": str(file),
        "bytes": file.stat().st_size,
        "created_at": created_at,
        "rows": rows,
        "files": folder_files,
        "originals": originals,
        "originals_elsewhere": elsewhere,
    }


def restore(file: Path, *, keeps_access: bool = False) -> dict[str, Any]:
    """Restore a backup into an empty home and empty databases.

    Args:
        file: the backup.
        keeps_access: keys and links of shared conversations stay valid, also those revoked after the backup was made.

    Raises:
        InvalidInputError: the file is not a complete backup, or comes from a newer Headwater.
        AlreadyExistsError: the home or a database is not empty.
        ConflictError: `headwater up` runs, or a killed one left processes.
        BackupError: it could not be restored.
        DatabaseUnavailableError: Postgres cannot be reached.
    """
    settings = Settings.from_env()
    with closing(ArchiveReader(file.expanduser())) as archive, byte_progress() as tell:
        manifest = check_manifest(file, archive.manifest)
        archive.verify(lambda byte_count: tell("checking", byte_count, archive.size))
        url = _empty_databases(settings, manifest)
        access = AccessClosing(keeps_access=keeps_access)
        _put_back(archive, manifest, settings, url, tell, access)
        applied = migrate(url)
        with _originals_of(url) as originals:
            originals.forget_owner()  # the backed-up database may still run with the same HEADWATER_FILES
    from pipelines.run_failures import fail_interrupted_runs

    with dagster_instance(settings) as instance:
        interrupted = fail_interrupted_runs(instance)
    return {
        "file": str(file),
        "headwater": manifest.headwater,
        "created_at": manifest.created_at,
        "rows": {"headwater": sum(manifest.rows.ours.values()), "dagster": sum(manifest.rows.theirs.values())},
        "files": manifest.files,
        "originals": manifest.originals.files,
        "originals_elsewhere": manifest.originals.elsewhere,
        "applied": applied,
        "interrupted_runs": interrupted,
        "revoked_keys": access.keys,
        "ended_sessions": access.sessions,
        "withdrawn_links": access.shared_links,
        "kept_access": keeps_access,
    }


def _put_back(
    archive: ArchiveReader, manifest: Manifest, settings: Settings, url: str, tell: Tell, access: AccessClosing
) -> None:
    """Fill the empty databases and home; if that fails, empty them again.

    Our database comes last: while it is empty, nothing answers from incomplete data. Access is closed in the same
    transaction, so that no key lets anybody in even for a moment.
    """
    theirs = dagster_database_url(url)
    members = manifest.members
    originals = Unpacking(open_files(settings))
    try:
        folders = archive.open(FOLDERS)
        unpack(
            folders,
            members.folders.bytes,
            manifest.files,
            settings.home,
            lambda file_count: tell("files", file_count, None),
        )
        if members.originals is not None:
            packed, count = archive.open(ORIGINALS), manifest.originals.files
            originals.unpack(packed, count, partial(_tell_part, tell, "originals", members.originals.bytes))
        with dagster_instance(settings):
            pass  # this creates its tables
        plan = Plan(
            name=THEIRS, size=members.theirs.bytes, rows=manifest.rows.theirs,
            ledger=("alembic_version", "version_num"), prepare=lambda _: None,
        )  # fmt: skip
        load(theirs, archive.open(THEIRS), plan, partial(_tell_part, tell, "dagster", plan.size))
        plan = Plan(
            name=OURS, size=members.ours.bytes, rows=manifest.rows.ours,
            ledger=("schema_migrations", "name"), prepare=partial(make_schema, names=manifest.migrations),
            finish=access.close,
        )  # fmt: skip
        load(url, archive.open(OURS), plan, partial(_tell_part, tell, "headwater", plan.size))
    except BaseException:
        shutil.rmtree(settings.home / "sources", ignore_errors=True)
        originals.undo()
        drop_tables(theirs)
        raise
    for target_url in (theirs, url):
        analyze(target_url)


def _tell_part(tell: Tell, label: str, size: int, done: int) -> None:
    tell(label, done, size)


def _check_target(file: Path, settings: Settings, *, force: bool) -> None:
    if file.is_dir() or not file.parent.is_dir():
        raise InvalidInputError(f"{file} is a folder, or its folder does not exist. Name a file in an existing folder.")
    ours = [settings.home / "sources", open_files(settings).folder]
    if any(folder is not None and file.is_relative_to(folder) for folder in ours):
        raise InvalidInputError(f"{file} is inside the data to back up. Name a file elsewhere.")
    if file.exists() and not force:
        raise AlreadyExistsError(f"{file} exists. Name another file, or use --force to replace it.")


@contextmanager
def _originals_kept(url: str) -> Iterator[None]:
    """While a backup is made, prevent the removal of originals that its rows refer to."""
    with _originals_of(url) as originals, originals.kept():
        yield


@contextmanager
def _originals_of(url: str) -> Iterator[OriginalStore]:
    database = Database(url, size=1)
    try:
        yield OriginalStore(database)
    finally:
        database.close()


@contextmanager
def _complete_file(file: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when it is complete; only its owner can read it, since it holds every document."""
    new_path: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f"{file.name}.", suffix=".part", dir=file.parent)  # 600, and new
        new_path = Path(name)
        with os.fdopen(descriptor, "w+b") as out:
            yield cast("BinaryIO", out)
            out.flush()
            os.fsync(out.fileno())
        new_path.replace(file)
    except OSError as error:
        raise BackupError(f"{file} could not be written ({error}).") from error
    finally:
        if new_path:
            new_path.unlink(missing_ok=True)


def _tell_progress(member: Member, tell: Tell, step: str) -> Callable[[bytes], None]:
    def write(block: bytes) -> None:
        member.write(block)
        tell(step, member.size, None)

    return write


def _pack(folder: Path, member: Member, tell: Tell) -> int:
    """Pack the regular files of a folder; returns how many. Links are left out: a file of ours needs none."""
    files = 0
    with tarfile.open(fileobj=cast("BinaryIO", member), mode="w|gz") as tar:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                continue
            try:
                _pack_one(tar, path, path.relative_to(folder.parent).as_posix())
            except FileNotFoundError:
                continue  # a sync has removed it meanwhile
            files += path.is_file()
            tell("files", member.size, None)
    return files


def _pack_one(tar: tarfile.TarFile, path: Path, name: str) -> None:
    if path.is_dir():
        tar.addfile(tar.gettarinfo(path, name))
        return
    with path.open("rb") as file:
        info = tar.gettarinfo(arcname=name, fileobj=file)
        info.type = tarfile.REGTYPE  # a hard link is stored as a file of its own
        if info.size > _IN_MEMORY:
            tar.addfile(info, file)
        else:
            content = file.read()
            info.size = len(content)
            tar.addfile(info, BytesIO(content))


def _empty_databases(settings: Settings, manifest: Manifest) -> str:
    """The address of our database, after checking that home and databases are empty."""
    pid = read_pid(settings.home)
    if pid is not None:
        raise ConflictError(f"headwater up runs for {settings.home} (process {pid}). Stop it with `headwater down`.")
    if remaining := find_remaining_processes(settings.home):
        raise ConflictError(
            f"A killed `headwater up` left processes that use {settings.home}: {', '.join(remaining)}. Stop them with"
            " `headwater down`."
        )
    folder = settings.home / "sources"
    if folder.is_dir() and any(folder.iterdir()):
        raise AlreadyExistsError(f"{folder} is not empty. Restore into another HEADWATER_HOME.")
    url = database_url(settings)
    create_databases(url)
    for name, target_url in (("Headwater's", url), ("Dagster's", dagster_database_url(url))):
        counts = row_counts(target_url)
        if counts:
            filled = ", ".join(f"{table} ({count})" for table, count in counts.items() if count) or "no rows"
            raise AlreadyExistsError(
                f"{name} database already has {len(counts)} tables: {filled}. Restore into another HEADWATER_HOME, or"
                " into a database without tables."
            )
    if server_version(url) < manifest.postgres:
        raise InvalidInputError(
            f"The backup is from Postgres {manifest.postgres}; the server is {server_version(url)}. Upgrade it first."
        )
    return url
