"""Where originals are kept: a folder, and what fsspec reaches."""

import errno
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import fsspec
import pytest
from fsspec.spec import AbstractFileSystem

from headwater.errors import FilesUnavailableError, StorageFullError, TooLargeError
from headwater.files.file_store import FileStore, hash_of, open_files, path_of
from headwater.files.folder_store import FolderStore
from headwater.files.remote_store import RemoteStore, redact_address
from headwater.settings import REPOSITORY, Settings

CONTENT = b"%PDF-1.7 pump"
HASH = hash_of(CONTENT)
LATER = timedelta(minutes=1)


@pytest.fixture(params=["folder", "memory"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileStore]:
    """A store of each kind."""
    if request.param == "folder":
        yield FolderStore(tmp_path / "files")
        return
    from fsspec.implementations.memory import MemoryFileSystem

    yield RemoteStore(f"memory://{tmp_path.name}/files")
    MemoryFileSystem.store.clear()


def test_what_was_put_comes_back_by_its_hash(files: FileStore) -> None:
    """The hash is SHA-256 of the content, in hexadecimal digits; size and list agree."""
    begun = datetime.now(UTC)
    assert list(files.all()) == []
    assert not files.exists(HASH)
    assert files.put(CONTENT) == HASH
    other = files.put(b"")
    with files.open(HASH) as file:
        assert file.read(4) == b"%PDF"
    assert (files.read(HASH), files.size(HASH), files.exists(HASH)) == (CONTENT, len(CONTENT), True)
    assert files.read(other) == b""
    found = {file.hash: file for file in files.all()}
    assert {name: file.size for name, file in found.items()} == {HASH: len(CONTENT), other: 0}
    assert all(begun - LATER < file.put_at < begun + LATER for file in found.values())


def test_a_file_that_comes_in_blocks_is_the_same_file(files: FileStore) -> None:
    """By its hash; equal content is stored once, and each part is read from where it begins."""
    assert files.put_blocks([CONTENT[:5], b"", CONTENT[5:]]) == (HASH, len(CONTENT))
    assert files.put_blocks([CONTENT]) == (HASH, len(CONTENT))
    assert files.put_blocks([]) == (hash_of(b""), 0)
    assert sorted(file.size for file in files.all()) == [0, len(CONTENT)]
    assert b"".join(files.blocks(HASH)) == CONTENT
    assert b"".join(files.blocks(HASH, 5)) == CONTENT[5:]
    assert b"".join(files.blocks(HASH, 5, 3)) == CONTENT[5:8]
    assert b"".join(files.blocks(HASH, 5, 1000)) == CONTENT[5:]
    with pytest.raises(FilesUnavailableError, match=hash_of(b"none")):
        next(iter(files.blocks(hash_of(b"none"))))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), StorageFullError),
        (TooLargeError("too large"), TooLargeError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
    ids=["full", "too_large", "killed"],
)
def test_blocks_that_break_off_leave_nothing(
    files: FileStore, error: BaseException, expected: type[BaseException]
) -> None:
    """Neither a file nor a part of one; a full disk is an error of its own (507)."""

    def blocks() -> Iterator[bytes]:
        yield CONTENT
        raise error

    with pytest.raises(expected):
        files.put_blocks(blocks())
    assert list(files.all()) == []
    assert files.remove_parts(datetime.now(UTC) + LATER) == 0


def test_a_file_that_is_not_there_is_named(files: FileStore) -> None:
    """Reading it says which and where; deleting it is no error."""
    for ask in (files.read, files.open, files.size):
        with pytest.raises(FilesUnavailableError, match=HASH):
            ask(HASH)
    files.delete(HASH)
    files.put(CONTENT)
    files.delete(HASH)
    assert not files.exists(HASH)
    assert list(files.all()) == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "", HASH.upper(), HASH[:-1], f"{HASH}/..", f"{HASH}\n"])
def test_only_a_hash_names_a_file(files: FileStore, name: str) -> None:
    """Nothing else leads anywhere."""
    with pytest.raises((ValueError, FilesUnavailableError)):
        files.exists(name)
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        path_of(name)


def test_equal_content_is_written_once(tmp_path: Path) -> None:
    """The second time the file is left as it is."""
    files = FolderStore(tmp_path / "files")
    files.put(CONTENT)
    path = tmp_path / "files" / HASH[:2] / HASH[2:4] / HASH
    before = path.stat()
    files.put(CONTENT)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [found.name for found in path.parent.iterdir()] == [HASH]


