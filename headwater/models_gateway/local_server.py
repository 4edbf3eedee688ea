"""The key of the chat model that `headwater models serve` runs on this machine.

Belongs here: keeping the key beside the address that it belongs to, and finding it for a call. Not here: the server
(`cli.processes.local_llm`). Guarantee: only the owner of the home can read the key; it is sent to no address but the
one that the server printed, so whoever sets that address needs no key in the environment.
"""

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path

from headwater.private_files import private_folder
from headwater.settings import Settings, variable

FILE = "model-server.json"
_ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
_PROVIDER = "openai/"


def new_key() -> str:
    """A key for a server that starts: 256 random bits."""
    return f"hwm_{secrets.token_urlsafe(32)}"


def remember_key(home: Path, address: str, key: str) -> None:
    """Keep the key of a server that begins to listen; it replaces that of the server before.

    Raises:
        OSError: the home cannot be written.
    """
    file = private_folder(home) / FILE
    new_file = file.with_name(f"{FILE}.{os.getpid()}")
    descriptor = os.open(new_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump({"address": address, "key": key}, out)
    new_file.replace(file)


def forget_key(home: Path, key: str) -> None:
    """Forget the key of a server that ends; not that of one that started meanwhile."""
    if _read_record(home).get("key") == key:
        with suppress(OSError):  # the key opens nothing any more
            (home / FILE).unlink()


def key_for_call(model: str) -> str | None:
    """The key for a model, if the environment's address is that of our own server; otherwise None."""
    if not model.startswith(_PROVIDER):
        return None
    address = next(filter(None, map(variable, _ADDRESSES)), "")
    return key_of_address(address) if address else None


def key_of_address(address: str) -> str | None:
    """The key of our own server, if it listens at an address; otherwise None."""
    record, wanted_address = (
        _read_record(Settings.from_env().home),
        address.rstrip("/").replace("//localhost:", "//127.0.0.1:"),
    )
    return record.get("key") if record.get("address") == wanted_address else None


def _read_record(home: Path) -> dict[str, str]:
    with suppress(OSError, ValueError):
        record = json.loads((home / FILE).read_text(encoding="utf-8"))
        if isinstance(record, dict):
            return {str(name): str(value) for name, value in record.items()}
    return {}
