"""The command `headwater`: the group of all commands.

Belongs here: the list of commands. Not here: their arguments and their work (`cli.commands`). Guarantee: exit status 0;
1 when it failed (a source in `sync`); 2 for wrong use; with `--json`, stdout holds one JSON document and nothing else.
"""

import click

from cli.commands.add import add
from cli.commands.answers import answers
from cli.commands.apply import apply
from cli.commands.ask import ask
from cli.commands.audit import audit
from cli.commands.backup import backup
from cli.commands.bot import bot
from cli.commands.bots import bots
from cli.commands.cancel import cancel
from cli.commands.context import context
from cli.commands.conversations import conversations
from cli.commands.delete import delete
from cli.commands.deletions import deletions
from cli.commands.doctor import doctor
from cli.commands.down import down
from cli.commands.eval import evaluate
from cli.commands.evaluations import evaluations
from cli.commands.export import export
from cli.commands.feedback import feedback
from cli.commands.files import files
from cli.commands.golden import golden
from cli.commands.index import index
from cli.commands.inspect import inspect
from cli.commands.keys import keys
from cli.commands.links import links
from cli.commands.login import login
from cli.commands.logout import logout
from cli.commands.mcp import mcp
from cli.commands.migrate import migrate
from cli.commands.models import models
from cli.commands.original import original
from cli.commands.questions import questions
from cli.commands.release import release
from cli.commands.rename import rename
from cli.commands.restore import restore
from cli.commands.search import search
from cli.commands.serve import serve
from cli.commands.show import show
from cli.commands.status import status
from cli.commands.sync import sync
from cli.commands.syncs import syncs
from cli.commands.tidy import tidy
from cli.commands.trace import trace
from cli.commands.tree import tree
from cli.commands.tune import tune
from cli.commands.up import up
from cli.commands.upload import upload
from cli.commands.usage import usage
from cli.commands.widgets import widgets
from cli.commands.worker import worker
from cli.output import Commands


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="headwater")
@click.pass_context
def main(called: click.Context) -> None:
    """Build knowledge bases from documents, ask them questions, and trace each answer to its sources."""
    from cli.private_home import keep_to_ourselves

    keep_to_ourselves(called.invoked_subcommand)


for command in (
    up,
    serve,
    worker,
    down,
    migrate,
    apply,
    add,
    delete,
    sync,
    trace,
    search,
    ask,
    syncs,
    answers,
    conversations,
    feedback,
    usage,
    context,
    upload,
    files,
    export,
    golden,
    evaluate,
    tune,
    tree,
    links,
    questions,
    status,
    doctor,
    index,
    inspect,
    models,
    mcp,
    bot,
    bots,
    widgets,
    backup,
    restore,
    tidy,
    rename,
    release,
    cancel,
    show,
    original,
    deletions,
    evaluations,
    keys,
    login,
    logout,
    audit,
):
    main.add_command(command)


if __name__ == "__main__":
    main()
