"""Making an app takes a third of the time once a process has made one.

Belongs here: what flask and flask-openapi3 compute for each app, and what is the same for all. Not here: apps.
Guarantee: an app has the same routes, and builds the same addresses, as without it.

Most tests of HTTP make an app. Compiling two functions for each of its 160 routes was three quarters of the 90 ms of
processor time that it takes, and reading the entry points of all installed packages a tenth.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import flask_openapi3.openapi
from werkzeug.routing import Rule

_compile_builder = Rule._compile_builder
_compiled: dict[tuple[Any, ...], Callable[..., tuple[str, str]]] = {}


def make_apps_quickly() -> None:
    """From now on, rules with the same parts and defaults share what was compiled for the first of them."""
    Rule._compile_builder = _compile_once  # type: ignore[method-assign,assignment]
    flask_openapi3.openapi.entry_points = cache(flask_openapi3.openapi.entry_points)  # type: ignore[attr-defined,assignment]


def _compile_once(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
    key = (rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown)
    if key not in _compiled:
        _compiled[key] = _compile_builder(rule, append_unknown)
    return _compiled[key]
