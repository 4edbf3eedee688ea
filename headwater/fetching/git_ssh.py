"""How git reaches a host over ssh.

Belongs here: the command that git runs, and its options. Not here: addresses (`git_urls`), fetching
(`git_repository`). Guarantee: ssh connects to an address that the gate checked, and to a host whose key the operator
has recorded; it uses the one key that the source's credential names, no other of the user's keys, no agent and no
configuration, and starts no other program.
"""

import os
import shlex
from pathlib import Path

from headwater.errors import FetchRefusedError, SourceError
from headwater.fetching.credentials import Credential
from headwater.fetching.git_urls import SSH_PORT, SshAddress
from headwater.fetching.url_guard import UrlGuard
from headwater.settings import credential_variable

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
