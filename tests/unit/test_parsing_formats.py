"""Files of many formats become markdown with places (SRC-4, SRC-6): tables, notebooks, messages, books, code."""

import io
import json
import zipfile
from email.message import EmailMessage
from typing import Any

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError, UnsafeFileError
from headwater.parsing.epub import EpubParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file, parser_for

CONTAINER = '<container><rootfiles><rootfile full-path="O/p.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>A Book</dc:title>
<dc:creator>Ada</dc:creator></metadata><manifest><item id="b" href="two.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="one%20x.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
CHAPTER = "<html><body><h1>Chapter {0}</h1><p>It was a dark and stormy night in chapter {0}.</p></body></html>"


def parse(name: str, content: bytes | str) -> ParsedDocument:
    """Read a file as a folder does: by its content."""
    raw = content if isinstance(content, bytes) else content.encode()
    parser = parser_for(raw, name)
    return parse_file(parser, File(content=raw, uri=f"docs/{name}"))


def place(document: ParsedDocument, words: str) -> str:
    """Where in the original some words are."""
    start = document.text.index(words)
    found = document.places.between(start, start + len(words), text=document.text) if document.places else None
    return found.label if found else ""


def book(**parts: str) -> bytes:
    """A book; the parts replace its own."""
    files = {"META-INF/container.xml": CONTAINER, "O/p.opf": PACKAGE, "O/one x.xhtml": CHAPTER.format("One"),
             "O/two.xhtml": CHAPTER.format("Two"), **parts}  # fmt: skip
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in files.items():
            archive.writestr(name, text)
    return file.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_is_read_with_its_header(delimiter: str) -> None:
    """Whatever its delimiter; a cell keeps its line breaks as spaces, a row its line of the file."""
    rows = ["name*city*note", 'Anna*Köln*"two\nlines"', "Bob*Bonn*x", "", "Eve*Ulm"]
    document = parse("a.csv", "\n".join(rows).replace("*", delimiter))
    assert document.text.splitlines() == [
        "| name | city | note |",
        "| --- | --- | --- |",
        "| Anna | Köln | two lines |",
        "| Bob | Bonn | x |",
        "| Eve | Ulm |  |",
    ]
    assert [place(document, name) for name in ("name", "Anna", "Bob", "Eve")] == ["L1", "L2", "L4", "L6"]


def test_a_cell_cannot_end_its_row() -> None:
    """A bar within a cell is escaped."""
    assert parse("a.csv", 'a,b\n"x|y",z\n').text.splitlines()[2] == "| x\\|y | z |"


def test_a_cell_without_an_end_is_reported() -> None:
    """The message names the line."""
    with pytest.raises(DocumentError, match="Line 2"):
        parse("a.csv", 'a,b\n"' + "x" * 200_000)


def notebook(*cells: Any, **fields: Any) -> str:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, **fields})


def test_short_rows_of_a_wide_table_stay_small() -> None:
    """They are filled up to the width of the first, but not without bound: a small file could take all memory."""
    header = ",".join(f"c{number}" for number in range(1_000))
    text = parse("a.csv", f"{header}\nx,y\n" + "a,b\n" * 100_000).text
    assert len(text) < 3_000_000
    lines = text.splitlines()
    assert lines[2].count("|") == 1_001
    assert lines[-1] == "| a | b |"


def test_a_notebook_is_text_and_code_with_its_outputs() -> None:
    """Code is fenced in its language; pictures are left out, texts are kept, errors say what happened."""
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]},
        {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure at 0x7f00>"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": ["\x1b[31mlong"]},
    ]
    document = parse(
        "a.ipynb",
        notebook(
            {"cell_type": "markdown", "source": ["# Title\n", "See [data](data.csv)."]},
            {"cell_type": "code", "source": "print('```')\nraise ValueError('no')", "outputs": outputs},
            "not a cell",
            {"cell_type": "code", "source": "%%bash\nls", "outputs": []},
        ),
    )
    assert (document.title, document.category, document.references) == ("Title", "docs", ("docs/data.csv",))
    assert "```python\nprint('```')" in document.text
    assert "```text\none\ntwo" in document.text
    assert "ValueError: no" in document.text
    assert "```bash\n%%bash\nls\n```" in document.text
    assert "AAAA" not in document.text


