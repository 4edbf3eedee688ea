"""RTF files as markdown."""

import re
import time

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.office.rtf import RtfParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for

LETTER = (
    r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title The old mill}{\author Ann}}"
    r"\pard\b The pump\b0\par It lifts 40 litres \'96 each minute, \u8805?38 in winter.\par"
    r"\pard \bullet\tab a lid\par \bullet\tab a filter\par"
    r"\trowd part\cell price\cell\row\trowd lid\cell 3\cell\row\pard # not a heading\par"
    r"{\pict\pngblip 89504e470d0a}{\*\generator x;}}"
)
FONTS = (
    r"{\fonttbl{\f0\fswiss Arial;}{\f1\fmodern{\*\panose 020703}Courier New;}{\f2\fcharset2 Symbol;}"
    r"{\f3\fcharset2 Wingdings;}{\f4\fcharset128 MS Mincho;}{\f5\fcharset134 SimSun;}{\f6\fcharset129 Batang;}"
    r"{\f7\fcharset136 MingLiU;}{\f8\fcharset204 Arial Cyr;}{\f9\fcharset238 Arial CE;}}"
)
STYLES = (
    r"{\stylesheet{\snext0 Normal;}{\s1\outlinelevel0\b heading 1,Chapter;}{\s2\sbasedon0 heading 2;}"
    r"{\s3\sbasedon2 Teil;}{\s4 Title;}{\s5 toc 1;}{\s6\f1 Source Code;}{\*\cs10\additive HTML Code;}}"
)
LISTS = (
    r"{\*\listtable{\list{\listlevel\levelnfc0\levelstartat1{\leveltext\leveltemplateid-1898031884\'02\'00.;}"
    r"{\levelnumbers\'01;}}{\listlevel\levelnfc23\levelstartat1{\leveltext\'01\u8226 ?;}{\levelnumbers;}}"
    r"{\listname ;}\listid7}{\list{\listlevel\levelnfc4\levelstartat3{\leveltext\'02\'00);}{\levelnumbers\'01;}}"
    r"\listid-8}}"
    r"{\*\listoverridetable{\listoverride\listid7\listoverridecount0\ls1}{\listoverride\listid-8\ls2}"
    r"{\listoverride\listid7\listoverridecount1{\lfolevel\listoverridestartat\levelstartat5}\ls3}"
    r"{\listoverride\listid7{\lfolevel\listoverrideformat{\listlevel\levelnfc1\levelstartat1"
    r"{\leveltext\'02\'00.;}{\levelnumbers\'01;}}}\ls4}}"
)


def rtf(body: str, *, header: str = "") -> str:
    return rf"{{\rtf1\ansi\ansicpg1252\deff0{FONTS}{header}{body}}}"


def read(source: str) -> ParsedDocument:
    return RtfParser().parse(File(content=source.encode("latin-1"), uri="a.rtf"))


def blocks_of(body: str, *, header: str = "") -> list[str]:
    return read(rtf(body, header=header)).text.split("\n\n")


def bytes_of(text: str, page: str) -> str:
    """The characters as RTF writes those of a code page."""
    return "".join(f"\\'{code:02x}" for code in text.encode(page))


def test_a_letter_has_headings_items_and_tables() -> None:
    """Characters by their numbers are read; pictures and what programs note are left out."""
    document = read(LETTER)
    assert document.title == "The old mill"
    assert document.metadata["author"] == "Ann"
    assert document.text.split("\n\n") == [
        "## The pump", "It lifts 40 litres – each minute, ≥38 in winter.", "- a lid\n- a filter",
        "| part | price |\n|---|---|\n| lid | 3 |", "\\# not a heading",
    ]  # fmt: skip


@pytest.mark.parametrize("source", [r"{\rtf1", r"{\rtf1 {{{{", r"{\rtf1 \'zz}", "{\\rtf1" + "{" * 20_000, "{\\rtf1}}a"])
def test_odd_files_have_the_text_that_can_be_read(source: str) -> None:
    """Also what is never closed; what follows the end is none of it."""
    assert len(read(source).text) < 10
    assert "a" not in read(source).text


def test_a_file_that_ends_too_early_has_the_text_up_to_there() -> None:
    """Also in a note in a table."""
    text = read(rtf(r"\trowd\cellx9\cellx19\intbl one\cell {\b two{\footnote three")).text
    assert "| one | two[^1] |" in text
    assert "[^1]: three" in text


def test_a_damaged_file_says_so() -> None:
    """What has no beginning of the format is no text of it; some bytes may stand before it."""
    with pytest.raises(DocumentError, match="damaged"):
        read("a letter")
    assert read("\r\n" + rtf("a")).text == "a"


