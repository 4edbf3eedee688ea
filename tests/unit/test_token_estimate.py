"""The estimate of tokens, against the built-in model's tokenizer."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.lexical.token_estimate import estimate_tokens
from headwater.models_gateway.minilm import MiniLmEmbedder
from headwater.settings import REPOSITORY


@pytest.mark.parametrize("folder", ["docs", "headwater/retrieval", "headwater/store/search"])
def test_a_text_is_seldom_more_tokens_than_estimated(folder: str, tmp_path: Path) -> None:
    """For our own documentation, Python and SQL, in pieces that the tokenizer accepts: within −5 % and +35 %."""
    embedder = MiniLmEmbedder(cache=tmp_path, threads=1)
    text = "\n".join(file.read_text() for file in sorted((REPOSITORY / folder).glob("*.*")))
    pieces = [text[start : start + 500] for start in range(0, min(len(text), 100_000), 500)]
    true = sum(count - 2 for count in embedder.count_tokens(pieces))
    assert 0.95 < sum(map(estimate_tokens, pieces)) / true < 1.35


def test_every_script_has_tokens() -> None:
    """Languages without spaces, digits and signs are counted, too."""
    assert estimate_tokens("") == estimate_tokens(" \n\t ") == 0
    assert estimate_tokens("备份保留三十天") == 7
    assert estimate_tokens("123456") == 2
    assert estimate_tokens("a, b") == 3
    assert estimate_tokens("snake_case") == 3
    assert estimate_tokens("internationalisation") == 5


@given(st.text(max_size=100), st.text(max_size=100))
def test_estimates_add_up(one: str, other: str) -> None:
    """A budget can be spent piece by piece."""
    assert estimate_tokens(f"{one}\n{other}") == estimate_tokens(one) + estimate_tokens(other)
