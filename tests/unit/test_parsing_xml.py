"""Reading XML without what makes it dangerous (SEC-1).

Belongs here: what is read, and what is left out. Not here: attacks (`tests/probe/test_fetching.py`).
"""

import pytest

from headwater.errors import DocumentError, TooLargeError
from headwater.parsing.xml import parse_xml


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "utf-8-sig"])
def test_a_document_is_read_in_its_encoding(encoding: str) -> None:
    """The declaration or the byte order mark names it."""
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?><!-- c --><a x="é"><?pi y?><b>Zürich</b></a>'
    root = parse_xml(text.encode(encoding))
    assert (root.tag, root.get("x"), root.findtext("b"), len(root)) == ("a", "é", "Zürich", 1)


def test_an_ordinary_doctype_is_read() -> None:
    """The DTD that it names is not loaded, and the entities of that DTD stay as they are."""
    doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://127.0.0.1:9/xhtml11.dtd">'
    root = parse_xml(f"{doctype}<html><p>a&nbsp;b &amp; c</p></html>".encode())
    assert "".join(root.itertext()) == "a&nbsp;b & c"


def test_declared_entities_are_refused() -> None:
    """Also those that nobody uses, and those of other files."""
    for declared in ('a "b"', 'a SYSTEM "file:///etc/passwd"', '% a "b"'):
        with pytest.raises(DocumentError, match="declares entities"):
            parse_xml(f"<!DOCTYPE x [<!ENTITY {declared}>]><x/>".encode())


@pytest.mark.parametrize("content", [b"", b"text", b"<a>", b"<a></b>", b"\0", b"<a>\xff</a>", b"<a b=c/>"])
def test_what_is_no_xml_is_said_to_be_none(content: bytes) -> None:
    """With the place of the error."""
    with pytest.raises(DocumentError, match="not well-formed XML"):
        parse_xml(content)


def test_a_large_document_is_refused_before_it_is_read() -> None:
    """By its bytes, and by its tags and attributes."""
    assert parse_xml(b"<a>" + b"b" * 93 + b"</a>", limit=100).text == "b" * 93
    for content, limit in ((b"<a>" + b"b" * 94 + b"</a>", 100), (b"<a>" + b"<b/>" * 1_200_000 + b"</a>", 10**8)):
        with pytest.raises(TooLargeError) as caught:
            parse_xml(content, limit=limit)
        assert caught.value.code == "TOO_LARGE"