def test_only_its_owner_can_read_a_folder(tmp_path: Path) -> None:
    """Whatever the umask was."""
    before = os.umask(0)
    try:
        FolderStore(tmp_path / "a" / "files").put(CONTENT)
    finally:
        os.umask(before)
    made = [tmp_path / "a", *(tmp_path / "a").rglob("*")]
    assert len(made) == 5
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700, 0o600}


def test_a_killed_process_leaves_no_half_file(tmp_path: Path) -> None:
    """Its incomplete file never appears as a file; the next process stores it, and the old part is removed later."""
    script = f"""
import os, signal, pathlib
from headwater.files import folder_store
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
folder_store.FolderStore(pathlib.Path({str(tmp_path)!r})).put({CONTENT!r})
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY)
    assert done.returncode == -signal.SIGKILL
    files = FolderStore(tmp_path)
    (part,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert (list(files.all()), files.exists(HASH)) == ([], False)
    assert files.remove_parts(datetime.now(UTC) - timedelta(hours=1)) == 0
    assert files.put(CONTENT) == HASH
    assert part.exists()
    assert files.remove_parts(datetime.now(UTC) + LATER) == 1
    assert not part.exists()
    assert [file.hash for file in files.all()] == [HASH]


def test_a_remote_file_has_its_name_once_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload that breaks off is no file."""
    from fsspec.implementations.memory import MemoryFileSystem

    files = RemoteStore(f"memory://{tmp_path.name}/parts")

    def broken(*_: object, **__: object) -> None:
        raise ConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(MemoryFileSystem, "mv", broken)
        with pytest.raises(FilesUnavailableError, match="gone"):
            files.put(CONTENT)
    assert (list(files.all()), files.exists(HASH)) == ([], False)
    assert files.remove_parts(datetime.now(UTC) + LATER) == 1
    assert not MemoryFileSystem.store


def test_the_settings_say_where(tmp_path: Path) -> None:
    """A folder of the home unless set; a relative one becomes absolute; an address is left for fsspec."""
    environ = {"HEADWATER_HOME": str(tmp_path)}
    assert open_files(Settings.from_env(environ)).folder == tmp_path / "files"
    for given in ("elsewhere", "file://elsewhere"):
        settings = Settings.from_env({**environ, "HEADWATER_FILES": given})
        assert open_files(settings).folder == Path("elsewhere").resolve()
    remote = open_files(Settings.from_env({**environ, "HEADWATER_FILES": "memory://bucket/files"}))
    assert (remote.folder, remote.shown) == (None, "memory://bucket/files")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("s3://bucket/headwater", "s3://bucket/headwater"),
        ("sftp://user:geheim@host:22/files", "sftp://host:22/files"),
        ("s3://KEY:ge/he@im@bucket/x", "s3://bucket/x"),
        ("s3://bucket/x?key=geheim", "s3://bucket/x"),
        ("filecache::s3://user:geheim@bucket/x", "filecache::s3://bucket/x"),
        ("s3://bucket/x#geheim", "s3://bucket/x"),
        ("sftp://user:ge?heim@host/files", "sftp://host/files"),
        ("sftp://user:ge#heim@host/files?a=b", "sftp://host/files"),
        ("s3://bucket/x?key=ge@heim", "s3://bucket/x"),
        ("abfs://container@account/files", "abfs://container@account/files"),
    ],
)
def test_an_address_is_shown_without_credentials(address: str, shown: str) -> None:
    """Whatever characters a password has."""
    settings = Settings(home=Path("home"), cache=Path("cache"), files=address)
    assert redact_address(address) == shown
    assert repr(open_files(settings)) == f"RemoteStore({shown!r})"
    assert address not in repr(settings)


