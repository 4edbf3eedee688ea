"""Secrets that sources name: tokens and passwords of private hosts (SRC-14).

Belongs here: valid names, finding the secret, and the forms in which it is sent. Not here: reading the environment
(`settings`), sending (`git_repository`, `http_client`). Guarantee: a source's row holds only the name; a secret has no
repr, and is sent only to its own host.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.errors import SourceError
from headwater.settings import credential, credential_variable

_NAME = re.compile(r"(?!.*_host\Z)[a-z][a-z0-9_]{0,31}", re.IGNORECASE | re.ASCII)  # shorter than most tokens
_COOKIE = re.compile(r"cookie:\s*(.+)", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(r"(x-personal-access-token|x-service-account-access-key):\s*(\S+)", re.IGNORECASE)  # Cosense's
_BEARER = re.compile(r"bearer\s+(\S+)", re.IGNORECASE)
_USUAL_PORT = re.compile(r":443\Z")
_SHORT = 4  # characters: hiding a shorter part of a cookie, such as its name, would garble any text
_TOKEN_USER = "x-access-token"  # noqa: S105 - a name that GitHub asks for, and that others take like any


@dataclass(frozen=True, kw_only=True, slots=True)
class Credential:
    """A secret and its name."""

    name: str
    secret: str = field(repr=False)

    @property
    def basic(self) -> str:
        """The value of an `Authorization` header; a secret without a user name is a token."""
        pair = self.secret if ":" in self.secret else f"{_TOKEN_USER}:{self.secret}"
        return f"Basic {base64.b64encode(pair.encode()).decode()}"

    def hidden(self, text: str) -> str:
        """An external text with the secret removed in all its forms."""
        for form in (self.basic.removeprefix("Basic "), self.secret, self.secret.partition(":")[2]):
            text = text.replace(form, "***") if form else text
        return text


@dataclass(frozen=True, kw_only=True, slots=True)
class HostCredential:
    """A secret as websites take it, and the only host that gets it."""

    name: str
    host: str
    headers: Mapping[str, str] = field(repr=False)

    def is_for(self, netloc: str) -> bool:
        """Whether a host, with its port unless it is the usual one, is the secret's own."""
        return _USUAL_PORT.sub("", self.host.lower()) == netloc.lower()

    def hidden(self, text: str) -> str:
        """An external text with the secret removed in all its forms."""
        for value in self.headers.values():
            for form in (value, value.partition(" ")[2], *re.split(r"[;=]\s*", value)):
                text = text.replace(form, "***") if len(form) >= _SHORT else text
        return text


def check_credential_name(name: str) -> str:
    """Return the name if it is valid.

    Raises:
        ValueError: it is not; the message does not repeat it, since it may be the secret itself.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            "credential: must be a name of letters, digits and _, not the secret; "
            "the secret is in the variable HEADWATER_CREDENTIAL_ and that name"
        )
    return name


def find_credential(name: str, host: str) -> Credential:
    """Find the secret with a name, for a host.

    Args:
        name: the name in a source's config.
        host: the host that would get the secret, with its port if the address has one.

    Raises:
        SourceError: there is none, or it is not for that host; the message names the variable.
    """
    secret, allowed = _find_secret(name, such_as=host)
    if allowed.lower() != host.lower():
        raise SourceError(f"The credential {name} is not for {host}: {credential_variable(name)}_HOST says {allowed}.")
    return Credential(name=name, secret=secret)


def find_host_credential(name: str) -> HostCredential:
    """Find the secret with a name as websites take it, with the host that it is for.

    It is a cookie if it begins with `Cookie:`, a header of Cosense if it begins with the name of one, else a bearer
    token if it begins with `Bearer` or is a single word, else a user and password.

    Args:
        name: the name in a source's config.

    Raises:
        SourceError: there is none, it names no host, or it cannot be sent.
    """
    secret, allowed = _find_secret(name, such_as="www.example.com")
    cookie, bearer, header = _COOKIE.fullmatch(secret), _BEARER.fullmatch(secret), _NAMED.fullmatch(secret)
    if cookie is not None:
        headers = {"Cookie": cookie[1].strip()}
    elif header is not None:
        headers = {header[1].lower(): header[2]}
    elif bearer is not None or ":" not in secret:
        headers = {"Authorization": f"Bearer {bearer[1] if bearer else secret}"}
    else:
        headers = {"Authorization": Credential(name=name, secret=secret).basic}
    if not all(value.isascii() for value in headers.values()):
        raise SourceError(f"{credential_variable(name)} holds a character that cannot be sent: only ASCII can.")
    return HostCredential(name=name, host=allowed, headers=headers)


def find_password(name: str) -> str:
    """Find the secret with a name that needs no host: it opens files, or names its own host, as a database's does.

    Args:
        name: the name in a source's config.

    Raises:
        SourceError: there is none, or it is for a host; the message names the variable.
    """
    variable = credential_variable(name)
    secret_and_host = credential(name)
    if secret_and_host is None:
        raise SourceError(f"There is no credential {name}. Set {variable} to its secret, and restart.")
    secret, host = secret_and_host
    if host:
        raise SourceError(
            f"The credential {name} is for {host}, but this needs a secret without a host. Remove {variable}_HOST, or"
            " name another."
        )
    return secret


def _find_secret(name: str, *, such_as: str) -> tuple[str, str]:
    """The secret with a name and the host that it is for.

    Raises:
        SourceError: there is none, or it names no host, or it cannot be sent.
    """
    variable = credential_variable(name)
    secret_and_hosts = credential(name)
    if secret_and_hosts is None:
        raise SourceError(f"There is no credential {name}. Set {variable} to a token or user:password, and restart.")
    secret, allowed = secret_and_hosts
    if not allowed:
        raise SourceError(
            f"The credential {name} names no host. Set {variable}_HOST to the host that may get it, such as {such_as}."
        )
    if not secret.isprintable():
        raise SourceError(f"{variable} holds a line break or another character that cannot be sent.")
    return secret, allowed
