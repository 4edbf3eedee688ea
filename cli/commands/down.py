"""The command `down`.

Belongs here: its result as text. Not here: ending processes (`cli.processes.shutdown`). Guarantee: as for every command
(`cli.main`).
"""

import click

from cli.output import emit, json_option, reports_errors


@click.command()
@json_option
@reports_errors
def down(as_json: bool) -> None:
    """Stop `headwater up`, or what a killed one left running, and the embedded Postgres."""
    from cli.processes.shutdown import stop

    stopped = stop()
    words = ", ".join(stopped) or "nothing; it was not running"
    emit({"stopped": stopped}, as_json=as_json, text=f"Stopped {words}.")
