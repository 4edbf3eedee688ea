"""Ollama's own API: which models it has, and getting one.

Belongs here: `/api/tags` and `/api/pull`. Not here: embedding and chatting, which go through litellm. Guarantee: only
`pull` makes Ollama download; every request is bounded in time.
"""

import json
import re
from collections.abc import Callable

from headwater.errors import ModelUnavailableError
from headwater.settings import hide_secrets, variable

PROVIDERS = ("ollama", "ollama_chat")
"""How litellm calls Ollama: by its generate and by its chat endpoint."""
_DEFAULT_ADDRESS = "http://localhost:11434"
_SILENCE = 60.0  # seconds without a line of progress until a download has failed


def is_ollama(model: str) -> bool:
    """Whether Ollama runs a model."""
    return model.partition("/")[0] in PROVIDERS


def address() -> str:
    """Where Ollama is, as litellm finds it."""
    return (variable("OLLAMA_API_BASE") or _DEFAULT_ADDRESS).rstrip("/")


def without_user(address: str) -> str:
    """An address as it may be shown: without a user and a password."""
    return re.sub(r"//[^/@]*@", "//", address)


def problem(model: str, timeout: float) -> str | None:
    """Why a model cannot be used, and what to do; None if Ollama has it.

    Args:
        model: its full name.
        timeout: seconds to wait for Ollama.
    """
    import httpx

    name, shown_address = model.partition("/")[2], without_user(address())
    try:
        response = httpx.get(f"{address()}/api/tags", timeout=timeout)
        response.raise_for_status()
        installed = {str(model["name"]) for model in response.json()["models"]}
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
        return (
            f"Ollama at {shown_address} does not answer ({_words(error)}). Start it with `ollama serve`, or set "
            "OLLAMA_API_BASE to its address."
        )
    if _with_tag(name) in installed:
        return None
    return (
        f"Ollama at {shown_address} does not have {name}. Run `ollama pull {name}`, or `headwater models pull {model}`."
    )


def pull(model: str, tell: Callable[[str], None]) -> None:
    """Make Ollama download a model, unless it has it.

    Args:
        model: its full name.
        tell: is given each new step of the download.

    Raises:
        ModelUnavailableError: Ollama does not answer, does not know the model, or cannot download it.
    """
    import httpx

    name, shown_address = model.partition("/")[2], without_user(address())
    step = ""
    try:
        with httpx.stream("POST", f"{address()}/api/pull", json={"model": name}, timeout=_SILENCE) as response:
            for line in response.iter_lines():
                status = json.loads(line)
                if status.get("error"):
                    raise ModelUnavailableError(f"Ollama cannot get {name}: {status['error']}")
                if status.get("status", step) != step:
                    step = str(status["status"])
                    tell(step)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, AttributeError) as error:
        raise ModelUnavailableError(
            f"Ollama at {shown_address} did not get {name}: {_words(error)}. Check that it runs (`ollama serve`) and "
            "that OLLAMA_API_BASE is its address."
        ) from error
    if step != "success":
        raise ModelUnavailableError(f"Ollama broke off while it was getting {name} ({step or 'no answer'}). Try again.")


def _with_tag(name: str) -> str:
    """The name as Ollama lists it: without a tag, it means the latest."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def _words(error: Exception) -> str:
    """The error's first line; httpx repeats the whole address in it."""
    first_line = str(error).partition("\n")[0] or type(error).__name__
    return without_user(hide_secrets(first_line))
