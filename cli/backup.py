"""What `backup` and `restore` do.

Belongs here: which parts of Headwater's data go into a backup's file, in which order, and where a restore may put them.
Not here: the file's form (`cli.archive`), Postgres's tools (`headwater.store.dumps`). Guarantee: a backup's file
appears whole or not at all; a restore overwrites nothing.
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
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from cli.archive import ArchiveReader, ArchiveWriter, Member
from cli.environment import dagster_instance
from cli.progress import Tell, byte_progress
from cli.up_file import running_pid
from headwater import __version__
from headwater.errors import AlreadyExistsError, ConflictError, InvalidInputError
from headwater.settings import Settings
from headwater.store.addresses import create_databases, dagster_database_url, database_url
from headwater.store.dumps import BackupError, analyze, drop_tables, dump, load, row_counts, server_version, snapshot
from headwater.store.migrate import migrate, migrations
from headwater.store.store import ready_url

_FORMAT = 1
_OURS, _THEIRS, _FOLDERS = "headwater.dump", "dagster.dump", "sources.tar.gz"
_IN_MEMORY = 1 << 20  # bytes; a file up to this size may change while it is read


def back_up(file: Path, *, force: bool) -> dict[str, Any]:
    """Write everything that cannot be made again into one file; Headwater may be at work meanwhile.

    Args:
        file: where to.
        force: replace a file that is there.

    Raises:
        InvalidInputError: there can be no such file.
        AlreadyExistsError: there is one.
        BackupError: it could not be written; there is no file then.
        DatabaseUnavailableError: Postgres cannot be reached.
    """
    settings = Settings.from_env()
    file = file.expanduser().resolve()
    _check_target(file, settings, force=force)
    url = ready_url(settings)
    with _appearing(file) as out, byte_progress() as tell:
        archive = ArchiveWriter(out)
        created_at = datetime.now(UTC).isoformat(timespec="seconds")
        # Ours first: what a sync tells Dagster after this is told again after a restore. The other way round, our rows
        # would say that Dagster knows what it does not.
        with snapshot(url) as ours, archive.member(_OURS) as member:
            dump(url, ours, _telling(member, tell, "Headwater's database"))
        with snapshot(dagster_database_url(url)) as theirs, archive.member(_THEIRS) as member:
            dump(dagster_database_url(url), theirs, _telling(member, tell, "Dagster's database"))
        with archive.member(_FOLDERS) as member:
            files = _pack(settings.home / "sources", member, tell)
        archive.finish(
            {
                "format": _FORMAT,
                "headwater": __version__,
                "dagster": version("dagster"),
                "created_at": created_at,
                "postgres": ours.postgres,
                "migrations": ours.migrations,
                "rows": {_OURS: ours.rows, _THEIRS: theirs.rows},
                "files": files,
            }
        )
    rows = {"headwater": sum(ours.rows.values()), "dagster": sum(theirs.rows.values())}
    return {"file": str(file), "bytes": file.stat().st_size, "created_at": created_at, "rows": rows, "files": files}


def restore(file: Path) -> dict[str, Any]:
    """Put a backup into an empty home and empty databases.

    Raises:
        InvalidInputError: the file is no whole backup, or one of a newer Headwater.
        AlreadyExistsError: something is there already.
        ConflictError: `headwater up` runs.
        BackupError: it could not be restored.
        DatabaseUnavailableError: Postgres cannot be reached.
    """
    settings = Settings.from_env()
    with closing(ArchiveReader(file.expanduser())) as archive, byte_progress() as tell:
        manifest = archive.manifest
        _check_manifest(file, manifest)
        archive.verify(lambda done: tell("checking", done, archive.size))
        url = _empty_databases(settings, manifest)
        _put_back(archive, settings, url, tell)
        applied = migrate(url)
    from pipelines.housekeeping import fail_interrupted_runs

    with dagster_instance(settings) as instance:
        interrupted = fail_interrupted_runs(instance)
    rows = {name.removesuffix(".dump"): sum(counts.values()) for name, counts in manifest["rows"].items()}
    return {
        "file": str(file),
        "headwater": manifest["headwater"],
        "created_at": manifest["created_at"],
        "rows": rows,
        "files": manifest["files"],
        "applied": applied,
        "interrupted_runs": interrupted,
    }


def _put_back(archive: ArchiveReader, settings: Settings, url: str, tell: Tell) -> None:
    """Fill what is empty; what cannot be filled to the end is emptied again.

    Our database comes last: as long as it is empty, nothing answers from what is not whole.
    """
    theirs = dagster_database_url(url)
    try:
        _unpack(archive.open(_FOLDERS), settings.home, lambda done: tell("files", done, None))
        for name, where in ((_THEIRS, theirs), (_OURS, url)):
            label, size = name.removesuffix(".dump"), archive.size_of(name)
            load(where, archive.open(name), partial(_tell_part, tell, label, size))
    except BaseException:
        shutil.rmtree(settings.home / "sources", ignore_errors=True)
        drop_tables(theirs)
        raise
    for name, where in ((_THEIRS, theirs), (_OURS, url)):
        _check_rows(name, archive.manifest["rows"][name], row_counts(where))
        analyze(where)


def _tell_part(tell: Tell, label: str, size: int, done: int) -> None:
    tell(label, done, size)


def _check_target(file: Path, settings: Settings, *, force: bool) -> None:
    if file.is_dir() or not file.parent.is_dir():
        raise InvalidInputError(f"{file} is a folder, or its folder does not exist. Name a file in one that does.")
    if file.is_relative_to(settings.home / "sources"):
        raise InvalidInputError(f"{file} lies among what is backed up. Name a file elsewhere.")
    if file.exists() and not force:
        raise AlreadyExistsError(f"{file} exists. Name another file, or say --force to replace it.")


@contextmanager
def _appearing(file: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when it is whole; only its owner may read it, since it holds every document."""
    part: Path | None = None
    try:
        number, name = tempfile.mkstemp(prefix=f"{file.name}.", suffix=".part", dir=file.parent)  # 600, and new
        part = Path(name)
        with os.fdopen(number, "w+b") as out:
            yield cast("BinaryIO", out)
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    except OSError as error:
        raise BackupError(f"{file} could not be written ({error}).") from error
    finally:
        if part:
            part.unlink(missing_ok=True)


