"""The command `doctor`.

Belongs here: its result as text. Not here: the checks (`cli.doctor_checks`). Guarantee: as for every command
(`cli.main`); exit status 1 if a check failed.
"""

import sys

import click

from cli import result_texts
from cli.output import emit, json_option, reports_errors


@click.command()
@json_option
@reports_errors
def doctor(as_json: bool) -> None:
    """Find problems and say how to solve them."""
    from cli.doctor_checks import examine

    checks = examine()
    emit({"checks": checks}, as_json=as_json, text=result_texts.doctor_text(checks))
    if any(check["state"] == "failed" for check in checks):
        sys.exit(1)
