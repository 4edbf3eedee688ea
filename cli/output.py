"""The options and the output that commands share.

Belongs here: one JSON document on stdout with `--json`, text for people without, errors and notes on stderr, exit
statuses, and shared options. Not here: the contents. Guarantee: a user never sees a stack trace; an unexpected error is
written to `HEADWATER_HOME/logs/cli.log`.
"""

import functools
import json
import select
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

import click

from cli.result_texts import plain
from headwater.errors import HeadwaterError
from headwater.full_disk import explain_by_full_disk
from headwater.private_files import private_folder
from headwater.settings import Settings


class WholeNumber(click.IntRange):
    """A number in a range; click calls this type "integer range" in its messages."""

    name = "whole number"


P = ParamSpec("P")
R = TypeVar("R")

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")


def to_time(_: click.Context, __: click.Parameter, value: str | None) -> datetime | None:
    """The time that an option names."""
    try:
        return None if value is None else datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a time such as 2026-11-21T17:30:00+01:00 or 2026-11-21.") from None


def parent_turn(_: click.Context, __: click.Parameter, value: str | None) -> UUID | str | None:
    """The turn that an option names, for `in_conversation`."""
    if value is None or value == "none":
        return "last" if value is None else None
    try:
        return UUID(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither the id of a turn nor `none`.") from None


as_of_option = click.option(
    "--as-of",
    metavar="TIME",
    callback=to_time,
    help="Search what readers saw at this past time (ISO 8601, in UTC unless it names a zone).",
)


_FILTERS = (
    click.option("--source", "sources", multiple=True, help="Search only this source; may be repeated."),
    click.option(
        "--category", "categories", multiple=True, help="Only this category and those beneath it; may be repeated."
    ),
    click.option("--tag", "tags", multiple=True, help="Only sources or documents with this tag; may be repeated."),
    click.option("--author", "authors", multiple=True, help="Only documents by this author; may be repeated."),
    click.option("--document", "documents", multiple=True, help="Only this document, by URI or id; may be repeated."),
    click.option("--language", "languages", multiple=True, help="Only this language, such as en; may be repeated."),
    click.option(
        "--since", "dated_from", metavar="TIME", callback=to_time, help="Only documents with this date or later."
    ),
    click.option("--before", "dated_to", metavar="TIME", callback=to_time, help="Only documents with an earlier date."),
)


def filter_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options that filter a search or a question; the command receives them as `filters`."""

    @functools.wraps(command)
    def narrowed(*args: Any, **values: Any) -> R:
        from headwater.domain.search import SearchFilters

        filter_values = {name: values.pop(name) for name in SearchFilters.__dataclass_fields__}
        return command(*args, filters=SearchFilters(**filter_values), **values)

    for option in reversed(_FILTERS):
        narrowed = option(narrowed)
    return narrowed


class Commands(click.Group):
    """A group that reports wrong usage as an error document too, with `--json`."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        """Run the command that the arguments name."""
        arguments = list(sys.argv[1:] if args is None else args)
        if not options.get("standalone_mode", True):
            return super().main(arguments, *more, **options)
        try:
            sys.exit(super().main(arguments, *more, **{**options, "standalone_mode": False}))
        except click.UsageError as error:
            if isinstance(error, click.MissingParameter):
                error = _explain_missing_argument(error)
            if "--json" in arguments:
                _print_error("WRONG_USE", error.format_message())
            error.show()
            sys.exit(error.exit_code)
        except (click.Abort, BrokenPipeError):
            sys.exit(1)


def _explain_missing_argument(error: click.MissingParameter) -> click.UsageError:
    """The error with what to do, if the command lacks a knowledge base, or was given only one of it and the text."""
    names = [parameter.name for parameter in error.ctx.command.params] if error.ctx else []
    missing = error.param.name if error.param else None
    if error.ctx and error.ctx.command.name == "add":
        return error  # it makes the knowledge base
    if missing == "knowledge_base":
        advice = "`headwater status` lists the knowledge bases."
    elif missing in ("question", "query") and "knowledge_base" in names:
        advice = "The knowledge base comes before it; `headwater status` lists them."
    else:
        return error
    return click.UsageError(f"{error.format_message()} {advice}", error.ctx)


def emit(document: Mapping[str, Any], *, as_json: bool, text: str) -> None:
    """Print a result: the document, or its text for people."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2, default=str) if as_json else text)


def show_piece(text: str) -> None:
    """Print a piece of a text that is still growing."""
    click.echo(plain(text), nl=False)


def note(message: str) -> None:
    """Tell people something that is not part of the result."""
    click.echo(plain(message), err=True)


def reports_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Turn errors into a message, and an error document with `--json`; the exit status is the error's."""

    @functools.wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (click.ClickException, click.Abort):
            raise  # wrong usage, or the user said no: `Commands.main` reports it
        except KeyboardInterrupt:
            note("Interrupted. Nothing is lost; run it again to finish.")
            sys.exit(130)
        except Exception as error:
            if isinstance(error, BrokenPipeError) and _has_no_reader():
                raise
            explained = explain_error(error)
            _report(explained.code, str(explained), as_json=bool(kwargs.get("as_json")))
            sys.exit(explained.exit_status)

    return guarded


def _has_no_reader() -> bool:
    """Whether nobody reads what is printed any more, as behind `| head`: then what is left cannot be written."""
    with suppress(OSError, ValueError):  # it may be no file
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(0))
    return False


def explain_error(error: Exception) -> HeadwaterError:
    """The error to report for one that ended a command: a full disk, if that is its cause; it logs unexpected ones."""
    with suppress(HeadwaterError):  # of settings: then that is the error
        settings = Settings.from_env()
        full = explain_by_full_disk(error, settings.home, is_embedded=settings.database_url is None)
        if full is not None:
            return full
    if isinstance(error, HeadwaterError):
        return error
    return HeadwaterError(f"An unexpected error occurred ({type(error).__name__}). {_log(error)}")


def _report(code: str, message: str, *, as_json: bool) -> None:
    if as_json:
        _print_error(code, message)
    note(f"Error: {message}")


def _print_error(code: str, message: str) -> None:
    click.echo(json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False))


def _log(error: Exception) -> str:
    """Write the error to the log; returns a sentence that says where."""
    try:
        path = Settings.from_env().home / "logs" / "cli.log"
        private_folder(path.parent)
        with path.open("a", encoding="utf-8") as log:
            log.write("".join(traceback.format_exception(error)) + "\n")
    except (OSError, HeadwaterError) as reason:
        return f"It could not be written to the log either: {reason}"
    return f"See {path} for details."


limit_option = click.option(
    "--limit", default=20, show_default=True, type=WholeNumber(1, 200), help="How many to show."
)
older_than_option = click.option("--after", type=WholeNumber(1), help="Show those older than the one with this id.")


def page_text(lines: list[str], page: Mapping[str, Any], command: str, nothing: str) -> str:
    """The lines of a page, and the command that shows the next one; or what is said of an empty page."""
    hint = [f"Older ones: {command} --after {page['next']}"] if page["next"] else []
    return "\n".join([*lines, *hint]) or nothing
