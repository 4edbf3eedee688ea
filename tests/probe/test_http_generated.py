"""Requests that nobody thought of (SEC-1, API-1)."""

import functools
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from headwater.settings import REPOSITORY, Settings
from query_api.app import create_app
from tests.probe.conftest import Api
from tests.probe.generating import assert_described, requests
from tests.probe.wire import ask, assert_harmless, send

_EXAMPLES = 12  # of each operation


@functools.cache
def document() -> dict[str, Any]:
    """The OpenAPI document, as it is served."""
    client = create_app(Settings(home=REPOSITORY, cache=REPOSITORY)).test_client()
    found: dict[str, Any] = json.loads(client.get("/openapi/openapi.json").data)
    return found


_MAKES_A_KEY = ("/api/v1/keys", "post")  # after which every other attack would need one
OPERATIONS = [
    (path, method) for path, item in document()["paths"].items() for method in item if (path, method) != _MAKES_A_KEY
]


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=[f"{method}-{path}" for path, method in OPERATIONS])
def test_every_reply_is_described(patient_api: Api, path: str, method: str) -> None:
    """No request of an operation meets a fault, and its reply has a status and a shape that the document gives."""
    ask(patient_api.port, "POST", "/api/v1/knowledge-bases", {"slug": "generated"})
    before = ask(patient_api.port, "GET", "/api/v1/knowledge-bases/kb").json

    @seed(1)
    @settings(max_examples=_EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def attack(data: st.DataObject) -> None:
        (reply,) = send(patient_api.port, data.draw(requests(document(), path, method)))
        assert_harmless(reply)
        assert_described(reply, document(), path, method)

    attack()
    assert ask(patient_api.port, "GET", "/api/v1/knowledge-bases/kb").json == before
