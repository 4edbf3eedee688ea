"""PDF files whose characters are not what they seem: bitmap fonts, gaps, drawn underscores, accents, code (SRC-3)."""

import time

import pytest

from headwater.parsing.pdf.characters import plain
from headwater.parsing.pdf.shapes import FontFace, TextRun
from headwater.parsing.pdf.text_lines import lines_of
from tests.pdf_files import paragraph, pdf, write
from tests.unit.test_parsing_pdf import OTHER, PROSE, flat, parsed


def uneven(code: int) -> int:
    return 300 + 37 * (code % 11)


def shifted(text: str, by: int) -> str:
    return "".join(chr(max(1, ord(character) - by)) if character != "\n" else character for character in text)


def test_the_codes_of_a_bitmap_font_are_its_characters() -> None:
    """LaTeX's fonts of type 3 do not say which characters they show; ligatures and quotes have TeX's codes."""
    text = PROSE.replace("repaired", "\x10\x1ced\x11")
    document = parsed(pdf(paragraph(60, 780, text, font="T3"), bitmap_fonts={"T3": uneven}))
    assert flat(PROSE).replace("repaired", "“fied”") in document.text
    assert not document.notes


@pytest.mark.parametrize("codes", [shifted(PROSE, 29), "\x01\x02\x03" * 200, "Rrst qtk xx bcd " * 20])
def test_codes_that_are_no_text_are_none(codes: str) -> None:
    """Numbers of glyphs and symbols of formulas are not taken for characters; the note says which page has them."""
    document = parsed(
        pdf(paragraph(60, 780, OTHER) + paragraph(60, 500, codes, font="T3"), bitmap_fonts={"T3": uneven})
    )
    assert document.text == f"{flat(OTHER)}\n"


def test_a_bitmap_font_whose_size_is_its_unit() -> None:
    """Each pixel of the fonts of dvips is a unit: the letters say how large the text is."""
    drawn = paragraph(60, 780, PROSE, font="T3", size=0.011, pitch=1200)
    drawn += write((60, 700, "Pumps of all sizes"), font="T4", size=0.02)
    drawn += paragraph(60, 670, OTHER, font="T3", size=0.011, pitch=1200)
    text = parsed(pdf(drawn, bitmap_fonts={"T3": uneven, "T4": uneven}, bitmap_unit=1)).text
    assert text == f"{flat(PROSE)}\n\n# Pumps of all sizes\n\n{flat(OTHER)}\n"


def test_a_bitmap_font_of_one_width_is_code() -> None:
    """A font without a name is one for code if all letters are as wide."""
    code = "def start(engine):\n    engine.open()\n    engine.turn(fast)\n    engine.wait(until=warm)\n    return state"
    drawn = paragraph(60, 780, PROSE) + paragraph(80, 700, code, font="T3")
    text = parsed(pdf(drawn + paragraph(60, 600, OTHER), bitmap_fonts={"T3": lambda _: 525})).text
    assert f"```\n{code}\n```" in text


def test_words_that_are_apart_within_one_object_are_apart() -> None:
    """Ghostscript moves the pen instead of drawing a space: PDFium misses it between some letters."""
    moved = "BT /F4 10 Tf 60 780 Td [(relative to)-250(each other, and an)8(y)-270(graph)] TJ ET\n"
    assert parsed(pdf(moved)).text == "relative to each other, and any graph\n"


def test_spread_letters_are_one_word() -> None:
    """A title whose letters are all apart stays a word."""
    spread = "BT /F1 11 Tf 6 Tc 60 780 Td (OVERVIEW) Tj ET\n"
    assert "OVERVIEW" in parsed(pdf(spread + paragraph(60, 700, PROSE))).text


def test_an_underscore_that_is_drawn_is_one() -> None:
    """LaTeX draws the underscores of names as short lines; a fraction, a field and an underline stay lines."""
    name = write((60, 780, "glp"), (80.9, 780, "add"), size=12) + "76.5 779.9 4 .4 re f\n"
    text = parsed(pdf(name + "60 700 4 .4 re f 90 703 4 .4 re f\n" + paragraph(60, 690, PROSE))).text
    assert "glp_add" in text
    assert text.count("_") == 1


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("apr`es la mˆeme le¸con, C¸a", "après la même leçon, Ça"),
        ("d\u00b4ej`a vu", "déjà vu"),
        ("apparaˆıtre, jusqu’`a", "apparaître, jusqu’à"),
        ("run `make all` in `a` shell", "run `make all` in `a` shell"),
        ("the estimate ˆβ of 2ˆ10", "the estimate ˆβ of 2ˆ10"),
        ("matches [ˆa-z] and xˆa, press ˆO", "matches [ˆa-z] and xˆa, press ˆO"),
        ("the expression `a + b', a type `A new model'", "the expression `a + b', a type `A new model'"),
        ("echo`id` or x`elem`xs", "echo`id` or x`elem`xs"),
    ],
)
def test_accents_that_stand_before_letters(drawn: str, read: str) -> None:
    """LaTeX's older fonts draw an accent and a letter; backticks that quote stay."""
    assert plain(drawn) == read


