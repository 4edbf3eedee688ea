"""The command `audit`.

Belongs here: changes as lines of text. Not here: recording changes (`headwater.administration.audit_trail`). Guarantee:
as for every command (`cli.main`); text of others cannot steer the terminal.
"""

from collections.abc import Mapping
from typing import Any

import click

from cli.output import WholeNumber, emit, json_option, reports_errors
from cli.result_texts import plain


@click.command()
@click.option("--action", help="Only this kind of change, such as source.delete.")
@click.option("--target", help="Only changes of this, such as kb/docs.")
@click.option("--limit", default=20, show_default=True, type=WholeNumber(1, 200), help="How many to show.")
@click.option("--after", type=WholeNumber(1), help="Show those before the change with this id.")
@json_option
@reports_errors
def audit(action: str | None, target: str | None, limit: int, after: int | None, as_json: bool) -> None:
    """List who changed what, newest first."""
    from cli.environment import environment
    from query_api.routes.key_payloads import AuditPage

    with environment() as env:
        entries = env.store.audit.all(action=action, target=target, before=after, limit=limit + 1)
    page = AuditPage.of(entries, limit).model_dump(mode="json")
    lines = [_change(change) for change in page["changes"]]
    if page["next"]:
        lines.append(f"Older ones: headwater audit --after {page['next']}")
    emit(page, as_json=as_json, text="\n".join(lines) or "Nothing has been changed yet.")


def _change(change: Mapping[str, Any]) -> str:
    """A change in a line."""
    who = " ".join(filter(None, (change["actor"].replace("_", " "), change["actor_id"])))
    by = f" (key {change['key']})" if change["key"] else ""
    details = ", ".join(f"{name}: {value}" for name, value in change["details"].items() if value not in ([], {}))
    line = f"{change['id']}  {change['happened_at'][:19]}  {who}{by}  {change['action']} {change['target']}"
    return plain(f"{line}  {details}".rstrip())
