"""Reading golden sets (EVL-1)."""

from pathlib import Path

import pytest

from headwater.domain.evaluations import RelevantDocument
from headwater.errors import InvalidInputError
from headwater.evaluation.golden_set import golden_hash, read_golden_set
from headwater.identity import content_hash

GOOD = '{"question": "How many litres?", "relevant": [{"uri": "pump.md"}]}\n'


def _read(folder: Path, text: str | bytes) -> object:
    path = folder / "golden.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_golden_set(path)


def test_a_line_is_a_question(tmp_path: Path) -> None:
    """Byte order mark, blank lines, other line ends and a missing last one do not matter; a document counts once."""
    text = (
        "\ufeff" + GOOD + '\r\n  {"question": " Which oil? ", '
        '"relevant": [{"uri": "a.pdf", "page": 3}, {"uri": "a.pdf", "page": 3}, {"uri": "b\u2028c"}]}'
    )
    path = tmp_path / "golden.jsonl"
    path.write_text(text, encoding="utf-8", newline="")
    first, second = read_golden_set(path)
    assert (first.question, first.relevant) == ("How many litres?", (RelevantDocument(uri="pump.md"),))
    assert second.question == "Which oil?"
    assert second.relevant == (RelevantDocument(uri="a.pdf", page=3), RelevantDocument(uri="b\u2028c"))


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ("{", ":2: ", "Invalid JSON"),
        ("[]", ":2: ", "object"),
        ('{"question": "x?"}', ":2: relevant: ", "at least 1 document"),
        (
            '{"question": "x?", "relevant": [{"uri": "a"}], "unanswerable": true}',
            ":2: relevant: ",
            "no relevant documents",
        ),
        ('{"question": "x?", "unanswerable": true, "answer": "y"}', ":2: answer: ", "has no answer"),
        ('{"question": "How many litres?", "unanswerable": true}', ":2: unanswerable: ", "has documents elsewhere"),
        ('{"question": "x?", "relevant": []}', ":2: relevant: ", "at least 1"),
        ('{"question": "x?", "relevant": [{"uri": "a"}, {"page": 3}]}', ":2: relevant[1]: `uri` is ", "missing"),
        ('{"question": "x?", "relevant": [{"uri": "a", "page": 0}]}', ":2: relevant[0].page: ", "it must be 1 or more"),
        ('{"question": "x?", "relevant": [{"uri": " "}]}', ":2: relevant[0].uri: ", "URI"),
        ('{"question": "x?", "relevant": [{"uri": "a\\u0000"}]}', ":2: relevant[0].uri: ", "URI"),
        ('{"question": "x?", "relevant": [{"uri": "a"}], "colour": "red"}', ":2: colour: ", "no such field"),
        ('{"question": " ", "relevant": [{"uri": "a"}]}', ":2: question: ", "empty"),
        ('{"question": "' + "x" * 4001 + '", "relevant": [{"uri": "a"}]}', ":2: question: ", "4001"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, place: str, reason: str) -> None:
    """File, line, field and what is wrong with it."""
    with pytest.raises(InvalidInputError) as caught:
        _read(tmp_path, GOOD + line + "\n")
    assert f"golden.jsonl{place}" in str(caught.value)
    assert reason in str(caught.value)


def test_a_question_that_is_there_twice_has_the_documents_of_both(tmp_path: Path) -> None:
    """Public sets ask the same of two documents; both answer it."""
    path = tmp_path / "golden.jsonl"
    path.write_text(GOOD + GOOD.replace("pump.md", "wheel.md").replace("litres?", "litres? ") + GOOD, encoding="utf-8")
    (only,) = read_golden_set(path)
    assert [document.uri for document in only.relevant] == ["pump.md", "wheel.md"]


@pytest.mark.parametrize("text", [b"", b"\n \n", b"\xff\xfe"])
def test_a_file_without_questions_is_an_error(tmp_path: Path, text: bytes) -> None:
    """It is hardly meant to empty the golden set."""
    with pytest.raises(InvalidInputError, match=r"golden\.jsonl: "):
        _read(tmp_path, text)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """A folder is none either."""
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(InvalidInputError, match="cannot be read"):
            read_golden_set(path)


def test_the_hash_is_of_the_set(tmp_path: Path) -> None:
    """Order does not matter; questions and documents do."""
    other = GOOD.replace("litres", "metres")
    hashes = []
    for number, text in enumerate((GOOD + other, other + GOOD, GOOD, GOOD.replace("pump.md", "wheel.md"))):
        path = tmp_path / f"{number}.jsonl"
        path.write_text(text, encoding="utf-8")
        hashes.append(golden_hash(read_golden_set(path)))
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3
    (plain,) = read_golden_set(tmp_path / "2.jsonl")
    assert hashes[2] == content_hash("golden", [["How many litres?", [["pump.md", None]]]])  # as before answers
    assert golden_hash([plain.model_copy(update={"answer": "Forty."})]) not in hashes
