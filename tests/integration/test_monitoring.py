"""The dashboard and the alert rules ask for metrics that exist (`examples/monitoring`, API-5).

Belongs here: the files. Not here: `/metrics` itself (`test_metrics.py`). Guarantee: each name, label and value of a
label in an expression is one that a server with a synced source and an answer shows, or one that the code knows.
"""

import json
import re
import time
from typing import Any

import pytest
import yaml

from headwater.domain.corpus import SourceState
from headwater.settings import REPOSITORY
from query_api.app import create_app
from tests.support import Headwater

pytestmark = pytest.mark.synced(files={"pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n"})
_FOLDER = REPOSITORY / "examples" / "monitoring"
_FUNCTIONS = {"sum", "rate", "histogram_quantile", "topk", "vector"}
_WORDS = {"by", "or", "unless", "on"}
_GIVEN = {"up": {"job", "instance"}}
"""What Prometheus itself has."""
_TARGET_LABELS = {"job", "instance"}
_TOKEN = re.compile(
    r"""\s*(?:(?P<name>[a-zA-Z_:][\w:]*)|(?P<text>"[^"]*")|(?P<range>\[(?:\d+[smhd]|\$__rate_interval)\])
    |(?P<number>\d+(?:\.\d+)?)|(?P<sign>=~|!~|!=|==|>=|<=|[-+*/(){},=<>]))""",
    re.VERBOSE,
)


def expressions() -> list[str]:
    """Every expression of both files."""
    dashboard = json.loads((_FOLDER / "dashboard.json").read_text(encoding="utf-8"))
    rules = yaml.safe_load((_FOLDER / "alerts.yaml").read_text(encoding="utf-8"))
    return [
        *(target["expr"] for panel in dashboard["panels"] for target in panel["targets"]),
        *(rule["expr"] for group in rules["groups"] for rule in group["rules"]),
    ]


def tokens(expression: str) -> list[tuple[str, str]]:
    """The words of an expression, each with its kind; its brackets match."""
    words, place, open_brackets = [], 0, []
    while place < len(expression.rstrip()):
        match = _TOKEN.match(expression, place)
        assert match, expression[place:]
        word = match[match.lastgroup or 0]
        if word in ("(", "{"):
            open_brackets.append({"(": ")", "{": "}"}[word])
        elif word in (")", "}"):
            assert open_brackets.pop() == word, expression
        words.append((str(match.lastgroup), word))
        place = match.end()
    assert not open_brackets, expression
    return words


def metrics_of(expression: str) -> dict[str, dict[str, str]]:
    """The metrics of an expression, each with its matchers; labels that it groups by are in `by`."""
    words = tokens(expression)
    found: dict[str, dict[str, str]] = {}
    grouped: set[str] = set()
    for index, (kind, word) in enumerate(words):
        following = words[index + 1][1] if index + 1 < len(words) else ""
        if kind != "name" or word in _WORDS:
            continue
        if following == "(":
            assert word in _FUNCTIONS | _WORDS, word
        elif words[index - 1][1] in ("{", ",") and following in ("=", "=~", "!=", "!~"):
            found[list(found)[-1]][word] = words[index + 2][1].strip('"')
        elif _is_in_grouping(words, index):
            grouped.add(word)
        elif word not in _FUNCTIONS:
            found.setdefault(word, {})
    assert found, expression
    return {name: {**matchers, **dict.fromkeys(grouped - set(matchers), "")} for name, matchers in found.items()}


def _is_in_grouping(words: list[tuple[str, str]], index: int) -> bool:
    """Whether a name stands in the list after `by` or `on`."""
    while index > 0 and words[index][1] not in ("(", ")"):
        index -= 1
    return words[index][1] == "(" and words[index - 1][1] in ("by", "on")


@pytest.fixture
def shown(kb: Headwater) -> dict[str, dict[str, set[str]]]:
    """The metrics of a server that has answered, each with the values of its labels."""
    client: Any = create_app(kb.settings).test_client()
    answered = client.post("/api/v1/knowledge-bases/kb/answers", json={"question": "How many litres does it lift?"})
    assert answered.status_code == 200
    assert client.get("/api/v1/knowledge-bases/kb").status_code == 200
    deadline = time.monotonic() + 120
    while "headwater_answers_total{" not in (text := client.get("/metrics").text):  # counted after it was sent
        assert time.monotonic() < deadline, (answered.text[:600], text[-3000:])
        time.sleep(0.02)
    metrics: dict[str, dict[str, set[str]]] = {}
    for line in text.splitlines():
        if match := re.fullmatch(r"(\w+)(?:\{(.*)\})? \S+", line):
            labels = metrics.setdefault(match[1], {})
            for label, value in re.findall(r'(\w+)="([^"]*)"', match[2] or ""):
                labels.setdefault(label, set()).add(value)
    return metrics


def test_every_metric_and_label_exists(kb: Headwater, shown: dict[str, dict[str, set[str]]]) -> None:
    """In a dashboard, a wrong name is an empty panel, and in a rule an alert that never comes."""
    routes = {rule.rule for rule in create_app(kb.settings).url_map.iter_rules()}
    known = {
        "headwater_sources": {state.value for state in SourceState},
        "headwater_sync_sources": {"pending", "queued", "syncing"},
    }
    for expression in expressions():
        for name, matchers in metrics_of(expression).items():
            assert name in shown or name in _GIVEN, expression
            labels = set(shown.get(name, {})) | _GIVEN.get(name, set()) | _TARGET_LABELS
            if "histogram_quantile" in expression:
                assert "le" in matchers, expression
            assert set(matchers) <= labels, (expression, labels)
            if matchers.get("route"):
                assert matchers["route"] in routes, expression
            if name in known:
                assert set(filter(None, matchers.get("state", "").split("|"))) <= known[name], expression


@pytest.mark.parametrize("expression", ["sum(up", "sum(up}", "rates(up[5m])", "up[5 minutes]"])
def test_what_is_no_expression_is_noticed(expression: str) -> None:
    """The test reads expressions, not only names."""
    with pytest.raises((AssertionError, IndexError)):
        metrics_of(expression)


def test_the_files_are_what_their_readers_expect() -> None:
    """Every rule has a severity and says what to do; panels do not overlap, and let people choose their Prometheus."""
    rules = yaml.safe_load((_FOLDER / "alerts.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert re.fullmatch(r"\d+m", rule["for"])
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert set(rule["annotations"]) == {"summary", "description"}
    dashboard = json.loads((_FOLDER / "dashboard.json").read_text(encoding="utf-8"))
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}  # fmt: skip
        assert not cells & taken, panel["title"]
        taken |= cells
        assert panel["datasource"]["uid"] == "${datasource}"
    assert max(x for x, _ in taken) < 24
