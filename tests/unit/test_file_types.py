"""The type of a file by its content (SRC-4)."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from headwater.errors import DocumentError
from headwater.parsing.file_types import media_type_of
from headwater.parsing.markdown.parser import MarkdownParser
from headwater.parsing.plain_text import PlainTextParser
from headwater.parsing.registry import parser_for
from headwater.parsing.signatures import DOCX, PPTX, XLSX, ZIP

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
PAGE = b"<!DOCTYPE html>\n<html><body><p>Hello</p></body></html>"
ENDINGS = {"pdf": "application/pdf", "png": "image/png", "jpg": "image/jpeg", "tif": "image/tiff", "docx": DOCX,
           "xlsx": XLSX, "pptx": PPTX, "html": "text/html", "rst": "text/x-rst", "mp4": "video/mp4"}  # fmt: skip


def zipped(*names: str, first: tuple[str, str] | None = None) -> bytes:
    """An archive with these entries."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        if first:
            archive.writestr(*first, compress_type=zipfile.ZIP_STORED)
        for name in names:
            archive.writestr(name, "<x/>" * 50)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "name", "media_type"),
    [
        (b"%PDF-1.7\n1 0 obj", "page.html", "application/pdf"),
        (b"\x00\x01junk\xff\n%PDF-1.4", "a", "application/pdf"),
        (b'MARK = b"%PDF-1.4"\n', "a.py", "text/x-python"),
        (PAGE, "report.pdf", "text/html"),
        (b"\xef\xbb\xbf <!-- note --><HTML lang=en>", "a", "text/html"),
        (b"<!doctype html><?php echo 1 ?>", "a.php", "text/x-code"),
        (b"<p>A part of a page</p>", "a.html", "text/html"),
        (zipped("[Content_Types].xml", "word/document.xml"), "a.zip", DOCX),
        (zipped("[Content_Types].xml", "xl/workbook.xml"), "a.docx", XLSX),
        (zipped("[Content_Types].xml", "ppt/presentation.xml"), "a", PPTX),
        (zipped("[Content_Types].xml", "word/document2.xml"), "a", DOCX),
        (zipped("a.txt", "backup/word/document.xml"), "a.docx", ZIP),
        (zipped("[Content_Types].xml", "word/document.xml")[:150], "a", DOCX),
        (zipped("x", first=("mimetype", "application/epub+zip")), "a.zip", "application/epub+zip"),
        (zipped("META-INF/container.xml", "OEBPS/a.html"), "a.zip", "application/epub+zip"),
        (
            zipped("content.xml", first=("mimetype", "application/vnd.oasis.opendocument.text")),
            "a",
            "application/vnd.oasis.opendocument.text",
        ),
        (OLE + "WordDocument\0".encode("utf-16-le"), "a.xls", "application/msword"),
        (OLE + "EncryptedPackage\0".encode("utf-16-le"), "a.xlsx", XLSX),
        (OLE, "a.doc", "application/x-ole-storage"),
        (PNG, "a.txt", "image/png"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a", "image/webp"),
        (b'<?xml version="1.0"?><rss version="2.0">', "feed", "application/rss+xml"),
        (b'<a:feed xmlns:a="http://www.w3.org/2005/Atom">', "x.xml", "application/atom+xml"),
        (b'<?xml version="1.0"?>\n<!-- c --><svg xmlns="http://www.w3.org/2000/svg">', "a", "image/svg+xml"),
        (b'<?xml version="1.0"?><project/>', "pom.xml", "application/xml"),
        (b"From: a@b.c\nTo: d@e.f\nSubject: Hi\n\nText", "message", "message/rfc822"),
        (b"From: a@b.c\nTo: d@e.f\nSubject: Hi\n\nText", "notes.md", "text/markdown"),
        (json.dumps({"cells": [], "nbformat": 4}).encode(), "a.json", "application/x-ipynb+json"),
        (b'{"a": 1}', "a.json", "application/json"),
        (b"#!/usr/bin/env -S python3 -u\nprint()", "tool", "text/x-python"),
        (b"#!/bin/bash\nls", "tool", "text/x-code"),
        ("Zażółć gęślą jaźń".encode("cp1250"), "a", "text/plain"),
        ("Grüße".encode("utf-16"), "a.txt", "text/plain"),
        ("日本語".encode("iso2022_jp"), "a.txt", "text/plain"),
        (b"\x00\x01\x02\x03", "a.txt", "application/octet-stream"),
        ("é".encode() * 20_000, "a.md", "text/markdown"),
        (b"", "a.md", "text/markdown"),
        (b"", "a.pdf", "application/x-empty"),
    ],
)
def test_the_content_decides_and_the_name_only_among_kinds_of_text(content: bytes, name: str, media_type: str) -> None:
    """A PDF named .html is a PDF, an archive is what its parts are, and a text is what its name says."""
    assert media_type_of(content, name) == media_type


