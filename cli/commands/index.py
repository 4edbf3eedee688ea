"""`headwater index`: the search indexes of a knowledge base.

Belongs here: its commands, and their results as text. Not here: switching (`headwater.administration`).
Guarantee: as in `main`.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from cli.output import emit, json_option, reports_errors
from cli.result_texts import plain

if TYPE_CHECKING:
    from cli.environment import Environment
    from headwater.administration.indexes import Switched


@click.group()
def index() -> None:
    """List search indexes, switch to another one, or go back."""


@index.command("list")
@click.argument("knowledge_base")
@json_option
@reports_errors
def list_indexes(knowledge_base: str, as_json: bool) -> None:
    """List a knowledge base's search indexes, and why one may not become active."""
    from cli.environment import environment
    from query_api.routes.index_payloads import SearchIndexList

    with environment() as env:
        payload = SearchIndexList.of(env.store, knowledge_base).model_dump(mode="json")
    text = "\n".join(map(_index_text, payload["search_indexes"]))
    emit(payload, as_json=as_json, text=text or f"{knowledge_base} has no search index yet. Sync it first.")


@index.command()
@click.argument("knowledge_base")
@click.argument("search_index", type=int, required=False)
@json_option
@reports_errors
def switch(knowledge_base: str, search_index: int | None, as_json: bool) -> None:
    """Switch to an index if it passes the gate: the one for the current settings, or the one you name."""
    from headwater.administration.indexes import switch as switch_index

    _change(
        knowledge_base, lambda env: switch_index(env.store, env.settings, knowledge_base, search_index), as_json=as_json
    )


@index.command()
@click.argument("knowledge_base")
@json_option
@reports_errors
def rollback(knowledge_base: str, as_json: bool) -> None:
    """Switch back to the previous index."""
    from headwater.administration.indexes import roll_back

    _change(knowledge_base, lambda env: roll_back(env.store, knowledge_base), as_json=as_json)


def _change(knowledge_base: str, change: "Callable[[Environment], Switched]", *, as_json: bool) -> None:
    from cli.environment import environment
    from query_api.routes.index_payloads import SwitchPayload

    with environment() as env:
        payload = SwitchPayload.of(env.store, knowledge_base, change(env)).model_dump(mode="json")
    emit(payload, as_json=as_json, text=_describe_switch(knowledge_base, payload))


def _describe_switch(knowledge_base: str, done: Mapping[str, Any]) -> str:
    search_index = done["search_index"]
    if done["previous"] is None:
        return f"Index {search_index['id']} is already active. Nothing was changed."
    return (
        f"Index {search_index['id']} is active now; {done['previous']} is retained.\n"
        f"The settings of {knowledge_base} are now {_settings_text(search_index)}.\n"
        "If a file describes the knowledge base, change it there too, or the next `headwater apply` undoes this."
    )


def _settings_text(row: Mapping[str, Any]) -> str:
    sizes = f"{row['chunk_min']} to {row['chunk_max']} characters, overlap {row['chunk_overlap']}"
    return f"{plain(row['model'])}, {row['language']}, chunks of {sizes}"


def _index_text(row: Mapping[str, Any]) -> str:
    recall = "" if row["recall_at_10"] is None else f", recall@10 {row['recall_at_10']:.3f}"
    how = row["access"] if row["ef_search"] is None else f"{row['access']} with ef_search {row['ef_search']}"
    lines = [
        f"{row['id']}  {row['state']}: {_settings_text(row)}",
        f"    {row['entries']} entries of {row['documents']} documents, {how}{recall}",
    ]
    if row["expires_at"]:
        lines.append(f"    inactive since {row['retained_at']}, dropped after {row['expires_at']}")
    if row["gate"] and not row["gate"]["passed"] and row["state"] != "active":
        lines += [
            f"    may not become active: {plain(criterion['words'])}"
            for criterion in row["gate"]["criteria"]
            if not criterion["passed"]
        ]
    return "\n".join(lines)
