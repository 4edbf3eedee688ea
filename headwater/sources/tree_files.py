"""Which files of a tree are documents.

Belongs here: the names and folders that are read, and why others are not. Not here: reading them, what one kind of
source chooses among the rest (a `Choice`). Guarantee: links out
of the tree are not followed; a folder too deep for the file system does not affect others; files left out are counted.
"""

import errno
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from headwater.domain.documents import DocumentProblem
from headwater.domain.media_types import MARKDOWN_ENDINGS
from headwater.domain.skips import Reason, Skips
from headwater.errors import SourceError
from headwater.sources.globs import Globs, matches

SUFFIXES = (*MARKDOWN_ENDINGS, ".txt")
_TOOL_FOLDERS = {"node_modules", "__pycache__", "venv", "site-packages"}
_TOOL_FILES = re.compile(r"(?:[\w.-]*requirements[\w.-]*|constraints[\w.-]*|CMakeLists|robots)\.txt", re.IGNORECASE)
_TOOL_OUTPUT = re.compile(
    r"(?:package-lock|npm-shrinkwrap|composer)\.(?:json|lock)|(?:yarn|poetry|uv|cargo|gemfile|pipfile|pdm|flake|bun)\.lock"
    r"|pnpm-lock\.yaml|go\.sum|.+\.min\.(?:js|css)|.+\.(?:js|css|mjs)\.map|\.ds_store|thumbs\.db|desktop\.ini",
    re.IGNORECASE,
)
_TOO_DEEP = {errno.ENAMETOOLONG, errno.ELOOP}
_MAX_PATH_BYTES = 2_000  # bytes below the root; longer paths fit no index and, at some depth, no system call
TOO_LONG = f"Its path is longer than {_MAX_PATH_BYTES:,} bytes. Move it to a less deeply nested folder."


def is_document(name: str) -> bool:
    """Whether a file is read, by its name."""
    return name.lower().endswith(SUFFIXES)


def not_markdown(path: str) -> tuple[Reason, str] | None:
    """Why a tree of markdown does not read a file: the reason and its kind; None for a document."""
    return None if is_document(path) else ("no_parser", _kind(path))


Choice = Callable[[str], tuple[Reason, str] | None]
"""Why a source does not read a file that is neither hidden nor a tool's: the reason and its kind, or None."""


def is_tool_output(path: str) -> bool:
    """Whether a file of any type is written by a tool for tools: locked versions, packed scripts."""
    return _TOOL_OUTPUT.fullmatch(path.rpartition("/")[2]) is not None


def choose_by_patterns(include: Globs, exclude: Globs) -> Choice:
    """What reads the files of any type that patterns choose, except those of tools."""

    def find_reason(path: str) -> tuple[Reason, str] | None:
        if matches(path, exclude) or (include and not matches(path, include)):
            return "unselected", ""
        return ("tool", "") if is_tool_output(path) else None

    return find_reason


def is_too_long(path: str) -> bool:
    """Whether a path below the root is too long for a document."""
    return len(os.fsencode(path)) > _MAX_PATH_BYTES


def find_skip_reason(
    path: str, choice: Choice = not_markdown, *, has_hidden: bool = True
) -> tuple[Reason, str, str] | None:
    """Why a file or folder is not read: the reason, the affected path, its kind; None for a document.

    Args:
        path: its path below the root.
        choice: chooses among the files that are neither hidden nor a tool's.
        has_hidden: whether a dot at the beginning of a name hides it, as in file systems.
    """
    names = path.split("/")
    for depth, name in enumerate(names, start=1):
        if has_hidden and name.startswith("."):
            return "hidden", "/".join(names[:depth]), ""
        if name in _TOOL_FOLDERS:
            return "tool", "/".join(names[:depth]), ""
    if _TOOL_FILES.fullmatch(names[-1]):
        return "tool", path, ""
    why = choice(path)
    return None if why is None else (why[0], path, why[1])


def choose_files(
    paths: Iterator[str], skips: Skips, choice: Choice = not_markdown, *, has_hidden: bool = True
) -> list[str]:
    """Choose the documents among the files of a tree; everything else is counted once."""
    documents, seen = [], set()
    for path in paths:
        why = find_skip_reason(path, choice, has_hidden=has_hidden)
        if why is None:
            documents.append(path)
        elif why not in seen:
            seen.add(why)
            reason, what, kind = why
            skips.add(reason, [what], kind=kind)
    return documents


def walk(root: Path, skips: Skips, problems: list[DocumentProblem], choice: Choice = not_markdown) -> list[Path]:
    """Find the documents of a folder, by path.

    Args:
        root: the folder.
        skips: counts what is left out.
        problems: gets paths that are too deep; the path of a folder that cannot be listed ends with `/`.
        choice: chooses among the files that are neither hidden nor a tool's.

    Raises:
        SourceError: a folder cannot be read.
    """
    files: list[str] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(root / folder) as entries:
                children = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError as error:
            if not folder or error.errno not in _TOO_DEEP:
                raise SourceError(
                    f"{error.filename} cannot be read ({error.strerror}); nothing was changed."
                ) from error
            problems.append(_too_long(f"{folder}/"))
            continue
        for name, is_folder in children:
            path = f"{folder}/{name}" if folder else name
            if is_folder and _is_entered(path):
                if is_too_long(path):
                    problems.append(_too_long(path))
                else:
                    folders.append(path)
            else:
                files.append(f"{path}/" if is_folder else path)
    documents = choose_files(_inside(files, root, skips, choice), skips, choice)
    problems += [_too_long(path) for path in documents if is_too_long(path)]
    return sorted(root / path for path in documents if not is_too_long(path))


def _is_entered(folder: str) -> bool:
    return find_skip_reason(f"{folder}/_", lambda _: None) is None


def _inside(files: list[str], root: Path, skips: Skips, choice: Choice) -> Iterator[str]:
    """The files, except links that lead out of the tree."""
    for path in files:
        if find_skip_reason(path, choice) is None and _leads_out(root / path, root):
            skips.add("outside", [_readable(path)])
        else:
            yield path


def _leads_out(link: Path, root: Path) -> bool:
    try:
        return link.is_symlink() and not link.resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # a circular link leads nowhere; reading it reports the error
        return False


def _kind(path: str) -> str:
    name = PurePosixPath(path)
    return name.suffix.lower()[:20] or "other"


def _readable(path: str) -> str:
    """A file name that is not valid UTF-8, in a form that can be shown and stored."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _too_long(path: str) -> DocumentProblem:
    return DocumentProblem(uri=_readable(path), code="DOCUMENT_FAILED", message=TOO_LONG)
