"""The commands `keys …`.

Belongs here: their arguments, and keys as text. Not here: keys (`headwater.administration.keys`). Guarantee: as for
every command (`cli.main`); a secret is printed once, on stdout, by the command that makes it.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import click

from cli.output import WholeNumber, emit, json_option, reports_errors, to_time
from cli.result_texts import plain


@click.group()
def keys() -> None:
    """Manage API keys."""


@keys.command("create")
@click.argument("name")
@click.option(
    "--scope",
    type=click.Choice(["read", "bot", "write", "admin"]),
    default="read",
    show_default=True,
    help="What it may do.",
)
@click.option("--kb", "knowledge_bases", multiple=True, help="Open only this knowledge base; may be repeated.")
@click.option("--expires", metavar="TIME", callback=to_time, help="When it ends (ISO 8601). The default is never.")
@json_option
@reports_errors
def create_key(
    name: str, scope: str, knowledge_bases: tuple[str, ...], expires: datetime | None, as_json: bool
) -> None:
    """Make a key, and print it. It cannot be shown again."""
    from cli.environment import environment
    from headwater.administration import keys as administration
    from headwater.domain.access import Scope
    from query_api.routes.key_payloads import CreatedKeyPayload

    with environment() as env:
        created = administration.create_key(
            env.store, name, Scope(scope), knowledge_bases=knowledge_bases or None, expires_at=expires
        )
    payload = CreatedKeyPayload.shown(created).model_dump(mode="json")
    emit(payload, as_json=as_json, text=f"{payload['key']}\n\nKeep it now: it cannot be shown again. {_about(payload)}")


@keys.command("list")
@json_option
@reports_errors
def list_keys(as_json: bool) -> None:
    """List all keys, newest first, without their secrets."""
    from cli.environment import environment
    from query_api.routes.key_payloads import KeyList

    with environment() as env:
        payload = KeyList.of(env.store.keys.all()).model_dump(mode="json")
    none = "There are no API keys. `headwater keys create NAME` makes one; from then on, every program needs one."
    emit(payload, as_json=as_json, text="\n".join(map(_about, payload["keys"])) or none)


@keys.command("rotate")
@click.argument("id")
@click.option(
    "--grace", default=24, show_default=True, type=WholeNumber(0, 720), help="Hours that the old secret stays valid."
)
@json_option
@reports_errors
def rotate_key(id: str, grace: int, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Give a key another secret, and print it. It cannot be shown again."""
    from cli.environment import environment
    from headwater.administration import keys as administration
    from query_api.routes.key_payloads import CreatedKeyPayload

    with environment() as env:
        rotated = administration.rotate_key(env.store, id, timedelta(hours=grace))
    payload = CreatedKeyPayload.shown(rotated).model_dump(mode="json")
    until = f"The old secret stays valid until {payload['old_secret_until'][:16]}." if grace else "The old one ended."
    emit(payload, as_json=as_json, text=f"{payload['key']}\n\nKeep it now: it cannot be shown again. {until}")


@keys.command("revoke")
@click.argument("id")
@json_option
@reports_errors
def revoke_key(id: str, as_json: bool) -> None:  # noqa: A002 - what the usage line calls it
    """Revoke a key at once, and end the sessions that it opened."""
    from cli.environment import environment
    from headwater.administration import keys as administration
    from query_api.routes.key_payloads import KeyPayload

    with environment() as env:
        payload = KeyPayload.of(administration.revoke_key(env.store, id)).model_dump(mode="json")
    emit(payload, as_json=as_json, text=_about(payload))


def _about(key: Mapping[str, Any]) -> str:
    """A key in a line."""
    opens = "all knowledge bases" if key["knowledge_bases"] is None else ", ".join(key["knowledge_bases"]) or "none"
    used = f"used {key['last_used_at'][:16]}" if key["last_used_at"] else "never used"
    ends = f", ends {key['expires_at'][:16]}" if key["expires_at"] else ""
    return f"{key['id']}  {plain(key['name'])}: {key['scope']}, {opens}, {key['state']}{ends}, {used}"
