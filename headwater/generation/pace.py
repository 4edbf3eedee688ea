"""How fast a chat model reads, as this process has seen it.

Belongs here: measuring it, the limit for the first token that follows from it, how many tokens of sources a model can
read in time. Not here: calling models (`headwater.models_gateway`), which sources are left out (`prompt_sources`).
Guarantee: any thread may call this; nothing is stored; a model that nobody has measured, on another machine, is not
limited.
"""

import ipaddress
import statistics
import threading
from collections import deque
from functools import cache
from urllib.parse import urlsplit

from headwater.models_gateway import ollama
from headwater.settings import variable

LOCAL_READING = 60.0
"""Tokens a second that a model on this machine is assumed to read until one of its replies was measured: a model of 1.5
billion parameters reads 25 on one core, and 60 and more on four."""
FIRST_WORD_SECONDS = 10.0
"""How long a reader should wait for the first word."""
_SLACK, _FACTOR = 30.0, 3.0  # seconds, and times the expected time, until a model counts as too slow
_MIN_SOURCE_TOKENS = 500  # that a model always gets: with one quote alone, a small one says that it does not know
_MEASURABLE = 50  # tokens of a prompt: of a shorter one, the time is mostly that of the connection
_REMEMBERED = 5  # replies of each model
_LOCAL_PROVIDERS = ("llamafile", "lm_studio", "ollama", "ollama_chat")


class PaceBook:
    """The speeds of models, by their names."""

    def __init__(self) -> None:
        self._seen: dict[str, deque[float]] = {}  # the latest speeds, in tokens a second
        self._lock = threading.Lock()

    def note(self, model: str, *, prompt_tokens: int, first_token_seconds: float) -> None:
        """Remember how long a reply took.

        Args:
            model: the one that gave it.
            prompt_tokens: tokens that it read.
            first_token_seconds: from the request to its first word.
        """
        if prompt_tokens >= _MEASURABLE and first_token_seconds > 0:
            with self._lock:
                seen = self._seen.setdefault(model, deque(maxlen=_REMEMBERED))
                seen.append(prompt_tokens / first_token_seconds)

    def reading_speed(self, model: str) -> float | None:
        """Tokens a second that a model reads: measured, or assumed of a local one; None if nothing is known."""
        with self._lock:
            speeds = list(self._seen.get(model, ()))
        return statistics.median(speeds) if speeds else LOCAL_READING if is_local_model(model) else None

    def first_token_limit(self, model: str, prompt_tokens: int) -> float:
        """Seconds until a model that has said nothing counts as too slow; 0 if nothing is known about it."""
        speed = self.reading_speed(model)
        return prompt_tokens / speed * _FACTOR + _SLACK if speed else 0.0

    def source_tokens(self, model: str, other_tokens: int) -> int | None:
        """Tokens of sources that a model reads in time for its first word; None without a limit.

        Args:
            model: its name.
            other_tokens: of the prompt without sources.
        """
        speed = self.reading_speed(model)
        return None if speed is None else max(_MIN_SOURCE_TOKENS, int(speed * FIRST_WORD_SECONDS) - other_tokens)

    def forget(self) -> None:
        """Forget all that was seen."""
        with self._lock:
            self._seen.clear()


@cache
def pace_book() -> PaceBook:
    """The one of this process."""
    return PaceBook()


def is_local_model(model: str) -> bool:
    """Whether a model's server is on this machine or in its own network, as far as the environment says."""
    provider = model.partition("/")[0]
    if ollama.is_ollama(model):
        return _is_near(ollama.address())
    prefix = provider.upper()
    address = next(filter(None, map(variable, (f"{prefix}_BASE_URL", f"{prefix}_API_BASE"))), "")
    return _is_near(address) if address else provider in _LOCAL_PROVIDERS


def _is_near(address: str) -> bool:
    host = urlsplit(address if "//" in address else f"//{address}").hostname or ""
    if host == "localhost" or host.endswith((".local", ".localhost", ".internal")):
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return bool(host) and "." not in host  # a name of a container or of a machine beside this one
    return ip.is_loopback or ip.is_private or ip.is_link_local
