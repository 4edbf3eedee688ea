"""Bytes into characters.

Belongs here: encodings, line ends, and what is no text. Not here: formats.
"""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import DocumentError
from headwater.parsing.text import decode

WESTERN = "Le café naïve façade: “déjà vu” – 5 €. Straße, Müller, señor, Ærø."


@given(st.text(st.characters(blacklist_characters="\x00", blacklist_categories=["Cs"])))
def test_utf_8_is_read_as_it_is(text: str) -> None:
    """UTF-8 is read with and without its mark; only line ends change."""
    expected = text.replace("\r\n", "\n").replace("\r", "\n")
    assert decode(codecs.BOM_UTF8 + text.encode()) == expected
    if not text.startswith("\ufeff"):
        assert decode(text.encode()) == expected


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_a_document_error(content: bytes) -> None:
    """No bytes raise anything else, and no text has a NUL or a carriage return."""
    try:
        text = decode(content)
    except DocumentError:
        return
    assert "\x00" not in text
    assert "\r" not in text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(encoding: str) -> None:
    """The mark says the encoding and is no part of the text."""
    assert decode(WESTERN.encode(encoding)) == WESTERN


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_both_byte_orders_are_read(mark: bytes, encoding: str) -> None:
    """Little and big endian give the same text."""
    assert decode(mark + WESTERN.encode(encoding)) == WESTERN


@pytest.mark.parametrize("text", [WESTERN, "café", "é", "5 €", "He said “hello”, it’s fine…", "naïve façade\r\n" * 500])
def test_western_text_without_a_mark_is_read(text: str) -> None:
    """Windows-1252 is recognised, however short the text."""
    assert decode(text.encode("cp1252")) == text.replace("\r\n", "\n")


def test_latin_1_is_read() -> None:
    """Latin-1 text is Windows-1252 text."""
    assert decode("Ça va? Größe, España.".encode("latin-1")) == "Ça va? Größe, España."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Текст на русском языке, довольно длинный, чтобы его узнать.", "cp1251"),
        ("日本語のテキストです。とても長いです。文字コードを確かめます。", "shift_jis"),
        ("Zażółć gęślą jaźń, wszystko jest w porządku. Dzień dobry, jak się masz?", "cp1250"),
    ],
)
def test_other_encodings_are_recognised_in_longer_texts(text: str, encoding: str) -> None:
    """Other encodings are recognised by their letters."""
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"plain\x00text",
        b"\xff\xfea\x00b",  # UTF-16, cut in the middle of a character
        b"\xff\xfe\x00\x00a",
        b"\x1f\x8b\x08\xe9\x01\x02\xff",
        "text".encode("utf-16-le"),
    ],
)
def test_what_is_no_text_is_a_document_error(content: bytes) -> None:
    """Binary content costs its file, and the message says so."""
    with pytest.raises(DocumentError, match="not text"):
        decode(content)


def test_lines_end_by_a_newline_only() -> None:
    """Line ends of every system become newlines; other separators stay."""
    assert decode(b"a\r\nb\rc\nd\r\r\n") == "a\nb\nc\nd\n\n"
    assert decode("a\u2028b\x0cc".encode()) == "a\u2028b\x0cc"
    assert decode(b"") == ""
