"""Collections that search is judged by, and the figures (bench/)."""

import json
from pathlib import Path

import click
import pytest

from bench.beir import read_folder
from bench.recall import spearman
from bench.search_quality import figures, mean, table


def _folder(path: Path, qrels: str, *, name: str = "qrels.tsv") -> Path:
    documents = [{"_id": "a", "title": "Pump", "text": "It lifts."}, {"_id": "b", "title": "Wheel", "text": ""}]
    (path / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)))
    (path / "queries.jsonl").write_text('{"_id": "q1", "text": "what lifts"}\n{"_id": "q2", "text": "what turns"}\n')
    (path / name).parent.mkdir(exist_ok=True)
    (path / name).write_text(qrels)
    return path


@pytest.mark.parametrize(
    ("name", "qrels"),
    [
        ("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\nq1\tgone\t1\nq2\tgone\t1\n"),
        ("qrels/test.tsv", "q1\ta\t2\n"),
        ("qrels.tsv", "q1\t0\ta\t1\nq1\t0\tb\t0\n"),
        ("qrels.tsv", "query iter document score\nq1 0 a 1\n"),
    ],
)
def test_judgements_are_read_in_any_of_the_common_shapes(tmp_path: Path, name: str, qrels: str) -> None:
    """Three or four columns, a header or none; what is not relevant or not there does not count."""
    collection = read_folder(_folder(tmp_path, qrels, name=name))
    assert collection.relevant == {"q1": {"a"}}
    assert collection.queries == {"q1": "what lifts"}
    assert [document.text for document in collection.documents] == ["It lifts.", "Wheel"]


@pytest.mark.parametrize(("qrels", "said"), [("q1\ta\tmany\nq1\tb\n", "line 2"), ("q9\ta\t1\n", "no query")])
def test_a_malformed_collection_is_refused(tmp_path: Path, qrels: str, said: str) -> None:
    """The message says where."""
    with pytest.raises(click.ClickException, match=said):
        read_folder(_folder(tmp_path, qrels))


def test_figures_are_means_over_queries_and_collections(tmp_path: Path) -> None:
    """A query whose document is found first and one whose document is not found."""
    collection = read_folder(_folder(tmp_path, "q1\ta\t1\nq2\tb\t1\n"))
    found = {"keyword": figures({"q1": [True, False], "q2": [False]}, collection, has_pages=True)}
    assert found == {"keyword": {"nDCG@10": 0.5, "R@100": 0.5, "top 5": 0.5}}
    assert mean([found, {"keyword": {"nDCG@10": 1.0, "R@100": 0.5, "top 5": 0.0}}]) == {
        "keyword": {"nDCG@10": 0.75, "R@100": 0.5, "top 5": 0.25}
    }
    assert "0.5000" in table("tiny", found)


def test_rank_correlation_shares_the_rank_of_equals() -> None:
    """Spearman's, as Kendall's textbook has it."""
    assert spearman([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]) == pytest.approx(1.0)
    assert spearman([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]) == pytest.approx(-1.0)
    assert spearman([1.0, 2.0, 2.0, 3.0], [1.0, 3.0, 2.0, 4.0]) == pytest.approx(0.9486833)
