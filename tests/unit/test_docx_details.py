"""What stands in and between the paragraphs of a Word file: pictures, formulas, lists in other fonts, headers."""

import pytest

from headwater.parsing.office.docx import DocxParser
from headwater.parsing.parser import File
from tests.office_files import NUMBERING, docx_file, paragraph

_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_NAMES = f'xmlns:wp="{_DRAWING}/wordprocessingDrawing" xmlns:pic="{_DRAWING}/picture"'
_COURIER = '<w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr><w:t>{}</w:t></w:r>'


def text_of(body: str) -> str:
    """The text of a file."""
    return DocxParser().parse(File(content=docx_file(body), uri="a.docx")).text


def run(text: str, properties: str = "") -> str:
    """A run."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def picture(*words: str, whole: str = "", kind: str = "anchor", height: int = 1_000_000, link: str = "") -> str:
    """A picture, or a group of several; `link` is the id of the whole's address."""
    pictures = "".join(f'<pic:pic><pic:cNvPr id="1" descr="{description}"/></pic:pic>' for description in words)
    target = f'<a:hlinkClick xmlns:a="{_DRAWING}/main" r:id="{link}"/>' if link else ""
    frame = f'<wp:extent cx="9" cy="{height}"/><wp:docPr id="1" descr="{whole}">{target}</wp:docPr>{pictures}'
    return f"<w:r><w:drawing {_NAMES}><wp:{kind}>{frame}</wp:{kind}></w:drawing></w:r>"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (picture("Mill") + picture("Pond") + run("Two."), "Two.\n\nPicture: Mill\n\nPicture: Pond"),
        (picture("Mill", "Pond") + run("A group."), "A group.\n\nPicture: Mill\n\nPicture: Pond"),
        (picture("Mill", "Pond", whole="Valley"), "Picture: Valley\nPicture: Mill\nPicture: Pond"),
        (picture("Old words", whole="New words"), "Picture: New words"),
        (run("The mill ") + picture("Mill", kind="inline") + run("grinds."), "The mill grinds.\n\nPicture: Mill"),
        (run("Press") + picture("Gear", kind="inline", height=200_000) + run(", then wait."),
         "Press (Picture: Gear), then wait."),
        (picture("Gear", kind="inline", height=200_000), "Picture: Gear"),
        (run("By:") + picture("Mill", whole="Mill", link="rId98"), "By:\n\n[Picture: Mill](https://example.org/a)"),
        (f'<w:hyperlink r:id="rId98">{picture("Mill")}</w:hyperlink>', "[Picture: Mill](https://example.org/a)"),
        (f'<w:hyperlink r:id="rId98">{picture("M]")}</w:hyperlink>', "[Picture: M\\]](https://example.org/a)"),
        (picture("Mill", whole="[M]", link="rId98"), "[Picture: \\[M\\]](https://example.org/a)"),
        (picture("Mill", whole="[M]", link="rId5"), "Picture: [M]"),
        (picture("Mill", whole="Mill", link="rId5"), "Picture: Mill"),
    ],
)  # fmt: skip
def test_pictures_stand_below_their_paragraph(content: str, expected: str) -> None:
    """Each of a group, and none within a sentence, unless it is as small as a sign."""
    assert text_of(paragraph(content)) == expected


def test_the_picture_of_an_item_stays_in_it() -> None:
    """The list goes on behind it, and a heading has no words of a picture."""
    body = paragraph(run("Oil") + picture("Can"), number=(2, 0)) + paragraph("Wait", number=(2, 0))
    assert text_of(body) == "- Oil\n  Picture: Can\n- Wait"
    assert text_of(paragraph(run("Mill") + picture("Pond"), style="Heading1")) == "# Mill\n\nPicture: Pond"


def test_formulas_beside_each_other_are_apart() -> None:
    """Two dollar signs would begin a formula of another kind."""
    name = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    formulas = [f'<m:oMath xmlns:m="{name}"><m:r><m:t>{sign}</m:t></m:r></m:oMath>' for sign in "ab"]
    assert text_of(paragraph("".join(formulas))) == "$a$ $b$"
    assert text_of(paragraph('<w:bookmarkStart w:id="1" w:name="x"/>'.join(formulas))) == "$a$ $b$"
    assert text_of(paragraph(f"{formulas[0]}{run('')}<w:ins>{formulas[1]}</w:ins>")) == "$a$ $b$"


def test_private_characters_are_text() -> None:
    """Fonts of companies and of scripts have letters there."""
    text = "\ue000 \ue001 \ue002"
    assert text_of(paragraph(run(text) + picture("Gear", kind="inline", height=200_000))) == f"{text} (Picture: Gear)"


def test_items_in_a_font_for_code_are_items() -> None:
    """A font makes no code of a list, but numbers without a sign may count lines of code."""
    body = "".join(paragraph(_COURIER.format(text), number=(1, 0)) for text in ("Open the lid", "Close it"))
    assert text_of(body) == "1. Open the lid\n2. Close it"
    lines = "".join(paragraph(_COURIER.format(text), number=(9, 0)) for text in ("def f():", "pass"))
    numbering = NUMBERING.replace("%1.", "%1").replace('w:numId="1"', 'w:numId="9"')
    content = docx_file(lines, word__numbering_xml=numbering)
    assert DocxParser().parse(File(content=content, uri="a.docx")).text == "```\ndef f():\npass\n```"


@pytest.mark.parametrize("lines", [("def f():", "pass"), ("begin", "  end"), ("if (x) {", "}")])
def test_numbered_lines_of_code_are_code(lines: tuple[str, ...]) -> None:
    """The numbers of a listing may have a sign beside them."""
    body = "".join(paragraph(run(line, '<w:rFonts w:ascii="Courier New"/>'), number=(1, 0)) for line in lines)
    assert text_of(body) == "\n".join(["```", *lines, "```"])


def test_clauses_below_a_heading_are_paragraphs() -> None:
    """Only below an item of their list, they are items of it."""
    body = paragraph("Mills", style="Heading1") + paragraph("Begin", number=(1, 1)) + paragraph("a day", number=(1, 2))
    assert text_of(body) == "# Mills\n\n1.1 Begin\n\n- (a) a day"
    other = paragraph("A bullet", number=(2, 0)) + paragraph("Begin", number=(1, 1))
    assert text_of(other) == "- A bullet\n\n1.1 Begin"


@pytest.mark.parametrize(
    ("second", "has_header"), [(("", ""), True), (("<w:b/>", ""), True), (("<w:b/>", "<w:b/>"), False)]
)
def test_a_bold_first_row_is_the_header(second: tuple[str, str], *, has_header: bool) -> None:
    """Google's documents say of each table that its first row is like the others."""
    rows = [[("Part", "<w:b/>"), ("Weight", "<w:b/>")], list(zip(("Wheel", "9 t"), second, strict=True))]
    cells = ["".join(f"<w:tc>{paragraph(run(*cell))}</w:tc>" for cell in row) for row in rows]
    look = '<w:tblPr><w:tblLook w:firstRow="0"/></w:tblPr>'
    text = text_of(f"<w:tbl>{look}{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>")
    assert text.startswith("| Part | Weight |\n|---|---|" if has_header else "|  |  |\n|---|---|\n| Part |")
