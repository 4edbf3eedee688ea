"""Every command first makes sure that only the owner can read the home and the files it will write.

Belongs here: when that happens, and what people are told. Not here: how (`headwater.private_files`). Guarantee: it
raises nothing; if the home cannot be closed, the command continues, and `doctor` says what is still open.
"""

from cli.output import note
from headwater.errors import HeadwaterError
from headwater.private_files import close_home, private_umask
from headwater.settings import Settings


def keep_to_ourselves(command: str | None) -> None:
    """Make this process write files for its owner alone, and close a home that others could read.

    Args:
        command: the command being run. `up` and `migrate` check every file; `doctor` closes the home itself and
            reports.
    """
    private_umask()
    if command == "doctor":
        return
    try:
        closed = close_home(Settings.from_env().home, thoroughly=command in ("up", "migrate"))
    except (HeadwaterError, OSError):
        return  # the command itself reports it, if it matters there
    if closed.mended:
        note(f"Other users of this machine could read the home; closed {closed.mended} of its files and folders.")
