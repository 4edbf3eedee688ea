"""JSON as the API accepts it (SEC-1)."""

import json
from typing import Any

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import InvalidInputError
from query_api.guards.strict_json import MalformedJsonError, StrictJson

STRICT = StrictJson(Flask("test"))
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4))


@given(VALUES, st.booleans())
def test_proper_documents_are_read_as_json_reads_them(value: Any, ascii_only: bool) -> None:
    """Strictness changes no value."""
    assert STRICT.loads(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


def nested(depth: int) -> str:
    """Lists in lists."""
    return "[" * depth + "]" * depth


def test_depth_has_a_limit() -> None:
    """32 levels pass and 33 do not; no depth exhausts the stack."""
    assert STRICT.loads(nested(32))
    for depth in (33, 5_000, 300_000):
        with pytest.raises(MalformedJsonError, match="nested"):
            STRICT.loads(nested(depth))


def test_numbers_have_a_limit() -> None:
    """1,000 digits pass and 1,001 do not; what a float cannot hold does not."""
    assert STRICT.loads("9" * 1000) == int("9" * 1000)
    for digits in ("9" * 1001, "1e309", "-1e309", "NaN", "Infinity", "-Infinity"):
        with pytest.raises(MalformedJsonError):
            STRICT.loads(digits)
    assert STRICT.loads("1e308") == 1e308


def test_an_object_has_a_key_once() -> None:
    """Readers differ in which of two they take."""
    with pytest.raises(MalformedJsonError, match="twice"):
        STRICT.loads('{"a": {"b": 1, "\\u0062": 2}}')


@pytest.mark.parametrize("text", ['"\\ud800"', '"\\udfff"', '"\\u0000"', '{"\\ud800": 1}', '[["é\\ude00"]]'])
def test_texts_that_nothing_can_store_are_refused(text: str) -> None:
    """In values and in keys, at any depth."""
    with pytest.raises(InvalidInputError, match="surrogate"):
        STRICT.loads(text)


def test_a_surrogate_pair_is_a_character() -> None:
    """Escaped as JSON escapes what lies beyond the first 65,536."""
    assert STRICT.loads('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize("data", [b'"\xff"', b'"\xed\xa0\x80"', '"a"'.encode("utf-16"), b"\xef\xbb\xbf1"])
def test_bodies_are_utf_8(data: bytes) -> None:
    """Nothing is guessed."""
    with pytest.raises(MalformedJsonError):
        STRICT.loads(data)
