"""The address of a file at a commit: its page on the web, or git's own name of it.

Belongs here: the forms of the known hosts. Not here: the form of lines (`headwater.domain.places`), fetching.
Guarantee: pure; an address holds no user name or password.
"""

from typing import Literal
from urllib.parse import quote, urlsplit

from headwater.fetching.git_urls import local_path, ssh_address

Web = Literal["github", "gitlab", "gitea", "bitbucket", "sourcehut"]
"""The program that shows a host's repositories; Forgejo and Codeberg are as Gitea."""

_FORMS: dict[str, str] = {
    "github": "{repository}/blob/{commit}/{path}",
    "gitlab": "{repository}/-/blob/{commit}/{path}",
    "gitea": "{repository}/src/commit/{commit}/{path}",
    "bitbucket": "{repository}/src/{commit}/{path}",
    "sourcehut": "{repository}/tree/{commit}/item/{path}",
}
_HOSTS: dict[str, Web] = {
    "bitbucket.org": "bitbucket", "code.forgejo.org": "gitea", "codeberg.org": "gitea", "framagit.org": "gitlab",
    "git.sr.ht": "sourcehut", "gitea.com": "gitea", "invent.kde.org": "gitlab", "salsa.debian.org": "gitlab",
}  # fmt: skip
_WORDS: tuple[Web, ...] = ("github", "gitlab", "gitea")


def file_form(git: str, web: Web | None) -> str:
    """The form of a repository's file addresses, with `{commit}` and `{path}` to fill in; empty if it has no pages.

    Args:
        git: the repository's address.
        web: the program that shows it; without it, well-known hosts are recognised, and those named after a program.
    """
    if local_path(git) is not None:
        return ""
    ssh = ssh_address(git)
    url = urlsplit(git if ssh is None else f"https://{ssh.host}/{ssh.path}")
    host = str(url.hostname)
    form = web or _HOSTS.get(host) or next((word for word in _WORDS if word in host.split(".")), None)
    if form is None:
        return ""
    repository = f"https://{url.netloc}{url.path.rstrip('/').removesuffix('.git')}"
    return _FORMS[form].replace("{repository}", repository.replace("{", "%7B").replace("}", "%7D"))


def file_address(form: str, commit: str, path: str) -> str:
    """The address of a file at a commit, such as `https://github.com/o/r/blob/<commit>/src/app.py`.

    Without a form, it is git's own name: `1a2b3c4d5e6f:src/app.py`, which `git show` opens.
    """
    return form.format(commit=commit, path=quote(path)) if form else f"{commit[:12]}:{path}"
