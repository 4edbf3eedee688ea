"""What a terminal shows of a search and of an evaluation."""

from typing import Any

import click

from cli.evaluation_texts import evaluation_text
from cli.result_texts import excerpt_text


def _passage(text: str, start: int, end: int, *matches: tuple[int, int]) -> dict[str, Any]:
    shown = [{"start": first, "end": last} for first, last in matches]
    return {"text": text, "excerpt": {"text": text[start:end], "start": start, "end": end, "matches": shown}}


def test_the_part_that_matched_is_shown_in_one_line_with_its_words_bold() -> None:
    """Dots say that there is more before and behind; control characters of the text are none of the terminal's."""
    text = "Before. The\npump\x1b[31m lifts water. Behind."
    shown = excerpt_text(_passage(text, 8, 34, (4, 8)))
    assert click.unstyle(shown) == "… The pump [31m lifts water. …"
    assert click.style("pump", bold=True) in shown
    assert excerpt_text(_passage("All of it.", 0, 10)) == "All of it."


def test_the_worst_questions_name_the_page_that_was_wanted() -> None:
    """Else what was wanted reads like what was found instead, which is another page of the same file."""
    result = {
        "question": "What turns the shaft?",
        "relevant": [{"uri": "guide.pdf", "page": 7}, {"uri": "notes.md", "page": None}],
        "found": ["guide.pdf#page=2"],
        "metrics": {"ndcg_at_10": 0.0},
    }
    metrics = {"ndcg_at_10": 0.0, "recall_at_10": 0.0, "mrr": 0.0}
    report = {
        "question_count": 1,
        "model": "m",
        "search_index_id": 1,
        "metrics": metrics,
        "counts": {},
        "answer_model": None,
        "judge_model": None,
        "worst": [result],
    }
    assert "wanted guide.pdf#page=7, notes.md; found guide.pdf#page=2" in evaluation_text(report)
