"""Recognising folders, files and git repositories by their addresses.

Belongs here: the addresses of repositories on well-known hosts, local paths. Not here: reading them. Guarantee: nothing
is fetched.
"""

import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote

from headwater.sources.guesses import Address, Guess

_HOSTS = {"github.com", "gitlab.com", "codeberg.org", "bitbucket.org", "gitea.com", "git.sr.ht", "salsa.debian.org",
          "framagit.org", "gitlab.gnome.org", "invent.kde.org", "gitlab.freedesktop.org"}  # fmt: skip
_REPOSITORY = re.compile(
    r"/(?P<name>[\w.~-]+(?:/[\w.-]+){1,4}?)(?:\.git)?"
    r"(?:(?:/-)?/(?P<view>tree|blob|src/branch)/(?P<branch>[\w.-]+)(?:/(?P<path>.+?))?)?/?"
)
_PAGES = {"issues", "wiki", "pulls", "pull", "releases", "discussions", "actions", "merge_requests", "orgs", "topics",
          "search", "settings", "marketplace", "explore", "groups", "wikis",
          "work_items", "boards", "milestones"}  # fmt: skip


def guess_folder(address: Address) -> Guess | None:
    """A local folder or file, or a repository."""
    if address.path is not None:
        return _local(address.path)
    return None if address.url is None else _repository(address.url)


def guess_markdown(address: Address) -> Guess | None:
    """The same, for a tree of markdown alone: second to a folder of files of any kind."""
    guess = guess_folder(address)
    if guess is None or "include" in guess.config:
        return None
    words = guess.words.replace("files of any kind", "markdown files")
    return Guess(config=guess.config, words=words, score=guess.score - 0.2, slug=guess.slug)


def _local(path: Path) -> Guess | None:
    if path.is_file():
        return Guess(config={"path": str(path)}, words=f"the file {path.name}", score=0.5, slug=path.stem)
    if not path.is_dir():
        return None
    if (path / "HEAD").is_file() and (path / "objects").is_dir():
        return Guess(
            config={"git": str(path)}, words="a git repository", score=0.7, slug=path.name.removesuffix(".git")
        )
    return Guess(config={"path": str(path)}, words="a folder with files of any kind", score=0.5, slug=path.name)


def _repository(url: SplitResult) -> Guess | None:
    match = _REPOSITORY.fullmatch(unquote(url.path))
    is_known = url.hostname in _HOSTS or url.path.rstrip("/").endswith(".git")
    if url.scheme != "https" or match is None or not is_known or _PAGES & set(url.path.split("/")):
        return None
    ending = ".git" if ".git" in url.path else ""
    config: dict[str, Any] = {"git": f"https://{url.netloc}/{match['name'].removesuffix('.git')}{ending}"}
    name = posixpath.basename(match["name"]).removesuffix(".git")
    words, path = f"a git repository, {name}, with files of any kind", match["path"]
    if match["branch"]:
        config["branch"] = match["branch"]
    if path and match["view"] == "blob":
        folder, _, file = path.rpartition("/")
        config |= {"path": folder} if folder else {}
        return Guess(config={**config, "include": [f"/{file}"]}, words=f"the file {path} of a git repository, {name}",
                     score=0.9, slug=f"{name}-{posixpath.splitext(file)[0]}")  # fmt: skip
    if path:
        config["path"] = path
        words = f"the folder {path} of a git repository, {name}, with files of any kind"
    return Guess(config=config, words=words, score=0.9, slug=name)
