"""The commands `models`: getting and running models on this machine.

Belongs here: their arguments, and which part gets a model. Not here: serving one (`cli.processes.local_llm`).
Guarantee: as for every command (`main`); no other command downloads a model.
"""

import threading
from pathlib import Path

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

    model = file or small_model()
    name = model.stem.lower()
    server = start_server(model, name=name, port=port, threads=threads)
    try:  # who reads the address may interrupt at once
        note(
            f"Serving {name}. In the environment of Headwater, set OPENAI_API_BASE to the address below and "
            f"OPENAI_API_KEY to none; in the knowledge base file, set answer_model to openai/{name}. Ctrl-C stops it."
        )
        click.echo(f"{server.listening_address}/v1")
        threading.Event().wait()
    except KeyboardInterrupt:
        note("Stopped.")
