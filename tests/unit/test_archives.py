"""Zip files and XML that are built to exhaust their reader."""

import sys
from collections.abc import Callable
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

import pytest

from headwater.errors import DocumentError, ParserLimitError, UnsafeFileError
from headwater.parsing import archives
from headwater.parsing.archives import open_archive, refuse_dtd
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file, parser_of_name
from tests.office_files import SHEET, W, docx_file, laughs, pptx_file, with_parts, xlsx_file, zeros

_CENTRAL, _SIZE = b"PK\x01\x02", 24  # a record of the directory, and where the size in it is


def zipped(content: bytes = b"text " * 100, *, count: int = 1, method: int = ZIP_DEFLATED) -> bytes:
    made = BytesIO()
    with ZipFile(made, "w", method) as archive:
        for number in range(count):
            archive.writestr(f"{number}.xml", content)
    return made.getvalue()


def declaring(content: bytes, size: int) -> bytes:
    """A zip file whose only entry declares another size."""
    at = content.index(_CENTRAL) + _SIZE
    return content[:at] + size.to_bytes(4, "little") + content[at + 4 :]


def test_a_plain_archive_is_opened() -> None:
    """Its entries are read as usual; small ones may be of any ratio."""
    assert open_archive(zipped()).read("0.xml") == b"text " * 100
    assert open_archive(zipped(bytes(2**20))).read("0.xml") == bytes(2**20)


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (lambda: zipped(bytes(40 * 2**20)), UnsafeFileError, "to 40.0 MB, like a zip bomb"),
        (lambda: declaring(zipped(bytes(2**20)), 1000), UnsafeFileError, "more than it declares"),
        (lambda: zipped(method=ZIP_LZMA), UnsafeFileError, "compressed in an unusual way"),
        (lambda: zipped()[:-30], DocumentError, "damaged or cut off"),
        (lambda: b"no zip", DocumentError, "damaged or cut off"),
    ],
)
def test_bombs_are_refused(content: Callable[[], bytes], kind: type[DocumentError], message: str) -> None:
    """Before anything is unpacked to memory (SEC-1)."""
    with pytest.raises(kind, match=message):
        open_archive(content())


def test_overlapping_entries_are_refused() -> None:
    """Many entries of the directory that name the same data."""
    content = zipped(b"0123456789" * 50, count=2)
    first = content.index(_CENTRAL)
    second = content.index(_CENTRAL, first + 4)
    twice = content[:second] + content[second : second + 42] + content[first + 42 : first + 46] + content[second + 46 :]
    with pytest.raises(UnsafeFileError, match="overlap"):
        open_archive(twice)


def test_entries_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit they are accepted."""
    monkeypatch.setattr(archives, "_ENTRIES", 3)
    assert len(open_archive(zipped(count=3)).namelist()) == 3
    with pytest.raises(UnsafeFileError, match="more than 3 files"):
        open_archive(zipped(count=4))


@pytest.mark.parametrize(
    "part",
    [
        b"<a/>",
        b'\xef\xbb\xbf<?xml version="1.0" encoding="UTF-8"?>\r\n<!-- <!DOCTYPE a> --><a/>',
        '<?xml version="1.0" encoding="UTF-16"?><a/>'.encode("utf-16"),
        b"",
    ],
)
def test_plain_xml_is_accepted(part: bytes) -> None:
    """With a declaration, comments, a byte order mark."""
    refuse_dtd(part, "a.xml")


@pytest.mark.parametrize(
    "part",
    [
        laughs("a").encode(),
        b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
        b"<?xml version='1.0'?><!-- - --><?x y?>\n<!DOCTYPE a><a/>",
        laughs("a").encode("utf-16"),
        laughs("a").encode("utf-16-le"),
        b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE a+AD4-',
        b" " * 70_000 + b"<!DOCTYPE a><a/>",
        b"no XML",
    ],
)
def test_entities_are_refused(part: bytes) -> None:
    """Also in another encoding, and behind comments or spaces (SEC-1)."""
    with pytest.raises(UnsafeFileError, match=r"a\.xml"):
        refuse_dtd(part, "a.xml")


_NESTED = "<w:tbl><w:tr><w:tc>"
_CELL = "<c><v>{}</v></c>"


def _deep(depth: int) -> str:
    return _NESTED * depth + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * depth


@pytest.mark.attacks
@pytest.mark.skipif(sys.platform != "linux", reason="the limits are the Linux kernel's")
@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.docx", lambda: docx_file(word__document_xml=zeros(48)), UnsafeFileError),
        ("a.docx", lambda: docx_file(word__document_xml=laughs(f"w:document {W}")), UnsafeFileError),
        ("a.docx", lambda: docx_file(word__styles_xml=laughs(f"w:styles {W}")), UnsafeFileError),
        ("a.docx", lambda: docx_file(_deep(1_000_000)), UnsafeFileError),
        ("a.docx", lambda: docx_file(_deep(300)), UnsafeFileError),
        (
            "a.docx",
            lambda: docx_file("".join(f"<w:p><w:r><w:t>{n * 7919:x}</w:t></w:r></w:p>" for n in range(10**6))),
            ParserLimitError,
        ),
        ("a.xlsx", lambda: sheet(laughs(f"worksheet {SHEET}")), UnsafeFileError),
        ("a.xlsx", lambda: sheet(cells(5_000_000)), UnsafeFileError),
        ("a.pptx", lambda: with_parts(pptx_file(lambda _: None), {"x.xml": laughs("a")}), UnsafeFileError),
        ("a.pptx", lambda: with_parts(pptx_file(lambda _: None), {"x.bin": zeros(48)}), UnsafeFileError),
    ],
)
def test_office_bombs_cost_little(
    name: str, content: Callable[[], bytes], kind: type[DocumentError], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is refused with its code within the limits of its process (SEC-1)."""
    monkeypatch.setenv("HEADWATER_PARSER_SECONDS", "3")
    monkeypatch.setenv("HEADWATER_PARSER_MEMORY", "256")
    with pytest.raises(kind):
        parse_file(parser_of_name(name), File(content=content(), uri=name))


def sheet(content: str) -> bytes:
    return with_parts(xlsx_file(lambda _: None), {"xl/worksheets/sheet1.xml": content})


def cells(count: int) -> str:
    return f"<worksheet {SHEET}><sheetData><row>{_CELL.format(1) * count}</row></sheetData></worksheet>"