def test_an_error_shows_no_credential(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in its words, nor in what caused it; a package that is not installed is named."""
    from fsspec.implementations.memory import MemoryFileSystem

    address = "memory://user:ge%3Aheim@store/files?token=secretly"

    def failing(*_: object, **__: object) -> bool:
        raise PermissionError(f"403 for {address}: user ge:heim, token secretly")

    monkeypatch.setattr(MemoryFileSystem, "info", failing)
    with pytest.raises(FilesUnavailableError) as caught:
        RemoteStore(address).put(CONTENT)
    assert "memory://store/files" in str(caught.value)
    assert not [word for word in ("ge:heim", "ge%3Aheim", "secretly") if word in str(caught.value)]
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    with pytest.raises(FilesUnavailableError, match="nonsense://bucket, did not answer"):
        RemoteStore("nonsense://user:geheim@bucket").exists(HASH)


@pytest.mark.parametrize("password", ["ge?heim/word", "ge#heim@word"])
def test_an_error_shows_no_piece_of_a_password(password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system may split an address in the wrong place, and repeat parts of it."""
    from fsspec.implementations.memory import MemoryFileSystem

    def failing(*_: object, **__: object) -> bool:
        raise ConnectionError(f"there is no host heim of user:{password}")

    monkeypatch.setattr(MemoryFileSystem, "info", failing)
    with pytest.raises(FilesUnavailableError) as caught:
        RemoteStore(f"memory://user:{password}@store/files").exists(HASH)
    assert "heim" not in str(caught.value)


def test_a_short_secret_garbles_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is hidden with its user alone."""
    from fsspec.implementations.memory import MemoryFileSystem

    def failing(*_: object, **__: object) -> bool:
        raise ConnectionError("a host said no to me:no")

    monkeypatch.setattr(MemoryFileSystem, "info", failing)
    with pytest.raises(FilesUnavailableError, match=re.escape("(a host said no to ***)")):
        RemoteStore("memory://me:no@store/files?v=a").exists(HASH)


def _folder(path: str) -> dict[str, object]:
    return {"name": path, "type": "directory", "size": 0}


class Away(AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """A file system that inherits all it can; what lies in `broken` does not answer."""

    protocol = "away"
    cachable = False
    broken = "nothing"

    def ls(self, path: str, **_: object) -> list[dict[str, object]]:
        """The root has one folder, and one file."""
        self._check(path)
        file: dict[str, object] = {"name": f"root/{HASH}", "type": "file", "size": 3}
        return [_folder("root/ab"), file] if path == "root" else []

    def info(self, path: str, **_: object) -> dict[str, object]:
        """Only folders are there."""
        self._check(path)
        if path in ("root", "root/ab"):
            return _folder(path)
        raise FileNotFoundError(path)

    def _open(self, path: str, *_: object, **__: object) -> object:
        self._check(path)
        raise FileNotFoundError(path)

    def _check(self, path: str) -> None:
        if path.startswith(self.broken):
            raise ConnectionError("no route to host")


def test_a_store_that_cannot_be_reached_is_no_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked of it, also when its file system takes errors for a no; nor is one of its folders empty."""
    fsspec.register_implementation("away", Away, clobber=True)
    files = RemoteStore("away://root")
    assert [file.hash for file in files.all()] == [HASH]
    assert not files.exists(HASH)
    asked: list[Callable[[], object]] = [
        partial(files.exists, HASH), partial(files.put, CONTENT), lambda: list(files.all()), files.owner,
    ]  # fmt: skip
    asked += [partial(files.size, HASH), partial(files.read, HASH), partial(files.remove_parts, datetime.now(UTC))]
    monkeypatch.setattr(Away, "broken", "root")
    for ask in asked:
        with pytest.raises(FilesUnavailableError, match="no route to host"):
            ask()
    monkeypatch.setattr(Away, "broken", "root/ab")
    with pytest.raises(FilesUnavailableError, match="no route to host"):
        list(files.all())


def test_nobody_listens_over_http() -> None:
    """Which fsspec takes for files that are not there."""
    files = RemoteStore("http://127.0.0.1:1/files")
    for ask in (partial(files.exists, HASH), partial(files.size, HASH), lambda: list(files.all())):
        with pytest.raises(FilesUnavailableError, match="did not answer"):
            ask()


def test_a_store_says_whose_it_is(files: FileStore) -> None:
    """Its marker is no file of its own."""
    assert files.owner() is None
    files.set_owner("one")
    files.set_owner("another")
    assert files.owner() == "another"
    assert list(files.all()) == []
    assert files.remove_parts(datetime.now(UTC) + LATER) == 0


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """With the setting that says where it is."""
    (tmp_path / "files").write_text("a file")
    with pytest.raises(FilesUnavailableError, match="HEADWATER_FILES"):
        FolderStore(tmp_path / "files").put(CONTENT)


def test_nothing_of_fsspec_is_imported_for_a_folder(tmp_path: Path) -> None:
    """Nor for a remote store before it is asked for a file."""
    script = f"""
import sys, pathlib
from headwater.files.file_store import open_files
from headwater.settings import Settings
home = pathlib.Path({str(tmp_path)!r})
open_files(Settings(home=home, cache=home)).put(b"x")
open_files(Settings(home=home, cache=home, files="s3://bucket/x")).shown
print("fsspec" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
