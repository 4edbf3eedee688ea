"""Text from the lines of a picture: order, paragraphs, headings, tables, divided words (SRC-4).

Belongs here: lines with known corners. Not here: finding lines (`test_ocr`). Guarantee: no model is loaded.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.parsing.ocr.engine import Line
from headwater.parsing.ocr.layout import arranged

CHARACTER = 0.5  # of the height of a line: its width


def line(text: str, left: float, top: float, height: float = 20, slope: float = 0.0) -> Line:
    """A line whose characters all have the same width."""
    width = len(text) * CHARACTER * height
    down = slope * width
    corners = [(left, top), (left + width, top + down), (left + width, top + down + height), (left, top + height)]
    places = tuple((at + 0.5) / len(text) for at, character in enumerate(text) if not character.isspace())
    return Line(text=text, corners=np.array(corners, dtype=np.float32), places=places)


def column(texts: list[str], left: float, top: float = 100, pitch: float = 24) -> list[Line]:
    """Lines below one another."""
    return [line(text, left, top + at * pitch) for at, text in enumerate(texts)]


LEFT = ["The river rises in the hills", "to the north of the old town", "and runs past three villages"]
RIGHT = ["A bridge was built there in a", "dry summer, and it stood until", "the flood took it in autumn."]


def test_columns_are_read_one_after_the_other() -> None:
    """A line that spans both columns is before them, and one below them after them."""
    page = [*column(RIGHT, 320), *column(LEFT, 20), line("All about the river and its bridges in the old days", 20, 60)]
    text = arranged([*page, line("Page four of the history of the river and its bridges", 20, 300)])
    places = [text.index(part) for part in ("All about", "The river", "three villages", "A bridge", "Page four")]
    assert places == sorted(places)
    assert "hills to the north" in text


def test_a_line_read_across_a_gutter_is_cut() -> None:
    """The detector joins lines of two columns whose gap is narrow: the other lines show where the gutter is."""
    gap = " " * 3
    rows = [
        line(left.ljust(28) + gap + right, 20, 50 + at * 24) for at, (left, right) in enumerate([(LEFT[0], RIGHT[0])])
    ]
    text = arranged([*rows, *column(LEFT[1:] * 2, 20, 74), *column(RIGHT[1:] * 2, 20 + 31 * 10, 74)])
    assert "hills to the north" in text
    assert "built there in a dry summer" in text


def test_text_flows_around_a_caption() -> None:
    """A caption between two columns is on its own, not within their lines."""
    caption = [line("A MAP", 330, 127, 16), line("OF THE", 325, 150, 16), line("RIVER", 330, 173, 16)]
    page = [*column(LEFT * 2, 20), *column([text[:20] for text in RIGHT] * 2, 420), *caption]
    assert "A MAP OF THE RIVER" in arranged(page).split("\n\n")


def test_a_page_that_is_not_straight_is_read_row_by_row() -> None:
    """Lines of a tilted photograph are in one row with what is beside them, whatever their height."""
    slope = 0.1
    names = ["Two cups of espresso", "Three fresh croissants", "One large orange juice"]
    rows = []
    for at, (name, price) in enumerate(zip(names, ("5.00", "7.50", "4.20"), strict=True)):
        rows += [line(name, 20, 50 + at * 40, slope=slope), line(price, 400, 50 + at * 40 + 380 * slope, slope=slope)]
    assert "| Two cups of espresso | 5.00 |" in arranged(rows)


def test_tables_stay_tables() -> None:
    """Cells that are beside one another are a row of a table; an empty cell stays empty."""
    cells = [("Model", "Power", "Price"), ("A100", "2.2 kW", "410"), ("A200", "", "690"), ("B5", "1.1 kW", "280")]
    found = [
        line(cell, 20 + at * 200, 50 + row * 40) for row, of in enumerate(cells) for at, cell in enumerate(of) if cell
    ]
    head, _, *rest = arranged(found).split("\n")
    assert [head, *rest] == [
        "| Model | Power | Price |",
        "| A100 | 2.2 kW | 410 |",
        "| A200 |  | 690 |",
        "| B5 | 1.1 kW | 280 |",
    ]


def test_large_lines_are_headings() -> None:
    """A line of twice the usual height is a heading of the first level, one of one and a half times of the second."""
    found = [line("Rivers", 20, 10, 44), *column(LEFT, 20), line("Bridges", 20, 200, 32), *column(RIGHT, 20, 260)]
    assert arranged(found).startswith("# Rivers\n\nThe river rises")
    assert "\n\n## Bridges\n\nA bridge" in arranged(found)


def test_divided_words_are_whole_again() -> None:
    """In text that divides words, a word continues in the next line; after two letters the hyphen may be the word's."""
    lines = ["They were all experi-", "enced people, and had", "gone there so as to re-", "open the old, but tempo-",
             "rary bridge before then"]  # fmt: skip
    text = arranged(column(lines, 20))
    assert "experienced" in text
    assert "temporary" in text
    assert "re-\nopen" in text


def test_compounds_keep_their_hyphen() -> None:
    """Where few lines end with a hyphen, it is that of a compound."""
    lines = [f"a line of text without such an end, number {at}" for at in range(30)]
    lines[10:12] = ["its success over the years was a long-", "term one, and everybody was glad of it then"]
    assert "long-term one" in arranged(column(lines, 20))


def test_items_and_short_lines_keep_their_lines() -> None:
    """A line that ends on purpose is a line of its own; bullets become markdown's."""
    text = arranged(
        column(["12 Harbour Street", "Porto", "• one thing of this long list", "• another of the same list"], 20)
    )
    assert text == "12 Harbour Street\nPorto\n- one thing of this long list\n- another of the same list"


def test_centred_lines_keep_their_lines() -> None:
    """The head of a receipt is not one sentence."""
    texts = ["Cafe Milano", "12 Harbour Street, Porto", "Open all day"]
    found = [line(text, 200 - len(text) * 5, 50 + at * 24) for at, text in enumerate(texts)]
    assert arranged(found) == "\n".join(texts)


def test_chinese_lines_are_joined_without_a_space() -> None:
    """Scripts without spaces have none between lines either."""
    lines = [
        Line(text=text, corners=line("x" * 60, 20, 50 + at * 24).corners, places=())
        for at, text in enumerate(["水泵", "阀门"])
    ]
    assert arranged(lines) == "水泵阀门"


def test_text_is_no_markup_by_accident() -> None:
    """A line that begins like a heading of markdown is none."""
    assert arranged([line("# 5 washers", 20, 50)]) == "\\# 5 washers"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 900), st.integers(0, 900), st.sampled_from([14, 20, 22, 40]), st.integers(1, 6)),
        max_size=40,
    )
)
def test_no_line_is_lost(placed: list[tuple[int, int, int, int]]) -> None:
    """Wherever lines are, each word is in the text once."""
    names = [[f"w{at}x{word}" for word in range(count)] for at, (*_, count) in enumerate(placed)]
    lines = [line(" ".join(words), x, y, height) for words, (x, y, height, _) in zip(names, placed, strict=True)]
    found = arranged(lines).replace("|", " ").split()
    assert sorted(word for word in found if word.startswith("w")) == sorted(word for words in names for word in words)