def test_a_file_is_known_by_its_beginning() -> None:
    """Word names many of them .doc; Outlook ends them with NUL."""
    assert isinstance(parser_for(LETTER.encode(), "letter.doc"), RtfParser)
    assert isinstance(parser_for(LETTER.encode() + b"\0", "letter.rtf"), RtfParser)


def test_characters_in_two_halves_are_whole() -> None:
    """The format writes emoji and old scripts so; a half, or a number that is none, is a sign for what is missing."""
    assert read(r"{\rtf1\ansi\uc1 A \u-10179?\u-8704? and \u-10179? alone}").text == "A \U0001f600 and \ufffd alone"
    assert read(r"{\rtf1 \u99999999 a}").text == "\ufffd"


def test_what_repeats_a_character_is_left_out() -> None:
    """As many characters as the group says; a group, or a word that is no character, ends it."""
    body = r"\uc2\u8805\'3d\'3e 1\par\uc0\u8805 2\par{\uc1 \u8805?}{\uc3}\u8805 3\par\uc1\u8805\bullet\u8805\par 4"
    assert blocks_of(body) == [
        "≥ 1", "≥2", "≥≥3", "≥≥", "4",
    ]  # fmt: skip
    assert blocks_of(r"{\upr{plain}{\*\ud{\u8805 ?}}} a") == ["≥ a"]


@pytest.mark.parametrize(
    ("font", "page", "text"),
    [(0, "cp1252", "Größe – “é”"), (4, "cp932", "表示能力と水車"), (5, "gb18030", "水车转动"), (6, "cp949", "물레방아"),
     (7, "cp950", "水車功能"), (8, "cp1251", "Насос качает воду"), (9, "cp1250", "článek žluťoučký")],
)  # fmt: skip
def test_bytes_are_of_the_font(font: int, page: str, text: str) -> None:
    """Each font has a code page; the second byte of a character may be an ASCII letter."""
    assert blocks_of(rf"\f{font} {bytes_of(text, page)}") == [text]
    ascii_bytes = re.sub(r"\\'(4[1-9a-f])", lambda match: chr(int(match[1], 16)), bytes_of(text, page))
    assert blocks_of(rf"\f{font} {ascii_bytes}") == [text]


def test_bytes_are_of_the_file_where_the_font_says_nothing() -> None:
    """A code page that nobody knows is that of Windows."""
    assert read(r"{\rtf1\ansi\ansicpg1251 " + bytes_of("Насос", "cp1251") + "}").text == "Насос"
    assert read(r"{\rtf1\mac\'8a}").text == "ä"
    assert read(r"{\rtf1\ansi\ansicpg99999\'e4}").text == "ä"


def test_signs_of_symbol_fonts_are_read() -> None:
    """By their bytes, and by private characters; unknown ones are left out."""
    assert blocks_of(r"{\f2 m}m, {\f2\u-3987 ?}g, {\f3\'fc\'22} done") == ["μm, μg, ✓ done"]


def test_headings_come_from_styles_and_levels() -> None:
    """Styles have other names too, and inherit; a paragraph may have a level of its own, or look like a heading."""
    document = read(
        rtf(
            r"\pard\s4\fs40 The pump\par\pard\plain\s1 Build\par\pard\s2 Shaft\par\pard\s3 Bearing\par"
            r"\pard\outlinelevel2 Seal\par\pard\plain It lifts water.\par\b Care\b0\par Oil it each year.\par",
            header=STYLES,
        )
    )
    assert document.title == "The pump"
    assert document.text.split("\n\n") == [
        "# The pump", "## Build", "### Shaft", "### Bearing", "#### Seal", "It lifts water.", "##### Care",
        "Oil it each year.",
    ]  # fmt: skip


def test_large_lines_are_headings_of_their_size() -> None:
    """The font and the size hold until they change, in their group."""
    body = r"{\fs48 The pump\par}{\fs32 Build\par}\fs20 It lifts water all day.\par{\fs32 Care\par}Oil it yearly.\par"
    assert blocks_of(body) == [
        "# The pump", "## Build", "It lifts water all day.", "## Care", "Oil it yearly.",
    ]  # fmt: skip


def test_the_last_paragraph_has_its_properties() -> None:
    """Nothing needs to end it."""
    assert blocks_of(r"It lifts.\par\pard\s1 Care", header=STYLES) == ["It lifts.", "# Care"]


def test_contents_are_left_out() -> None:
    """Those of a field, and of a style."""
    body = (
        r"{\field{\*\fldinst TOC \\o}{\fldrslt Build 1\par Care 2}}\par\pard\s5 Build\tab 1\par\pard\s1 Build\par"
        r"\pard It lifts.\par"
    )
    assert blocks_of(body, header=STYLES) == ["# Build", "It lifts."]