def test_outputs_of_a_notebook_are_bounded() -> None:
    """A cell that prints a lot does not drown the rest."""
    output = {"output_type": "stream", "text": "row\n" * 10_000}
    assert len(parse("a.ipynb", notebook({"cell_type": "code", "source": "x", "outputs": [output]})).text) < 3_000


@pytest.mark.parametrize("content", ["{", "[]", '{"cells": "x"', "[" * 100_000])
def test_a_broken_notebook_is_reported(content: str) -> None:
    """It is one document's error."""
    with pytest.raises(DocumentError):
        parse("a.ipynb", content)


def message(subject: str = "Größe", **headers: str) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Jürgen <j@example.org>", "a@example.org", subject
    for name, value in headers.items():
        made[name] = value
    made.set_content("The house is large.\n")
    return made


def test_a_message_is_read_with_its_headers_and_the_names_of_its_attachments() -> None:
    """The plain part wins; attachments are listed, and the file is kept for them."""
    made = message(Date="Tue, 03 Mar 2026 10:00:00 +0100")
    made.add_alternative("<p>The <b>house</b></p>", subtype="html")
    made.add_attachment(b"%PDF-1.4" * 2000, maintype="application", subtype="pdf", filename="plan für uns.pdf")
    document = parse("a.eml", bytes(made))
    assert document.title == "Größe"
    assert document.metadata["date"] == "2026-03-03T10:00:00+01:00"
    assert "- From: Jürgen <j@example.org>" in document.text
    assert document.text.count("house") == 1
    assert "- plan für uns.pdf (16 KB)" in document.text
    assert document.original is not None


@pytest.mark.parametrize(
    ("plain", "is_page"),
    [
        ("This message is in HTML.", True),
        ("The HTML could not be loaded: https://mail.example.org/?id=1&to=ann&of=the&year=2026", True),
        ("The mill opens at nine and closes at five, on Sundays at four.", False),
    ],
)
def test_a_plain_part_that_asks_for_another_program_is_no_text(plain: str, is_page: bool) -> None:
    """It has less than a quarter of the words of the HTML, whose pictures may come with it."""
    made = message()
    made.set_content(f"{plain}\n")
    page = "<p>The mill opens at nine. It closes at five, on Sundays at four. <b>Bring your own sacks</b>, the"
    made.add_alternative(f"{page} miller has none left since May, and the road is closed.</p>", subtype="html")
    made.get_payload()[1].add_related(b"GIF89a", maintype="image", subtype="gif", cid="<a@b>")  # type: ignore[union-attr, index]
    text = parse("a.eml", bytes(made)).text
    assert ("**Bring your own sacks**" in text) == is_page
    assert (plain in text) != is_page


def test_a_forwarded_message_is_read_within_the_other() -> None:
    """As a section of its own, HTML included."""
    inner, outer = message("Inner"), message("Outer")
    inner.set_content("<html><body><ul><li>one</li></ul></body></html>", subtype="html")
    outer.add_attachment(inner)
    text = parse("a.eml", bytes(outer)).text
    assert text.index("# Outer") < text.index("large") < text.index("## Inner") < text.index("- one")


def test_parts_within_parts_are_refused() -> None:
    """Thousands of levels of parts are one document's error (SEC-1)."""
    lines = ["From: a@b.c\nSubject: deep"]
    lines += [f'Content-Type: multipart/mixed; boundary="b{number}"\n\n--b{number}' for number in range(2_000)]
    with pytest.raises(DocumentError, match="parts"):
        parse("a.eml", "\n".join(lines))


def test_a_book_is_read_in_its_order() -> None:
    """The spine orders the chapters, which are sections of the book."""
    document = parse("a.epub", book())
    assert (document.title, document.metadata["author"]) == ("A Book", "Ada")
    assert document.text.index("# A Book") < document.text.index("chapter One") < document.text.index("chapter Two")
    assert document.text.startswith("# A Book\n\nAuthor: Ada\n")
    assert document.original is not None
    assert document.original.media_type == "application/epub+zip"


def test_the_pictures_of_a_book_are_their_words() -> None:
    """Their files are in the book; a cover and a name of a file say nothing, and code is as it is."""
    chapter = '<p><img src="c.jpg" alt="Cover"/></p><p><img src="m.png" alt="A mill at a pond"/></p><p>A sign'
    chapter += ' <img src="s.png" alt="of an ox"/> hangs there.</p><p><img src="x.png" alt="x.png"/></p>'
    text = parse("a.epub", book(**{"O/two.xhtml": f"<html><body>{chapter}<pre>![a](b)</pre></body></html>"})).text
    assert text.endswith("Picture: A mill at a pond\n\nA sign (Picture: of an ox) hangs there.\n\n```\n![a](b)\n```")
    assert "Cover" not in text


