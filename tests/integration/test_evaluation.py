"""Golden sets and evaluations over a real knowledge base (EVL-1, OPS-3)."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from assets.resources import StoreResource
from cli.main import main
from headwater.domain.evaluations import Evaluation, GoldenQuestion, RelevantDocument
from headwater.errors import ConflictError, InvalidInputError, NotFoundError
from headwater.evaluation.evaluation_refresh import TOLERATED_FALL, compare
from headwater.evaluation.evaluator import evaluate
from headwater.evaluation.golden_set import check_golden_set
from headwater.settings import Settings
from pipelines import sensors
from pipelines.in_process_run import register_partitions
from query_api.app import create_app
from tests.support import Headwater

Make = Callable[..., Headwater]
KB = "/api/v1/knowledge-bases"
FILES = {
    "pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.",
    "wheel.md": "# Wheel\n\nThe wheel measures three metres across.",
    "keys.md": "# Keys\n\nThe spare keys hang in the north shed.",
}
GOLDEN = {
    "How many litres does the pump lift?": ["pump.md"],
    "How many metres does the wheel measure?": ["wheel.md"],
    "Where do the spare keys hang?": ["keys.md"],
}

pytestmark = pytest.mark.synced(files=FILES)


def _questions(golden: dict[str, list[str]]) -> list[GoldenQuestion]:
    return [
        GoldenQuestion(question=question, relevant=tuple(RelevantDocument(uri=uri) for uri in uris))
        for question, uris in golden.items()
    ]


def _load(kb: Headwater, golden: dict[str, list[str]]) -> dict[str, int]:
    return kb.store.evaluations.replace_golden_questions(kb.slug, check_golden_set(_questions(golden)))


def _evaluate(kb: Headwater) -> Evaluation:
    made = evaluate(kb.store, kb.settings, kb.knowledge_base)
    assert made is not None
    return made


def _rows(kb: Headwater, table: str) -> list[str]:
    return [str(row) for row in kb.query(f"SELECT ctid, xmin, t.* FROM {table} t ORDER BY id")]


def _checks(kb: Headwater) -> list[tuple[bool, dg.AssetCheckSeverity]]:
    """The results of the check for this knowledge base, newest first."""
    key = dg.AssetCheckKey(dg.AssetKey("evaluation"), "retrieval_quality")
    found = kb.instance.event_log_storage.get_asset_check_execution_history(key, limit=100)
    made = [record.event.dagster_event.event_specific_data for record in found if record.event is not None]  # type: ignore[union-attr]
    return [(check.passed, check.severity) for check in made if check.partition == kb.slug]  # type: ignore[union-attr]


# Golden sets


def test_a_golden_set_is_replaced_as_a_whole(headwater: Make) -> None:
    """Only what differs is written; the same set again writes nothing."""
    kb = headwater()
    assert _load(kb, GOLDEN) == {"added": 3, "changed": 0, "removed": 0, "unchanged": 0}
    before = _rows(kb, "golden_questions")
    assert _load(kb, GOLDEN) == {"added": 0, "changed": 0, "removed": 0, "unchanged": 3}
    assert _rows(kb, "golden_questions") == before
    first, second, _ = GOLDEN
    changed = {first: ["pump.md"], second: ["wheel.md", "pump.md"], "Which colour is the door?": ["door.md"]}
    assert _load(kb, changed) == {"added": 1, "changed": 1, "removed": 1, "unchanged": 1}
    assert [*kb.store.evaluations.golden_questions(kb.knowledge_base)] == _questions(changed)
    with pytest.raises(NotFoundError):
        kb.store.evaluations.replace_golden_questions("none", [])


def test_a_wrong_golden_set_changes_nothing(headwater: Make) -> None:
    """The message names the place in the list."""
    kb = headwater()
    _load(kb, GOLDEN)
    before = _rows(kb, "golden_questions")
    with pytest.raises(InvalidInputError, match=r"questions\[1\]: question"):
        _load(kb, {"a?": ["a"], " ": ["b"]})
    assert _rows(kb, "golden_questions") == before


def test_golden_sets_of_two_knowledge_bases_are_apart(headwater: Make) -> None:
    """Replacing one leaves the other."""
    kb, other = headwater(), headwater(slug="other")
    _load(kb, GOLDEN)
    _load(other, GOLDEN)
    before = _rows(kb, "golden_questions")[:3]
    _load(other, {})
    assert _rows(kb, "golden_questions") == before


# Evaluating


def test_an_evaluation_is_what_search_finds(headwater: Make) -> None:
    """Ranks count documents, not passages; what is not there counts as missed."""
    long = "\n\n".join(f"## Part {n}\n\nThe gate opens at {n} o'clock. {'More of it. ' * 60}" for n in range(8))
    kb = headwater(files={**FILES, "gate.md": f"# Gate\n\n{long}", "door.md": "# Door\n\nThe gate has a door."})
    kb.sync()
    question = "When does the gate open and who opens the gate door?"
    found = list(dict.fromkeys(passage.uri for passage in kb.search(question)))
    assert sum(passage.uri == "gate.md" for passage in kb.search(question)) > 1
    second = found[1]
    _load(kb, {**GOLDEN, question: [second, "nowhere.md"]})
    made = _evaluate(kb)
    result = next(result for result in made.results if result.question == question)
    assert result.found == tuple(found)
    ndcg = (1 / math.log2(3)) / (1 + 1 / math.log2(3))
    assert result.metrics == pytest.approx({"ndcg_at_10": ndcg, "recall_at_10": 0.5, "mrr": 0.5})
    assert made.results[0] == result  # worst first
    assert made.question_count == 4
    assert made.metrics == pytest.approx({"ndcg_at_10": (3 + ndcg) / 4, "recall_at_10": 3.5 / 4, "mrr": 3.5 / 4})


def test_any_index_can_be_evaluated(kb: Headwater) -> None:
    """A given index is searched with its own model, whichever is active; both use the same golden set."""
    _load(kb, GOLDEN)
    first = kb.store.search_indexes.active("kb")
    kb.store.knowledge_bases.update(
        "kb", settings=kb.knowledge_base.settings.model_copy(update={"embedding_model": "builtin/minilm-int8-128d"})
    )
    kb.sync()
    second = kb.store.search_indexes.active("kb")
    assert first is not None
    assert second is not None
    assert (second.model, second.dimensions) == ("builtin/minilm-int8-128d", 128)
    assert kb.query("SELECT DISTINCT vector_dims(vector::vector) AS n FROM search_entries_chunk ORDER BY 1") == [
        {"n": 128},
        {"n": 384},
    ]
    assert not kb.ask("How many litres of water does the pump lift per minute?").refused
    old, new = evaluate(kb.store, kb.settings, kb.knowledge_base, index=first), _evaluate(kb)
    assert old is not None
    assert [(made.model, made.search_index_id) for made in (old, new)] == [
        ("builtin/hash", first.id),
        ("builtin/minilm-int8-128d", second.id),
    ]
    assert old.golden_hash == new.golden_hash
    assert new.metrics["ndcg_at_10"] == 1


def test_without_golden_questions_there_is_no_evaluation(headwater: Make) -> None:
    """And without an index there is nothing to judge."""
    kb = headwater(files=FILES)
    assert evaluate(kb.store, kb.settings, kb.knowledge_base) is None
    _load(kb, GOLDEN)
    with pytest.raises(ConflictError, match="headwater sync kb"):
        _evaluate(kb)


# In Dagster


def test_the_asset_is_made_when_something_changed(kb: Headwater) -> None:
    """Skipped without a golden set; made once per state of index and golden set, with figures that the UI can plot."""
    assert kb.materializations("evaluation") == []
    _load(kb, GOLDEN)
    kb.sync()
    (made,) = kb.materializations("evaluation")
    assert made.partition == "kb"
    assert {made.metadata[name].value for name in ("ndcg_at_10", "recall_at_10", "mrr")} == {1.0}
    (row,) = kb.store.evaluations.all(kb.knowledge_base)
    run = kb.instance.get_run_by_id(row.run_id or "")
    assert run is not None
    assert run.job_name == "sync_sources"
    assert kb.coloured("evaluation") == {"materialized": {"kb"}, "failed": set()}
    kb.sync()
    kb.write("door.md", "# Door\n\nThe door is green.")
    kb.sync()
    assert len(kb.materializations("evaluation")) == 2
    _load(kb, {"Which colour is the door?": ["door.md"]})
    kb.sync()
    rows = kb.store.evaluations.all(kb.knowledge_base)
    assert [row.question_count for row in rows] == [1, 3, 3]
    assert len({row.golden_hash for row in rows}) == 2
    _load(kb, {})
    kb.sync()
    assert len(kb.materializations("evaluation")) == 3
    assert kb.coloured("evaluation")["failed"] == set()


def test_loading_a_golden_set_asks_for_a_refresh(kb: Headwater) -> None:
    """The sensor sees it by the digest (OPS-2)."""
    register_partitions(kb.instance, kb.store)

    def requests() -> list[Any]:
        context = dg.build_sensor_context(instance=kb.instance, resources={"store": StoreResource()})
        tick: Any = sensors.changed_knowledge_bases(context)
        return list(tick)

    assert requests() == []
    _load(kb, GOLDEN)
    assert [request.partition_key for request in requests()] == ["kb"]
    kb.sync()
    assert requests() == []


def test_the_check_warns_when_quality_falls(headwater: Make) -> None:
    """Documents that answered are deleted: a warning, which evaluating again does not take back."""
    kb = headwater(files=FILES)
    _load(kb, GOLDEN)
    kb.sync()
    assert [passed for passed, _ in _checks(kb)] == [True]
    kb.remove("keys.md")
    run, _ = kb.sync_run()
    assert run.refresh_error is None  # a warning fails no run
    assert _evaluate(kb).metrics["ndcg_at_10"] == pytest.approx(2 / 3)
    assert _checks(kb)[0] == (False, dg.AssetCheckSeverity.WARN)
    newest = kb.store.evaluations.add(kb.knowledge_base, _evaluate(kb), "run-1")
    before = kb.store.evaluations.before(newest)
    assert before is not None
    assert before.metrics["ndcg_at_10"] == 1
    assert not compare(newest, before).passed
    kb.write("keys.md", FILES["keys.md"])
    kb.sync()
    assert _checks(kb)[0][0]


def test_a_small_fall_and_another_golden_set_do_not_warn(headwater: Make) -> None:
    """Only the same questions are compared, and only beyond what chance moves."""
    kb = headwater(files=FILES)
    _load(kb, GOLDEN)
    kb.sync()
    _load(kb, {**GOLDEN, "Where is the boat?": ["boat.md"]})
    kb.sync()
    assert _evaluate(kb).metrics["ndcg_at_10"] < 1 - TOLERATED_FALL
    assert all(passed for passed, _ in _checks(kb))
    kb.query("UPDATE evaluations SET metrics = metrics || '{\"ndcg_at_10\": 0.79}' RETURNING id")
    kb.write("door.md", "# Door\n\nThe door is green.")
    kb.sync()
    assert _evaluate(kb).metrics["ndcg_at_10"] == pytest.approx(0.75)
    assert _checks(kb)[0][0]


A = {"uri": "a"}


# On the command line and over HTTP


def _run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == status, (done.output, done.exception)
    return done.stdout if status == 0 else done.output


def test_load_and_evaluate_on_the_command_line(kb: Headwater, headwater: Make, tmp_path: Path) -> None:
    """Both say the same to people and to programs."""
    assert "headwater golden load kb" in _run("eval", "kb", status=1)
    file = tmp_path / "golden.jsonl"
    lines = [question.model_dump_json(exclude_none=True) for question in _questions({**GOLDEN, "Boat?": ["boat.md"]})]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert json.loads(_run("golden", "load", "kb", str(file), "--json"))["added"] == 4
    assert _run("golden", "load", "kb", str(file)) == (
        "4 golden questions (0 added, 0 changed, 0 removed, 4 unchanged).\n"
    )
    printed = _run("eval", "kb")
    assert re.search(r"nDCG@10 +0\.7500", printed)
    assert re.search(r"recall@10 +0\.7500", printed)
    assert re.search(r"MRR +0\.7500", printed)
    assert "Boat?" in printed
    assert "litres" not in printed
    found = json.loads(_run("eval", "kb", "--json"))
    assert {name: found["metrics"][name] for name in ("ndcg_at_10", "recall_at_10", "mrr")} == {
        "ndcg_at_10": 0.75,
        "recall_at_10": 0.75,
        "mrr": 0.75,
    }
    assert json.loads(_run("eval", "kb", "--no-answers", "--json"))["answer_model"] is None
    assert [result["question"] for result in found["worst"]] == ["Boat?"]
    rows = kb.store.evaluations.all(kb.knowledge_base)
    assert [(row.id == found["id"], row.run_id) for row in rows] == [(False, None), (True, None), (False, None)]
    file.write_text(lines[0] + "\n{}", encoding="utf-8")
    assert "golden.jsonl:2: `question` is missing. A line looks like this: {" in _run(
        "golden", "load", "kb", str(file), status=2
    )
    assert len(kb.store.evaluations.golden_questions(kb.knowledge_base)) == 4
    file.write_text(lines[0], encoding="utf-8")
    assert "no knowledge base none" in _run("golden", "load", "none", str(file), status=2)


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """A client of the app."""
    return create_app(settings).test_client()


def test_golden_sets_and_evaluations_over_http(client: FlaskClient, kb: Headwater) -> None:
    """Put, read, evaluate, list newest first in pages."""
    refused = client.post(f"{KB}/kb/evaluations")
    assert (refused.status_code, refused.json["code"]) == (409, "CONFLICT")  # type: ignore[index]
    body = {"questions": [{"question": q, "relevant": [{"uri": uris[0]}]} for q, uris in GOLDEN.items()]}
    counts = {"added": 3, "changed": 0, "removed": 0, "unchanged": 0}
    assert client.put(f"{KB}/kb/golden-questions", json=body).json == {"question_count": 3, **counts}
    kept = client.get(f"{KB}/kb/golden-questions").json["questions"]  # type: ignore[index]
    assert [{"question": one["question"], "relevant": one["relevant"]} for one in kept] == body["questions"]
    assert {one["origin"] for one in kept} == {"file"}
    made = [client.post(f"{KB}/kb/evaluations") for _ in range(3)]
    assert [response.status_code for response in made] == [201] * 3
    first = made[0].json
    assert first is not None
    assert (first["metrics"]["mrr"], first["worst"], first["run_id"]) == (1.0, [], None)
    ids, after = [], None
    while True:
        page = client.get(f"{KB}/kb/evaluations", query_string={"limit": 2, **({"after": after} if after else {})}).json
        assert page is not None
        ids += [item["id"] for item in page["evaluations"]]
        if page["next"] is None:
            break
        after = page["next"]
    assert ids == sorted((response.json["id"] for response in made), reverse=True)  # type: ignore[index]
    assert client.put(f"{KB}/kb/golden-questions", json={"questions": []}).json["removed"] == 3  # type: ignore[index]


@pytest.mark.parametrize(
    ("method", "path", "arguments", "status"),
    [
        ("put", f"{KB}/kb/golden-questions", {"json": {}}, 422),
        ("put", f"{KB}/kb/golden-questions", {"json": {"questions": [{"question": "x?", "relevant": []}]}}, 422),
        (
            "put",
            f"{KB}/kb/golden-questions",
            {"json": {"questions": [{"question": "", "relevant": [{"uri": "a"}]}]}},
            422,
        ),
        ("put", f"{KB}/none/golden-questions", {"json": {"questions": []}}, 404),
        ("get", f"{KB}/none/golden-questions", {}, 404),
        ("post", f"{KB}/none/evaluations", {}, 404),
        ("get", f"{KB}/none/evaluations", {}, 404),
        ("get", f"{KB}/kb/evaluations", {"query_string": {"after": "x"}}, 422),
        ("get", f"{KB}/kb/evaluations", {"query_string": {"after": str(2**63)}}, 422),
    ],
)
def test_bad_requests_are_problems(
    client: FlaskClient, headwater: Make, method: str, path: str, arguments: dict[str, Any], status: int
) -> None:
    """Each has a stable code."""
    headwater()
    response = getattr(client, method)(path, **arguments)
    assert response.status_code == status, response.text
    assert response.json["code"] in ("INVALID_INPUT", "NOT_FOUND")
