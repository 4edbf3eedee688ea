"""Forms that work without a script.

Belongs here: reading a form, and what follows it. Not here: which endpoints take forms
(`query_api.guards.request_checks`). Guarantee: after a change the browser is sent to a page by GET, so reloading
repeats nothing.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from flask import Response, redirect, request
from pydantic import BaseModel, ValidationError

from headwater.domain.wrong_fields import wrong_fields
from headwater.errors import InvalidInputError
from query_api.pages.catalogue import translate

Checked = TypeVar("Checked", bound=BaseModel)


def field(name: str) -> str:
    """A field of the form, without blanks around it; empty if it is missing."""
    return request.form.get(name, "").strip()


def check_values(model: type[Checked], values: Mapping[str, Any], labels: Mapping[str, str] = {}) -> Checked:
    """What was entered, as a model.

    Args:
        model: the model.
        values: what was entered.
        labels: what the page calls the fields, if that is not their names.

    Raises:
        InvalidInputError: a value is wrong; the message names its field.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        wrong = wrong_fields(error)[0]
        name = ".".join(map(str, wrong.place))
        raise InvalidInputError(f"{translate(labels.get(name, name))}: {wrong.message}") from error


def go_to(url: str) -> Response:
    """Send the browser to a page after a change."""
    response = redirect(url, 303)
    response.headers["Cache-Control"] = "no-store"
    assert isinstance(response, Response)  # noqa: S101 - werkzeug's own type is wider
    return response