def test_what_is_around_a_book_of_project_gutenberg_is_no_part_of_it() -> None:
    """Unless one of its marks is missing, or stands in a book that cites them."""
    free, licence = "Gutenberg: Free of charge.", "The Project Gutenberg License: no warranty."
    frame = "<html><body><p>{}</p><p>*** {} OF THE PROJECT GUTENBERG EBOOK MILLS ***</p><p>{}</p></body></html>"
    start, end = frame.format(free, "START", "Wind."), frame.format("Water.", "END", licence)
    assert parse("a.epub", book(**{"O/one x.xhtml": start, "O/two.xhtml": end})).text.endswith("\n\nWind.\n\nWater.")
    assert "Free of charge." in parse("a.epub", book(**{"O/one x.xhtml": start})).text
    cited = {"O/one x.xhtml": frame.format("How books begin.", "START", "They end so:")}
    cited["O/two.xhtml"] = frame.format("Words.", "END", "So much for it.")
    assert "So much" in parse("a.epub", book(**cited)).text
    long = {"O/one x.xhtml": start.replace(free, f"{free} {'Mills. ' * 3_000}"), "O/two.xhtml": end}
    assert "Free of charge." in parse("a.epub", book(**long)).text


def test_a_letter_that_is_drawn_begins_its_word() -> None:
    """Also if the name of its file has blanks; elsewhere, a letter is what a picture shows."""
    picture = '<img src="{}" alt="{}"/>'
    chapter = f"<p>{picture.format('a b(1).png', 'T')}he mill and {picture.format('c%20d.png', 'x')} turn.</p>"
    chapter += '<p><a href="three%20x y.xhtml">Next</a> one.</p>'
    text = parse("a.epub", book(**{"O/two.xhtml": f"<html><body>{chapter}</body></html>"})).text
    assert text.endswith("\n\nThe mill and (Picture: x) turn.\n\nNext one.")


def test_several_books_of_project_gutenberg_in_a_file_stay_whole() -> None:
    """And so does one whose marks stand in code, which would stay open."""
    marks = "<p>*** START OF THE PROJECT GUTENBERG EBOOK MILLS ***</p><p>Wind.</p><p>*** END OF THE PROJECT GUTENBERG"
    twice = f"<html><body>{(marks + ' EBOOK MILLS ***</p><p>Water.</p>') * 2}</body></html>"
    assert parse("a.epub", book(**{"O/one x.xhtml": twice})).text.count("Water.") == 2
    code = "<html><body><pre>Free.\n*** START OF THE PROJECT GUTENBERG EBOOK MILLS ***\nBy X</pre><p>Wind.</p>"
    code += "<pre>End\n*** END OF THE PROJECT GUTENBERG EBOOK MILLS ***\nNone.</pre></body></html>"
    assert parse("a.epub", book(**{"O/one x.xhtml": code})).text.count("```") == 4


def test_placeholders_are_no_title_and_no_author() -> None:
    """Programs write them that know none."""
    package = PACKAGE.replace("A Book", "Untitled document").replace("Ada", "Unknown")
    document = parse("a.epub", book(**{"O/p.opf": package}))
    assert (document.title, document.metadata.get("author")) == ("", None)
    assert document.text.startswith("# Chapter One")
    package = PACKAGE.replace("A Book", "Unknown")
    assert parse("a.epub", book(**{"O/p.opf": package})).title == "Unknown"  # by Ada


