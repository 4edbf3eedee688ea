"""Forms of the kinds of source, made from their schemas."""

from typing import Any

import pytest

from headwater.sources.connector import check_config, connector_of, connectors
from query_api.pages.schema_forms import Field, form_of, values_of


@pytest.mark.parametrize("kind", sorted(connectors()))
def test_every_kind_has_a_form_that_shows_its_required_fields(kind: str) -> None:
    """Each field is an input, or is named as one that has none; required ones come first."""
    schema = connector_of(kind).Config.model_json_schema()
    form = form_of(schema)
    shown = [one.name for one in form.fields]
    assert {*shown, *form.left_out} == set(schema["properties"])
    required = [one.name for one in form.fields if one.is_required]
    assert set(required) == set(schema.get("required", ()))
    assert shown[: len(required)] == required


def test_what_is_entered_becomes_a_config_that_the_connector_accepts() -> None:
    """Empty inputs are left out; numbers and lines are read; the limits of a number are the schema's."""
    form = form_of(connector_of("website").Config.model_json_schema())
    by_name = {one.name: one for one in form.fields}
    assert (by_name["mode"].kind, by_name["mode"].choices) == ("choice", ("page", "crawl", "sitemap", "feed"))
    assert (by_name["pages"].least, by_name["pages"].most, by_name["pages"].default) == (1, 100_000, "1000")
    assert (by_name["pages"].is_whole, by_name["delay"].is_whole) == (True, False)
    given = {
        "url": " https://example.com/ ",
        "mode": "",
        "pages": "7",
        "delay": "0.25",
        "exclude": "/old/*\n\n /tmp/* \r\n",
    }
    values = values_of(form.fields, given)
    expected = {"url": "https://example.com/", "pages": 7, "delay": 0.25, "exclude": ["/old/*", "/tmp/*"]}
    assert values == expected
    check_config("website", values)


@pytest.mark.parametrize(
    ("described", "kind"),
    [
        ({"type": "boolean"}, "check"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, None),
        ({"type": "array", "items": {"$ref": "#/$defs/X"}}, None),
        ({"type": "object"}, None),
    ],
)
def test_a_plugin_may_have_fields_of_any_type(described: dict[str, Any], kind: str | None) -> None:
    """A type that no input fits is named as left out, so that its form still works."""
    form = form_of({"properties": {"given": described}})
    assert [one.kind for one in form.fields] == ([kind] if kind else [])
    assert form.left_out == (() if kind else ("given",))


def test_a_box_that_is_not_ticked_is_false_and_a_number_that_is_none_stays_a_text() -> None:
    """Then the config says what is wrong with it."""
    fields = (Field(name="deep", label="Deep", kind="check"), Field(name="most", label="Most", kind="number"))
    assert values_of(fields, {"most": "many"}) == {"deep": False, "most": "many"}
