"""What readers are told in their language."""

import re

import pytest

from headwater.understanding.model_texts import DECLINED, MODEL_TEXTS
from headwater.understanding.reader_texts import _TEXTS as TEXTS
from headwater.understanding.reader_texts import CLOSEST, LANGUAGES, PAST_REFUSAL, REFUSAL, SOURCES_REFUSAL, reader_text
from headwater.understanding.words import count_words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things(language: str) -> None:
    """All sentences, with the same fields as in English."""
    for name, english in TEXTS["en"].items():
        assert _fields(TEXTS[language][name]) == _fields(english)
    for name, english in MODEL_TEXTS["en"].items():
        assert _fields(MODEL_TEXTS[language][name]) == _fields(english)
    assert reader_text(SOURCES_REFUSAL, language, sources="docs, wiki").count("docs, wiki") == 1
    assert reader_text(PAST_REFUSAL, language, time="2026-01-02").count("2026-01-02") == 1
    said = reader_text(CLOSEST, language, document="handbook.md", trust="0.31", needed="0.50")
    assert all(said.count(part) == 1 for part in ("handbook.md", "0.31", "0.50"))


def test_another_language_gets_english() -> None:
    """So does an unknown one; a region does not matter."""
    assert reader_text(REFUSAL, "sw") == reader_text(REFUSAL) == TEXTS["en"][REFUSAL]
    assert reader_text(REFUSAL, "de-AT") == TEXTS["de"][REFUSAL]
    assert reader_text(DECLINED, "de-AT") == MODEL_TEXTS["de"][DECLINED]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0), ("one two", 2), ("最大五页", 2), ("最大五ページ", 3), ("Vue は 最大 5 ページ", 4), ("คอมพิวเตอร์", 3),
        ("서버의 백업", 2), ("naïve café", 2),
    ],
)  # fmt: skip
def test_words_are_counted_in_any_script(text: str, count: int) -> None:
    """Two Chinese characters count as one word, or four of another script without spaces, as in a translation."""
    assert count_words(text) == count


def _fields(text: str) -> set[str]:
    return set(re.findall(r"\{\w+\}", text))
