"""PDF files that are encrypted, damaged, hostile or scanned (SRC-3, SEC-1)."""

import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from zlib import compress

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.ocr import engine as ocr_engine
from headwater.parsing.parser import File
from headwater.parsing.pdf.parser import PdfParser
from headwater.parsing.pdf.pdf_file import open_pdf
from headwater.parsing.pdf.pdf_pages import read_pages
from headwater.parsing.pdf.scans import draw_scan
from tests.pdf_files import assembled, image, paragraph, pdf, stream, write

DERIVED = Path(__file__).parents[3] / "shared/data/pdf/derived"
TEXT = "The operator inspects the plant every six months and records\nthe result of the inspection in the log book."
TOO_MUCH = "Page 1 was read only in part, because it draws too many objects."
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


@pytest.mark.parametrize(
    "forms",
    [
        {"X": "/X Do\n"},
        {"X": "/Y Do\n", "Y": "/X % a comment\nDo\n"},
        {"X": "/Y Do\n" * 50, "Y": "/#5a Do\n" * 50, "Z": write((60, 700, "inside"))},
        {"X": "/a %" * 1_000_000 + "\n/X Do\n"},
        {"X": "/X % /safe\nDo\n"},
        {"X": "(50 %) /X Do\n"},
    ],
    ids=["itself", "each other", "often", "comments", "name in a comment", "percent in a text"],
)
def test_forms_without_an_end(forms: dict[str, str]) -> None:
    """SEC-1: a page whose forms draw themselves, or each other thousands of times, is named; the rest is read."""
    entries = "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"
    sources = {name: stream(content, entries) for name, content in forms.items()}
    document = parsed(pdf("/X Do\n", paragraph(60, 600, TEXT), images=sources))
    assert document.notes == (TOO_MUCH,)
    assert document.text.startswith("The operator")


_FORM = "/Type /XObject /Subtype /Form /BBox [0 0 595 842]"
_NESTED = {  # from the third object of the file on: a million times the last of them
    "A": stream("0 0 9 9 re f\n", _FORM),
    "B": stream("/X Do\n" * 1_000, f"{_FORM} /Resources << /XObject << /X 3 0 R >> >>"),
    "C": stream("/X Do\n" * 1_000, f"{_FORM} /Resources << /XObject << /X 4 0 R >> >>"),
}
_INNER = "/Resources << /XObject << /X 5 0 R >> >>"


@pytest.mark.parametrize("entries", ["", "/Resources << >>"], ids=["none", "empty"])
def test_forms_without_resources_of_their_own(entries: str) -> None:
    """SEC-1: such a form has those of the form that draws it, or else of the page: both are counted."""
    outer = entries or "/Resources << /XObject << /Y 4 0 R /Z 5 0 R >> >>"
    sources = {
        "X": stream("/Y Do\n", f"{_FORM} {outer}"),
        "Y" if entries else "W": stream("/Z Do\n" * 3_000, f"{_FORM} {entries}"),
        "Z" if entries else "V": stream("0 0 9 9 re f\n", _FORM),
    }
    document = parsed(pdf("/X Do\n", paragraph(60, 600, TEXT), images=sources))
    assert document.notes == (TOO_MUCH,)
    assert document.text.startswith("The operator")


_PATTERN = "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9"
_FONT = (
    "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97"
    f" /Widths [9] /Encoding << /Differences [97 /a] >> /CharProcs << /a 6 0 R >> {_INNER} >>"
)


@pytest.mark.parametrize(
    ("category", "entry", "source", "content"),
    [
        ("/Pattern", "6 0 R", stream("/X Do\n", f"{_PATTERN} {_INNER}"), "/Pattern cs /P scn 0 0 9 9 re f\n"),
        ("/Font", _FONT, stream("9 0 d0 /X Do\n"), "BT /P 9 Tf (a) Tj ET\n"),
    ],
    ids=["pattern", "font"],
)
def test_forms_of_patterns_and_fonts(category: str, entry: str, source: bytes, content: str) -> None:
    """SEC-1: forms that a pattern or a glyph draws count, too."""
    drawn = stream(content, f"{_FORM} /Resources << {category} << /P {entry} >> >>")
    document = parsed(pdf("/E Do\n", paragraph(60, 600, TEXT), images={**_NESTED, "D": source, "E": drawn}))
    assert document.notes == (TOO_MUCH,)
    assert document.text.startswith("The operator")


def test_texts_are_bounded() -> None:
    """SEC-1: a page with more texts than PDFium can hold is named; the rest is read."""
    document = parsed(pdf("BT /F1 9 Tf 60 700 Td " + "(a)Tj " * 310_000 + "ET", paragraph(60, 600, TEXT)))
    assert document.notes == (TOO_MUCH,)
    assert document.text.startswith("The operator")


