"""Dagster's code server: `python -m cli.processes.code_server -h HOST -p PORT`.

Belongs here: starting Dagster's own server with Headwater's definitions. Not here: the definitions. Guarantee: it
differs from Dagster's command only in that the stores that sensors read every few seconds stay open.
"""

import sys

import click

_MODULE = ("-m", "pipelines.definitions", "--use-python-environment-entry-point")


def command(host: str, port: int) -> list[str]:
    """Dagster's own command for an address."""
    return ["dagster", "api", "grpc", *_MODULE, "-h", host, "-p", str(port)]


@click.command()
@click.option("-h", "--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("-p", "--port", default=4000, show_default=True, type=click.IntRange(1, 65535))
def main(host: str, port: int) -> None:
    """Serve until a signal stops the process."""
    from dagster._cli import main as dagster

    from assets.resources import keep_stores

    keep_stores()
    sys.argv = command(host, port)
    dagster()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
