"""Dagster's code server: `python -m cli.processes.code_server -h HOST -p PORT`.

Belongs here: starting Dagster's own server with what Headwater defines. Not here: definitions. Guarantee: it is
Dagster's command, but for connections: what sensors look at every few seconds is kept open.
"""

import sys

_MODULE = ("-m", "pipelines.definitions", "--use-python-environment-entry-point")


def main() -> None:
    """Serve until a signal comes."""
    from dagster._cli import main as dagster

    from assets.resources import keep_stores

    keep_stores()
    sys.argv = ["dagster", "api", "grpc", *_MODULE, *sys.argv[1:]]
    dagster()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