def test_real_files_are_recognised_without_their_names() -> None:
    """Each real file of a binary format has the type that its ending says, unless it is made to be misnamed."""
    folder = Path("../shared/data")
    if not folder.is_dir():
        pytest.skip("the shared data is not here")
    files = [path for path in folder.rglob("*.*") if path.suffix[1:] in ENDINGS and path.stat().st_size]
    wrong = {
        path.name
        for path in files
        if media_type_of(path.read_bytes(), "x.rst" if path.suffix == ".rst" else "x") != ENDINGS[path.suffix[1:]]
    }
    assert len(files) > 100
    assert wrong <= {"html_named.pdf"}


def test_the_parser_is_chosen_by_content_then_server_then_name() -> None:
    """What a server says counts where the content says little, and a format known by its bytes is never assumed."""
    assert isinstance(parser_for(b"# Title", "a.md"), MarkdownParser)
    assert isinstance(parser_for(b"# Title", "page", "text/markdown; charset=utf-8"), MarkdownParser)
    assert isinstance(parser_for(b"# Title", "a.md", "application/octet-stream"), MarkdownParser)
    assert isinstance(parser_for(b"just text", "a.docx", "application/pdf"), PlainTextParser)
    assert isinstance(parser_for(b"h1. A title", "a.textile"), PlainTextParser)


@pytest.mark.parametrize(
    ("content", "message"), [(b"SQLite format 3\x00\x00", "application/vnd.sqlite3"), (b"", "empty")]
)
def test_a_type_that_nobody_reads_is_named(content: bytes, message: str) -> None:
    """The error says which type the file has, even if its name or server promises text."""
    with pytest.raises(DocumentError, match=message):
        parser_for(content, "a.bin", "text/plain")


@pytest.mark.parametrize("name", ["mill.asc", "id_mill", "mill.txt", "mill.pem", "mill.md"])
@pytest.mark.parametrize("kind", ["PGP SIGNATURE", "OPENSSH PRIVATE KEY", "CERTIFICATE", "PGP PUBLIC KEY BLOCK"])
def test_keys_and_signatures_are_no_documents(name: str, kind: str) -> None:
    """Whatever they are called: nobody reads them, and some are secret."""
    with pytest.raises(DocumentError, match="x-pem-file"):
        parser_for(f"-----BEGIN {kind}-----\n\naGVsbG8=\n-----END {kind}-----\n".encode(), name)


def test_a_signed_text_is_read() -> None:
    """Its words stand between the signs."""
    text = b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe mill is open.\n"
    assert isinstance(parser_for(text, "news.txt"), PlainTextParser)


@pytest.mark.parametrize(
    "text",
    [
        "\n\n-----BEGIN RSA PRIVATE KEY-----\naGVsbG8=\n",
        "Bag Attributes\n    friendlyName: mill\n-----BEGIN PRIVATE KEY-----\naGVsbG8=\n",
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\n",
    ],
)
def test_a_key_is_found_behind_what_tools_write_before_it(text: str) -> None:
    """A secret must not be quoted."""
    with pytest.raises(DocumentError, match="x-pem-file"):
        parser_for(text.encode(), "mill.txt")


def test_a_note_between_dashes_is_read() -> None:
    """Only the names of keys and the like tell one."""
    assert isinstance(parser_for(b"-----BEGIN DRAFT 3-----\nThe mill is open.\n", "a.txt"), PlainTextParser)


LETTER = (
    b"From ida@mill.org Sat Jan  3 01:05:34 2015\nFrom: Ida <ida@mill.org>\nTo: max@mill.org\nSubject: Pump\n\n"
    b"It is open.\n"
)


@pytest.mark.parametrize("name", ["INBOX", "Sent.2015", "a.mbx", "a.mbox"])
def test_a_mailbox_is_told_by_its_messages(name: str) -> None:
    """In files of mail programs, which often have no ending; the refusal says what reads them."""
    crlf = (LETTER + b"\n" + LETTER).replace(b"\n", b"\r\n")
    for content in (LETTER + b"\n" + LETTER, crlf, LETTER + b"x" * 200_000 + b"\n\n" + LETTER):
        assert media_type_of(content, name) == "application/mbox"
    with pytest.raises(
        DocumentError, match=r"^This file type isn't supported: application/mbox\. A source .*`path`\.$"
    ):
        parser_for(crlf, name)


def test_what_only_begins_like_a_mailbox_is_read() -> None:
    """One message, the archive of a list as text, and patches."""
    assert media_type_of(LETTER, "INBOX") == "message/rfc822"
    assert media_type_of(LETTER + b"\nFrom ida@mill.org I know.\n", "letter") == "message/rfc822"
    assert isinstance(parser_for(LETTER + b"\n" + LETTER, "2015-January.txt"), PlainTextParser)
    patch = LETTER.replace(b"From ida@mill.org Sat", b"From " + b"0a" * 20 + b" Mon")
    assert media_type_of(patch + b"\n" + patch, "patches") == "message/rfc822"