def test_fonts_of_one_width() -> None:
    """The widths of letters decide, because the flags of LaTeX and FOP say anything."""
    assert FontFace("NimbusMonL-Regu", flags=4, widths=(0.6, 0.6)).is_mono
    assert not FontFace("DejaVuSans", flags=33, widths=(0.28, 0.86)).is_mono
    assert not FontFace("CMSY10", flags=4, widths=(0.78, 0.78)).is_mono
    assert FontFace("Unknown", flags=1).is_mono


def test_a_space_that_is_none_does_not_join_words() -> None:
    """In TeX's encoding T1, the code of the space is a wide sign: it says nothing about gaps."""
    assert FontFace("ECRM1000", space=0.6).word_gap == FontFace("CMR10").word_gap < 0.2


def test_comments_and_continued_lines_belong_to_code() -> None:
    """A comment in another font does not end code, and a line that Sphinx broke is one again."""
    drawn = (
        paragraph(60, 780, PROSE)
        + paragraph(80, 700, "set level 3;", font="F3", size=10)
        + write((80, 688, "/* Restore the level */"), size=10)
        + paragraph(80, 676, "reset(level);\ncopy first", font="F3", size=10)
        + paragraph(60, 600, OTHER)
    )
    assert "```\nset level 3;\n/* Restore the level */\nreset(level);\ncopy first\n```" in parsed(pdf(drawn)).text


def test_a_line_full_of_names_stays_in_its_paragraph() -> None:
    """A line of a paragraph that is all in the font of code is no code."""
    lines = OTHER.split("\n")
    drawn = write((60, 780, lines[0]), (60, 740.4, "and much more."))
    drawn += write((60, 766.8, "pump_start(), pump_stop(), pump_state(), pump"), font="F3")
    drawn += write((60, 753.6, lines[1]))
    text = parsed(pdf(drawn + paragraph(60, 700, "return pump.state", font="F3") + paragraph(60, 650, PROSE))).text
    assert f"{lines[0]} pump_start(), pump_stop(), pump_state(), pump {lines[1]} and much more." in text


def test_labels_that_repeat_begin_their_paragraphs() -> None:
    """`Note` above a paragraph is no section if the outline has others; without an outline it is a heading."""
    page = "".join(
        write((60, 780 - 200 * at, f"Section {at}"), size=18)
        + write((80, 755 - 200 * at, "Note"), font="F2")
        + paragraph(80, 740 - 200 * at, PROSE)
        for at in range(1, 4)
    )
    outline = [(f"Section {at}", 1) for at in range(1, 4)]
    text = parsed(pdf(page, outline=outline)).text
    assert text.count(f"Note: {flat(PROSE)}") == 3
    assert [line for line in text.splitlines() if line.startswith("#")] == [f"# Section {at}" for at in range(1, 4)]
    assert parsed(pdf(page)).text.count("# Note") == 3


def test_the_body_is_prose_even_if_there_is_more_code() -> None:
    """Text is no heading because it is larger than the code of the file."""
    code = "\n".join(f"engine.turn({number}, speed=fast, until=done)" for number in range(15))
    text = parsed(pdf(paragraph(60, 800, PROSE, size=12) + paragraph(60, 700, code, size=9, font="F3"))).text
    assert "#" not in text


def test_headers_of_short_chapters_are_dropped() -> None:
    """A header that stands on one page only is where those of the other pages are."""
    names = ["Pumps"] * 8 + ["Valves"] + ["Tubes"] * 8
    pages = [write((60, 812, name), size=9) + paragraph(60, 700, PROSE) for name in names]
    text = parsed(pdf(*pages)).text
    assert "Valves" not in text
    assert text.count("The operator") == len(names)


def test_bullets_that_are_drawn_as_thick_lines() -> None:
    """A stroke that is as wide as it is long is a bullet; a page number in parentheses is none."""
    drawn = paragraph(60, 780, PROSE)
    for at, word in enumerate(("pumps", "valves", "tubes")):
        y = 700 - 16 * at
        drawn += f"3.2 w 63 {y + 1.6} m 63 {y + 4.8} l S\n" + write((72, y, f"Check the {word} twice"))
    drawn += write((60, 600, "The valves are described in the second part of the manual, see"), (60, 586.8, "(p. 20)."))
    text = parsed(pdf(drawn)).text
    assert "- Check the pumps twice\n- Check the valves twice\n- Check the tubes twice" in text
    assert "- (p." not in text


def test_short_paragraphs_do_not_tear_the_next_one() -> None:
    """A paragraph with an indented first line stays whole below another of one line."""
    lines = OTHER.split("\n")
    first = write((75, 780, "Pumps are described first."), (75, 766.8, f"{lines[0]}"))
    text = parsed(pdf(first + paragraph(60, 753.6, "\n".join(lines[1:])))).text
    assert flat(OTHER) in text


