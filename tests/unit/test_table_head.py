"""The head of a table of which only some rows are shown (UI-1)."""

from query_api.pages.table_head import find_table_head

_TABLE = "Parts:\n\n| Part | Weight |\n|---|:--|\n" + "".join(f"| {number} | {number} kg |\n" for number in range(9))


def test_a_row_has_the_head_of_its_table() -> None:
    """However far down; the head itself, a text and a table without a ruler have none."""
    head = "| Part | Weight |\n|---|:--|\n"
    assert find_table_head(_TABLE, _TABLE.index("| 8 ")) == head
    assert find_table_head(_TABLE, _TABLE.index("| 0 ")) == head
    assert find_table_head(_TABLE, _TABLE.index("| Part")) == ""
    assert find_table_head(_TABLE, 0) == ""
    assert find_table_head("| a |\n| b |\n| c |\n", 14) == ""
    assert find_table_head("| a |\n", 0) == ""
