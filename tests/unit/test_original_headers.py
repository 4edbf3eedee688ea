"""How originals are sent (SEC-1)."""

import re
from email.message import Message
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query_api.routes.original_headers import choose_media_type, disposition, policy


@pytest.mark.parametrize(
    "media_type",
    ["text/html", "TEXT/HTML; charset=utf-8", "application/xhtml+xml", "image/svg+xml", "text/xml", "application/xml",
     "application/rss+xml", "text/javascript", "application/javascript", "text/css", "text/xsl", "message/rfc822",
     "multipart/related", "application/x-shockwave-flash", "application/xslt+xml", "text/vnd.wap.html"],
)  # fmt: skip
def test_what_may_run_is_text_to_save(media_type: str) -> None:
    """Whatever its charset; never as what it claims to be."""
    assert choose_media_type(media_type, b"<script>") == ("text/plain; charset=utf-8", False)
    assert choose_media_type(media_type, b"\xff\xfe<") == ("text/plain", False)


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("application/pdf", ("application/pdf", True)),
        ("image/png", ("image/png", True)),
        ("text/markdown", ("text/plain; charset=utf-8", True)),
        ("text/csv", ("text/plain; charset=utf-8", True)),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", None),
        ("application/zip", None),
        ("", ("application/octet-stream", False)),
        (None, ("application/octet-stream", False)),
        ("text/html\r\nX-Evil: 1", ("application/octet-stream", False)),
        ("nonsense", ("application/octet-stream", False)),
    ],
)
def test_each_type_is_shown_or_saved(media_type: str | None, expected: tuple[str, bool] | None) -> None:
    """PDF, pictures and text are shown; other types are saved as what they are."""
    assert choose_media_type(media_type, b"abc") == (expected or (media_type, False))


def test_only_a_pdf_is_without_sandbox() -> None:
    """Chromium shows none with it; nothing may be loaded or framed all the same."""
    for media_type in ("image/png", "text/plain; charset=utf-8", "application/octet-stream"):
        assert "sandbox" in policy(media_type)
    for media_type in ("image/png", "application/pdf"):
        assert "default-src 'none'" in policy(media_type)
        assert "frame-ancestors 'none'" in policy(media_type)


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("a/b/pump.pdf", "pump.pdf"),
        ("https://example.org/docs/r%C3%A9sum%C3%A9.pdf?x=1#page=2", "résumé.pdf"),
        ('"; filename=evil.exe', "__ filename=evil.exe"),
        ("a/..", "document"),
        ("https://example.org/", "document"),
        ("a\r\nSet-Cookie: x", "a  Set-Cookie_ x"),
        ("x" * 300 + ".pdf", "x" * 146 + ".pdf"),
    ],
)
def test_a_file_has_the_name_of_its_document(uri: str, name: str) -> None:
    """Its last part, without what a header or a file system could misread."""
    header = Message()
    header["Content-Disposition"] = disposition(uri, is_shown=False)
    full = re.search(r"filename\*=UTF-8''(\S+)", header["Content-Disposition"])
    assert (unquote(full.group(1)) if full else header.get_filename()) == name


@given(st.text(max_size=200), st.booleans())
def test_any_uri_makes_one_safe_header(uri: str, is_shown: bool) -> None:
    """ASCII, one line, one quoted name."""
    header = disposition(uri, is_shown=is_shown)
    assert header.isascii()
    assert header.isprintable()
    assert re.fullmatch(r"(inline|attachment); filename=\"[^\"\\/]+\"(; filename\*=UTF-8''[^ ;\"]+)?", header)
