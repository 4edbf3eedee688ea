"""The table of docs/permissions.md, made from the routes; `python -m tests.permissions` writes it (API-6).

Belongs here: what stands in a row. Not here: whether the guards do what it says (`integration.test_access_table`).
"""

import re
from pathlib import Path

from flask import Flask
from werkzeug.routing import Rule

from headwater.domain.access import Scope
from headwater.settings import REPOSITORY, Settings
from query_api.app import create_app
from query_api.guards.route_facts import READ, RouteFacts, facts_of
from query_api.guards.visibility import kind_of

PAGE = REPOSITORY / "docs" / "permissions.md"
_HEAD = "| request | scope | with a limited key | units |\n|---|---|---|---|\n"
_TABLE = re.compile(re.escape(_HEAD) + r"(?:\|.*\n)*")
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


def table(app: Flask) -> str:
    """A row for each request that an app takes, by its path."""
    rows = sorted(
        (_PARAMETER.sub(r"{\1}", rule.rule), method, _cells(rule, facts_of(app, rule.endpoint)))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    )
    return _HEAD + "".join(f"| `{method} {path}` | {cells} |\n" for path, method, cells in rows)


def page_with(table: str) -> str:
    """The page, with this table in the place of its own."""
    text, count = _TABLE.subn(lambda _: table, PAGE.read_text(encoding="utf-8"))
    assert count == 1, "docs/permissions.md has no table with the columns of tests.permissions"
    return text


def _cells(rule: Rule, facts: RouteFacts) -> str:
    if facts.scope is Scope.OPEN:
        scope, units = "open to widgets" if facts.visitors else "open", facts.cost or 0
        return f"{scope} | yes | {units}"
    without_kind = "filtered" if facts.about == "visible" else "no"
    limited = without_kind if kind_of(rule, facts) is None else "its own"
    return f"`{facts.scope}` | {limited} | {facts.cost or READ}"


if __name__ == "__main__":
    PAGE.write_text(page_with(table(create_app(Settings(home=Path("home"), cache=Path("cache"))))), encoding="utf-8")
