"""The errors of wrong values, in words for people.

Belongs here: the only place that turns pydantic's errors into messages. Not here: finding the errors. Guarantee: pure;
a field that does not exist comes before one that is missing, because it is often that one, misspelt.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

SLUG = r"^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$"
LANGUAGE_CODE = r"^[A-Za-z]{2,3}$"
LABEL = r"^[^\x00-\x1f\x7f]*$"
SLUG_RULE = "use at most 64 lower-case letters, digits, - and _, beginning and ending with a letter or digit."
_PATTERNS = {
    SLUG: SLUG_RULE,
    LANGUAGE_CODE: "use a language code of two or three letters, such as en.",
    LABEL: "it contains a control character, such as a line break. Remove it.",
}
_KINDS = {  # pydantic's own say "Input should be greater than or equal to 1"
    "greater_than_equal": "it must be {ge} or more.",
    "greater_than": "it must be more than {gt}.",
    "less_than_equal": "it must be {le} or less.",
    "less_than": "it must be less than {lt}.",
    "int_parsing": "it must be a whole number.",
    "int_type": "it must be a whole number.",
    "int_from_float": "it must be a whole number.",
    "float_parsing": "it must be a number.",
    "float_type": "it must be a number.",
    "bool_parsing": "it must be true or false.",
    "bool_type": "it must be true or false.",
    "string_type": "it must be a text.",
    "list_type": "it must be a list.",
    "dict_type": "it must be a mapping of names to values.",
    "literal_error": "it must be {expected}.",
    "enum": "it must be {expected}.",
}
UNKNOWN, MISSING = "extra_forbidden", "missing"


@dataclass(frozen=True, kw_only=True, slots=True)
class WrongField:
    """A field with its error: `kind` is pydantic's name of the error."""

    location: tuple[int | str, ...]
    kind: str
    message: str

    @property
    def place(self) -> tuple[int | str, ...]:
        """The location before the message; the message itself names a field that is missing."""
        return self.location[:-1] if self.kind == MISSING else self.location


def wrong_fields(error: ValidationError) -> list[WrongField]:
    """Every wrong field of an error, unknown fields first."""
    items = error.errors(include_url=False, include_input=False)
    fields = [WrongField(location=item["loc"], kind=item["type"], message=message_of(item)) for item in items]
    return sorted(fields, key=lambda field: field.kind != UNKNOWN)


def message_of(item: ErrorDetails) -> str:
    """The words for one of pydantic's errors."""
    if item["type"] == MISSING and item["loc"]:
        return f"`{item['loc'][-1]}` is missing."
    context = item.get("ctx", {})
    if (pattern := context.get("pattern")) is not None:
        return _PATTERNS.get(pattern, "it does not have the right form.")
    words = _KINDS.get(item["type"])
    return words.format(**context) if words else item["msg"].removeprefix("Value error, ")


def path_of(location: tuple[int | str, ...]) -> str:
    """A location as people write it, such as `sources[0].path`."""
    return "".join(_steps(location)).removeprefix(".")


def _steps(location: tuple[int | str, ...]) -> Iterator[str]:
    for step in location:
        yield f"[{step}]" if isinstance(step, int) else f".{step}"
