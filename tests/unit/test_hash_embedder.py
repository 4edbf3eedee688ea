"""The hash embedder.

Belongs here: what its vectors promise. Not here: search over them. Guarantee: no model and no file is needed.
"""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.models_gateway.hash_embedder import HashEmbedder

QUESTION = "How do I rotate the database password?"
RELEVANT = "To rotate the password of the database, stop the service and set a new password in the vault."
UNRELATED = "Our office dogs like long walks in the forest, and biscuits."


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@given(st.lists(st.text()))
def test_every_text_has_a_unit_vector(texts: list[str]) -> None:
    """Any texts, none and empty ones included, give float32 unit vectors, one per text."""
    vectors = HashEmbedder().embed(texts)
    assert vectors.shape == (len(texts), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_vectors_are_the_same_in_another_process(embedder: HashEmbedder) -> None:
    """A vector does not depend on the process, whose own `hash` is salted."""
    program = (
        "from headwater.models_gateway.hash_embedder import HashEmbedder as E;"
        f"print(E().embed([{RELEVANT!r}]).tobytes().hex())"
    )
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert bytes.fromhex(other.stdout) == embedder.embed([RELEVANT]).tobytes()


def test_a_vector_depends_on_its_text_alone(embedder: HashEmbedder) -> None:
    """Neighbours and their order change nothing."""
    together = embedder.embed([RELEVANT, "", UNRELATED])
    assert np.array_equal(together[2], embedder.embed([UNRELATED])[0])
    assert np.array_equal(together[::-1], embedder.embed([UNRELATED, "", RELEVANT]))


def test_shared_words_bring_texts_together(embedder: HashEmbedder) -> None:
    """A passage with the question's words is above the floor; one with other words, function words aside, is below."""
    question, relevant, unrelated = embedder.embed([QUESTION, RELEVANT, UNRELATED])
    assert question @ relevant > 3 * embedder.relevance_floor
    assert question @ unrelated < embedder.relevance_floor


def test_case_does_not_count_and_word_order_does(embedder: HashEmbedder) -> None:
    """The same words in another order are close, but not the same."""
    text, shouted, swapped = embedder.embed(["red house, blue door", "RED House, blue door", "blue house, red door"])
    assert np.array_equal(text, shouted)
    assert 0.7 < text @ swapped < 0.99


def test_a_text_of_function_words_has_its_own_direction(embedder: HashEmbedder) -> None:
    """Function words count little, but a text of nothing else is not the empty text."""
    empty, other = embedder.embed(["", "to be or not to be"])
    assert empty @ other < 0.9


def test_tokens_are_words(embedder: HashEmbedder) -> None:
    """Every word is seen, and counted."""
    assert embedder.count_tokens(["", "Naïve café, 2 items", "word " * 1000]) == [0, 4, 1000]
