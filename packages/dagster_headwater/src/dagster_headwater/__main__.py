"""`python -m dagster_headwater down`: stop the embedded Postgres of a project.

Belongs here: this command. Not here: starting it, which a run does. Guarantee: a server of your own is left alone.
"""

import sys
from pathlib import Path

from headwater.store.server import embedded_postgres


def main(arguments: list[str]) -> str:
    """Do what the arguments say; returns what was done, for people."""
    if not arguments or arguments[0] != "down" or len(arguments) > 2:
        raise SystemExit("Usage: python -m dagster_headwater down [HOME]; HOME is .headwater if you give none.")
    home = Path(arguments[1] if len(arguments) > 1 else ".headwater").resolve()
    return (
        f"Stopped the Postgres of {home}."
        if embedded_postgres.stop(home / "postgres")
        else f"No Postgres runs in {home}."
    )


if __name__ == "__main__":
    print(main(sys.argv[1:]))  # noqa: T201 - what a command says
