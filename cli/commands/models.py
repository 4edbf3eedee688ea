"""The commands `models`: getting and running models on this machine.

Belongs here: their arguments, and which part gets a model. Not here: serving one (`cli.processes.local_llm`).
Guarantee: as for every command (`main`); no other command downloads a model.
"""

import signal
import threading
from pathlib import Path
from typing import Any, NoReturn

import click

from cli.output import WholeNumber, emit, json_option, note, reports_errors


@click.group()
def models() -> None:
    """Get and run models on this machine."""


@models.command()
@click.argument("model")
@json_option
@reports_errors
def pull(model: str, as_json: bool) -> None:
    """Download MODEL, such as fastembed/BAAI/bge-small-en-v1.5 or ollama/llama3.2:3b."""
    from headwater.errors import UnknownModelError
    from headwater.models_gateway import fastembed_files, ollama
    from headwater.settings import Settings

    if model.startswith(fastembed_files.PREFIX):
        folder = Settings.from_env().models_folder
        place = str(folder)
        fastembed_files.pull(model, fastembed_files.role_of(model), folder)
    elif ollama.is_ollama(model):
        place = ollama.without_user(ollama.address())
        ollama.pull(model, note)
    else:
        raise UnknownModelError(
            f"{model} cannot be downloaded. Name a model of fastembed (fastembed/…) or of Ollama (ollama/…); built-in "
            "models are installed already, and other models run at their provider."
        )
    emit({"model": model, "place": place}, as_json=as_json, text=f"{model} is there, in {place}.")


@models.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--port", default=18081, show_default=True, type=WholeNumber(0, 65535), help="0 takes any free port.")
@click.option("--threads", default=1, show_default=True, type=WholeNumber(1, 1024), help="Threads that compute.")
@reports_errors
def serve(file: Path | None, port: int, threads: int) -> None:
    """Serve a chat model from FILE (GGUF) with OpenAI's API, until Ctrl-C; by default a small one for trying things."""
    from cli.processes.local_llm import small_model, start_server
    from headwater.models_gateway.local_server import forget_key
    from headwater.settings import Settings

    home = Settings.from_env().home
    model = file or small_model()
    name = model.stem.lower()
    server = start_server(model, name=name, port=port, threads=threads)
    previous_handlers = {
        signal_number: signal.signal(signal_number, _interrupt) for signal_number in (signal.SIGINT, signal.SIGTERM)
    }
    try:  # who reads the address may interrupt at once
        is_remembered = _remembers(home, server.address, server.key)
        key_advice = (
            f"Headwater takes the key below from {home}; other programs need it"
            if is_remembered
            else "The key is needed"
        )
        note(
            f"Serving {name}. In the environment of Headwater, set OPENAI_API_BASE to the address below; in the"
            f" knowledge base file, set answer_model to openai/{name}. {key_advice} as OPENAI_API_KEY. Ctrl-C stops the"
            " server."
        )
        click.echo(f"{server.address}\n{server.key}")
        threading.Event().wait()
    except KeyboardInterrupt:
        note("Stopped.")
    finally:
        forget_key(home, server.key)
        server.close()
        for signal_number, handler in previous_handlers.items():
            signal.signal(signal_number, handler)


def _remembers(home: Path, address: str, key: str) -> bool:
    """Keep the key for Headwater's other processes; False if the home cannot be written."""
    from headwater.models_gateway.local_server import remember_key

    try:
        remember_key(home, address, key)
    except OSError:
        return False
    return True


def _interrupt(*_: Any) -> NoReturn:
    """End in order, so that the key and the model's socket go, also where a shell has made us ignore Ctrl-C."""
    raise KeyboardInterrupt
