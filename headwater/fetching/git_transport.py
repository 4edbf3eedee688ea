"""How git reaches a host through the gate, over https and over ssh.

Belongs here: the settings of git, and the command of ssh, that lead to a checked address. Not here: addresses
(`git_urls`), fetching (`git_repository`), what is allowed (`url_guard`). Guarantee: git resolves no name itself; it
connects to the addresses that the gate checked, or to the operator's proxy. ssh connects to a host whose key the
operator has recorded; it uses the one key that the source's credential names, no other of the user's keys, no agent and
no configuration, and starts no other program.
"""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from headwater.errors import FetchRefusedError, SourceError
from headwater.fetching.credentials import Credential
from headwater.fetching.git_urls import SSH_PORT, SshAddress
from headwater.fetching.url_guard import Target, UrlGuard
from headwater.settings import credential_variable

_PINNING = (2, 37)  # the version of git that learned http.curloptResolve


def reach(gate: UrlGuard, url: str) -> dict[str, str]:
    """The settings with which git reaches the host of an https address.

    Raises:
        FetchRefusedError: the gate refuses the host. SourceError: git is too old to connect to a given address.
    """
    target = gate.check_url(url)
    if not urlsplit(url).netloc.isascii():
        raise SourceError(f"{url} could not be fetched: write its host as {target.host}.")
    if gate.is_proxied(target.host, target.port):
        return {"http.proxy": gate.proxy}
    addresses = gate.addresses(target.host, target.port)
    if target.host in addresses:
        return {}
    from git import Git

    if Git().version_info < _PINNING:
        raise SourceError(f"{url} could not be fetched: git is too old. Install git 2.37 or later.")
    return {"http.curloptResolve": _format_addresses(target, addresses)}


def as_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Git settings as environment variables, where no other user sees them."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for index, (name, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
    return variables


def _format_addresses(target: Target, addresses: Sequence[str]) -> str:
    """The addresses of a host, as curl takes them."""
    listed = ",".join(f"[{address}]" if ":" in address else address for address in addresses)
    return f"{target.host}:{target.port}:{listed}"


_OPTIONS = {
    "BatchMode": "yes",
    "StrictHostKeyChecking": "yes",
    "UpdateHostKeys": "no",
    "IdentitiesOnly": "yes",
    "IdentityAgent": "none",
    "ForwardAgent": "no",
    "ClearAllForwardings": "yes",
    "PermitLocalCommand": "no",
    "ProxyCommand": "none",
    "ProxyJump": "none",
    "ControlPath": "none",
    "CanonicalizeHostname": "no",
    "PasswordAuthentication": "no",
    "KbdInteractiveAuthentication": "no",
    "ConnectTimeout": "30",
    "ServerAliveInterval": "15",
    "ServerAliveCountMax": "4",
}


def ssh_environment(gate: UrlGuard, address: SshAddress, credential: Credential | None) -> dict[str, str]:
    """The environment with which git reaches a host over ssh.

    Raises:
        FetchRefusedError: the gate refuses the host. SourceError: the credential is not the file of a key.
    """
    addresses = gate.addresses(address.host, address.port, usual=SSH_PORT)
    if gate.is_proxied(address.host, address.port):
        raise FetchRefusedError(
            f"{address.host} is refused: ssh does not go through HEADWATER_FETCH_PROXY. Give the https:// address, or"
            f" add {address.netloc} to HEADWATER_FETCH_ALLOW."
        )
    alias = address.host if address.port == SSH_PORT else f"[{address.host}]:{address.port}"
    options = {**_OPTIONS, "HostName": addresses[0], "HostKeyAlias": alias, "IdentityFile": str(_key(credential))}
    words = ["ssh", "-F", os.devnull, *(f"-o{name}={value}" for name, value in options.items())]
    return {"GIT_ALLOW_PROTOCOL": "ssh", "GIT_SSH_COMMAND": shlex.join(words), "GIT_SSH_VARIANT": "ssh"}


def _key(credential: Credential | None) -> Path:
    if credential is None:
        raise SourceError("An ssh address needs the source's credential: the file of a key.")
    path = Path(credential.secret).expanduser()
    if not path.is_absolute() or not path.is_file() or any(sign in credential.secret for sign in '%"$'):
        raise SourceError(
            f"{credential_variable(credential.name)} must be the absolute path of a private key's file, for an address"
            " of ssh."
        )
    return path