def test_a_book_whose_folder_was_packed_is_read() -> None:
    """As some programs do it, without the entry that says what it is."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book())) as archive, zipfile.ZipFile(packed, "w") as folder_archive:
        for name in archive.namelist():
            if name != "mimetype":
                folder_archive.writestr(f"book/{name}", archive.read(name))
    document = parse("a.epub", packed.getvalue())
    assert document.title == "A Book"
    assert document.text == parse("a.epub", book()).text


def test_links_within_a_book_are_their_words() -> None:
    """They lead nowhere outside of it; code stays as it is."""
    page = (
        '<html><body><h1>More</h1><p>See <a href="one.xhtml#p">the pump</a> and <a href="https://example.org/">us</a>.</p>'
        '<p><img src="pump.png" alt="A pump in a cellar"/></p><pre>[a](b.html)</pre><p>Call '
        "<code>pumps[name](event)</code> then, f[i](j)."
        "</p><ul><li><pre>x = f[i](j)</pre></li></ul></body></html>"
    )
    text = parse("a.epub", book(**{"O/two.xhtml": page})).text
    assert "See the pump and [us](https://example.org/)." in text
    assert "\n\nPicture: A pump in a cellar\n\n" in text
    assert "f[i" in text
    for code in ("[a](b.html)", "`pumps[name](event)`", "x = f[i](j)"):
        assert code in text


def test_the_index_of_a_book_is_left_out() -> None:
    """It holds every word of the book, each as a link; what is around it stays, and a chapter with few links."""
    entries = "".join(
        f'<p>pump {n}, <a href="one.xhtml#p{n}">The pump number {n} and its parts</a></p>' for n in range(40)
    )
    page = f"<html><body><h1>Words</h1>{entries}</body></html>"
    text = parse("a.epub", book(**{"O/two.xhtml": page})).text
    assert "number 7" not in text
    assert "Words" not in text
    above = page.replace("</h1>", "</h1><p>This book is about pumps.</p>")
    assert parse("a.epub", book(**{"O/two.xhtml": above})).text.endswith("Words\n\nThis book is about pumps.")
    below = page.replace("</body>", "<p>These pumps are old.</p></body>")
    assert parse("a.epub", book(**{"O/two.xhtml": below})).text.endswith("Words\n\nThese pumps are old.")
    linked = page.replace(", <a", f", {'which is described at length below and elsewhere ' * 2}<a")
    assert "number 7" in parse("a.epub", book(**{"O/two.xhtml": linked})).text


def test_a_missing_chapter_costs_itself_only() -> None:
    """It is noted, and the others are read."""
    document = parse("a.epub", book(**{"O/p.opf": PACKAGE.replace("two.xhtml", "gone.xhtml")}))
    assert "chapter One" in document.text
    assert "gone.xhtml is missing" in document.notes[0]


@pytest.mark.parametrize(
    "part",
    [
        {"O/p.opf": '<!DOCTYPE p [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><package>&b;</package>'},
        {"META-INF/rights.xml": "<rights/>"},
        {"META-INF/container.xml": "<container/>"},
    ],
)
def test_a_broken_or_protected_book_is_reported(part: dict[str, str]) -> None:
    """Entities, DRM and missing parts are one document's error (SEC-1)."""
    with pytest.raises(DocumentError):
        parse("a.epub", book(**part))


def test_a_book_that_is_a_bomb_or_cut_off_is_refused() -> None:
    """As any archive is (SEC-1)."""
    with pytest.raises(UnsafeFileError):
        parse("a.epub", book(a="0" * 40_000_000))
    with pytest.raises(DocumentError, match="damaged"):
        EpubParser().parse(File(content=book()[:-30], uri="a.epub"))


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.py", "def f():\n    pass\n", "text/x-python"),
        ("tool", "#!/usr/bin/env node\nrun()", "text/javascript"),
        ("a.yaml", "a: 1", "text/x-code"),
        ("a.json", '{"a": 1}', "text/x-code"),
        ("pom.xml", '<?xml version="1.0"?><project/>', "text/x-code"),
        ("Dockerfile", "FROM scratch", "text/x-code"),
        ("setup.cfg", "[metadata]\nname = x", "text/x-code"),
    ],
)
def test_code_keeps_its_text_and_language(name: str, content: str, media_type: str) -> None:
    """Configuration is read like code; the title is the file's name."""
    document = parse(name, content)
    assert (document.text, document.media_type, document.title) == (content, media_type, name)
    assert place(document, content[:3]) == "L1"


def test_all_who_wrote_a_book_are_named() -> None:
    """Who asks for the author finds it, though the chapters do not say it."""
    package = PACKAGE.replace("<dc:creator>Ada</dc:creator>", "<dc:creator>Ada</dc:creator><dc:creator>Bo</dc:creator>"
                              "<dc:publisher>Mill &amp; Sons</dc:publisher><dc:date>1843</dc:date>")  # fmt: skip
    document = parse("a.epub", book(**{"O/p.opf": package}))
    assert document.text.startswith("# A Book\n\nAuthor: Ada, Bo  \nPublisher: Mill & Sons  \nDate: 1843\n")
    assert document.metadata["author"] == "Ada, Bo"
