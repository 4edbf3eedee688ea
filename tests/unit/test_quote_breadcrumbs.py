"""The headings above a sentence (ANS-3: a citation leads to the right place)."""

from headwater.quote.breadcrumbs import breadcrumb_at
from tests.passages import passage

TEXT = "## Start\n\nRun it.\n\n```sh\n# not a heading\n```\n\n## `Stop` it\n\nEnd it.\n\n### At once\n\nKill it.\n"


def _at(text: str, breadcrumb: tuple[str, ...], offset: int, kind: str = "markdown") -> tuple[str, ...]:
    return breadcrumb_at(passage(text, breadcrumb=breadcrumb, kind=kind), offset)


def test_a_sentence_is_under_the_nearest_heading_above_it() -> None:
    """A chunk of several short sections gives each sentence its own section's breadcrumb."""
    own = ("Guide", "Start")
    assert _at(TEXT, own, TEXT.index("Run it")) == own
    assert _at(TEXT, own, TEXT.index("End it")) == ("Guide", "Stop it")
    assert _at(TEXT, own, TEXT.index("Kill it")) == ("Guide", "Stop it", "At once")


def test_a_heading_above_its_first_child_is_part_of_the_path() -> None:
    """The chunk is named by the child; both are above what the child says."""
    text = "## Install\n\n### Linux\n\nUse it.\n"
    assert _at(text, ("Guide", "Install", "Linux"), text.index("Use it")) == ("Guide", "Install", "Linux")


def test_a_chunk_without_headings_keeps_its_breadcrumb() -> None:
    """So does one whose heading is not in its breadcrumb."""
    assert _at("Just text.", ("A", "B"), 3) == ("A", "B")
    assert _at("## X\n\nText.\n\n## Y\n\nMore.", ("A",), 20) == ("A",)


def test_text_above_the_first_heading_is_not_below_it() -> None:
    """Though its chunk is named by the section, because the text alone is too short for a chunk."""
    text = "About pumps.\n\n## Oil\n\nIn winter, use grade 5.\n"
    assert _at(text, ("Pumps", "Oil"), 0) == ("Pumps",)
    assert _at(text, ("Pumps", "Oil"), text.index("In winter")) == ("Pumps", "Oil")


def test_a_section_behind_the_rest_of_another_has_its_own_heading() -> None:
    """A chunk that begins within a long section goes on with a short one; of code, a comment is no heading."""
    text = "The rest.\n\n## About\n\nIt is.\n\n### Deep\n\nSo it is.\n"
    own = ("Guide", "Before")
    assert _at(text, own, 0) == own
    assert _at(text, own, text.index("It is.")) == ("Guide", "About")
    assert _at(text, own, text.index("So it")) == ("Guide", "About", "Deep")
    assert _at(text, own, text.index("It is."), "code") == own
    inside = "x = 1\n# y\n```\nThen go.\n"
    assert _at(inside, own, inside.index("Then")) == own


def test_an_underlined_heading_is_one() -> None:
    """As one with its signs in front; a line of a table or a list is none."""
    text = "Aim\n---\n\n- Build it.\n\nPeople\n======\n\n- Ada.\n\n- Bob\n---\n\nName | Age\n--- | ---\nC | 3\n"
    own = ("Guide", "Aim")
    assert _at(text, own, text.index("Build")) == own
    assert _at(text, own, text.index("Ada")) == _at(text, own, text.index("C | 3")) == ("Guide", "People")


def test_a_table_of_contents_is_above_nothing() -> None:
    """Its heading is often the highest of a page."""
    text = "# Rest\n\nIt is.\n\n# Table of Contents\n\n- a\n\n## Use\n\nUse it.\n"
    assert _at(text, ("Guide", "Rest"), text.index("Use it")) == ("Guide", "Use")


def test_a_heading_is_read_as_the_chunker_reads_it() -> None:
    """Else the heading of a chunk is not found in its text, and its signs are shown."""
    text = "## Time off \\(full days\\)\n\nAsk.\n\n## Sick *leave*\n\nTell.\n"
    own = ("Leave", "Time off (full days)")
    assert _at(text, own, text.index("Ask")) == own
    assert _at(text, own, text.index("Tell")) == ("Leave", "Sick leave")
