"""Dagster's code server: `python -m cli.processes.code_server -h HOST -p PORT`.

Belongs here: starting Dagster's own server with Headwater's definitions. Not here: the definitions. Guarantee: it
differs from Dagster's command only in that the stores that sensors read every few seconds stay open.
"""

import sys

_MODULE = ("-m", "pipelines.definitions", "--use-python-environment-entry-point")


def main() -> None:
    """Serve until a signal stops the process."""
    from dagster._cli import main as dagster

    from assets.resources import keep_stores

    keep_stores()
    sys.argv = ["dagster", "api", "grpc", *_MODULE, *sys.argv[1:]]
    dagster()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
