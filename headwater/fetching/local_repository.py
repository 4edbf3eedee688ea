"""The folders where a local git repository keeps its data, and whether they may be read.

Belongs here: finding a repository's folder as git does, and everything that git would follow from it. Not here:
fetching (`git_repository`). Guarantee: a repository that names, links to or borrows from a folder outside the allowed
ones is refused before git reads it; nothing in it is executed.
"""

import os
import stat
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headwater.errors import SourceError
from headwater.settings import plain_environment

_SUFFIXES = ("/.git", "", ".git/.git", ".git")  # in the order in which git looks
_MAX_POINTER_FILE_BYTES = 1 << 20  # bytes of a file that names folders
_MAX_CHAIN_FILES = 8  # files that name each other in a chain
_UNREAD = ("hooks", "logs", "lfs", "modules", "rr-cache", "worktrees")  # a fetch does not read these
_LAZY = ("promisor", "partialclonefilter")
_FOLLOWED = ("objects", "refs", "reftable", "info")


@dataclass(frozen=True)
class LocalRepository:
    """A local repository, and the folders that may be read."""

    path: Path
    allowed: Sequence[Path]
    seen: set[Path] = field(default_factory=set)

    def folder(self, environ: Mapping[str, str]) -> Path:
        """Return the folder to pass to git, after checking everything that git would follow.

        Args:
            environ: the environment of git.

        Raises:
            SourceError: there is no repository, or it leads out of the allowed folders.
        """
        self.seen.clear()
        try:
            folder = self._find_folder()
            common = self._common(folder)
            for git_folder in dict.fromkeys((folder, common)):
                self._check_entries(git_folder)
                self._check_objects(git_folder / "objects", _MAX_CHAIN_FILES)
            for name in (common / "config", folder / "config.worktree"):
                self._check_config(name, environ, _MAX_CHAIN_FILES)
        except (OSError, RuntimeError, ValueError) as error:  # no permission, links in a circle, a NUL
            raise SourceError(f"{self.path} cannot be read as a git repository ({error}).") from error
        return folder

    def _find_folder(self) -> Path:
        for suffix in _SUFFIXES:
            path = Path(f"{str(self.path).rstrip('/')}{suffix}")
            if path.is_file():
                return self._inside(self._resolve_folder(path, "gitdir: "), "its .git file")
            if _is_repository(path):
                return self._inside(path, "its .git")
        raise SourceError(f"{self.path} is not a git repository. Name its folder, or clone it there.")

    def _resolve_folder(self, file: Path, prefix: str) -> Path:
        """The folder that a file names; a relative one starts at the file's folder."""
        self._inside(file, file.name)
        text = _read(file)
        if not text.startswith(prefix):
            raise SourceError(f"{self.path} is not a git repository: its file {file.name} names no folder.")
        return file.parent / text.removeprefix(prefix).rstrip("\r\n")

    def _common(self, folder: Path) -> Path:
        """The folder that a worktree shares with others; usually the repository's own."""
        file = folder / "commondir"
        return self._inside(self._resolve_folder(file, ""), "its commondir") if os.path.lexists(file) else folder

    def _inside(self, path: Path, what: str) -> Path:
        """Return a path with its links resolved.

        Raises:
            SourceError: it is outside the allowed folders.
        """
        resolved = path.resolve()
        if not any(resolved.is_relative_to(folder) for folder in self.allowed):
            raise SourceError(
                f"{self.path} is refused: {what} leads to {resolved}, outside the folders that HEADWATER_LOCAL_PATHS"
                " allows. Use a repository that refers to no other, such as a clone of it, or allow that folder too."
            )
        return resolved

    def _check_entries(self, folder: Path) -> None:
        """Check the links among the files that git reads in a repository's folder."""
        for entry in sorted(folder.iterdir()):
            if entry.name in _UNREAD:
                continue
            self._check_entry(entry)
            if entry.name in _FOLLOWED:
                self._check_below(entry)

    def _check_below(self, folder: Path) -> None:
        resolved = folder.resolve()
        if resolved in self.seen or not resolved.is_dir():
            return
        self.seen.add(resolved)
        for entry in _entries(resolved):
            self._check_entry(entry)
            if entry.is_symlink() and entry.is_dir():
                self._check_below(entry)

    def _check_entry(self, entry: Path) -> None:
        mode = entry.lstat().st_mode
        if stat.S_ISLNK(mode):
            self._inside(entry, f"the link {entry.name} in it")
            mode = entry.stat().st_mode if entry.exists() else stat.S_IFREG
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISSOCK(mode)):
            raise SourceError(f"{self.path} is refused: {entry.name} in it is neither a file nor a folder.")

    def _check_objects(self, objects: Path, depth: int) -> None:
        """Check the object stores that a repository borrows from, and those that they borrow from."""
        self._inside(objects, "its objects")
        file = objects / "info" / "alternates"
        if not file.exists():
            return
        if not depth:
            raise SourceError(f"{self.path} is refused: it borrows objects through too long a chain of repositories.")
        self._inside(file, "its alternates")
        for line in _read(file).split("\n"):
            if line and not line.startswith("#"):
                borrowed = self._inside(objects.resolve() / _unquote(line), "its alternates")
                self._check_below(borrowed)
                self._check_objects(borrowed, depth - 1)

    def _check_config(self, file: Path, environ: Mapping[str, str], depth: int) -> None:
        """Check the includes of a repository's configuration, and settings that fetch from elsewhere."""
        if not file.exists():
            return
        self._inside(file, f"its {file.name}")
        for key, value in _settings(file, environ):
            section, name = key.split(".")[0], key.split(".")[-1]
            if section in ("include", "includeif") and name == "path":
                if not depth:
                    raise SourceError(f"{self.path} is refused: its configuration has too long a chain of includes.")
                included = self._inside(file.resolve().parent / Path(value).expanduser(), "an include of its config")
                self._check_config(included, environ, depth - 1)
            elif key == "extensions.partialclone" or (section == "remote" and name in _LAZY):
                raise SourceError(
                    f"{self.path} is refused: it is a partial clone, so git would fetch missing objects from elsewhere."
                    " Use a complete clone instead."
                )
            elif key == "extensions.refstorage" and ":" in value:
                raise SourceError(f"{self.path} is refused: its config keeps references elsewhere.")


