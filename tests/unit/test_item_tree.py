"""Where items are in a tree, by their parents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import TooLargeError
from headwater.sources.item_list import Item
from headwater.sources.item_tree import find_paths

_IDS = st.sampled_from("abcdefgh")


@given(st.dictionaries(_IDS, st.tuples(_IDS, st.text("xy/", max_size=3))))
def test_a_path_is_that_of_its_folder_and_its_name(parents: dict[str, tuple[str, str]]) -> None:
    """Items have a path exactly if their parents lead to the root, however many circles there are."""
    items = {key: Item("", title, parent) for key, (parent, title) in parents.items()}
    paths = find_paths(items, "a")
    assert paths["a"] == ""
    for key, item in items.items():
        above, seen = key, set[str]()
        while above in items and above != "a" and above not in seen:
            seen.add(above)
            above = items[above].parent
        assert (key in paths) == (above == "a")
        if key in paths and key != "a":
            name = item.title.replace("/", "-") or "-"
            assert paths[key] == (f"{paths[item.parent]}/{name}" if paths[item.parent] else name)


def test_a_tree_has_a_depth() -> None:
    """One of a hundred folders is read, one of more is refused: each path would hold all those above (SEC-1)."""
    items = {str(number): Item("", "x", str(number - 1)) for number in range(1, 100)}
    assert find_paths(items, "0")["99"].count("/") == 98
    with pytest.raises(TooLargeError, match="more than 100 deep"):
        find_paths({**items, "100": Item("", "x", "99")}, "0")
    assert len(find_paths({"1": Item("", "x" * 5_000, "0")}, "0")["1"]) == 300
