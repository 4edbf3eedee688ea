"""What a command prints.

Belongs here: one JSON document on stdout with `--json`, text for people without, errors and notes on stderr, exit
statuses. Not here: what is in them. Guarantee: a user never sees a stack trace.
"""

import functools
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import click

from headwater.errors import HeadwaterError

P = ParamSpec("P")
R = TypeVar("R")

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")


def emit(document: Mapping[str, Any], *, as_json: bool, text: str) -> None:
    """Print a result: the document, or the text made of it for people."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2, default=str) if as_json else text)


def note(message: str) -> None:
    """Tell people something that is not the result."""
    click.echo(message, err=True)


def reports_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Turn errors into a message, and an error document with `--json`; the exit status is the error's."""

    @functools.wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except HeadwaterError as error:
            if kwargs.get("as_json"):
                click.echo(json.dumps({"error": {"code": error.code, "message": str(error)}}, ensure_ascii=False))
            note(f"Error: {error}")
            sys.exit(error.exit_status)
        except KeyboardInterrupt:
            note("Interrupted. Nothing is lost; run it again to finish.")
            sys.exit(130)

    return guarded
