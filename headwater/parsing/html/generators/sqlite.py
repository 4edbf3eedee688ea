"""Pages of SQLite's documentation: their titles, and the diagrams of its syntax.

Belongs here: what its classes say. Not here: drawings on any page (`page_frame`). Guarantee: a page without SQLite's
banner stays as it is.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import drop_elements, find_class

_HEADINGS = ("h1", "h2", "h3", "h4", "h5")


def restore_sqlite(tree: Any) -> None:
    """Give a page its title as a heading, and leave out the banner and the labels of diagrams."""
    banners = list(find_class(tree, "nosearch"))
    if not any("sqlite" in (image.get("src") or "") for banner in banners for image in banner.iter("img")):
        return
    headings = [heading for banner in banners for heading in banner.findall("h2")]  # others lead elsewhere
    for title in [*list(find_class(tree, "fancy_title")), *headings][:1]:
        _head_page(tree, title, banners)
    drop_elements(banners)
    for diagram in list(find_class(tree, "imgcontainer")):
        label = diagram.getprevious()
        if label is not None and label.tag == "p" and label.find("button") is not None:  # it hides the diagram
            drop_elements([label])


def _head_page(tree: Any, title: Any, banners: list[Any]) -> None:
    """Make the title the only heading of its level, and take it out of what is left out."""
    if tree.find(".//h1") is not None:
        for heading in tree.iter(*_HEADINGS):
            heading.tag = f"h{int(heading.tag[1]) + 1}"
    title.tag, title.tail = "h1", None
    banner = next((element for element in title.iterancestors() if element in banners), None)
    if banner is not None:
        banner.addprevious(title)
