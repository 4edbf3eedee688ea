"""How close texts come to a question, token by token (RET-6).

Belongs here: the arithmetic, by vectors that are written down, and what the built-in English model adds. Not here: the
model's vectors (`test_minilm`, `test_e5`), what is quoted (`test_quote_windows`). Guarantee: nothing is read but the
installed model.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from headwater.models_gateway.hash_embedder import HashEmbedder
from headwater.models_gateway.late_interaction import TokenEmbeddings, compare_texts
from headwater.models_gateway.minilm import MiniLmEmbedder

OIL, PUMP, RED, BLUE = np.eye(4, dtype=np.float32)
TOKENS = {"oil": OIL, "pump": PUMP, "red": RED, "blue": BLUE}


class _Written(HashEmbedder):
    """An embedder whose tokens have the vectors above, at twice their length; a text's vector is of no use."""

    def embed_tokens(self, question: str, texts: Sequence[str]) -> list[TokenEmbeddings]:
        return [self._embed(text) for text in (question, *texts)]

    def _embed(self, text: str) -> TokenEmbeddings:
        words = text.split()
        tokens = np.array([2 * TOKENS[word] for word in words], np.float32).reshape(len(words), 4)
        return TokenEmbeddings(vector=OIL, ids=[list(TOKENS).index(word) for word in words], tokens=tokens)


@pytest.fixture
def embedder(cache: Path) -> MiniLmEmbedder:
    """The built-in English model."""
    return MiniLmEmbedder(cache, threads=1)


def test_each_token_of_the_question_looks_for_its_nearest() -> None:
    """A text that has all of them is as close as one can be; its other tokens do not matter."""
    whole, half, none = compare_texts(_Written(), "oil pump", ["pump blue oil red", "oil red", "blue"])
    assert whole.tokens == pytest.approx(1)
    assert whole.tokens > half.tokens > none.tokens == 0


def test_a_token_that_few_texts_have_counts_more() -> None:
    """`oil` is in every text but one, so the text with the rare `red` is closer."""
    common, rare, _ = compare_texts(_Written(), "oil red", ["oil pump", "red pump", "oil blue"])
    assert rare.tokens > common.tokens


def test_texts_without_tokens_are_not_close() -> None:
    """An empty text, and an empty question."""
    (empty,) = compare_texts(_Written(), "oil", [""])
    (asked_nothing,) = compare_texts(_Written(), "", ["oil"])
    assert empty.tokens == asked_nothing.tokens == 0


def test_whole_texts_are_compared_where_tokens_are_not() -> None:
    """By an embedder that embeds none, and for what is no sentence."""
    same, other = compare_texts(HashEmbedder(), "oil the pump", ["oil the pump", "a blue tram"])
    assert same.similarity > other.similarity
    assert same.tokens == other.tokens == 0
    (whole,) = compare_texts(_Written(), "oil", ["oil"], is_by_tokens=False)
    assert whole.tokens == 0


def test_the_built_in_model_knows_tokens_in_other_words(embedder: MiniLmEmbedder) -> None:
    """The sentence that says what was asked for is closer than its neighbour on the same subject."""
    said, neighbour = compare_texts(
        embedder,
        "which colour is the pump of the second boiler",
        ["The second boiler has a red pump.", "The second boiler was bought in May."],
    )
    assert said.tokens > neighbour.tokens


def test_tokens_come_with_the_vector_of_the_text(embedder: MiniLmEmbedder) -> None:
    """The vector is the one that an index has; the tokens are without the marks of start and end."""
    asked, text = embedder.embed_tokens("pump", ["The second boiler has a red pump."])
    assert np.array_equal(text.vector, embedder.embed(["The second boiler has a red pump."])[0])
    assert len(asked.ids) == 1
    assert text.tokens.shape == (len(text.ids), embedder.dimensions)
    assert asked.ids[0] in text.ids
