"""The headings above a sentence (ANS-3: a citation leads to the right place)."""

from headwater.quote.breadcrumbs import breadcrumb_at

TEXT = "## Start\n\nRun it.\n\n```sh\n# not a heading\n```\n\n## `Stop` it\n\nEnd it.\n\n### At once\n\nKill it.\n"


def test_a_sentence_is_under_the_nearest_heading_above_it() -> None:
    """A chunk of several short sections gives each sentence its own section's breadcrumb."""
    own = ("Guide", "Start")
    assert breadcrumb_at(TEXT, own, TEXT.index("Run it")) == own
    assert breadcrumb_at(TEXT, own, TEXT.index("End it")) == ("Guide", "Stop it")
    assert breadcrumb_at(TEXT, own, TEXT.index("Kill it")) == ("Guide", "Stop it", "At once")


def test_a_heading_above_its_first_child_is_part_of_the_path() -> None:
    """The chunk is named by the child; both are above what the child says."""
    text = "## Install\n\n### Linux\n\nUse it.\n"
    assert breadcrumb_at(text, ("Guide", "Install", "Linux"), text.index("Use it")) == ("Guide", "Install", "Linux")


def test_a_chunk_without_headings_keeps_its_breadcrumb() -> None:
    """So does one whose heading is not in its breadcrumb."""
    assert breadcrumb_at("Just text.", ("A", "B"), 3) == ("A", "B")
    assert breadcrumb_at("## X\n\nText.\n\n## Y\n\nMore.", ("A",), 20) == ("A",)
