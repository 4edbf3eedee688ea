"""What a terminal shows below an answer."""

from typing import Any

from cli.result_texts import answer_text

_FURTHER = {"title": "Care", "uri": "care.md", "link": None, "place": {"label": "L3"}, "line": "Oil\x1b[2J it."}


def _answer(**more: Any) -> dict[str, Any]:
    same = {"id": "1", "answer": "It is so.", "refused": False, "reason": None, "cited": [], "summaries": [],
            "notes": [], "cached": False, "related_questions": [], "statements": [], "further": [],
            "readings": []}  # fmt: skip
    return {**same, **more}


def test_further_passages_follow_the_citations() -> None:
    """A line each; below a refusal they are the closest ones. A document cannot control the terminal."""
    lines = answer_text(_answer(further=[_FURTHER], notes=["A note."])).splitlines()
    assert lines[2:4] == ["Further: Care (care.md, L3): Oil [2J it.", "A note."]
    refused = answer_text(_answer(further=[_FURTHER], refused=True, reason="nothing_relevant")).splitlines()
    assert refused[2:4] == ["Closest: Care (care.md, L3): Oil [2J it.", "Refused: nothing_relevant"]


def test_what_no_passage_supports_is_one_line() -> None:
    """Whatever lines the sentences have."""
    statements = [{"text": "It is\nred.", "supported": False}, {"text": "It is old.", "supported": True}]
    assert "Without support: “It is red.”\n" in answer_text(_answer(statements=statements))
    assert "Without support" not in answer_text(_answer(statements=statements[1:]))
