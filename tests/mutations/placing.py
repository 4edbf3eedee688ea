"""Mutations of where in its original a text is said to stand.

Belongs here: edits and lines, ranges, what of them is kept. Not here: offsets within a text (`chunking`).
"""

from tests.mutations.mutation import Mutation

_LINES = ("tests/unit/test_original_lines.py",)
_ROWS = ("tests/unit/test_parsing_html_blocks.py",)
_RANGES = ("tests/unit/test_place_ranges.py",)
_CHAIN = ("tests/integration/test_original_places.py",)
_PLACES = "headwater/domain/places.py"
_STORED = "headwater/store/content/places.py"

PLACING = (
    Mutation(
        file="headwater/parsing/markdown/parser.py",
        old="new_step([(0, len(text) - len(body), len(words))])",
        new="new_step()",
        tests=_LINES,
        why="front matter is not counted",
    ),
    Mutation(
        file="headwater/parsing/markdown/edits.py",
        old="np.maximum(starts[edit_index], ends[edit_index] - 1) if is_end else starts[edit_index]",
        new="starts[edit_index]",
        tests=_LINES,
        why="a sentence with a comment of several lines in it ends too early",
    ),
    Mutation(
        file="headwater/parsing/markdown/edits.py",
        old="skipped = len(code) - len(code.lstrip(",
        new="skipped = 0 * len(code.lstrip(",
        tests=_LINES,
        why="lines of preformatted text are off by the blank ones above them",
    ),
    Mutation(
        file="headwater/parsing/markdown/html_blocks.py",
        old="while spans and first <= spans[-1][1]:",
        new="while spans and first < 0:",
        tests=_ROWS,
        why="a row with a cell of the row above does not say where that cell stands",
    ),
    Mutation(
        file="headwater/parsing/markdown/html_blocks.py",
        old="length - 1), (row_end, start + begins",
        new="length), (row_end, start + begins",
        tests=_ROWS,
        why="all rows of a table but the first are a line off",
    ),
    Mutation(
        file=_PLACES,
        old="start + len(span.rstrip()) - 1",
        new="start + len(span.rstrip())",
        tests=_RANGES,
        why="what ends with a page is said to reach to the next one",
    ),
    Mutation(
        file=_PLACES,
        old="bisect_right(stored_marks, within[1], key=itemgetter(0))]",
        new="bisect_right(stored_marks, within[0], key=itemgetter(0))]",
        tests=_RANGES,
        why="a passage over two pages forgets the second",
    ),
    Mutation(
        file=_STORED,
        old='parser == "jsonl" or (parser == "markdown" and row["media_type"] == "text/plain")',
        new="True",
        tests=_CHAIN,
        why="markdown of an older release is given lines that nobody knows",
    ),
    Mutation(
        file="headwater/store/content/places.sql",
        old=" AND v.places IS DISTINCT FROM t.places",
        new="",
        tests=_CHAIN,
        why="a full sync writes every version again",
    ),
    Mutation(
        file="headwater/store/content/documents.py",
        old="touched += put_places(",
        new="put_places(",
        tests=("tests/integration/test_original_places.py::test_a_full_sync_fills_places_in_and_writes_nothing_else",),
        why="filled places are not counted as written",
    ),
    Mutation(
        file="headwater/sources/markdown_tree.py",
        old="parser_version=parser.version,",
        new="",
        tests=_CHAIN,
        why="a document does not say which parser read it",
    ),
    Mutation(
        file="headwater/parsing/office/xlsx_text.py",
        old="if row - line != ahead:",
        new="if ahead is None:",
        tests=("tests/unit/test_parsing_xlsx.py",),
        why="rows behind an empty one are said to be higher up",
    ),
    Mutation(
        file="headwater/quote/quotes.py",
        old=" or (place.kind == PlaceKind.CELL and best.kind == Kind.ITEM)",
        new="",
        tests=("tests/unit/test_quotes.py",),
        why="the citation of a form names the row of the customer, not that of the contract",
    ),
    Mutation(
        file="headwater/domain/place_links.py",
        old="is_file = not place.address or ",
        new="is_file = True or ",
        tests=("tests/unit/test_place_ranges.py::test_a_page_belongs_to_a_file_alone",),
        why="a page is added to the address of a webmail",
    ),
)
