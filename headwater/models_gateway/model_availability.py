"""Whether a model can be used now, as far as that can be told for nothing.

Belongs here: files on this machine, keys, the addresses of your own servers, and how the last call ended. Not here:
which models are in use (`headwater.administration.model_states`). Guarantee: no model is called, nothing is downloaded,
and a server that does not answer takes two seconds.
"""

from headwater.errors import HeadwaterError
from headwater.models_gateway import cross_encoder, e5, fastembed_files, minilm, ollama, outcomes
from headwater.models_gateway.local_server import key_of_address
from headwater.models_gateway.providers import find_missing_key
from headwater.settings import Settings, hide_secrets, variable

TIMEOUT = 2.0  # seconds for a server
_FRESH = 60.0  # seconds for which the last call says more than a look at the server
_RECENT = 600.0  # the same, if nobody can look: a failure is reported for that long unless a call succeeds
_FAILING = (500, 502, 503, 504)  # 501 and other statuses mean that it does not list its models
_MINILM = ("builtin/minilm-int8", "builtin/minilm-int8-128d")
_ADDRESSES = {
    "openai": (("OPENAI_BASE_URL", "OPENAI_API_BASE"), "OPENAI_API_KEY"),
    "hosted_vllm": (("HOSTED_VLLM_API_BASE",), "HOSTED_VLLM_API_KEY"),
    "litellm_proxy": (("LITELLM_PROXY_API_BASE",), "LITELLM_PROXY_API_KEY"),
    "llamafile": (("LLAMAFILE_API_BASE",), "LLAMAFILE_API_KEY"),
    "lm_studio": (("LM_STUDIO_API_BASE",), "LM_STUDIO_API_KEY"),
}
"""Providers whose server may be your own and lists its models at `/models`, and the variables that litellm reads."""


def problem_of(model: str, role: fastembed_files.Role | None, settings: Settings) -> str | None:
    """Why a model cannot be used, and what to do; None if nothing is known against it.

    Args:
        model: its full name.
        role: what fastembed's models are for; None for a chat model.
        settings: where files are.
    """
    try:
        if model in _MINILM:
            minilm.find_weights()
        if model == "builtin/e5-multilingual-int8":
            e5.find_weights()
        if model == "builtin/cross-encoder":
            cross_encoder.find_weights()
        if role is not None and model.startswith(fastembed_files.PREFIX):
            fastembed_files.check_files(model, role, settings.models_folder)
    except HeadwaterError as error:
        return str(error)
    if model.startswith(("builtin/", fastembed_files.PREFIX)):
        return None
    key = find_missing_key(model)
    return f"{key} is not set in the environment." if key else _problem_of_server(model)


def _problem_of_server(model: str) -> str | None:
    last = outcomes.last_outcome(model)
    if last is not None and last.age < _FRESH:
        return last.problem
    if ollama.is_ollama(model):
        return ollama.problem(model, TIMEOUT)
    bases, key = _ADDRESSES.get(model.partition("/")[0], ((), ""))
    address = next((value for name in bases if (value := variable(name))), "")
    if address:
        return _problem_of_address(address.rstrip("/"), key)
    return last.problem if last is not None and last.age < _RECENT else None


def _problem_of_address(address: str, key: str) -> str | None:
    """Why a server that speaks OpenAI's API cannot be used; one that lists no models can be."""
    import httpx

    shown_address, secret = ollama.without_user(address), key_of_address(address) or variable(key)
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    try:
        status = httpx.get(f"{address}/models", headers=headers, timeout=TIMEOUT).status_code
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        words = hide_secrets(str(error) or type(error).__name__)
        return f"The server at {shown_address} does not answer ({words}). Check that it is up, and the address."
    if status in (401, 403):
        return f"The server at {shown_address} refuses the key. Check {key}."
    return f"The server at {shown_address} fails with status {status}. Look at its log." if status in _FAILING else None
