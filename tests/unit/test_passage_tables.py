"""Tables of passages, whole ones and later parts of long ones."""

from headwater.answering.tables import find_tables
from tests.passages import passage


def test_a_passage_within_a_table_has_the_header_of_its_breadcrumb() -> None:
    """Rows without a header of their own are read with the one that the chunk carries."""
    found = passage("| Bolt | 2 |\n| Nut | 3 |\n\nText.", breadcrumb=("List", "Article | Net \\| Gross"))
    (table,) = find_tables(found)
    assert (table.header, table.rule) == ("| Article | Net \\| Gross |", "|---|---|")
    assert table.rows == ("| Bolt | 2 |", "| Nut | 3 |")


def test_a_table_with_a_header_is_found_once() -> None:
    """A breadcrumb is no header of it."""
    found = passage("| Article | Net |\n|---|---|\n| Bolt | 2 |", breadcrumb=("List", "A | B"))
    assert [table.header for table in find_tables(found)] == ["| Article | Net |"]