def test_the_printed_contents_are_left_out() -> None:
    """Entries that say what the headings say are no text; a page of entries of another document is."""
    sections = ["1.1 Starting pumps", "1.2 Stopping pumps", "1.3 Testing pumps", "1.4 Cleaning pumps"]
    entries = "\n".join(f"{title} . . . . . . . . {page}" for page, title in enumerate(sections, 2))
    contents = write((60, 780, "Contents"), size=18) + paragraph(60, 740, f"1 Pumps 2\n{entries}")
    chapter = write((60, 780, "1 Pumps"), size=18) + "".join(
        write((60, 740 - 100 * at, title), size=14) + paragraph(60, 720 - 100 * at, PROSE)
        for at, title in enumerate(sections)
    )
    text = parsed(pdf(contents, chapter)).text
    assert "…" not in text
    assert "Pumps 2" not in text
    assert text.count("Starting pumps") == 1
    assert text.count("The operator inspects") == len(sections)
    assert parsed(pdf(contents, paragraph(60, 700, PROSE))).text.count("…") == len(sections)


def test_titles_of_slides_stay() -> None:
    """Titles at one height, some of which repeat, are no headers."""
    names = [name for number in range(9) for name in ("Demo", f"Topic {chr(65 + number)}")]
    text = parsed(pdf(*(write((60, 790, name), size=24) + paragraph(60, 700, PROSE) for name in names))).text
    assert all(f"# {name}" in text for name in names if name != "Demo")


def test_short_words_of_spread_letters_stay_whole() -> None:
    """All letters of a line may be apart: its short words are not cut."""
    spread = "BT /F1 11 Tf 2.5 Tc 60 780 Td (THE END OF A LONG WAY) Tj ET\n"
    assert "THE END OF A LONG WAY" in parsed(pdf(spread + paragraph(60, 700, PROSE))).text


def test_a_label_does_not_swallow_a_heading() -> None:
    """A label above a heading stays a line of its own; one that repeats in a file with few sections is a heading."""
    page = "".join(
        write((60, 780 - 120 * at, f"Section {at}"), size=18)
        + write((60, 755 - 120 * at, "See also"), font="F2")
        + write((60, 735 - 120 * at, f"Part {chr(65 + at)}"), font="F2")
        + paragraph(60, 715 - 120 * at, PROSE)
        for at in range(1, 5)
    )
    outline = [(f"Section {at}", 1) for at in range(1, 5)] + [(f"\tPart {chr(65 + at)}", 1) for at in range(1, 5)]
    text = parsed(pdf(page, outline=outline)).text
    assert text.count("See also\n") == 4
    assert text.count("## Part") == 4
    assert parsed(pdf(page, outline=[("Whole", 1), ("Rest", 1)])).text.count("# See also") == 4


def test_code_that_is_larger_than_its_text() -> None:
    """Several lines are code whatever their size; definitions between names are no comments."""
    code = "for pump in pumps:\n    pump.start()\n    pump.wait(5)"
    drawn = paragraph(60, 780, PROSE, size=9) + paragraph(60, 700, code, size=10.5, font="F3")
    assert f"```\n{code}\n```" in parsed(pdf(drawn + paragraph(60, 600, OTHER, size=9))).text
    names = write((60, 500, "--quiet"), (60, 473.6, "--brief"), font="F3")
    meanings = write((60, 486.8, "Makes the program quiet"), (60, 460.4, "Writes less to the file"))
    text = parsed(pdf(paragraph(60, 780, PROSE) + names + meanings)).text
    assert "Makes the program quiet\n```" not in text


def test_many_dashes_are_read_in_time() -> None:
    """The work for underscores grows with the page, and lines that are no underscores stay lines."""
    row = "".join(f"BT /F1 6 Tf {40 + 0.05 * at:.2f} 700 Td (a) Tj ET\n" for at in range(4000))
    dashes = "".join(f"{40 + 0.05 * at:.2f} 699.9 2 .3 re f\n" for at in range(4000))
    started_at = time.process_time()
    parsed(pdf(row + dashes + paragraph(60, 600, PROSE)))
    assert time.process_time() - started_at < 60  # twenty times what it takes
    boxes = "60 498 5 5 re S\n" + write((66, 500, "Yes"))
    assert "_" not in parsed(pdf(paragraph(60, 600, PROSE) + boxes)).text


def test_chinese_text_is_no_code() -> None:
    """The fonts of Chinese and Japanese have one width, and so have the letters in them."""
    face = FontFace("SimSun", flags=1)
    runs = [
        TextRun(text, left, left + 10 * len(text), 100, 10, face, at, 0, is_bold=False)
        for at, (left, text) in enumerate([(50, "在命令行中运行"), (125, "make")])
    ]
    assert not lines_of(runs, 1)[0].is_mono
    code = TextRun("make all", 50, 90, 100, 10, face, 0, 0, is_bold=False)
    assert lines_of([code], 1)[0].is_mono
