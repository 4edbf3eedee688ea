"""The demo of `make demo`: sync the documentation, ask three questions, trace an answer, then serve everything.

Belongs here: the order of the commands, which it prints. Not here: anything that the commands do not do for everyone.
Guarantee: it runs the same commands as a user, and stops at the first that fails.
"""

import json
import os
import shlex
import subprocess
import sys

import click

from headwater.settings import REPOSITORY

_FILE = "examples/headwater.yaml"
_KNOWLEDGE_BASE = "headwater"
_QUESTIONS = ("How do I ask about the past?", "What does a trust of 0.9 mean?", "How do I take a backup?")


@click.command()
@click.option("--detach", is_flag=True, help="Stop after the trace instead of serving.")
def main(detach: bool) -> None:
    """Show the way from a folder of documents to an answer whose evidence can be traced."""
    _headwater("migrate")
    _headwater("apply", _FILE)
    _headwater("sync", _KNOWLEDGE_BASE)
    answers = [_ask(question) for question in _QUESTIONS]
    _headwater("trace", answers[-1])
    if detach:
        click.echo("\nNow `headwater up` serves the API and the Dagster UI; `headwater down` stops the database.")
        return
    click.echo("")
    sys.stdout.flush()
    os.chdir(REPOSITORY)
    command = _command("up")
    os.execv(command[0], command)  # noqa: S606 - it becomes `up`, so that Ctrl-C reaches that one alone


def _ask(question: str) -> str:
    """Ask, show the answer with its citations, and return its id."""
    answer = json.loads(_headwater("ask", _KNOWLEDGE_BASE, question, "--json", is_shown=False))
    click.echo(f"\n{answer['answer']}\n")
    for citation in answer["citations"]:
        click.echo(f"  {citation['marker']} {citation['uri']}: {' > '.join(citation['breadcrumb'])}")
    click.echo("")
    return str(answer["id"])


def _headwater(*arguments: str, is_shown: bool = True) -> str:
    click.secho(f"$ {shlex.join(['headwater', *arguments])}", bold=True)
    completed = subprocess.run(_command(*arguments), cwd=REPOSITORY, check=False, text=True, stdout=subprocess.PIPE)
    if is_shown or completed.returncode:
        click.echo(completed.stdout, nl=False)
    if completed.returncode:
        sys.exit(completed.returncode)
    return completed.stdout


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "cli.main", *arguments]


if __name__ == "__main__":
    main()
