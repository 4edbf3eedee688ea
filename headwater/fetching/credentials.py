"""Secrets that sources name: tokens and passwords of private hosts (SRC-14).

Belongs here: what a name may be, finding the secret, and the forms it is sent in. Not here: reading the environment
(`settings`), sending (`git_repository`). Guarantee: a source's row holds the name alone; a secret has no repr, and goes
only to the host that it is for.
"""

import base64
import re
from dataclasses import dataclass, field

from headwater.errors import SourceError
from headwater.settings import credential, credential_variable

_NAME = re.compile(r"(?!.*_host\Z)[a-z][a-z0-9_]{0,31}", re.IGNORECASE | re.ASCII)  # most tokens are longer
_TOKEN_USER = "x-access-token"  # noqa: S105 - a name that GitHub asks for, and that others take like any


@dataclass(frozen=True, kw_only=True, slots=True)
class Credential:
    """A secret, and the name it goes by."""

    name: str
    secret: str = field(repr=False)

    @property
    def basic(self) -> str:
        """The value of an `Authorization` header; a secret without a user name is a token."""
        pair = self.secret if ":" in self.secret else f"{_TOKEN_USER}:{self.secret}"
        return f"Basic {base64.b64encode(pair.encode()).decode()}"

    def hidden(self, text: str) -> str:
        """A text from outside, without the secret in any of its forms."""
        for form in (self.basic.removeprefix("Basic "), self.secret, self.secret.partition(":")[2]):
            text = text.replace(form, "***") if form else text
        return text


def check_credential_name(name: str) -> str:
    """Return the name if it can be one.

    Raises:
        ValueError: it cannot; it is not repeated, since it may be the secret itself.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            "credential: must be a name of letters, digits and _, not the secret; "
            "the secret is in the variable HEADWATER_CREDENTIAL_ and that name"
        )
    return name


def find_credential(name: str, host: str) -> Credential:
    """Find the secret of a name, for a host.

    Args:
        name: as a source's config has it.
        host: who would see it; with its port where the address has one.

    Raises:
        SourceError: there is none, or it is not for that host; the message names the variable.
    """
    variable = credential_variable(name)
    found = credential(name)
    if found is None:
        raise SourceError(
            f"There is no credential {name}. Set {variable} to a token or user:password, and start again."
        )
    secret, allowed = found
    if not allowed:
        raise SourceError(
            f"The credential {name} names no host. Set {variable}_HOST to the one that may see it, such as {host}."
        )
    if allowed.lower() != host.lower():
        raise SourceError(f"The credential {name} is not for {host}: {variable}_HOST says {allowed}.")
    if not secret.isprintable():
        raise SourceError(f"{variable} holds a line break or another character that cannot be sent.")
    return Credential(name=name, secret=secret)
