"""How fast models read, and what follows from it: the limit for the first token, and how much they are given."""

import pytest

from headwater.generation.pace import LOCAL_READING, PaceBook, is_local_model


@pytest.mark.parametrize(
    ("address", "is_local"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://localhost:1234/v1", True),
        ("http://192.168.1.20:8000", True),
        ("http://llm:8000/v1", True),
        ("https://api.example.com/v1", False),
        ("https://8.8.8.8/v1", False),
        ("", False),
    ],
)
def test_a_model_is_local_by_its_address(monkeypatch: pytest.MonkeyPatch, address: str, is_local: bool) -> None:
    """A server on this machine or in its network is assumed to be slow until it was measured."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_BASE", address)
    assert is_local_model("openai/stub") is is_local
    assert PaceBook().reading_speed("openai/stub") == (LOCAL_READING if is_local else None)


@pytest.fixture(autouse=True)
def _far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of `openai/far` is on another machine, whatever address a module of this process has set."""
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)


def test_ollama_is_local_unless_its_address_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs on this machine by default."""
    monkeypatch.delenv("OLLAMA_API_BASE", raising=False)
    assert is_local_model("ollama_chat/llama3.2")
    monkeypatch.setenv("OLLAMA_API_BASE", "https://ollama.example.com")
    assert not is_local_model("ollama_chat/llama3.2")


def test_what_was_seen_decides_how_much_a_model_is_given() -> None:
    """A slow one gets what it reads in ten seconds, and longer for its first token; a fast one all of it."""
    book = PaceBook()
    assert book.source_tokens("openai/far", 100) is None
    assert book.first_token_limit("openai/far", 4000) == 0
    for seconds in (20, 40, 400):  # the median: one long wait says little
        book.note("openai/far", prompt_tokens=1000, first_token_seconds=seconds)
    assert book.source_tokens("openai/far", -300) == 550
    assert book.first_token_limit("openai/far", 1000) == 1000 / 25 * 3 + 30
    assert book.source_tokens("openai/far", 10_000) == 500, "always something"
    for _ in range(5):
        book.note("openai/far", prompt_tokens=1000, first_token_seconds=0.1)
    assert book.source_tokens("openai/far", 100) == 99_900


def test_a_short_prompt_measures_nothing() -> None:
    """Its time is that of the connection."""
    book = PaceBook()
    book.note("openai/far", prompt_tokens=10, first_token_seconds=5)
    assert book.reading_speed("openai/far") is None
    book.note("openai/far", prompt_tokens=100, first_token_seconds=5)
    book.forget()
    assert book.reading_speed("openai/far") is None
