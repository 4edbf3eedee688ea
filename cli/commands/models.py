"""The command `models`: models on this machine.

Belongs here: arguments. Not here: the work (`cli.processes.local_llm`). Guarantee: as for every command (`main`);
a model is downloaded only by `models pull`.
"""

import threading
from pathlib import Path

import click

from cli.output import WholeNumber, note, reports_errors


@click.group()
def models() -> None:
    """Get and run models on this machine."""


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
    click.echo(f"{server.listening_address}/v1")
    note(
        f"Serving {name}. In the environment of Headwater, set OPENAI_API_BASE to this address and OPENAI_API_KEY to "
        f"none; in the knowledge base file, set answer_model to openai/{name}. Ctrl-C stops it."
    )
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        note("Stopped.")
