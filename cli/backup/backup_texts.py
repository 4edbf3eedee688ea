"""What `backup` and `restore` did, as text for people.

Belongs here: their words. Not here: the work (`cli.backup.backup`), the words of other commands (`cli.result_texts`).
Guarantee: pure.
"""

from collections.abc import Mapping
from typing import Any

from cli.result_texts import plain
from headwater.domain.plurals import join_names, pluralize

_CLOSED = {"revoked_keys": "API key", "withdrawn_links": "shared link", "ended_sessions": "session"}


def backup_text(made: Mapping[str, Any]) -> str:
    """What was backed up."""
    rows = made["rows"]
    return (
        f"Wrote {plain(made['file'])}: {made['bytes'] / 1e6:.1f} MB, {rows['headwater']} rows of Headwater,"
        f" {rows['dagster']} rows of Dagster, {made['files']} files, {made['originals']} originals."
        f"{_elsewhere(made)}"
    )


def _elsewhere(backup: Mapping[str, Any]) -> str:
    """Says where the originals are if they are not in the backup."""
    files_place = backup["originals_elsewhere"]
    return (
        ""
        if files_place is None
        else f" The originals are not in it: HEADWATER_FILES keeps them in {plain(files_place)}."
    )


def _access_lines(restored: Mapping[str, Any]) -> list[str]:
    """Who lost access by a restore, and who has it again."""
    closed = [pluralize(restored[name], what) for name, what in _CLOSED.items() if restored[name]]
    lines = []
    if closed:
        lines.append(
            f"Nobody gets in any more by what the backup holds ({join_names(closed)}): it cannot know what was"
            " ended after it was made. Make keys with `headwater keys create`; `headwater restore --keep-access` would"
            " have kept keys and shared links."
        )
    if restored["kept_access"]:
        lines.append(
            "Keys and shared links are as they were then, also those that were revoked or withdrawn since. Look at"
            " `headwater keys list`, and end them with `headwater keys revoke ID`."
        )
    return lines


def restore_text(restored: Mapping[str, Any]) -> str:
    """What was restored."""
    rows = restored["rows"]
    lines = [f"Restored the backup of {restored['created_at']}."]
    lines.append(
        f"{rows['headwater']} rows of Headwater, {rows['dagster']} rows of Dagster, {restored['files']} files,"
        f" {restored['originals']} originals.{_elsewhere(restored)}"
    )
    if restored["applied"]:
        lines.append(f"It was made by an older Headwater; applied {', '.join(restored['applied'])}.")
    lines += _access_lines(restored)
    if restored["interrupted_runs"]:
        lines.append(f"{restored['interrupted_runs']} runs were in progress then and count as failed. Sync again.")
    return "\n".join(lines)
