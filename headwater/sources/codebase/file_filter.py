"""Which files of a repository are read, by path and by content.

Belongs here: the lists of folders, names and endings. Not here: a source's own patterns (`connector`). Guarantee: pure;
the work is linear in the path, and for contents looks only at the beginning.
"""

import re
import unicodedata
from pathlib import PurePosixPath

from headwater.domain.code_files import code_media_type
from headwater.domain.media_types import MARKDOWN_ENDINGS
from headwater.domain.skips import Reason
from headwater.parsing.file_types import is_openapi_name, is_text
from headwater.sources.tree_files import is_tool_output

BUILD_FOLDERS = frozenset({
    "_build", "bower_components", "build", "carthage", "cmake-build-debug", "cmake-build-release", "coverage",
    "deriveddata", "dist", "elm-stuff", "htmlcov", "jspm_packages", "node_modules", "obj", "out", "pods",
    "site-packages", "target", "__pycache__", "__pypackages__",
})  # fmt: skip
"""Folders that tools build, download or cache, in lower case."""
VENDOR_FOLDERS = frozenset({
    "_vendor", "_vendored", "third-party", "third_party", "thirdparty", "vendor", "vendored", "vendors",
})  # fmt: skip
"""Folders with the code of others, in lower case."""
ENVIRONMENT_FOLDERS = frozenset({"env", "venv", "virtualenv"})
"""Folders with a language's environment, in lower case."""
MANIFESTS = frozenset({
    "angular.json", "app.json", "bower.json", "build.gradle", "build.gradle.kts", "build.sbt", "cargo.toml",
    "composer.json", "deno.json", "dune-project", "environment.yml", "gemfile", "go.mod", "go.work", "jsconfig.json",
    "lerna.json", "manifest.json", "manifest.in", "mix.exs", "package.json", "package.swift", "package.xml", "pipfile",
    "podfile", "pom.xml", "procfile", "pubspec.yaml", "pyproject.toml", "rebar.config", "setup.cfg", "setup.py",
    "tsconfig.json", "vcpkg.json",
})  # fmt: skip
"""Names of package manifests, in lower case; those with an ending of `MANIFEST_ENDINGS` are manifests too."""
MANIFEST_ENDINGS = (".cabal", ".csproj", ".fsproj", ".gemspec", ".nimble", ".nuspec", ".podspec", ".rockspec", ".sln",
                    ".vbproj", ".vcxproj")  # fmt: skip
DOCS_ENDINGS = (".adoc", ".asciidoc", ".ipynb", ".org", ".pod", ".rest", ".rst", ".texi", ".texinfo", ".txi", ".txt",
                *MARKDOWN_ENDINGS)  # fmt: skip
"""Endings of documentation."""
DOCS_NAMES = frozenset({
    "authors", "changelog", "changes", "code_of_conduct", "codeowners", "contributing", "contributors", "copying",
    "history", "install", "license", "licence", "maintainers", "news", "notice", "readme", "security", "thanks", "todo",
    "upgrading",
})  # fmt: skip
"""Names of documentation without an ending, in lower case."""
DATA_ENDINGS = (".json", ".xml")
"""Endings that code may have and data usually has: only manifests are read."""

_REQUIREMENTS = re.compile(r"[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in)")
_LOCKED = re.compile(
    r".+\.(?:lock|lockb|lockfile)|.+[-.]lock\.(?:json|ya?ml|hcl)|package\.resolved|go\.work\.sum|mix\.lock"
)
_GENERATED_NAME = re.compile(
    r".+(?:_pb2|_pb2_grpc)\.pyi?|.+\.pb(?:\.\w+)?\.(?:go|cc|h|swift|dart)|.+_pb\.(?:js|ts|d\.ts|rb)|zz_generated\..+\.go"
    r"|.+[._-]generated\.\w+|.+\.(?:g|freezed)\.dart|.+\.(?:designer|g|g\.i)\.cs|.+[.-]bundle\.(?:js|css)|bundle\.js"
    r"|.+[.-]min\.(?:js|css|mjs|cjs)"
)
_GENERATED_MARK = re.compile(
    rb"code generated [^\n]{0,200}do not edit|@generated\b|(?:auto-?generated|generated automatically)[^\n]{0,200}"
    rb"do not (?:edit|modify)|do not edit[^\n]{0,100}(?:auto-?)?generated",
    re.IGNORECASE,
)
_HEAD = 2_000  # bytes in which a generator says that it wrote the file
_PACKED_ENDINGS = (".js", ".mjs", ".cjs", ".css")
_PACKED_LENGTH = 5_000  # bytes from which a script with very long lines counts as minified
_PACKED_LINE = 300  # bytes of an average line
_POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v\d+\r?\n")
_POINTER_LENGTH = 1_024  # bytes; the specification allows no more
_SAMPLE = 16_384

Skip = tuple[Reason, str, str]
"""Why a file is not read: the reason, the file or folder that it concerns, its kind."""


def find_skip(path: str) -> Skip | None:
    """Why a file is not read, by its path below the source's folder; None if it is."""
    names = path.split("/")
    for depth, name_part in enumerate(names, start=1):
        if name_part.startswith("."):
            return "hidden", "/".join(names[:depth]), ""
        if depth < len(names) and _is_tool_folder(name_part.lower()):
            return "tool", "/".join(names[:depth]), ""
    name = names[-1].lower()
    if is_tool_output(name) or _LOCKED.fullmatch(name) or _GENERATED_NAME.fullmatch(name):
        return "generated", path, ""
    return None if _is_wanted(name) else ("not_code", path, PurePosixPath(name).suffix[:20] or "other")


def is_safe_path(path: str) -> bool:
    """Whether a path is one below a folder, and on one line; a tree may hold any bytes as names."""
    names = path.split("/")
    is_below = not any(name in ("", ".", "..") or name.lower() == ".git" for name in names)
    return is_below and not any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in path)


def is_documentation(path: str) -> bool:
    """Whether a file is documentation rather than code, by its name."""
    name = path.rpartition("/")[2].lower()
    return name.endswith(DOCS_ENDINGS) or name in DOCS_NAMES or is_openapi_name(name)


def unreadable(content: bytes, path: str) -> Skip | None:
    """Why a file is not read, by its content; None if it is."""
    if not content.strip():
        return "empty", path, ""
    if len(content) <= _POINTER_LENGTH and _POINTER.match(content):
        return "lfs", path, ""
    if not is_text(content[:_SAMPLE]):
        return "binary", path, ""
    if not is_documentation(path) and (_GENERATED_MARK.search(content, 0, _HEAD) or _is_packed(content, path)):
        return "generated", path, ""
    return None


def _is_wanted(name: str) -> bool:
    is_code = code_media_type(name) is not None and not name.endswith(DATA_ENDINGS)
    is_manifest = name in MANIFESTS or name.endswith(MANIFEST_ENDINGS) or bool(_REQUIREMENTS.fullmatch(name))
    return is_code or is_manifest or is_documentation(name)


def _is_tool_folder(name: str) -> bool:
    return (
        name in BUILD_FOLDERS
        or name in VENDOR_FOLDERS
        or name in ENVIRONMENT_FOLDERS
        or name.endswith((".egg-info", ".dist-info"))
    )


def _is_packed(content: bytes, path: str) -> bool:
    if len(content) < _PACKED_LENGTH or not path.lower().endswith(_PACKED_ENDINGS):
        return False
    return len(content) > _PACKED_LINE * (content.count(b"\n") + 1)
