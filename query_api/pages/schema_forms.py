"""Forms from the JSON schema of a kind of source.

Belongs here: which input a field of a schema gets, and reading the values back. Not here: checking them (the config of
the connector does). Guarantee: every kind, also of a plugin, has a form without a line of code for it; a field that a
form cannot show is named as such.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from query_api.pages.catalogue import N_

_TEXT = "text"
_HINTS = {
    "credential": N_("The name of a secret in the server's environment, not the secret itself."),
    "passwords": N_("Names of secrets in the server's environment, one a line."),
    "path": N_("An absolute path on the machine where Headwater runs, or a folder in the repository."),
    "include": N_("Patterns, one a line, such as docs/*; empty for everything."),
    "exclude": N_("Patterns, one a line."),
    "delay": N_("Seconds between two requests."),
    "depth": N_("How many links a page may be away from the first one."),
    "prefix": N_("Only addresses that begin with this."),
    "pages": N_("At most this many."),
    "endpoint": N_("The address of a server that is not Amazon's, Google's or Azure's."),
    "region": N_("Such as eu-west-1."),
    "link": N_("A template of the address that opens a document."),
    "query": N_("One SELECT; each row becomes a document."),
    "key": N_("The column that identifies a row."),
    "changed": N_("A column that gets a new value whenever the row changes."),
}
_LABELS = {"url": N_("Address"), "git": N_("Address of the git repository"), "max_megabytes": N_("Largest file (MB)")}
_NAMES = (
    N_("Assets"), N_("Attachments"), N_("Bots"), N_("Branch"), N_("Changed"), N_("Channels"), N_("Commit"),
    N_("Confidential"), N_("Credential"), N_("Delay"), N_("Depth"), N_("Edition"), N_("Endpoint"), N_("Exclude"),
    N_("Files"), N_("Files credential"), N_("Format"), N_("Include"), N_("Issues"), N_("Items"), N_("Key"),
    N_("Languages"), N_("Link"), N_("Login"), N_("Max files"), N_("Max messages"), N_("Max objects"), N_("Max rows"),
    N_("Media type"), N_("Metadata"), N_("Mode"), N_("Pages"), N_("Passwords"), N_("Path"), N_("Prefix"),
    N_("Project"), N_("Projects"), N_("Query"), N_("Read"), N_("Region"), N_("Repository"), N_("Server"), N_("Since"),
    N_("Site"), N_("Spaces"), N_("Tag"), N_("Text"), N_("Threads"), N_("Title"), N_("Videos"), N_("Web"),
)  # fmt: skip
"""What the other fields of our own kinds are called, for the catalogue; those of a plugin are in English."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """An input: `kind` is text, number, choice, check or lines."""

    name: str
    label: str
    kind: str
    is_required: bool = False
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    default: str = ""
    hint: str = ""
    is_whole: bool = True


TAGS, CATEGORY = (
    Field(name="tags", label=N_("Tags"), kind="lines", hint=N_("One a line; searches can be limited to them.")),
    Field(name="category", label=N_("Category"), kind=_TEXT, hint=N_("Such as guides/kitchen.")),
)
"""Inputs that every source has."""
WORKERS = Field(
    name="workers", label=N_("Workers"), kind="number", least=1, most=64,
    hint=N_("Runs that may work on it at once, if it is large; empty for one."),
)  # fmt: skip
"""The input for the number of workers."""
TIMES = (
    Field(name="refresh", label=N_("Sync every"), kind=_TEXT, hint=N_("Such as 15m, 6h or 1d; empty for never.")),
    Field(
        name="schedule",
        label=N_("Sync at"),
        kind=_TEXT,
        hint=N_("A cron line: 0 3 * * * is every night at 3:00; empty for never."),
    ),
    Field(
        name="time_zone",
        label=N_("Time zone"),
        kind=_TEXT,
        hint=N_("Of the cron line, such as Europe/Rome; empty for UTC."),
    ),
)
"""When a source is synced: inputs that every source has."""
LABELS: Mapping[str, str] = {form_field.name: form_field.label for form_field in (*TIMES, TAGS, CATEGORY, WORKERS)}
"""What these inputs are called."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """The inputs of a schema; `left_out` names the fields that no input can show."""

    fields: tuple[Field, ...]
    left_out: tuple[str, ...] = field(default=())


def form_of(schema: Mapping[str, Any]) -> Form:
    """The form of a config's JSON schema."""
    required = set(schema.get("required", ()))
    fields: list[Field] = []
    left_out: list[str] = []
    for name, described in schema.get("properties", {}).items():
        form_field = _field(name, described, is_required=name in required)
        if form_field is None:
            left_out.append(name)
        else:
            fields.append(form_field)
    fields.sort(key=lambda form_field: not form_field.is_required)
    return Form(fields=tuple(fields), left_out=tuple(left_out))


def _field(name: str, described: Mapping[str, Any], *, is_required: bool) -> Field | None:
    """The input of one field; None if there is none for its type."""
    options = [option for option in described.get("anyOf", [described]) if option.get("type") != "null"]
    kind = _kind(options[0]) if len(options) == 1 else None
    if kind is None:
        return None
    default = described.get("default")
    return Field(
        name=name,
        label=_LABELS.get(name) or name.replace("_", " ").capitalize(),
        kind=kind,
        is_required=is_required,
        choices=tuple(map(str, options[0].get("enum", ()))),
        least=options[0].get("minimum"),
        most=options[0].get("maximum"),
        default="" if default in (None, [], ()) else str(default),
        hint=_HINTS.get(name, ""),
        is_whole=options[0].get("type") == "integer",
    )


def _kind(schema: Mapping[str, Any]) -> str | None:
    if "enum" in schema:
        return "choice"
    if schema.get("type") == "array":
        return "lines" if schema.get("items", {}).get("type") == "string" else None
    kinds = {"string": _TEXT, "integer": "number", "number": "number", "boolean": "check"}
    return kinds.get(str(schema.get("type")))


def texts_of(fields: Iterable[Field], config: Mapping[str, Any]) -> dict[str, str]:
    """The texts of the inputs for a config; a box is ticked if the default is."""
    texts = {}
    for form_field in fields:
        value = config.get(form_field.name)
        if form_field.kind == "check":
            texts[form_field.name] = "1" if (form_field.default == str(True) if value is None else value) else ""
        elif isinstance(value, list | tuple):
            texts[form_field.name] = "\n".join(map(str, value))
        else:
            texts[form_field.name] = "" if value is None else str(value)
    return texts


def values_of(fields: Iterable[Field], given: Mapping[str, str]) -> dict[str, Any]:
    """The config that was entered; empty inputs are left out, so that defaults apply.

    Numbers that are none stay texts: the config says what is wrong with them.
    """
    values: dict[str, Any] = {}
    for form_field in fields:
        text = given.get(form_field.name, "").strip()
        if form_field.kind == "check":
            values[form_field.name] = bool(text)
        elif form_field.kind == "lines" and text:
            values[form_field.name] = [line.strip() for line in text.splitlines() if line.strip()]
        elif form_field.kind == "number" and text:
            values[form_field.name] = _number(text)
        elif text:
            values[form_field.name] = text
    return values


def _number(text: str) -> float | str:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