def test_lists_have_their_numbers() -> None:
    """Of their table: levels, formats, where they start; changes of a use."""
    body = (
        r"\pard\ls1\ilvl0 lid\par\pard\ls1\ilvl1 round\par\pard\ls1\ilvl0 filter\par\pard Text.\par"
        r"\pard\ls2\ilvl0 three\par four\par\pard Text.\par\pard\ls3\ilvl0 five\par\pard Text.\par"
        r"\pard\ls4 first\par second\par"
    )
    assert blocks_of(body, header=LISTS) == [
        "1. lid\n   - round\n2. filter", "Text.", "- c) three\n- d) four", "Text.", "5. five", "Text.",
        "- I. first\n- II. second",
    ]  # fmt: skip


def test_a_number_that_the_file_shows_counts() -> None:
    """LibreOffice does not write where a list goes on; a bullet is that of the table."""
    body = (
        r"{\listtext\pard\plain 4.\tab}\ls1\ilvl0 lid\par{\listtext\pard\plain\f2\'b7\tab}\ls1\ilvl1 round\par"
        r"\pard{\listtext\pard\plain\tab}\ls0 plain\par"
    )
    assert blocks_of(body, header=LISTS) == ["4. lid\n   - round", "plain"]


def test_lists_of_old_files_have_the_labels_that_are_typed() -> None:
    """A label without a letter or a digit is a bullet, and so is the letter `o`; the rules for programs are skipped."""
    body = (
        r"\pard{\pntext\f2\'b7\tab}{\*\pn\pnlvlblt\pnf2{\pntxtb\'b7}}lid\par{\pntext\f3\'22\tab}filter\par"
        r"{\pntext\f1 o\tab}oil\par\pard Then:\par{\pntext 1.\tab}{\*\pn\pnlvlbody\pndec{\pntxta .}}open\par"
        r"{\pntext 2.\tab}close\par"
    )
    assert blocks_of(body) == ["- lid\n- filter\n- oil", "Then:", "1. open\n2. close"]


def test_bullets_that_are_typed_as_text_begin_items() -> None:
    """Also in another font than the text; a word that begins with `o`, and code, are none."""
    assert blocks_of(r"{\f2\'b7}\tab a lid\par{\f1 o}\tab a filter\par ode\par{\f1 o\tab x = 1}\par o\par") == [
        "- a lid\n- a filter", "ode", "```\no\tx = 1\n```", "o",
    ]  # fmt: skip


def test_tables_have_merged_cells_and_headers() -> None:
    """A cell may span columns, or go on from the row above."""
    row = r"\trowd\trhdr\clvmgf\cellx1000\clmgf\cellx2000\clmrg\cellx3000\intbl pump\cell all\cell\cell\row"
    below = r"\trowd\clvmrg\cellx1000\cellx2000\cellx3000\intbl\cell 1\cell 2\cell\row"
    assert blocks_of(row + below + r"\pard end") == [
        "| pump | all | all |\n|---|---|---|\n| pump | 1 | 2 |",
        "end",
    ]


def test_a_table_whose_first_row_is_like_others_has_no_header() -> None:
    """Word says what the style of a table sets off."""
    row = r"\trowd\tbllkhdrcols\cellx9\cellx19\intbl a\cell b\cell\row"
    assert blocks_of(row + row) == ["|  |  |\n|---|---|\n| a | b |\n| a | b |"]
    assert blocks_of((row + row).replace("hdrcols", "hdrrows")) == ["| a | b |\n|---|---|\n| a | b |"]


def test_tables_are_within_cells() -> None:
    """Their rows are one text of the cell; what is for programs that do not know them is left out."""
    body = (
        r"\trowd\cellx9\cellx19\pard\intbl one\cell\pard\intbl\itap2 in\nestcell out\nestcell"
        r"{\*\nesttableprops\trowd\cellx9\cellx19\nestrow}{\nonesttables\par}\pard\intbl\itap1 two\cell\row\pard end"
    )
    assert blocks_of(body) == ["| one | in, out two |\n|---|---|", "end"]


def test_links_and_fields_show_their_results() -> None:
    """A link within the file is its words; instructions are not shown."""
    body = (
        r'See {\field{\*\fldinst HYPERLINK "https://a.example/b"}{\fldrslt{\b the site}}}, '
        r'{\field{\*\fldinst{HYPERLINK \\l "x"}}{\fldrslt below}}, page {\field\flddirty{\*\fldinst PAGE}{\fldrslt 3}}.'
    )
    assert blocks_of(body) == ["See [the site](https://a.example/b), below, page 3."]


def test_a_caption_is_no_heading() -> None:
    """A field numbers it."""
    caption = r"\b Figure {\field{\*\fldinst SEQ Figure}{\fldrslt 1}} The pump\b0\par It lifts.\par"
    assert blocks_of(caption) == ["Figure 1 The pump", "It lifts."]


