"""Values of settings as they are written in the environment.

Belongs here: turning one text into a value. Not here: which settings there are, reading the environment (`settings`).
Guarantee: pure; a value of the wrong kind is an error that names its variable.
"""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from headwater.errors import InvalidConfigurationError

_MIN_SECRET_CHARS = 32  # characters


def files(env: Mapping[str, str]) -> str | None:
    """A folder as an absolute path, or an address unchanged; None if it is not set."""
    text = env.get("HEADWATER_FILES", "").strip()
    if text.startswith("file://"):
        text = text.removeprefix("file://")
    if not text or "://" in text:
        return text or None
    return str(Path(text).expanduser().resolve())


def proxy(env: Mapping[str, str]) -> str | None:
    """The address of an HTTP proxy."""
    text = env.get("HEADWATER_FETCH_PROXY", "").strip()
    if text and not re.fullmatch(r"https?://[^\s/]+/?", text):
        raise InvalidConfigurationError(
            "HEADWATER_FETCH_PROXY must be the address of an HTTP proxy, such as http://proxy.example.com:3128."
        )
    return text or None


def collector(env: Mapping[str, str]) -> str | None:
    """The address of an OpenTelemetry collector, without the path that is added to it."""
    text = env.get("HEADWATER_TRACES_URL", "").strip().rstrip("/")
    if text and not re.fullmatch(r"https?://[^\s]+", text):
        raise InvalidConfigurationError(
            "HEADWATER_TRACES_URL must be the address of an OpenTelemetry collector, such as http://127.0.0.1:4318."
        )
    return text or None


def split_list(env: Mapping[str, str], name: str) -> tuple[str, ...]:
    """The parts of a list that commas separate."""
    return tuple(item.strip() for item in env.get(name, "").split(",") if item.strip())


def own_secret(env: Mapping[str, str], name: str) -> str | None:
    """A secret that callers of ours send."""
    text = env.get(name, "").strip()
    if text and (len(text) < _MIN_SECRET_CHARS or not text.isascii() or not text.isprintable() or " " in text):
        raise InvalidConfigurationError(
            f"{name} must have at least {_MIN_SECRET_CHARS} letters, digits and signs, without spaces. Such a secret is"
            " printed by: openssl rand -hex 32"
        )
    return text or None


def networks(env: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Addresses and networks."""
    texts = split_list(env, name)
    for text in texts:
        try:
            ipaddress.ip_network(text)
        except ValueError:
            raise InvalidConfigurationError(
                f"{name} has {text[:80]!r}, which is neither an address nor a network, such as 10.0.0.7 or 10.0.0.0/24."
            ) from None
    return texts


def choice(env: Mapping[str, str], name: str, choices: Sequence[str]) -> str:
    """One of several words; the first is the default."""
    text = env.get(name) or choices[0]
    if text not in choices:
        raise InvalidConfigurationError(f"{name} is {text!r}, but must be one of: {', '.join(choices)}.")
    return text


def cron_line(env: Mapping[str, str], name: str, default: str) -> str:
    """A cron line of five fields."""
    text = (env.get(name) or default).strip()
    if not re.fullmatch(r"[\d*/,a-zA-Z-]+(?:\s+[\d*/,a-zA-Z-]+){4}", text):
        raise InvalidConfigurationError(
            f"{name} is {text!r}, but must be a cron line of five fields, such as {default!r}."
        )
    return text


def whole_number(env: Mapping[str, str], name: str, default: str) -> int:
    """A whole number of 0 or more."""
    text = env.get(name) or default
    if not text.isdecimal():
        raise InvalidConfigurationError(f"{name} is {text!r}, but must be a whole number of 0 or more.")
    return int(text)