def test_forms_are_read() -> None:
    """Text within forms is read where each of them is drawn."""
    entries = "/Type /XObject /Subtype /Form /BBox [0 0 600 800]"
    forms = {
        "X": stream("/Y Do\nq 1 0 0 1 0 -40 cm /Y Do Q\n", entries),
        "Y": stream(write((60, 700, "inside")), entries),
    }
    assert parsed(pdf("/X Do\n" + paragraph(60, 600, TEXT), images=forms)).text.count("inside") == 2


@pytest.mark.parametrize("missing", [b"null", b"99 0 R", b"[1 2]", b"<< /Subtype /Form >>"])
def test_a_form_that_is_missing(missing: bytes) -> None:
    """What should be drawn and is not there costs only itself."""
    assert parsed(pdf("/X Do\n" + paragraph(60, 700, TEXT), images={"X": missing})).text.startswith("The operator")


def test_outlines_that_loop() -> None:
    """SEC-1: an outline that leads back to itself is read without end by nobody."""
    content = pdf(paragraph(60, 700, TEXT), outline=[("One", 1), ("Two", 1)])
    second = content.rindex(b"/Title (Two)")
    looped = content[:second] + content[second:].replace(b">>", b"/Next %s >>" % _reference(content), 1)
    assert "The operator" in parsed(looped).text


def _reference(content: bytes) -> bytes:
    return content.partition(b"/Outlines ")[2].split(b" R")[0].strip() + b" R"


@pytest.mark.parametrize("source", ["(\\(", "(", "<<", "[", "BI ", "/", "<", "q ", "0 0 m 9 9 l "])
def test_operators_that_do_not_end(source: str) -> None:
    """SEC-1: a page ends, also if nothing in it is closed."""
    assert "has no text" in refused(pdf(source * 100_000))


def test_operands_of_the_wrong_kind() -> None:
    """An operator with wrong operands does not keep the rest from being read."""
    wrong = "Tf (x) 3 Td [1 2] Td TJ ' \" re l c Do /Nothing Do BDC EMC EMC Q Q Q BMC 1 Tr x y z\n"
    assert "The operator" in parsed(pdf(wrong + paragraph(60, 700, TEXT))).text


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
    [("400 0 0 200 0 0", (0, 0)), ("0 400 -200 0 200 0", (0, 1)), ("-400 0 0 -200 400 200", (1, 1)),
     ("0 -400 200 0 0 400", (1, 0)), ("400 0 0 -200 0 200", (0, 1))],
)  # fmt: skip
def test_images_stand_upright(matrix: str, corner: tuple[int, int]) -> None:
    """An image is turned as the page shows it: its dark corner, first in the file, is where the page has it."""
    samples = bytearray(b"\xff" * 800)
    for row in range(5):
        samples[row * 40 : row * 40 + 5] = bytes(5)
    shown = _drawn(f"q {matrix} cm /A Do Q\n", A=image(40, 20, bytes(samples)))
    width, height = (40, 20) if matrix.split()[1] == "0" else (20, 40)  # a tenth of the page's points
    x, y = corner[0] * (width - 1), corner[1] * (height - 1)
    top = shown.height - height
    assert shown.getpixel((x, top + y)) == 0
    assert shown.getpixel((width - 1 - x, shown.height - 1 - y)) == 255


def test_strips_are_one_image() -> None:
    """A page that was scanned in strips is put together in their order on the page."""
    shades = {"A": 200, "B": 0, "C": 100}
    content = "".join(
        f"q 400 0 0 100 0 {bottom} cm /{name} Do Q\n" for name, bottom in zip("ABC", (0, 300, 200), strict=True)
    )
    shown = _drawn(content, **{name: image(40, 10, bytes((shade,)) * 400) for name, shade in shades.items()})
    assert [shown.getpixel((20, shown.height - y)) for y in (35, 25, 15, 5)] == [0, 100, 255, 200]


def _drawn(content: str, **images: bytes) -> Any:
    """The picture of a scan; its images have a pixel per ten points."""
    opened = pytest.importorskip("PIL.Image")
    with open_pdf(pdf(content, images=images), ()) as file:
        return opened.open(BytesIO(draw_scan(file.document, read_pages(file).pages[0])))


@pytest.mark.parametrize(("form", "shade"), [(3, 0), (5, 255)], ids=["stamp", "too many forms"])
def test_annotations_of_scans(form: int, shade: int) -> None:
    """A stamp on a scan is part of its picture; annotations whose forms have no end are left out (SEC-1)."""
    opened = pytest.importorskip("PIL.Image")
    annotation = f"/Annots [<< /Type /Annot /Subtype /Stamp /Rect [0 0 595 842] /F 4 /AP << /N {form} 0 R >> >>]"
    white = image(60, 80, b"\xff" * 4_800)
    content = pdf("595 0 0 842 0 0 cm /Im Do", page=annotation, images={**_NESTED, "Im": white})
    with open_pdf(content, ()) as file:
        shown = opened.open(BytesIO(draw_scan(file.document, read_pages(file).pages[0])))
    assert shown.getpixel((0, shown.height - 1)) == shade


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
