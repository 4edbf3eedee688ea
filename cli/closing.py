"""What every command does first: it keeps the home, and all that it will write, to its owner.

Belongs here: when that is done, and what people are told. Not here: how (`headwater.private_files`). Guarantee: it
raises nothing; a command that cannot close the home goes on, and `doctor` says what is still open.
"""

from cli.output import note
from headwater.errors import HeadwaterError
from headwater.private_files import close_home, private_umask
from headwater.settings import Settings


def keep_to_ourselves(command: str | None) -> None:
    """Make this process write for its owner alone, and close a home that others could read.

    Args:
        command: which one is run. `up` and `migrate` look at every file; `doctor` closes the home itself, and reports.
    """
    private_umask()
    if command == "doctor":
        return
    try:
        closed = close_home(Settings.from_env().home, thoroughly=command in ("up", "migrate"))
    except (HeadwaterError, OSError):
        return  # the command says it, if it minds
    if closed.mended:
        note(
            f"Other users of this machine could read the home; {closed.mended} files and folders of it are closed now."
        )
