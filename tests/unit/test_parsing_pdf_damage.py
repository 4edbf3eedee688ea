"""PDF files that are encrypted, damaged, hostile or scanned (SRC-3, SEC-1)."""

import sys
from io import BytesIO
from pathlib import Path
from zlib import compress

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.ocr import engine as ocr_engine
from headwater.parsing.parser import File
from headwater.parsing.pdf.content_stream import operations
from headwater.parsing.pdf.parser import PdfParser
from tests.pdf_files import assembled, image, paragraph, pdf, stream, write

DERIVED = Path(__file__).parents[3] / "shared/data/pdf/derived"
TEXT = "The operator inspects the plant every six months and records\nthe result of the inspection in the log book."
FONT = "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"


def parsed(content: bytes, *passwords: str) -> ParsedDocument:
    return PdfParser().parse(File(content=content, uri="manual.pdf", passwords=passwords))


def refused(content: bytes, *passwords: str) -> str:
    with pytest.raises(DocumentError) as caught:
        parsed(content, *passwords)
    return str(caught.value)


def encrypted(user: str, owner: str = "owner") -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf(paragraph(60, 700, TEXT)))))
    writer.encrypt(user, owner, algorithm="AES-256")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_passwords() -> None:
    """SRC-3: an encrypted file opens with one of the passwords; otherwise the message says how to give one."""
    content = encrypted("secret")
    assert parsed(content, "wrong", "secret").text.startswith("The operator")
    for passwords in ((), ("wrong", "worse")):
        message = refused(content, *passwords)
        assert "needs a password" in message
        assert "passwords: [reports]" in message
        assert "HEADWATER_CREDENTIAL_" in message
        assert "wrong" not in message
    assert parsed(encrypted("")).text.startswith("The operator")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "The file is empty"),
        (b"\n\n", "The file is empty"),
        (b"<!DOCTYPE html><html><body>Log in</body></html>", "is a web page"),
        (b"PK\x03\x04 something", "is not a PDF file"),
        (pdf(paragraph(60, 700, TEXT))[:300], "is damaged or cut off"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 20, "is damaged or cut off"),
        (pdf(""), "has no text"),
    ],
)
def test_files_that_cannot_be_read(content: bytes, said: str) -> None:
    """SRC-3: each says what is wrong, without a stack trace."""
    message = refused(content)
    assert said in message
    assert "Traceback" not in message
    assert "\n" not in message


def test_a_damaged_page_does_not_lose_the_others() -> None:
    """A page that cannot be read is named in a note, and the rest is read."""
    content = pdf(paragraph(60, 700, TEXT), paragraph(60, 700, TEXT), paragraph(60, 700, TEXT.replace("six", "ten")))
    second = content.index(b"/FlateDecode", content.index(b"/FlateDecode") + 5)
    damaged = content[:second] + b"/FlatDecode  " + content[second + 13 :]
    document = parsed(damaged)
    assert document.notes == ("Page 2 could not be read, because the file is damaged there.",)
    assert "six months" in document.text
    assert "ten months" in document.text


