"""The commands.

Belongs here: arguments, and which function does the work. Not here: work. Guarantee: exit status 0; 1 when it failed
(a source in `sync`); 2 for wrong use; with `--json`, stdout holds one JSON document and nothing else.
"""

import click

from cli.commands import access, changing, showing
from cli.commands import operating as operating_commands
from cli.commands.add import add
from cli.commands.answers import answers
from cli.commands.ask import ask
from cli.commands.bot import bot
from cli.commands.bots import bots
from cli.commands.context import context
from cli.commands.conversations import conversations
from cli.commands.eval import evaluate
from cli.commands.export import export
from cli.commands.feedback import feedback
from cli.commands.files import files
from cli.commands.golden import golden
from cli.commands.index import index
from cli.commands.inspect import inspect
from cli.commands.links import links
from cli.commands.mcp import mcp
from cli.commands.models import models
from cli.commands.questions import questions
from cli.commands.search import search
from cli.commands.syncs import syncs
from cli.commands.tree import tree
from cli.commands.tune import tune
from cli.commands.upload import upload
from cli.commands.usage import usage
from cli.commands.widgets import widgets
from cli.output import (
    Commands,
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="headwater")
@click.pass_context
def main(called: click.Context) -> None:
    """Build knowledge bases from documents, ask them questions, and trace each answer to its sources."""
    from cli.private_home import keep_to_ourselves

    keep_to_ourselves(called.invoked_subcommand)


main.add_command(add)


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
