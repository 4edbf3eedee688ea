"""The commands `widgets …`: the widgets of web sites (INT-2).

Belongs here: their arguments, and their results as text. Not here: the checks (`headwater.administration.widgets`).
Guarantee: as for every command (`main`).
"""

from collections.abc import Callable, Mapping
from typing import Any

import click

from cli.output import emit, json_option, reports_errors

_KB = click.argument("knowledge_base")
_SLUG = click.argument("widget")


def _settings(command: Callable[..., None]) -> Callable[..., None]:
    """The options for settings, the same for making and changing a widget."""
    for option in reversed((
        click.option("--origin", "origins", multiple=True, help="A site that may use it; may be repeated."),
        click.option("--label", help="Text of the button."),
        click.option("--greeting", help="Text above the first question."),
        click.option("--placeholder", help="Text in the empty field."),
        click.option("--theme", type=click.Choice(["auto", "light", "dark"]), help="Its colours."),
        click.option("--accent", help="Colour of its buttons, such as #0b6b72."),
        click.option("--per-visitor", "visitor_per_minute", type=int, help="Requests of a visitor in a minute."),
        click.option("--per-address", "address_per_minute", type=int, help="Requests of an address in a minute."),
        click.option("--per-minute", "widget_per_minute", type=int, help="Requests of all visitors in a minute."),
        click.option("--questions", "questions_per_day", type=int, help="Questions a day (UTC)."),
        click.option("--cost", "cost_per_day", type=float, help="US dollars a day (UTC)."),
        click.option("--on/--off", "enabled", default=None, help="Whether it answers."),
    )):  # fmt: skip
        command = option(command)
    return command


@click.group()
def widgets() -> None:
    """Manage the widgets of web sites."""


@widgets.command("create")
@_KB
@_SLUG
@_settings
@json_option
@reports_errors
def create(knowledge_base: str, widget: str, as_json: bool, **options: Any) -> None:
    """Make a WIDGET of a knowledge base, and print the line of HTML for the site."""
    from cli.environment import environment
    from cli.processes.up_file import api_url
    from headwater.administration.widgets import create_widget
    from query_api.routes.widget_payloads import WidgetPayload

    with environment() as env:
        created = create_widget(env.store, knowledge_base, widget, _select_settings(options))
        payload = WidgetPayload.of(env.store, created, api_url(env.settings)).model_dump(mode="json")
    emit(payload, as_json=as_json, text=f"{_line(payload)}\n\n{payload['snippet']}")


@widgets.command("list")
@_KB
@json_option
@reports_errors
def list_widgets(knowledge_base: str, as_json: bool) -> None:
    """List the widgets of a knowledge base, with what each has used of its budget of today."""
    from cli.environment import environment
    from cli.processes.up_file import api_url
    from query_api.routes.widget_payloads import WidgetList

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        all_of_it = env.store.widgets.all(owner.slug)
        payload = WidgetList.of(env.store, all_of_it, api_url(env.settings)).model_dump(mode="json")
    none = f"{knowledge_base} has no widgets. `headwater widgets create` makes one."
    emit(payload, as_json=as_json, text="\n".join(map(_line, payload["widgets"])) or none)


@widgets.command("show")
@_KB
@_SLUG
@json_option
@reports_errors
def show(knowledge_base: str, widget: str, as_json: bool) -> None:
    """Show a widget with its settings and its line of HTML."""
    from cli.environment import environment
    from cli.processes.up_file import api_url
    from query_api.routes.widget_payloads import WidgetPayload

    with environment() as env:
        stored_widget = env.store.widgets.get(env.store.knowledge_bases.get(knowledge_base).slug, widget)
        payload = WidgetPayload.of(env.store, stored_widget, api_url(env.settings)).model_dump(mode="json")
    emit(payload, as_json=as_json, text=_text(payload))


@widgets.command("edit")
@_KB
@_SLUG
@_settings
@json_option
@reports_errors
def edit(knowledge_base: str, widget: str, as_json: bool, **options: Any) -> None:
    """Change settings of a widget; origins that are given replace all of them."""
    from cli.environment import environment
    from cli.processes.up_file import api_url
    from headwater.administration.widgets import change_widget
    from query_api.routes.widget_payloads import WidgetPayload

    with environment() as env:
        owner = env.store.knowledge_bases.get(knowledge_base)
        changed_widget = change_widget(env.store, owner.slug, widget, _select_settings(options))
        payload = WidgetPayload.of(env.store, changed_widget, api_url(env.settings)).model_dump(mode="json")
    emit(payload, as_json=as_json, text=_text(payload))


@widgets.command("delete")
@_KB
@_SLUG
@json_option
@reports_errors
def delete(knowledge_base: str, widget: str, as_json: bool) -> None:
    """Delete a widget; the answers to its visitors stay."""
    from cli.environment import environment
    from cli.processes.up_file import api_url
    from headwater.administration.widgets import delete_widget
    from query_api.routes.widget_payloads import WidgetPayload

    with environment() as env:
        deleted = delete_widget(env.store, env.store.knowledge_bases.get(knowledge_base).slug, widget)
        payload = WidgetPayload.of(env.store, deleted, api_url(env.settings)).model_dump(mode="json")
    emit(payload, as_json=as_json, text=f"Deleted: {_line(payload)}")


@widgets.command("snippet")
@_KB
@_SLUG
@json_option
@reports_errors
def snippet(knowledge_base: str, widget: str, as_json: bool) -> None:
    """Print the line of HTML for the site."""
    from cli.environment import environment
    from cli.processes.up_file import api_url
    from headwater.administration import widgets as administration

    with environment() as env:
        stored_widget = env.store.widgets.get(env.store.knowledge_bases.get(knowledge_base).slug, widget)
        url = api_url(env.settings)
    payload = {"snippet": administration.snippet(stored_widget, url), "policy": administration.policy(url)}
    emit(payload, as_json=as_json, text=payload["snippet"])


def _select_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the options name."""
    return {name: value for name, value in options.items() if value is not None and value != ()}


def _line(widget: Mapping[str, Any]) -> str:
    settings, today = widget["settings"], widget["today"]
    state = "" if settings["enabled"] else ", off"
    return (
        f"{widget['knowledge_base']}/{widget['slug']}  {widget['id']}  {', '.join(settings['origins'])}  (today"
        f" {today['questions']} of {settings['questions_per_day']} questions, ${today['cost']:,.4f} of"
        f" ${settings['cost_per_day']:,.4f}{state})"
    )


def _text(widget: Mapping[str, Any]) -> str:
    settings = {name: value for name, value in widget["settings"].items() if name != "origins"}
    return "\n".join(
        [_line(widget), *(f"  {name}: {value}" for name, value in settings.items()), "", widget["snippet"]]
    )