def _tree(kids: str, pages: bytes = b"") -> bytes:
    return assembled(
        [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Count 9 /Kids [{kids}] >>".encode(), pages]
    )


def _deep(levels: int) -> bytes:
    nodes = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    nodes += [f"<< /Type /Pages /Count 1 /Kids [{number + 3} 0 R] >>".encode() for number in range(levels)]
    return assembled([*nodes, b"<< /Type /Page >>"])


@pytest.mark.parametrize(
    "content",
    [
        _tree("2 0 R"),
        _tree("3 0 R", b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"),
        _tree("3 0 R " * 90_000, b"<< /Type /Page /MediaBox [0 0 9 9] >>"),
        _deep(300),
        assembled([b"<< /Type /Catalog /Pages 2 0 R >>", b"[" * 5_000 + b"]" * 5_000]),
        assembled([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] >>"], "/Prev 9"),
        assembled([b"2 0 R", b"1 0 R"]),
    ],
    ids=["self", "loop", "many", "deep", "nested", "xref", "references"],
)
def test_structures_without_an_end(content: bytes) -> None:
    """SEC-1: loops, deep nesting and endless page trees are refused, and end."""
    assert refused(content).startswith("The PDF file ")


def test_content_that_expands_enormously() -> None:
    """SEC-1: a page whose content expands to more than a page can hold is left out; the other page is read."""
    zeros = compress(b" " * 60_000_000, 1)
    bomb = f"<< /Length {len(zeros)} /Filter /FlateDecode >>\nstream\n".encode() + zeros + b"\nendstream"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources " + FONT.encode() + b" /Contents %d 0 R >>"
    content = assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
            page % 5, page % 6, bomb, stream(paragraph(60, 700, TEXT)),
        ]
    )  # fmt: skip
    document = parsed(content)
    assert document.notes
    assert document.notes[0].startswith("Page 1 could not be read")
    assert document.text.startswith("The operator")


def test_forms_that_contain_themselves() -> None:
    """SEC-1: a form that draws itself, or two that draw each other often, end."""
    entries = "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"
    forms = {
        "X": stream("/X Do /Y Do " * 50 + write((60, 700, "inside")), entries),
        "Y": stream("/X Do /Y Do " * 50, entries),
    }
    document = parsed(pdf("/X Do\n" + paragraph(60, 600, TEXT), images=forms))
    assert "inside" in document.text
    assert "The operator" in document.text


def test_a_form_does_not_draw_itself() -> None:
    """SEC-1: within a form, the same form is left out."""
    form = stream(
        "q 1 0 0 1 0 -20 cm /Z Do Q\n" + write((60, 700, "inside")), "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"
    )
    assert parsed(pdf("/Z Do\n" + paragraph(60, 300, TEXT), images={"Z": form})).text.count("inside") == 1


def test_outlines_that_loop() -> None:
    """SEC-1: an outline that leads back to itself is read without end by nobody."""
    content = pdf(paragraph(60, 700, TEXT), outline=[("One", 1), ("Two", 1)])
    second = content.rindex(b"/Title (Two)")
    looped = content[:second] + content[second:].replace(b">>", b"/Next %s >>" % _reference(content), 1)
    assert "The operator" in parsed(looped).text


def _reference(content: bytes) -> bytes:
    return content.partition(b"/Outlines ")[2].split(b" R")[0].strip() + b" R"


@pytest.mark.parametrize(
    "source",
    [
        b"(\\(" * 100_000,
        b"(" * 300_000,
        b"<<" * 200_000,
        b"[" * 300_000,
        b"BI " * 100_000,
        b"/" * 300_000,
        b"<" * 300_000,
    ],
)
def test_operators_that_do_not_end(source: bytes) -> None:
    """SEC-1: reading content takes time in proportion to its length, also if nothing in it is closed."""
    assert sum(1 for _ in operations(source)) <= len(source)


def test_operators_are_bounded() -> None:
    """A page with more operators than pages have is read in part."""
    assert sum(1 for _ in operations(b"q " * 1_000, most=100)) == 100


def test_operands_of_the_wrong_kind() -> None:
    """An operator with wrong operands has no effect; what follows is read."""
    wrong = (
        "Tf /F1 Tf (x) 3 Td [1 2] Td /A /B Tm Tj TJ ' \" cm re l c Do /Nothing Do BDC EMC EMC Q Q Q BMC 1 Tr x y z\n"
    )
    assert parsed(pdf(wrong + paragraph(60, 700, TEXT))).text.startswith("The operator")


# --- scans ---


def _grey(width: int = 60, height: int = 80) -> bytes:
    return image(width, height, bytes((n * 7) % 256 for n in range(width * height)))


def test_a_scan_without_ocr(monkeypatch: pytest.MonkeyPatch) -> None:
    """SRC-3: without the extra, text pages are read and a note names the others; a file of images only is refused."""
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    monkeypatch.setattr(ocr_engine, "find_spec", lambda _: None)
    ocr_engine._load_models.cache_clear()
    scan = "595 0 0 842 0 0 cm /Im Do"
    document = parsed(pdf(paragraph(60, 700, TEXT), scan, scan, images={"Im": _grey()}))
    assert document.text.startswith("The operator")
    assert len(document.notes) == 1
    assert document.notes[0].startswith("Each of pages 2–3 is an image and could not be read: ")
    assert "ocr" in document.notes[0]
    message = refused(pdf(scan, images={"Im": _grey()}))
    assert message.startswith("The PDF file has no text, only images of pages. ")
    assert "ocr" in message


def test_a_scan_with_a_text_layer_is_not_read_again() -> None:
    """The text that a scanner wrote behind its image is used, though it is invisible."""
    layer = "q 595 0 0 842 0 0 cm /Im Do Q 3 Tr\n" + paragraph(60, 700, TEXT)
    document = parsed(pdf(layer, images={"Im": _grey()}))
    assert document.text.startswith("The operator")
    assert not document.notes


def test_a_small_picture_is_not_a_scan() -> None:
    """A page with a picture and a few words is not read by OCR."""
    document = parsed(pdf("q 100 0 0 100 60 400 cm /Im Do Q\n" + write((60, 700, "Figure")), images={"Im": _grey()}))
    assert document.text == "Figure\n"
    assert not document.notes


@pytest.mark.parametrize(
    ("matrix", "corner"),
    [("40 0 0 20 0 0", (0, 0)), ("0 40 -20 0 20 0", (0, 1)), ("-40 0 0 -20 40 20", (1, 1)), ("0 -40 20 0 0 40", (1, 0)),
     ("40 0 0 -20 0 20", (0, 1))],
)  # fmt: skip
def test_images_stand_upright(matrix: str, corner: tuple[int, int]) -> None:
    """An image is turned as the page shows it: its dark corner, first in the file, is where the page has it."""
    opened = pytest.importorskip("PIL.Image")
    from headwater.parsing.pdf.scans import _image_of
    from headwater.parsing.pdf.shapes import Page, Picture

    samples = bytearray(b"\xff" * 800)
    for row in range(5):
        samples[row * 40 : row * 40 + 5] = bytes(5)
    source = _object(image(40, 20, bytes(samples)))
    a, b, c, d, e, f = map(float, matrix.split())
    page = Page(1, 40.0, 40.0, pictures=[Picture(source, (a, b, c, d, e, f))])
    shown = opened.open(BytesIO(_image_of(page)))
    x, y = (corner[0] * (shown.width - 1), corner[1] * (shown.height - 1))
    assert shown.getpixel((x, y)) == 0
    assert shown.getpixel((shown.width - 1 - x, shown.height - 1 - y)) == 255


def test_strips_are_one_image() -> None:
    """A page that was scanned in strips is put together in their order on the page."""
    opened = pytest.importorskip("PIL.Image")
    from headwater.parsing.pdf.scans import _image_of
    from headwater.parsing.pdf.shapes import Page, Picture

    strips = [Picture(_object(image(40, 10, bytes((shade,)) * 400)), (40.0, 0.0, 0.0, 10.0, 0.0, float(bottom)))
              for shade, bottom in ((200, 0), (0, 30), (100, 20))]  # fmt: skip
    shown = opened.open(BytesIO(_image_of(Page(1, 40.0, 40.0, pictures=strips))))
    assert [shown.getpixel((20, y)) for y in (5, 15, 25, 35)] == [0, 100, 255, 200]


def _object(source: bytes) -> object:
    from pypdf import PdfReader

    reader = PdfReader(BytesIO(pdf("", images={"Im": source})))
    return reader.pages[0]["/Resources"]["/XObject"]["/Im"].get_object()  # type: ignore[index]  # as written above


def test_fonts_that_do_not_say_their_characters() -> None:
    """Glyph numbers are not taken for characters, and the message says why there is no text."""
    content = pdf("BT /G1 11 Tf 60 700 Td <" + "0003004100420043" * 60 + "> Tj ET\n")
    opaque = (
        b"/G1 << /Type /Font /Subtype /Type0 /BaseFont /Unknown /Encoding /Identity-H /DescendantFonts [<< /Type /Font"
        b" /Subtype /CIDFontType2 /BaseFont /Unknown /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity)"
        b" /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /Unknown /Flags 4 >> >>] >> /F1"
    )
    assert "do not say which characters they show" in refused(content.replace(b"/F1", opaque, 1))


@pytest.mark.parametrize("name", ["truncated.pdf", "html_named.pdf", "empty.pdf"])
def test_real_damaged_files(name: str) -> None:
    """Files that were damaged in other ways are refused, too."""
    path = DERIVED / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    assert refused(path.read_bytes())
