"""The command `logout`.

Belongs here: ending all sessions. Not here: sessions (`headwater.administration.callers`). Guarantee: as for every
command (`cli.main`).
"""

import click

from cli.output import emit, json_option, reports_errors


@click.command()
@json_option
@reports_errors
def logout(as_json: bool) -> None:
    """Log every browser out, and make the links of `login` useless."""
    from cli.environment import environment
    from headwater.administration.callers import end_sessions
    from headwater.domain.plurals import pluralize

    with environment() as env:
        ended = end_sessions(env.store)
    emit({"sessions": ended}, as_json=as_json, text=f"Ended {pluralize(ended, 'session')}.")