def _telling(member: Member, tell: Tell, step: str) -> Callable[[bytes], None]:
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
                continue  # a sync took it away meanwhile
            files += path.is_file()
            tell("files", member.size, None)
    return files


def _pack_one(tar: tarfile.TarFile, path: Path, name: str) -> None:
    if path.is_dir():
        tar.addfile(tar.gettarinfo(path, name))
        return
    with path.open("rb") as file:
        info = tar.gettarinfo(arcname=name, fileobj=file)
        info.type = tarfile.REGTYPE  # a second name of the same file is a file of its own
        if info.size > _IN_MEMORY:
            tar.addfile(info, file)
        else:
            content = file.read()
            info.size = len(content)
            tar.addfile(info, BytesIO(content))


def _unpack(packed: BinaryIO, home: Path, tell: Callable[[int], object]) -> None:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with tarfile.open(fileobj=packed, mode="r|gz") as tar:
            for member in tar:
                if PurePosixPath(member.name).parts[:1] != ("sources",):
                    raise BackupError(f"The backup holds {member.name!r}, which is no folder of a source.")
                tar.extract(member, home, filter="data")
                tell(member.offset)
    except (OSError, tarfile.TarError) as error:
        raise BackupError(f"Files could not be put into {home} ({error}). Nothing was restored.") from error


def _check_manifest(file: Path, manifest: dict[str, Any]) -> None:
    known = [path.stem for path in migrations()]
    newer = [name for name in manifest.get("migrations", []) if name not in known]
    if newer or manifest.get("format") != _FORMAT:
        raise InvalidInputError(
            f"{file} was made by Headwater {manifest.get('headwater')}, and this is {__version__}, which does not know"
            f" {', '.join(newer) or 'its format'}. Upgrade first."
        )
    needed = {"rows", "files", "postgres", "created_at", "headwater", "migrations"}
    if not needed <= set(manifest) or not {_OURS, _THEIRS, _FOLDERS} <= set(manifest["members"]):
        raise InvalidInputError(f"{file} is no backup made by Headwater, or not a whole one.")


def _empty_databases(settings: Settings, manifest: dict[str, Any]) -> str:
    """The address of our database, once it is sure that nothing is there."""
    pid = running_pid(settings.home)
    if pid is not None:
        raise ConflictError(f"headwater up runs for {settings.home} (process {pid}). Stop it with `headwater down`.")
    folder = settings.home / "sources"
    if folder.is_dir() and any(folder.iterdir()):
        raise AlreadyExistsError(f"{folder} is not empty. Restore into another HEADWATER_HOME.")
    url = database_url(settings)
    create_databases(url)
    for name, where in (("Headwater's", url), ("Dagster's", dagster_database_url(url))):
        counts = row_counts(where)
        if counts:
            filled = ", ".join(f"{table} ({count})" for table, count in counts.items() if count) or "no rows"
            raise AlreadyExistsError(
                f"{name} database has {len(counts)} tables already: {filled}. Restore into another HEADWATER_HOME, or"
                " into a database without tables."
            )
    if server_version(url) < manifest["postgres"]:
        raise InvalidInputError(
            f"The backup is of Postgres {manifest['postgres']}, the server is {server_version(url)}. Upgrade it first."
        )
    return url


def _check_rows(name: str, expected: dict[str, int], found: dict[str, int]) -> None:
    wrong = sorted(table for table in expected.keys() | found.keys() if expected.get(table) != found.get(table))
    if wrong:
        table = wrong[0]
        raise BackupError(f"{name} was restored, but {table} has {found.get(table)} rows, not {expected.get(table)}.")
