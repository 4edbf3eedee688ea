"""What the answer reader is trained on (bench/answer_reader)."""

import json
import random
from dataclasses import asdict
from pathlib import Path

import pytest

from bench.answer_reader.documents import make_group
from bench.answer_reader.groups import Group, read_groups
from bench.answer_reader.tables import read_fetaqa, read_wikitables

_TEXT = "# Pumps\n\nA pump runs for *eight* hours. It rests for two.\n"
_SPAN = [_TEXT.index("A pump"), _TEXT.index(" It rests")]
_ANSWERING = "Pumps: A pump runs for eight hours. It rests for two."


class _Always(random.Random):
    """Never takes an answer away."""

    def random(self) -> float:
        return 0.99


def _entry(spans: list[list[int]], must: list[str]) -> dict[str, object]:
    return {"kb": "k", "document": "pumps.md", "question": "how long?", "spans": spans, "must": must}


def test_a_window_with_the_answer_comes_first_and_doubtful_ones_are_left_out() -> None:
    """A window elsewhere that has the string of the answer may answer, too; markup of the file does not matter."""
    windows = ["Pumps: It lifts water.", "Wheels: Eight hours a day.", _ANSWERING]
    group = make_group(_entry([_SPAN], ["eight"]), _TEXT, lambda _document: windows, _Always())
    assert group == Group(question="how long?", windows=[_ANSWERING, "Pumps: It lifts water."], is_answered=True)


def test_a_window_with_most_of_the_answer_is_never_a_wrong_one() -> None:
    """Though the string that an answer must have stands in another one; `8` is no part of `80`."""
    other_half = "Pumps: A pump runs for eight."
    windows = [_ANSWERING, other_half, "Pumps: 80 of them."]
    group = make_group(_entry([_SPAN], ["8"]), _TEXT, lambda _document: windows, _Always())
    assert group == Group(question="how long?", windows=[_ANSWERING, "Pumps: 80 of them."], is_answered=True)


def test_the_document_is_searched_if_no_window_of_the_search_answers() -> None:
    """So a question counts whose answer the search does not find."""
    windows = {None: ["Wheels: They turn."], "pumps.md": [_ANSWERING]}
    group = make_group(_entry([_SPAN], ["eight"]), _TEXT, windows.__getitem__, _Always())
    assert group == Group(question="how long?", windows=[_ANSWERING, "Wheels: They turn."], is_answered=True)


@pytest.mark.parametrize("windows", [[_ANSWERING], []])
def test_a_question_whose_answer_has_no_window_or_no_rival_makes_no_group(windows: list[str]) -> None:
    """There is nothing to choose."""
    assert make_group(_entry([_SPAN], ["eight"]), _TEXT, lambda _document: windows, _Always()) is None


def test_a_question_without_an_answer_has_windows_that_do_not_answer() -> None:
    """As many as a group may have."""
    windows = [f"Wheels: Part {number}." for number in range(9)]
    group = make_group(_entry([], []), _TEXT, lambda _document: windows, _Always())
    assert group == Group(question="how long?", windows=windows[:6], is_answered=False)


def test_groups_are_read_as_they_are_written(tmp_path: Path) -> None:
    """One in a line."""
    group = Group(question="q", windows=["a\u2028", "b"], is_answered=True)
    (tmp_path / "groups.jsonl").write_text(json.dumps(asdict(group), ensure_ascii=False) + "\n", "utf-8")
    assert list(read_groups(tmp_path / "groups.jsonl")) == [group]


def test_a_row_of_fetaqa_answers_if_it_has_all_cells(tmp_path: Path) -> None:
    """Each cell stands behind the name of its column; a question with cells of two rows is left out."""
    table = [["Year", "Part"], ["1999", "pump"], ["2001", "wheel"]]
    entry = {"table_page_title": "Ida", "table_section_title": "Work", "table_array": table, "question": "in 2001?"}
    entries = [{**entry, "highlighted_cell_ids": cells} for cells in ([[2, 0], [2, 1]], [[1, 0], [2, 0]], [[0, 0]])]
    (tmp_path / "fetaqa.jsonl").write_text("\n".join(map(json.dumps, entries)))
    (group,) = read_fetaqa(tmp_path / "fetaqa.jsonl", _Always())
    assert group.windows == ["Ida > Work: Year: 2001, Part: wheel", "Ida > Work: Year: 1999, Part: pump"]
    assert group.is_answered


def test_a_row_of_a_wikipedia_table_answers_if_only_it_is_named(tmp_path: Path) -> None:
    """Not one that has to be compared; names of columns, and words that begin like a cell, name no row."""
    (tmp_path / "data").mkdir()
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "1.csv").write_text('"Part","Price"\n"pump","10"\n"wheel","12"\n')
    questions = "id\tutterance\tcontext\ttargetValue\na\twhat is the price of the wheel\tcsv/1.csv\t12\n"
    questions += "b\twhich of the pumps costs most\tcsv/1.csv\twheel\n"
    (tmp_path / "data" / "training.tsv").write_text(questions)
    (group,) = read_wikitables(tmp_path / "data" / "training.tsv", _Always())
    assert group.windows == ["Part: wheel, Price: 12", "Part: pump, Price: 10"]
