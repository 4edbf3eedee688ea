"""The commands.

Belongs here: arguments, and which function does the work. Not here: work. Guarantee: exit status 0; 1 when it failed
(a source in `sync`); 2 for wrong use; with `--json`, stdout holds one JSON document and nothing else.
"""

import sys
from pathlib import Path
from uuid import UUID

import click

from cli import result_texts
from cli.commands import access, changing, showing
from cli.commands import operating as operating_commands
from cli.commands.add import add
from cli.commands.answers import answers
from cli.commands.bots import bot, bots
from cli.commands.context import context
from cli.commands.conversations import conversations
from cli.commands.eval import evaluate, tune
from cli.commands.export import export
from cli.commands.feedback import feedback
from cli.commands.golden import golden
from cli.commands.index import index
from cli.commands.inspect import inspect
from cli.commands.links import links
from cli.commands.mcp import mcp
from cli.commands.models import models
from cli.commands.questioning import ask, search
from cli.commands.questions import questions
from cli.commands.syncs import syncs
from cli.commands.tree import tree
from cli.commands.upload import files, upload
from cli.commands.usage import usage
from cli.commands.widgets import widgets
from cli.output import (
    Commands,
    WholeNumber,
    emit,
    json_option,
    note,
    reports_errors,
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="headwater")
@click.pass_context
def main(called: click.Context) -> None:
    """Build knowledge bases from documents, ask them questions, and trace each answer to its sources."""
    from cli.private_home import keep_to_ourselves

    keep_to_ourselves(called.invoked_subcommand)


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address that the API listens on.")
@click.option("--port", default=8080, show_default=True, type=WholeNumber(1, 65535), help="Port of the API.")
@click.option(
    "--dagster-port", default=3000, show_default=True, type=WholeNumber(1, 65535), help="Port of the Dagster UI."
)
@json_option
@reports_errors
def up(host: str, port: int, dagster_port: int, as_json: bool) -> None:
    """Run everything until Ctrl-C: Postgres, Dagster (code server, UI, daemon) and the API."""
    from cli.processes.supervisor import run

    sys.exit(run(host=host, port=port, dagster_port=dagster_port, as_json=as_json))


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8080, show_default=True, type=WholeNumber(1, 65535))
@reports_errors
def serve(host: str, port: int) -> None:
    """Run the API alone (`up` runs it with the rest)."""
    from cli.processes.api_server import serve_api

    serve_api(host, port)


@main.command()
@reports_errors
def worker() -> None:
    """Execute steps that runs hand out to workers, until interrupted (HEADWATER_EXECUTOR=celery)."""
    from cli.processes.worker import run_worker

    run_worker()


@main.command()
@json_option
@reports_errors
def down(as_json: bool) -> None:
    """Stop `headwater up`, or what a killed one left running, and the embedded Postgres."""
    from cli.processes.shutdown import stop

    stopped = stop()
    words = ", ".join(stopped) or "nothing; it was not running"
    emit({"stopped": stopped}, as_json=as_json, text=f"Stopped {words}.")


@main.command()
@json_option
@reports_errors
def migrate(as_json: bool) -> None:
    """Create the databases and bring the schema up to date."""
    from cli.environment import write_dagster_yaml
    from headwater.settings import Settings
    from headwater.store.server.database_urls import database_url
    from headwater.store.server.migrations import migrate as run_migrations

    settings = Settings.from_env()
    applied = run_migrations(database_url(settings))
    write_dagster_yaml(settings)  # for processes that this command does not start, such as those in containers
    words = f"Applied {', '.join(applied)}." if applied else "Up to date."
    emit({"applied": applied}, as_json=as_json, text=words)


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--prune", is_flag=True, help="Delete sources that the file does not name.")
@json_option
@reports_errors
def apply(file: Path, prune: bool, as_json: bool) -> None:
    """Create or change the knowledge base that FILE describes."""
    from dataclasses import asdict

    from cli.environment import environment
    from headwater.administration.knowledge_base_changes import apply_and_delete
    from headwater.administration.knowledge_base_file import read_file

    spec = read_file(file)
    with environment() as env:
        applied = asdict(apply_and_delete(env.settings, env.store, spec, prune=prune))
    emit(applied, as_json=as_json, text=result_texts.applied_text(applied))


main.add_command(add)


