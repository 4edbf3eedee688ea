"""Code with its words coloured (UI-1, SEC-4)."""

import re
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query_api.code_colours import CODE_CLASSES, colour_code


@pytest.mark.parametrize(
    "language", ["python", "py", ".py", "js", "yaml", "sql", "bash", "html", "rust", "unknown", ""]
)
@settings(deadline=None)  # the first text of a language loads its lexer
@given(code=st.text(max_size=200))
def test_the_text_stays_as_it_is(language: str, code: str) -> None:
    """Escaped, within elements of fixed classes and nothing else."""
    html = colour_code(code, language)
    assert set(re.findall(r"<[^>]*>", html)) <= {"</span>", *(f'<span class="{name}">' for name in CODE_CLASSES)}
    assert re.sub(r"</?span[^>]*>", "", html) == escape(code, quote=False)


def test_words_have_the_class_of_what_they_are() -> None:
    """A keyword, a name, a string, a number and a comment."""
    html = colour_code('def f(x):\n    return "<a>" + 1  # why\n', "python")
    for name, text in (
        ("keyword", "def"),
        ("name", "f"),
        ("string", "&lt;a&gt;"),
        ("number", "1"),
        ("comment", "# why"),
    ):
        assert f'<span class="code-{name}">{text}</span>' in html


@pytest.mark.parametrize("code", ["a" * 401, " " * 101, "\n" * 21, "x = 1\n" * 501])
def test_what_makes_lexers_slow_has_no_colours(code: str) -> None:
    """Long lines, many spaces or empty lines, and long texts."""
    assert "<span" not in colour_code(code, "java")
    assert "<span" not in colour_code(code, "python")
