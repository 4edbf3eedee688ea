"""Widgets (INT-2): configuring them, and what a visitor's requests get, over HTTP."""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from headwater.administration.widgets import change_widget, create_widget, delete_widget
from query_api.app import create_app
from tests.support import Headwater

pytestmark = pytest.mark.synced(
    files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n\n## Oil\n\nChange the oil in spring.\n"}
)
SITE = "https://docs.example.com"
QUESTION = "How many litres of water does the pump lift per minute?"


def test_x(kb: Headwater) -> None:
    made = create_widget(kb.store, "kb", "docs", {"origins": [SITE + "/guide"]})
    client = create_app(kb.settings).test_client(use_cookies=False)
    o = {"Origin": SITE}
    r = client.get(f"/widget/v1/widgets/{made.id}", headers=o)
    print(r.status_code, r.text, dict(r.headers))
    r = client.options("/widget/v1/ask", headers=o)
    print(r.status_code, r.text, dict(r.headers))
    r = client.post("/widget/v1/sessions", json={"widget": made.id}, headers=o)
    print(r.status_code, r.text, dict(r.headers))
    h = {**o, "Authorization": "Bearer " + r.get_json()["token"]}
    r = client.post("/widget/v1/search", json={"query": "pump"}, headers=h)
    print(r.status_code, r.text, dict(r.headers))
    r = client.post("/widget/v1/ask", json={"question": QUESTION}, headers=h)
    print(r.status_code, r.text, dict(r.headers))
    r = client.post("/widget/v1/ask", json={"question": QUESTION}, headers=h)
    print(r.status_code, r.text, dict(r.headers))
    loc = r.headers["Location"]
    r = client.get(loc, headers=h)
    print(r.status_code, r.text, dict(r.headers))
    print(kb.query("select * from widget_questions"))
    print(kb.query("select * from widget_days"))
    r = client.put(loc.replace("events","feedback"), headers=h, json={"vote":"up"})
    print(r.status_code, r.text, dict(r.headers))
    print(kb.query("select * from feedback"))
    1/0
