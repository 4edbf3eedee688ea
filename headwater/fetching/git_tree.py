"""The files of one commit in our copy of a repository.

Belongs here: listing a tree, sizes and contents of its files, files that were renamed. Not here: fetching
(`git_repository`), which files matter. Guarantee: a tree of any size takes bounded time and memory; nothing is checked
out, and nothing is fetched; a file of which the copy lacks the content has no size.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from headwater.errors import SourceError, TooLargeError

if TYPE_CHECKING:
    from git import Commit, Repo

FILE_MODES = frozenset({"100644", "100755", "100664"})
LINK_MODE = "120000"
SUBMODULE_MODE = "160000"
_MAX_LISTING_BYTES = 100_000_000  # bytes: a million entries; a few small trees that hold each other can list far more
_READ = 1 << 20
_MAX_COMPARED = 400  # files: git compares each that is gone with each that is new


@contextmanager
def close_on_error(repository: "Repo") -> Iterator[None]:
    """End the processes of git that a repository reads by if the block fails; else they end when nobody reads any more.

    An error keeps the repository, which stands in its frames, for as long as somebody has the error.
    """
    try:
        yield
    except BaseException:
        repository.close()
        raise


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A line of a tree: `mode` says whether it is a file, a symbolic link or a submodule."""

    path: str
    mode: str
    sha: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Blob:
    """A file of a commit; `read` returns its bytes."""

    path: str
    sha: str
    size: int
    read: "partial[bytes]"


class GitTree:
    """The tree of a commit, or a folder in it."""

    def __init__(self, commit: "Commit", root: str = "") -> None:
        self._commit = commit
        self._repository = commit.repo
        self._root = root

    def entries(self) -> list[Entry]:
        """Everything below the folder, by path; empty if there is no such folder.

        A byte of a path that is not UTF-8 is a lone surrogate.

        Raises:
            TooLargeError: there is too much of it. SourceError: the copy is damaged.
        """
        try:
            tree = self._commit.tree / self._root if self._root else self._commit.tree
        except KeyError:
            return []
        if tree.type != "tree":
            return []
        prefix = f"{self._root}/" if self._root else ""
        entries = []
        for line in self._read_listing(tree.hexsha).split(b"\0"):
            head, _, name = line.partition(b"\t")
            if name:
                mode, _, sha = head.decode("ascii").split(" ")
                entries.append(Entry(path=prefix + os.fsdecode(name), mode=mode, sha=sha))
        return sorted(entries, key=lambda entry: entry.path)

    def files(self) -> Iterator[Blob]:
        """Yield the regular files, by path."""
        files = [entry for entry in self.entries() if entry.mode in FILE_MODES]
        sizes = self.sizes(entry.sha for entry in files)
        for entry in files:
            yield Blob(path=entry.path, sha=entry.sha, size=sizes.get(entry.sha, 0), read=partial(self.read, entry.sha))

    def sizes(self, shas: Iterable[str]) -> dict[str, int]:
        """The bytes of some files, by the hash of their content, without reading them; the copy may lack some."""
        with tempfile.TemporaryFile() as sha_file:
            sha_file.write("".join(f"{sha}\n" for sha in dict.fromkeys(shas)).encode())
            sha_file.seek(0)
            told = self._repository.git.cat_file("--batch-check", istream=sha_file)
        replies = (line.split(" ") for line in told.splitlines())
        return {words[0]: int(words[2]) for words in replies if len(words) == 3 and words[1] == "blob"}

    def read(self, sha: str) -> bytes:
        """The content of a file."""
        return bytes(self._repository.odb.stream(bytes.fromhex(sha)).read())

    def find_renames(self, before: str | None, gone: Sequence[str], new: Sequence[str]) -> dict[str, str]:
        """The old paths of files that were renamed and perhaps edited, by their new paths.

        Args:
            before: the tree in which the old paths were; without it in the copy, none is recognised.
            gone: paths that are no longer there.
            new: paths that were not there before.
        """
        from git import GitCommandError

        if before is None or not gone or not new or len(gone) + len(new) > _MAX_COMPARED:
            return {}
        git = self._repository.git
        try:
            with git.custom_environment(GIT_LITERAL_PATHSPECS="1"):
                told = git.diff_tree("-r", "-z", "-M", "--name-status", "--diff-filter=R", before,
                                     self._commit.hexsha, "--", *gone, *new)  # fmt: skip
        except GitCommandError:
            return {}
        words = iter(told.split("\0"))
        # Each rename is its likeness, such as R087, the old path and the new one.
        return {then: first for likeness, first, then in zip(words, words, words, strict=False) if likeness}

    def _read_listing(self, sha: str) -> bytes:
        """The listing of a tree, read only as far as it is bounded."""
        process = self._repository.git.ls_tree("-r", "-z", sha, as_process=True)
        listing = bytearray()
        try:
            while block := process.stdout.read(_READ):
                listing += block
                if len(listing) > _MAX_LISTING_BYTES:
                    process.proc.kill()
                    raise TooLargeError(
                        "The repository lists more than a million files. Name a folder of it with `path`."
                    )
            if process.proc.wait() != 0:
                raise SourceError("The copy of the repository is damaged. Sync again: it will be fetched anew.")
        finally:
            process.proc.stdout.close()
            process.proc.stderr.close()
            process.proc.wait()
        return bytes(listing)
