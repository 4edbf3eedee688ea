"""The config of a mailbox, and recognising its address.

Belongs here: its fields and their rules. Not here: servers (`session`), files (`local_mailbox`). Guarantee: an accepted
config names one mailbox; it holds no secret.
"""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit

from pydantic import Field, field_validator, model_validator

from headwater.fetching.credentials import check_credential_name
from headwater.fetching.imap_connection import IMAP_PORTS
from headwater.identity import content_hash
from headwater.sources.connector import AbsolutePath, PasswordNames, SourceConfig, located
from headwater.sources.globs import Globs
from headwater.sources.guesses import Address, Guess

_MAILDIR_FOLDERS = ("cur", "new")


class ImapConfig(SourceConfig):
    """Which messages of which mailbox.

    `url` is the server's, such as `imaps://mail.example.com`; `path` is an mbox file or a Maildir instead. `include`
    and `exclude` are patterns of folders. `since` leaves out what arrived before a day. `link` is a template of the
    addresses at which people open messages, with `{message_id}`.
    """

    url: str | None = Field(default=None, max_length=300)
    path: AbsolutePath | None = None
    credential: str | None = None
    login: Literal["password", "xoauth2"] = "password"
    include: Globs = ()
    exclude: Globs = ()
    since: dt.date | None = None
    attachments: bool = True
    link: str | None = Field(default=None, max_length=1_000)
    max_messages: Annotated[int, Field(ge=1, le=1_000_000)] = 100_000
    max_megabytes: Annotated[int, Field(ge=1, le=200)] = 50
    passwords: PasswordNames = ()

    @classmethod
    def locate(cls, config: Mapping[str, Any], base: Path) -> dict[str, Any]:
        """Resolve a relative path against `base`."""
        return located(config, "path", base)

    @field_validator("url")
    @classmethod
    def _is_server(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            url_parts = urlsplit(value)
            is_server = url_parts.scheme in IMAP_PORTS and bool(url_parts.hostname) and url_parts.port != 0
        except ValueError:
            is_server = False
        if not is_server or not value.isprintable():
            raise ValueError("must be the address of a mail server, such as imaps://mail.example.com")
        if "@" in url_parts.netloc:
            raise ValueError("must contain neither a user name nor a password; name a secret with credential")
        if url_parts.path.strip("/") or url_parts.query or url_parts.fragment:
            raise ValueError("must end after the server's name; choose folders with include and exclude")
        return value.rstrip("/")

    @field_validator("credential")
    @classmethod
    def _is_name(cls, value: str | None) -> str | None:
        return None if value is None else check_credential_name(value)

    @field_validator("link")
    @classmethod
    def _is_template(cls, value: str | None) -> str | None:
        if value is not None and (not value.startswith(("http://", "https://")) or "{message_id}" not in value):
            raise ValueError(
                "must be an address with {message_id} in it, such as https://lists.example.com/{message_id}"
            )
        return value

    @model_validator(mode="after")
    def _is_one(self) -> "ImapConfig":
        if (self.url is None) == (self.path is None):
            raise ValueError("give either a url, the address of a mail server, or the path of an mbox file or Maildir")
        if (self.url is None) != (self.credential is None):
            raise ValueError(
                "a url needs a credential, the name of a secret user:password, which may be an app password; a path"
                " needs none"
            )
        return self

    @property
    def reading(self) -> str:
        """What differs as soon as unchanged messages become other documents."""
        fields = self.model_dump(mode="json", include={"attachments", "link", "max_megabytes", "passwords"})
        return content_hash(fields).hex()[:12]

    def web_address(self, message_id: str) -> str:
        """Where people open a message, or its attachment; empty if that is not known."""
        if self.link is None or not message_id:
            return ""
        return self.link.replace("{message_id}", quote(message_id, safe="@"))


def guess_imap(address: Address) -> Guess | None:
    """Addresses that begin with imaps:// or imap://, mbox files by their ending, and Maildirs."""
    if address.path is not None:
        return _local(address.path)
    url = address.url
    if url is None or url.scheme.lower() not in IMAP_PORTS or not url.hostname:
        return None
    message = (
        f"the messages of a mailbox at {url.hostname}; name its user:password, which may be an app password, with --set"
        " credential=NAME"
    )
    return Guess(config={"url": f"{url.scheme.lower()}://{url.netloc}"}, words=message, score=0.95, slug="mail")


def is_maildir(path: Path) -> bool:
    """Whether a folder is a Maildir."""
    return all((path / name).is_dir() and not (path / name).is_symlink() for name in _MAILDIR_FOLDERS)


def _local(path: Path) -> Guess | None:
    if path.is_dir() and is_maildir(path):
        message = f"the messages of the Maildir {path.name}"
    elif path.suffix.lower() == ".mbox" and path.is_file():
        message = f"the messages of the mbox file {path.name}"
    else:
        return None
    return Guess(config={"path": str(path)}, words=message, score=0.9, slug=path.stem)