@main.command()
@click.argument("knowledge_base")
@click.argument("source", required=False)
@click.argument("file", required=False)
@click.option("--yes", is_flag=True, help="Do not ask first.")
@json_option
@reports_errors
def delete(knowledge_base: str, source: str | None, file: str | None, yes: bool, as_json: bool) -> None:
    """Delete a knowledge base, one source of it, or one uploaded file of that, with everything that came from it."""
    from cli.commands.deleting import delete_with_receipt, describe
    from cli.commands.upload import delete_file

    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("There is no terminal to confirm on. Add --yes to delete without confirmation.")
        what = f"the file {file}" if file is not None else describe(knowledge_base, source)
        click.confirm(f"Delete {what}?", abort=True, err=True)
    if source is not None and file is not None:
        deleted = delete_file(knowledge_base, source, file)
        words = f"Deleted {file}. Run `headwater sync {knowledge_base} {source}` to remove its document."
        emit(deleted, as_json=as_json, text=result_texts.plain(words))
        return
    receipt = delete_with_receipt(knowledge_base, source)
    emit(receipt, as_json=as_json, text=result_texts.deletion_text(receipt))


@main.command()
@click.argument("knowledge_base")
@click.argument("sources", nargs=-1)
@click.option("--full", is_flag=True, help="Read every document again, also those that seem unchanged.")
@click.option("--confirm-deletions", is_flag=True, help="Remove the documents that the last sync held back.")
@click.option("--estimate", is_flag=True, help="Only show what summaries and questions would cost at most now.")
@json_option
@reports_errors
def sync(
    knowledge_base: str, sources: tuple[str, ...], full: bool, confirm_deletions: bool, estimate: bool, as_json: bool
) -> None:
    """Bring a knowledge base's sources up to date: all, or only those you name."""
    if estimate:
        from cli.commands.tree import show_estimate

        if full:
            raise click.UsageError("--estimate reads no source. Give --estimate or --full, not both.")
        show_estimate(knowledge_base, sources, as_json=as_json)
        return
    from cli.processes.sync_client import sync as sync_sources

    result, error = sync_sources(knowledge_base, sources, is_full=full, confirms_deletions=confirm_deletions)
    emit(result, as_json=as_json, text=result_texts.sync_text(result))
    if error:
        note(f"Error: {error}")
    if error or any(source["state"] != "ready" for source in result["sources"]):
        sys.exit(1)


@main.command()
@click.argument("id", type=click.UUID)
@json_option
@reports_errors
def trace(id: UUID, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Follow an answer, a chunk, a document version or a summary upstream: chunk, version, source, run."""
    from cli.commands.tracing import trace as trace_upstream
    from cli.commands.tracing import trace_text

    lineage = trace_upstream(id)
    emit(lineage, as_json=as_json, text=trace_text(lineage))


main.add_command(search)
main.add_command(ask)
main.add_command(syncs)
main.add_command(answers)
main.add_command(conversations)
main.add_command(feedback)
main.add_command(usage)
main.add_command(context)
main.add_command(upload)
main.add_command(files)
main.add_command(export)
main.add_command(golden)
main.add_command(evaluate)
main.add_command(tune)
main.add_command(tree)
main.add_command(links)
main.add_command(questions)


@main.command()
@click.argument("knowledge_base", required=False)
@json_option
@reports_errors
def status(knowledge_base: str | None, as_json: bool) -> None:
    """List knowledge bases and their sources with their state; or one, with its settings and categories."""
    from cli.commands.asking import status_of_everything

    found = status_of_everything(knowledge_base)
    emit(found, as_json=as_json, text=result_texts.status_text(found))


@main.command()
@json_option
@reports_errors
def doctor(as_json: bool) -> None:
    """Find problems and say how to solve them."""
    from cli.doctor_checks import examine

    checks = examine()
    emit({"checks": checks}, as_json=as_json, text=result_texts.doctor_text(checks))
    if any(check["state"] == "failed" for check in checks):
        sys.exit(1)


main.add_command(index)
main.add_command(inspect)
main.add_command(models)
main.add_command(mcp)
main.add_command(bot)
main.add_command(bots)
main.add_command(widgets)
for command in (*operating_commands.COMMANDS, *changing.COMMANDS, *showing.COMMANDS, *access.COMMANDS):
    main.add_command(command)


if __name__ == "__main__":
    main()