def _is_repository(path: Path) -> bool:
    return (
        path.is_dir()
        and os.path.lexists(path / "HEAD")
        and (os.path.lexists(path / "commondir") or ((path / "objects").exists() and (path / "refs").exists()))
    )


def _entries(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder, onerror=_raise):
        yield from (Path(root) / name for name in (*folders, *files))


def _raise(error: OSError) -> None:
    raise error


def _read(file: Path) -> str:
    if not file.is_file() or file.stat().st_size > _MAX_POINTER_FILE_BYTES:
        raise ValueError(f"{file.name} is not a file of a git repository")
    return os.fsdecode(file.read_bytes())


def _unquote(line: str) -> str:
    """A line of alternates, unquoted: git quotes names with odd characters as C does."""
    if not line.startswith('"'):
        return line
    if not line.endswith('"') or len(line) < 2:
        raise ValueError("its alternates are not well formed")
    return os.fsdecode(os.fsencode(line[1:-1]).decode("unicode_escape").encode("latin-1"))


def _settings(file: Path, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Every setting of a configuration file, as git reads it, without includes."""
    command = ["git", "config", "--file", str(file), "--no-includes", "--null", "--list"]
    surroundings = {**plain_environment(), **environ}
    completed = subprocess.run(command, env=surroundings, cwd="/", capture_output=True, timeout=60, check=False)
    if completed.returncode:
        raise ValueError(f"its {file.name} cannot be read: {os.fsdecode(completed.stderr).strip()[:200]}")
    for item in filter(None, os.fsdecode(completed.stdout).split("\x00")):
        key, _, value = item.partition("\n")
        yield key.lower(), value
