"""Files from strangers that a restore is given as backups.

Belongs here: archives, their manifests, and the folders of sources in them. Not here: dumps (`test_restore`).
Guarantee: an attack is stopped when it is refused and nothing was made, or nothing outside of the folders of sources.
"""

import gzip
import io
import itertools
import json
import random
import re
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli.backup import folder_restore
from cli.backup.archive import MANIFEST, ArchiveReader, ArchiveWriter
from cli.backup.backup import restore
from cli.backup.folder_restore import unpack
from cli.backup.manifest import FOLDERS, OURS, THEIRS
from headwater.errors import InvalidInputError
from headwater.settings import Settings
from headwater.store.server.dumps import BackupError
from headwater.store.server.migrations import migrations
from tests.conftest import with_database

_numbers = itertools.count(1)
NAMES = [path.stem for path in migrations()]


def folders(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """An archive of sources' folders, as a stranger makes it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for info, content in members:
            info.size = len(content) if info.isreg() else 0
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    """A member by name."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, target, mode
    return info


MEMBERS: dict[str, list[tarfile.TarInfo]] = {
    "above": [member("../evil")],
    "far above": [member("sources/1/../../../evil")],
    "within above": [member("sources/../evil")],
    "absolute": [member("/tmp/evil")],
    "beside": [member("evil")],
    "in the database": [member("postgres/pg_hba.conf")],
    "in Dagster's home": [member("dagster/dagster.yaml")],
    "of no source": [member("sources/evil")],
    "of no number": [member("sources/-1/evil")],
    "symbolic link": [member("sources/1/link", tarfile.SYMTYPE, "/etc")],
    "through a link": [member("sources/1/link", tarfile.SYMTYPE, "../.."), member("sources/1/link/evil")],
    "link to a neighbour": [member("sources/1/link", tarfile.SYMTYPE, "other")],
    "hard link": [member("sources/1/link", tarfile.LNKTYPE, "../postgres/pg_hba.conf")],
    "hard link to a neighbour": [member("sources/1/a"), member("sources/1/b", tarfile.LNKTYPE, "sources/1/a")],
    "pipe": [member("sources/1/pipe", tarfile.FIFOTYPE)],
    "character device": [member("sources/1/null", tarfile.CHRTYPE)],
    "block device": [member("sources/1/disk", tarfile.BLKTYPE)],
    "contiguous file": [member("sources/1/a", tarfile.CONTTYPE)],
    "unknown kind": [member("sources/1/a", b"Z")],
    "twice": [member("sources/1/a"), member("sources/1/a")],
    "file in a file": [member("sources/1/a"), member("sources/1/a/b")],
    "other slashes": [member("sources/1/..\\..\\evil")],
    "more than are named": [member("sources/1/a"), member("sources/1/b"), member("sources/1/c")],
    "fewer than are named": [],
}


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_that_is_no_file_of_a_source_is_refused(tmp_path: Path, name: str) -> None:
    """By name, and nothing is written outside of the folders of sources."""
    packed = folders(*((info, b"evil") for info in MEMBERS[name]))
    home = tmp_path / "home"
    (home / "postgres").mkdir(parents=True)
    (home / "postgres" / "pg_hba.conf").write_text("peer")
    count = 2 if len(MEMBERS[name]) == 2 else 1
    with pytest.raises(BackupError):
        unpack(io.BytesIO(packed), len(packed), count, home, lambda _: None)
    assert not [path for path in tmp_path.rglob("*") if "evil" in path.name]
    assert (home / "postgres" / "pg_hba.conf").read_text() == "peer"
    assert not (home / "dagster").exists()


def test_modes_of_a_member_are_ours(tmp_path: Path) -> None:
    """A file that runs as its owner, for all, becomes one that its owner reads."""
    packed = folders((member("sources/1/run", mode=0o6777), b"x"))
    unpack(io.BytesIO(packed), len(packed), 1, tmp_path / "home", lambda _: None)
    assert (tmp_path / "home" / "sources" / "1" / "run").stat().st_mode & 0o7777 == 0o600


def test_folders_that_grow_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of zeros is a thousandth of its size when packed."""
    monkeypatch.setattr(folder_restore, "_ALLOWANCE", 1000)
    packed = folders((member("sources/1/zeros"), bytes(20_000_000)))
    with pytest.raises(BackupError, match="larger than their archive"):
        unpack(io.BytesIO(packed), len(packed), 1, tmp_path / "home", lambda _: None)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK])
def test_a_name_without_end_is_refused(tmp_path: Path, kind: bytes) -> None:
    """The file is not read into memory to be checked."""
    info = member("sources/1/a", kind)
    info.size = 30_000_000
    raw = info.tobuf(tarfile.USTAR_FORMAT) + bytes(info.size)
    packed = gzip.compress(raw)
    with pytest.raises(BackupError, match="longer than any name"):
        unpack(io.BytesIO(packed), len(packed), 1, tmp_path / "home", lambda _: None)


def chain(*headers: tuple[bytes, int]) -> bytes:
    """A tar of headers that say something about the next one, each of some size, before an empty file."""
    made = {}
    for kind, size in set(headers):
        info = member("sources/1/a", kind)
        info.size = size
        made[kind, size] = info.tobuf(tarfile.GNU_FORMAT) + bytes(min(size, 1) * 512)
    return b"".join(made[header] for header in headers) + member("sources/1/a").tobuf() + bytes(1024)


LONG, PAX, ALL = tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE
CHAINS: dict[str, Callable[[], bytes]] = {
    "names in a chain": lambda: chain(*[(LONG, 1)] * 3000),
    "pax headers in a chain": lambda: chain(*[(PAX, 1)] * 3000),
    "pax headers for all in a chain": lambda: chain(*[(ALL, 1)] * 3000),
    "two names": lambda: chain((LONG, 1), (LONG, 1)),
    "a pax header and a name": lambda: chain((PAX, 1), (LONG, 1)),
    "a name of a terabyte": lambda: chain((LONG, 1 << 40)),
    "a name beyond all files": lambda: chain((LONG, 1 << 62)),
    "a pax header of a terabyte": lambda: chain((PAX, 1 << 40)),
    "a pax header beyond all files": lambda: chain((PAX, 1 << 62)),
    "a file of holes": lambda: chain((tarfile.GNUTYPE_SPARSE, 0)),
}


@pytest.mark.parametrize("name", CHAINS)
def test_headers_that_would_fill_memory_are_refused(tmp_path: Path, name: str) -> None:
    """In words, in a backup and in the folders of sources in one; neither the stack nor the memory is filled."""
    (tmp_path / "b.tar").write_bytes(CHAINS[name]())
    with pytest.raises(InvalidInputError, match="backup made by Headwater"):
        ArchiveReader(tmp_path / "b.tar")
    packed = gzip.compress(CHAINS[name]())
    with pytest.raises(BackupError, match="a header"):
        unpack(io.BytesIO(packed), len(packed), 1, tmp_path / "home", lambda _: None)


@pytest.mark.parametrize("name", ["a name of a terabyte", "names in a chain"])
def test_headers_between_the_parts_of_a_backup_are_looked_at_too(
    tmp_path: Path, honest: dict[str, Any], name: str
) -> None:
    """Not only the first."""
    file = archive(tmp_path / "b.tar", honest)
    file.write_bytes(file.read_bytes()[:-1024] + CHAINS[name]())
    with pytest.raises(InvalidInputError, match="backup made by Headwater"):
        ArchiveReader(file)


def test_a_damaged_archive_of_folders_is_refused(tmp_path: Path) -> None:
    """Its checksum is the stranger's too, so the damage shows when it is unpacked."""
    packed = bytearray(folders((member("sources/1/a"), random.Random(1).randbytes(100_000))))
    packed[len(packed) // 2 :] = b"\xff" * (len(packed) // 2)
    with pytest.raises(BackupError, match="could not be written"):
        unpack(io.BytesIO(packed), len(packed), 1, tmp_path / "home", lambda _: None)


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_the_longest_path_is_unpacked(tmp_path: Path, form: int) -> None:
    """A header may hold as long a name as a backup has reason to write."""
    name = "/".join(["sources/1", *["n" * 200] * 18])
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", format=form) as tar:
        for each in (name, f"{name}2", "sources/1/b"):
            info = member(each)
            info.mtime = 1.5
            tar.addfile(info)
    file.seek(0)
    home = tmp_path / "home"
    unpack(file, len(file.getvalue()), 3, home, lambda _: None)
    assert (home / name).is_file()


def test_a_file_with_holes_is_refused(tmp_path: Path) -> None:
    """The size in its header differs from its content."""
    pax = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "sources/1/a",
           "GNU.sparse.realsize": "1000000000000"}  # fmt: skip
    info = member("sources/1/a")
    info.pax_headers = pax
    packed = folders((info, b"1\n0\n0\n" + bytes(506)))
    with pytest.raises(BackupError, match="neither a plain file"):
        unpack(io.BytesIO(packed), len(packed), 1, tmp_path / "home", lambda _: None)


@pytest.fixture
def honest(tmp_path: Path) -> dict[str, Any]:
    """A manifest as `headwater backup` writes it, without the members."""
    return {
        "format": 1, "headwater": "0.1.0", "dagster": "1.13.27", "created_at": "2026-11-21T10:00:00+00:00",
        "postgres": 18, "migrations": NAMES, "rows": {OURS: {"sources": 0}, THEIRS: {}}, "files": 0,
    }  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a restore would put things."""
    monkeypatch.setenv("HEADWATER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HEADWATER_DATABASE_URL", with_database(server, f"never_made_{next(_numbers)}"))
    return Settings.from_env().home


def archive(file: Path, manifest: Any, members: dict[str, bytes] | None = None) -> Path:
    """A backup's file around a manifest."""
    with file.open("w+b") as out:
        writer = ArchiveWriter(out)
        for name, content in ({OURS: b"", THEIRS: b"", FOLDERS: b""} if members is None else members).items():
            with writer.member(name) as part:
                part.write(content)
        if isinstance(manifest, dict):
            writer.finish(manifest)
        else:
            with writer.member(MANIFEST) as part:
                part.write(manifest)
            out.write(bytes(2 * tarfile.BLOCKSIZE))
    return file


WRONG: dict[str, tuple[str, Any]] = {
    **{f"no {name}": (name, None) for name in ("format", "headwater", "dagster", "created_at", "postgres", "migrations",
                                               "rows", "files")},
    "format as text": ("format", "1"),
    "format of truth": ("format", {}),
    "version as number": ("headwater", 1),
    "endless version": ("headwater", "x" * 10_000),
    "time in words": ("created_at", "yesterday"),
    "time with a statement": ("created_at", "2026-11-21T10:00:00+00:00\n; DROP"),
    "postgres as text": ("postgres", "18"),
    "postgres below nothing": ("postgres", -1),
    "migrations as text": ("migrations", "0001_initial"),
    "migrations of objects": ("migrations", [{}]),
    "rows as list": ("rows", []),
    "rows of one database": ("rows", {OURS: {}}),
    "rows of a third": ("rows", {OURS: {}, THEIRS: {}, "evil.dump": {}}),
    "rows below nothing": ("rows", {OURS: {"sources": -1}, THEIRS: {}}),
    "rows in words": ("rows", {OURS: {"sources": "all"}, THEIRS: {}}),
    "rows in parts": ("rows", {OURS: {"sources": 1.5}, THEIRS: {}}),
    "rows beyond counting": ("rows", {OURS: {"sources": 10**40}, THEIRS: {}}),
    "rows of truth": ("rows", {OURS: {"sources": True}, THEIRS: {}}),
    "files below nothing": ("files", -1),
    "files in words": ("files", "none"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_manifest_is_named_by_its_field(tmp_path: Path, home: Path, honest: dict[str, Any], name: str) -> None:
    """The message says which field and what is wrong with it, and nothing is made."""
    where, value = WRONG[name]
    manifest = {field: found for field, found in {**honest, where: value}.items() if found is not None}
    with pytest.raises(InvalidInputError, match=rf"manifest.json, `{where}.*Nothing was restored") as caught:
        restore(archive(tmp_path / "b.tar", manifest))
    assert caught.value.exit_status == 2
    assert len(str(caught.value)) < 1000
    assert not home.exists()


BROKEN: dict[str, Callable[[], bytes]] = {
    "nothing": lambda: b"",
    "words": lambda: b"hello",
    "half": lambda: b'{"format": 1',
    "a list": lambda: b"[]",
    "nested without end": lambda: b"[" * 200_000,
    "no Unicode": lambda: b"\xff\xfe{}",
    "null": lambda: b"null",
    "a number": lambda: b"1",
    "a number without end": lambda: b'{"format": ' + b"9" * 10_000 + b"}",
    "too long": lambda: b" " * 17_000_000,
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, home: Path, name: str) -> None:
    """In words, with status 2, and nothing is made."""
    with pytest.raises(InvalidInputError, match="backup made by Headwater") as caught:
        restore(archive(tmp_path / "b.tar", BROKEN[name]()))
    assert caught.value.exit_status == 2
    assert not home.exists()


PARTS: dict[str, list[tarfile.TarInfo]] = {
    "a link as database": [member(OURS, tarfile.SYMTYPE, "/etc/passwd")],
    "a hard link as database": [member(THEIRS), member(OURS, tarfile.LNKTYPE, THEIRS)],
    "a link as manifest": [member(MANIFEST, tarfile.SYMTYPE, "/etc/passwd")],
    "a device": [member(OURS, tarfile.CHRTYPE)],
    "a pipe": [member(FOLDERS, tarfile.FIFOTYPE)],
    "a folder": [member(OURS, tarfile.DIRTYPE)],
    "twice": [member(OURS), member(OURS)],
    "two manifests": [member(MANIFEST), member(MANIFEST)],
    "no manifest": [member(OURS), member(THEIRS), member(FOLDERS)],
    "nothing": [],
    "a hundred parts": [member(f"part{number}") for number in range(100)],
    "above": [member("../evil")],
    "absolute": [member("/tmp/evil")],
}


@pytest.mark.parametrize("name", PARTS)
def test_a_file_of_other_parts_is_refused(tmp_path: Path, home: Path, name: str) -> None:
    """Before anything is read from it, with status 2."""
    file = tmp_path / "b.tar"
    with tarfile.open(file, "w") as tar:
        for info in PARTS[name]:
            tar.addfile(info, io.BytesIO())
    with pytest.raises(InvalidInputError, match="backup made by Headwater"):
        restore(file)
    assert not home.exists()
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("name", [OURS, THEIRS, FOLDERS])
def test_a_file_without_a_part_is_refused(tmp_path: Path, home: Path, honest: dict[str, Any], name: str) -> None:
    """The part is named."""
    parts = {each: b"" for each in (OURS, THEIRS, FOLDERS) if each != name}
    with pytest.raises(InvalidInputError, match=re.escape(f"`members.{name}` is missing")):
        restore(archive(tmp_path / "b.tar", honest, parts))
    assert not home.exists()


def test_a_part_that_the_manifest_does_not_name_is_refused(tmp_path: Path, home: Path, honest: dict[str, Any]) -> None:
    """It might be read by someone who believes that the checksums covered it."""
    file = archive(tmp_path / "b.tar", honest)
    with closing(ArchiveReader(file)) as reader:
        manifest = json.dumps(reader.manifest).encode()
    parts = {OURS: b"", THEIRS: b"", FOLDERS: b"", "evil.sh": b"", MANIFEST: manifest}
    with file.open("w+b") as out:
        writer = ArchiveWriter(out)
        for name, content in parts.items():
            with writer.member(name) as part:
                part.write(content)
        out.write(bytes(2 * tarfile.BLOCKSIZE))
    with pytest.raises(InvalidInputError, match=r"evil\.sh"):
        restore(file)
    assert not home.exists()


@pytest.mark.parametrize(("field", "value"), [("bytes", 10**12), ("sha256", "0" * 64), ("sha256", "x"), ("bytes", -1)])
def test_sizes_and_checksums_are_compared(
    tmp_path: Path, home: Path, honest: dict[str, Any], field: str, value: Any
) -> None:
    """A size that is larger than the part would allow it to grow further."""
    file = archive(tmp_path / "b.tar", honest)
    with closing(ArchiveReader(file)) as reader:
        manifest = dict(reader.manifest)
    manifest["members"][OURS][field] = value
    archive(file, json.dumps(manifest).encode())
    with pytest.raises(InvalidInputError, match=OURS.replace(".", r"\.")):
        restore(file)
    assert not home.exists()