def test_notes_and_boxes_are_texts_of_their_own() -> None:
    """A note stands below its paragraph, a box as well; headers and comments are left out."""
    body = (
        r"{\header\pard Top\par}It lifts{\super\chftn{\footnote\pard\plain{\super\chftn} Slowly.}}"
        r"{\shp{\*\shpinst{\sp{\sn wzName}{\sv Box}}{\shptxt\pard Mind\par the gap.\par}}{\shprslt Mind}}"
        r"{\*\atnid A}{\*\annotation wrong} water.\par More.\par"
    )
    assert blocks_of(body) == ["It lifts[^1] water.", "[^1]: Slowly.", "Mind", "the gap.", "More."]


def test_code_is_told_by_its_font_and_style() -> None:
    """Tabs stay; runs in a style for code are code in a text."""
    body = r"\pard Run:\par\f1 if x:\par\tab go()\par\pard\plain\s6 stop()\par\pard\plain Call {\cs10 go} now.\par"
    assert blocks_of(body, header=STYLES) == ["Run:", "```\nif x:\n\tgo()\n```", "```\nstop()\n```", "Call `go` now."]


def test_hidden_and_deleted_text_is_left_out() -> None:
    """Until it is switched off, or its group ends; unknown groups and binary data are left out too."""
    assert blocks_of(r"It {\v not }{\deleted never }\v no\v0 lifts{\*\unknown a}{\pict\bin3 }{}}\bin4 \par water.") == [
        "It lifts water.",
    ]  # fmt: skip


def test_pages_sections_and_line_ends_part_paragraphs() -> None:
    """A backslash at the end of a line is a paragraph, too; `line` is a line of it."""
    assert blocks_of("a\\page b\\sect c\\\nd\\line e") == ["a", "b", "c", "d\ne"]


def test_signs_have_words() -> None:
    """Quotes, dashes, spaces that do not break, hyphens that may; what XML does not allow goes."""
    assert blocks_of(r"\lquote a\rquote\~\ldblquote b\rdblquote \emdash x\_y\-z \{1\} \\n\'01\u1 ?") == [
        "‘a’ “b”—x-yz {1} \\n",
    ]  # fmt: skip


def test_what_xml_does_not_allow_is_left_out() -> None:
    """In names, labels, properties and instructions, too."""
    header = r"{\stylesheet{\s1 head\'01ing 1;}}{\info{\title Care\'02}}{\fonttbl{\f20 Cou\'03rier;}}"
    field = r"{\field{\*\fldinst SEQ \'06}{\fldrslt x}}"
    body = rf"\pard\s1 Ca\'04re\par\pard{{\pntext 1.\'05\tab}}lid\par\pard\f20 {field} = 1\par"
    document = read(rtf(body, header=header))
    assert document.title == "Care"
    assert document.text.split("\n\n") == ["# Care", "1. lid", "```\nx = 1\n```"]


def test_properties_are_metadata() -> None:
    """Dates too; a title in the code page of the file counts if the text begins with it."""
    source = (
        r"{\rtf1\ansi\ansicpg1252{\info{\title Gr\'f6\'dfe der Pumpe}{\subject Pumps}{\keywords a, b}{\operator X}"
        r"{\creatim\yr2020\mo3\dy1\hr10\min5}{\revtim\yr0\mo0\dy0}}"
        r"\trowd Gr\'f6\'dfe der Pumpe\cell\row\pard It lifts.\par}"
    )
    document = read(source)
    assert document.title == "Größe der Pumpe"
    assert document.text == "Größe der Pumpe\n\nIt lifts."
    assert document.metadata == {"subject": "Pumps", "keywords": "a, b", "created": "2020-03-01T10:05:00"}


@pytest.mark.parametrize(
    "body",
    ["{" * 2_000_000, "{a" * 20_000, r"\b0\b" * 100_000, r"\bin999999999 a", r"{\footnote a" * 20_000,
     r"{\shptxt a" * 20_000, r"{\field{\*\fldinst " * 20_000,
     r"{\*\listtable{\list{\listlevel{\leveltext " + r"a\x " * 50_000,
     r"\trowd" + r"\cellx1" * 50_000 + r"a\cell\row" * 2_000, r" {\x}" * 50_000,
     r"a{\footnote x}" * 10_000, r"{\b a}{\fs40 b}" * 10_000],
)  # fmt: skip
def test_hostile_files_take_linear_time(body: str) -> None:
    """However deep, long or many its groups are."""
    begin = time.process_time()
    read("{\\rtf1" + body)
    assert time.process_time() - begin < 10


def test_entries_of_a_table_of_contents_are_shown() -> None:
    """Unless they are hidden (RTF 1.9.1, table of contents entries)."""
    assert blocks_of(r"{\tc\tcl2 The mill} grinds.{\tc\v Mills}\par") == ["The mill grinds."]
