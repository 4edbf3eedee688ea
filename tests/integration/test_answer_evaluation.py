"""Evaluating answers, golden questions that no file has, comparing and tuning (EVL-1)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from cli.main import main
from headwater.administration.evaluation_runs import compare_with, tune_and_apply
from headwater.administration.golden_sets import add_golden_questions, generate_golden_questions, promote_answer
from headwater.domain.evaluations import GoldenQuestion, RelevantDocument
from headwater.errors import ConflictError, InvalidInputError, NotFoundError
from headwater.evaluation import measurement, tuner
from headwater.evaluation.evaluator import evaluate, evaluate_and_record
from headwater.settings import Settings
from query_api.app import create_app
from tests.chat_server import MODEL, ChatRequest, ChatServer, refuses
from tests.support import Headwater

Make = Callable[..., Headwater]
KB = "/api/v1/knowledge-bases/kb"
FILES = {
    "pump.md": "# Pump\n\nThe pump lifts forty litres of water per minute.\n\n## How is the pump stopped?\n\nPress the"
    " red button beside the inlet valve, then close the valve.",
    "wheel.md": "# Water wheel\n\nA water wheel is a machine that turns falling water into rotation.\n\n## Does it"
    " still turn in a dry summer?\n\nThe wheel stands still when the river falls below the mark.",
    "keys.md": "# Keys\n\nThe spare keys hang in the north shed.",
}
QUESTIONS = (
    GoldenQuestion(
        question="How many litres does the pump lift?",
        relevant=(RelevantDocument(uri="pump.md"),),
        answer="Forty litres of water per minute.",
    ),
    GoldenQuestion(question="Where do the spare keys hang?", relevant=(RelevantDocument(uri="keys.md"),)),
    GoldenQuestion(question="Who won the chess tournament in Reykjavik?", unanswerable=True),
)

pytestmark = pytest.mark.synced(files=FILES)


def _add(kb: Headwater, *questions: GoldenQuestion) -> None:
    add_golden_questions(kb.store, kb.slug, questions or QUESTIONS)


def _set(kb: Headwater, **change: Any) -> None:
    kb.store.knowledge_bases.update(kb.slug, settings=kb.knowledge_base.settings.model_copy(update=change))


def _run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == status, (done.output, done.exception)
    return done.stdout if status == 0 else done.output


def _kept(kb: Headwater) -> dict[str, str]:
    return {one.golden.question: one.origin for one in kb.store.evaluations.golden_set(kb.knowledge_base)}


# Evaluating answers


def test_answers_are_measured_beside_the_ranking(kb: Headwater) -> None:
    """Quotes are faithful; each metric counts its questions; nothing is stored but the evaluation."""
    _add(kb)
    before = len(kb.store.answers.all(kb.knowledge_base))
    made, row = evaluate_and_record(kb.store, kb.settings, kb.knowledge_base)
    assert made.metrics["faithfulness"] == made.metrics["citation_precision"] == made.metrics["relevance"] == 1
    assert (made.metrics["wrong_refusals"], made.metrics["unanswerable_refused"]) == (0, 1)
    assert (made.counts["ndcg_at_10"], made.counts["unanswerable_refused"], made.question_count) == (2, 1, 3)
    assert (row.answer_model, row.judge_model, row.counts) == ("builtin/extractive", None, made.counts)
    assert len(kb.store.answers.all(kb.knowledge_base)) == before
    without = evaluate(kb.store, kb.settings, kb.knowledge_base)
    assert without is not None
    assert (set(without.metrics), without.golden_hash) == ({"ndcg_at_10", "recall_at_10", "mrr"}, made.golden_hash)


def test_an_evaluation_that_breaks_off_leaves_the_old_one(kb: Headwater) -> None:
    """It is stored when it is complete."""
    _add(kb)
    _, first = evaluate_and_record(kb.store, kb.settings, kb.knowledge_base)

    def stop(done: int, _: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_and_record(kb.store, kb.settings, kb.knowledge_base, progress=stop)
    assert kb.store.evaluations.all(kb.knowledge_base) == [first]


def test_the_asset_has_the_figures_of_answers(kb: Headwater) -> None:
    """Without a chat model they cost nothing; with one, only if the knowledge base says so."""
    _add(kb)
    kb.sync()
    metadata = kb.materializations("evaluation")[0].metadata
    assert (metadata["faithfulness"].value, metadata["unanswerable_refused"].value) == (1.0, 1.0)
    _set(kb, evaluate_answers="never")
    kb.sync()
    assert "faithfulness" not in kb.materializations("evaluation")[0].metadata


def _verdict(request: ChatRequest) -> str:
    """Every claim is supported, every passage right, but the answer is not relevant."""
    numbers = range(1, 6)
    assert "<data claim-1" in request.prompt
    assert "forty litres" in request.prompt.lower() or "(not known)" in request.prompt
    return json.dumps(
        {
            "claims": [{"claim": number, "supported": True} for number in numbers],
            "passages": [{"passage": number, "right": True} for number in numbers],
            "relevant": False,
        }
    )


def test_a_judge_model_decides_instead_and_its_agreement_is_shown(kb: Headwater, chat: ChatServer) -> None:
    """The rules' figures stay beside the judge's; a reply in no shape leaves its answer out."""
    _add(kb)
    chat.by_model["stub"] = _verdict
    _set(kb, judge_model=MODEL)
    made, row = evaluate_and_record(kb.store, kb.settings, kb.knowledge_base)
    assert (made.metrics["relevance"], made.metrics["rule_relevance"]) == (0, 1)
    assert made.metrics["faithfulness"] == made.metrics["rule_faithfulness"] == 1
    assert made.metrics["judge_agreement"] == pytest.approx(0)  # the rules find everything right
    assert (row.judge_model, (row.judge_prompt or "")[:6]) == (MODEL, "judge-")
    assert len(chat.requests) == 2
    chat.by_model["stub"] = lambda request: _verdict(request) if "litres" in request.prompt else "Well."
    made, _ = evaluate_and_record(kb.store, kb.settings, kb.knowledge_base)
    assert (made.counts["relevance"], made.counts["rule_relevance"]) == (1, 2)
    chat.by_model["stub"] = refuses(401)
    assert "stub" in _run("eval", "kb", status=1)
    assert len(kb.store.evaluations.all(kb.knowledge_base)) == 2


# Golden questions


def test_loading_a_file_keeps_questions_of_other_origin(kb: Headwater, tmp_path: Path) -> None:
    """One set joins both; an export can be loaded again."""
    _add(kb, QUESTIONS[0])
    file = tmp_path / "golden.jsonl"
    file.write_text('{"question": "Old?", "relevant": [{"uri": "keys.md"}]}', encoding="utf-8")
    _run("golden", "load", "kb", str(file))
    lines = [json.dumps(question.to_line()) for question in QUESTIONS[1:]]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert json.loads(_run("golden", "load", "kb", str(file), "--json"))["removed"] == 1
    assert list(_kept(kb).values()) == ["added", "file", "file"]
    assert [GoldenQuestion.model_validate_json(line) for line in _run("golden", "export", "kb", "-").splitlines()] == [
        *QUESTIONS
    ]
    _run("golden", "export", "kb", str(tmp_path / "all.jsonl"))
    assert json.loads(_run("golden", "load", "kb", str(tmp_path / "all.jsonl"), "--json"))["unchanged"] == 2


def test_questions_are_added_listed_and_removed_by_command(kb: Headwater) -> None:
    """What is wrong with the options is said by field."""
    added = json.loads(
        _run("golden", "add", "kb", "Which lid?", "--relevant", "lid.pdf#page=2", "--answer", "Oak.", "--json")
    )
    assert added["relevant"] == [{"uri": "lid.pdf", "page": 2, "quote": None}]
    assert "lid.pdf#page=2" in _run("golden", "list", "kb")
    assert "at least 1 document" in _run("golden", "add", "kb", "Which lid?", status=2)
    _run("golden", "add", "kb", "Which lid?", "--unanswerable")
    assert "to be refused" in _run("golden", "list", "kb")
    _run("golden", "remove", "kb", str(added["id"]))
    assert "no golden question" in _run("golden", "remove", "kb", str(added["id"]), status=2)
    assert _kept(kb) == {}


def test_an_answer_is_promoted(kb: Headwater) -> None:
    """With what it cites, with what is right instead, or as a question to refuse; promoting again replaces it."""
    answer = kb.ask("How many litres of water does the pump lift per minute?")
    promoted = promote_answer(kb.store, answer.id)
    assert (promoted.origin, promoted.answer_id) == ("promoted", answer.id)
    assert promoted.golden.relevant == (RelevantDocument(uri="pump.md"),)
    assert "forty litres" in (promoted.golden.answer or "")
    assert "[1]" not in (promoted.golden.answer or "")
    shown = json.loads(_run("golden", "promote", str(answer.id), "--relevant", "wheel.md", "--json"))
    assert (shown["id"], shown["answer"], shown["relevant"][0]["uri"]) == (promoted.id, None, "wheel.md")
    assert promote_answer(kb.store, answer.id, unanswerable=True).golden.unanswerable
    refused = kb.ask("Who won the chess tournament in Reykjavik?")
    assert refused.refused
    with pytest.raises(InvalidInputError, match="cites no document"):
        promote_answer(kb.store, refused.id)
    with pytest.raises(NotFoundError):
        promote_answer(kb.store, UUID(int=1))


def test_questions_are_made_of_headings_and_definitions(kb: Headwater) -> None:
    """Each finds its own document; the same ones are not made twice; a heading that points elsewhere is not asked."""
    made, _ = generate_golden_questions(kb.store, kb.settings, "kb", 5)
    assert {one.golden.question: one.golden.relevant[0].uri for one in made} == {
        "How is the pump stopped?": "pump.md",
        "What is a water wheel?": "wheel.md",
    }
    with pytest.raises(ConflictError, match="No new question"):
        generate_golden_questions(kb.store, kb.settings, "kb", 5)


def test_a_model_writes_questions_whose_quotes_are_checked(kb: Headwater, chat: ChatServer) -> None:
    """A quote that is not in the passage drops the question; so does a search that misses its document."""
    _set(kb, judge_model=MODEL)

    def write(request: ChatRequest) -> str:
        if "spare keys" in request.prompt:
            question, quote = "Where do I find a spare key?", "hang in the north shed"
        elif "forty" in request.prompt:
            question, quote = "How much does the pump lift?", "fifty litres"
        else:
            question, quote = "", ""
        return json.dumps({"question": question, "answer": "So it is." if quote else "", "quote": quote})

    chat.by_model["stub"] = write
    (made,), _ = generate_golden_questions(kb.store, kb.settings, "kb", 5)
    assert made.golden.relevant == (RelevantDocument(uri="keys.md", quote="hang in the north shed"),)
    assert (made.origin, made.golden.answer) == ("generated", "So it is.")


# Comparing and tuning


def test_comparing_changes_nothing_and_refuses_what_needs_another_index(kb: Headwater, tmp_path: Path) -> None:
    """Each metric of both sides with a verdict; the reason if it cannot be compared."""
    _add(kb)
    before = kb.content()
    settings, found = kb.knowledge_base.settings, compare_with(kb.store, kb.settings, "kb", {"rerank_model": "none"})
    assert found.changed == {"rerank_model": ("builtin/lexical", "none")}
    assert {"ndcg_at_10", "faithfulness", "unanswerable_refused"} <= found.differences.keys()
    assert not found.is_different
    file = tmp_path / "settings.yaml"
    file.write_text("trust_floor: 0.99\n", encoding="utf-8")
    assert "trust_floor: 0.5 -> 0.99" in _run("eval", "kb", "--compare", str(file))
    assert kb.knowledge_base.settings == settings
    assert kb.store.evaluations.all(kb.knowledge_base) == []
    assert kb.content() == before
    for change, reason in (
        ({"chunk_max": 900}, "chunk_max cannot be compared"),
        ({"embedding_model": "builtin/minilm-int8"}, "embedding_model cannot be compared"),
        ({}, "Change at least one"),
        ({"top_k": 0}, "top_k: it must be 1 or more"),
        ({"colour": 1}, "colour"),
    ):
        with pytest.raises(InvalidInputError, match=reason):
            compare_with(kb.store, kb.settings, "kb", change)


def _many(kb: Headwater) -> list[GoldenQuestion]:
    words = ["lifts", "water", "litres", "minute", "pump", "keys", "shed", "north", "wheel", "machine"]
    return [
        GoldenQuestion(
            question=f"What about {word} in case {number}?",
            relevant=(RelevantDocument(uri="keys.md" if word in ("keys", "shed", "north") else "pump.md"),),
        )
        for number in range(4)
        for word in words
    ]


def test_tuning_reports_only_the_half_that_it_did_not_choose_on(kb: Headwater, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every figure is of the other half; nothing changes unless told; too few questions are refused."""
    _add(kb, QUESTIONS[0])
    with pytest.raises(ConflictError, match="needs 30"):
        tune_and_apply(kb.store, kb.settings, "kb", apply=True)
    questions = _many(kb)
    _add(kb, *questions)
    chosen_on, held_out = tuner.halves(kb.knowledge_base, [QUESTIONS[0], *questions])
    measured: list[tuple[str, ...]] = []
    real = measurement.measure

    def measure(*args: Any, **more: Any) -> Any:
        made = real(*args, **more)
        asked = tuple(question.question for question in args[3])
        measured.append(asked)
        # The half that is chosen on likes another reranker; the other half does not care.
        likes = args[2].settings.rerank_model == "none" and len(asked) == len(chosen_on)
        for result in made.results:
            result.metrics["ndcg_at_10"] = 0.9 if likes else 0.4  # type: ignore[index]
        return made

    monkeypatch.setattr(tuner, "measure", measure)
    assert len(chosen_on) != len(held_out)
    found, is_applied = tune_and_apply(kb.store, kb.settings, "kb", apply=False)
    assert (found.chosen_on, found.measured_on, is_applied) == (len(chosen_on), len(held_out), False)
    assert found.changed == {"rerank_model": ("builtin/lexical", "none")}
    assert set(measured[:-2]) == {tuple(question.question for question in chosen_on)}
    assert set(measured[-2:]) == {tuple(question.question for question in held_out)}
    assert {one.question_count for one in found.differences.values()} == {len(held_out)}
    target = found.differences["ndcg_at_10"]
    assert (target.first, target.second) == pytest.approx((0.4, 0.4))  # never the 0.9
    assert kb.knowledge_base.settings.rerank_model == "builtin/lexical"
    assert "0.9" not in _run("tune", "kb")
    assert "The settings are applied." in _run("tune", "kb", "--apply")
    assert kb.knowledge_base.settings.rerank_model == "none"


