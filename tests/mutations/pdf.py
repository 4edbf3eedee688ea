"""Mutations of how PDF files are read.

Belongs here: order, joining, headings, limits. Not here: places themselves (`placing`).
"""

from tests.mutations.mutation import Mutation

_FOLDER = "headwater/parsing/pdf/"
_READ = ("tests/unit/test_parsing_pdf.py",)
_REAL = ("tests/unit/test_parsing_pdf_real.py",)
_DAMAGED = ("tests/unit/test_parsing_pdf_damage.py",)

PDF = (
    Mutation(
        file=f"{_FOLDER}page_forms.py",
        old=" = MAX_FORMS + 1  # for",
        new=" = 0  # for",
        tests=_DAMAGED,
        why="PDFium never finishes a page whose forms draw each other",
    ),
    Mutation(
        file=f"{_FOLDER}hyphens.py",
        old="not self._breaks_words or ",
        new="",
        tests=_READ,
        why="a compound that stands at the end of a line loses its hyphen",
    ),
    Mutation(
        file=f"{_FOLDER}reading_order.py",
        old="_STRETCHED = 2.2",
        new="_STRETCHED = 0.0",
        tests=_READ,
        why="words above each other in stretched lines become a table",
    ),
    Mutation(
        file=f"{_FOLDER}headers_footers.py",
        old="_LARGE * body and masked",
        new="1e9 * body and masked",
        tests=_READ,
        why="the title of a series of slides is lost",
    ),
    Mutation(
        file=f"{_FOLDER}fonts.py",
        old="_VOWELS = 0.2, 0.6",
        new="_VOWELS = 0.0, 1.0",
        tests=_REAL,
        why="the codes of glyphs are read as words",
    ),
    Mutation(
        file=f"{_FOLDER}paragraph_labels.py",
        old="id(paragraph) not in heading_ids and ",
        new="",
        tests=_REAL,
        why="a label swallows the heading below it",
    ),
    Mutation(
        file=f"{_FOLDER}headers_footers.py",
        old=" and line.size <= largest",
        new="",
        tests=_REAL,
        why="titles of slides are taken for headers",
    ),
    Mutation(
        file=f"{_FOLDER}printed_contents.py",
        old="2 * count > len(entries)",
        new="True",
        tests=_REAL,
        why="a list with page numbers of another document is left out",
    ),
    Mutation(
        file=f"{_FOLDER}scans.py",
        old="count < _LITTLE_TEXT and ",
        new="",
        tests=_DAMAGED,
        why="a page with the text layer of its scanner is read by OCR again",
    ),
)