# Over HTTP


@pytest.fixture
def client(settings: Settings) -> FlaskClient:
    """A client of the app."""
    return create_app(settings).test_client()


def test_all_of_it_over_http(client: FlaskClient, kb: Headwater) -> None:
    """The same as by command; unknown fields are refused."""
    body = {"question": "Where do the spare keys hang?", "relevant": [{"uri": "keys.md"}], "answer": "In the shed."}
    added = client.post(f"{KB}/golden-questions", json=body)
    assert added.status_code == 201
    assert added.json is not None
    assert (added.json["origin"], added.json["answer"]) == ("added", "In the shed.")
    assert client.post(f"{KB}/golden-questions", json={**body, "colour": 1}).status_code == 422
    assert client.post(f"{KB}/golden-questions", json={"question": "x?"}).status_code == 422
    made = client.post(f"{KB}/golden-questions/generate", json={"count": 1})
    assert (made.status_code, len(made.json["questions"])) == (201, 1)  # type: ignore[index]
    answer = kb.ask("How many litres of water does the pump lift per minute?")
    promoted = client.post(f"/api/v1/answers/{answer.id}/promote", json={"relevant": [{"uri": "pump.md"}]})
    assert promoted.json["answer_id"] == str(answer.id)  # type: ignore[index]
    both = {"unanswerable": True, "answer": "x"}
    assert client.post(f"/api/v1/answers/{answer.id}/promote", json=both).status_code == 422
    report = client.post(f"{KB}/evaluations", json={"answers": True}).json
    assert report is not None
    assert report["metrics"]["faithfulness"] == 1
    assert client.post(f"{KB}/evaluations", json={"answers": False}).json["answer_model"] is None  # type: ignore[index]
    compared = client.post(f"{KB}/evaluations/compare", json={"settings": {"top_k": 9}, "answers": False})
    assert (compared.status_code, compared.json["is_different"]) == (200, False)  # type: ignore[index]
    assert client.post(f"{KB}/evaluations/compare", json={"settings": {"chunk_max": 900}}).status_code == 422
    assert client.post(f"{KB}/evaluations/tune").status_code == 409
    removed = client.delete(f"{KB}/golden-questions/{added.json['id']}")
    assert (removed.status_code, removed.json["question"]) == (200, body["question"])  # type: ignore[index]
    assert client.delete(f"{KB}/golden-questions/{added.json['id']}").status_code == 404
