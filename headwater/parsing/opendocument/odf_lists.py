"""The lists of an OpenDocument file: which point belongs to which, and their numbers.

Belongs here: putting deeper lists into the points that they stand below, signs and numbers. Not here: the text of a
point (`odf_html`). Guarantee: no point is lost; the work is linear.
"""

from collections.abc import Sequence

from headwater.parsing.opendocument.odf_file import STYLE, TEXT, OdfFile, count_of
from headwater.parsing.xml import Element

LIST, ITEM = f"{TEXT}list", f"{TEXT}list-item"
_STYLE_NAME = f"{TEXT}style-name"
_CONTINUES = (f"{TEXT}continue-list", f"{TEXT}continue-numbering")


def nest_lists(root: Element) -> None:
    """Put lists that begin at a deeper level into the last point of the list right above.

    A file says so by points that hold nothing but a list; after the first point of a list, they belong to the one
    above. Lists of headings stay as they are.
    """
    heading_lists: set[Element] = set()
    for heading in root.iter(f"{TEXT}h"):
        for outer_list in heading.iterancestors(LIST):
            if outer_list in heading_lists:
                break
            heading_lists.add(outer_list)
    for element in list(root.iter(LIST)):
        if element in heading_lists:
            continue
        for item in list(element.iterchildren(ITEM)):
            target = item.getprevious()
            if target is None:
                target = _last_item(element.getprevious(), heading_lists)
            if target is not None and target.tag == ITEM and only_indents(item):
                _move_lists(item, target, element)
        if not len(element):
            element.getparent().remove(element)


def only_indents(item: Element) -> bool:
    """Whether a point holds nothing but lists."""
    return len(item) > 0 and all(child.tag == LIST for child in item)


class ListNumbers:
    """Counts the points of a file's lists."""

    def __init__(self, file: OdfFile) -> None:
        """Make one for a file."""
        self._file = file
        self._next_numbers: dict[tuple[str, int], int] = {}  # by style and level

    def forget(self) -> None:
        """Forget all lists, because the lists of each shape of a slide start at their first number."""
        self._next_numbers.clear()

    def is_unmarked(self, element: Element) -> bool:
        """Whether the points of a list have neither a sign nor a number."""
        _, _, style = self._find_style(element)
        marks = (
            [style.get(f"{STYLE}{name}") for name in ("num-format", "num-prefix", "num-suffix")]
            if style is not None
            else []
        )
        return style is not None and style.tag.endswith("-number") and marks[0] == "" and not any(marks)

    def first_number(self, element: Element, items: Sequence[Element]) -> int | None:
        """The number of a list's first point, which may go on from a list above; None if points have signs."""
        style_name, level, style = self._find_style(element)
        if style is None or not style.tag.endswith("-number") or not style.get(f"{STYLE}num-format"):
            return None
        next_number = self._next_numbers.get((style_name, level)) if _goes_on(element) else None
        start = count_of(items[0], f"{TEXT}start-value", default=next_number or count_of(style, f"{TEXT}start-value"))
        self._next_numbers[style_name, level] = start + len(items)
        return start

    def _find_style(self, element: Element) -> tuple[str, int, Element | None]:
        """The name of a list's style, its level, and what the style says of that level."""
        lists = (element, *element.iterancestors(LIST))
        style_name = next(filter(None, (node.get(_STYLE_NAME) for node in lists)), "")
        style, level = self._file.lists.get(style_name), len(lists)
        return style_name, level, style[level - 1] if style is not None and level <= len(style) else None


def _last_item(element: Element | None, heading_lists: set[Element]) -> Element | None:
    """The last point of a list; None of anything else."""
    is_list = element is not None and element.tag == LIST and element not in heading_lists
    return element[-1] if element is not None and is_list and len(element) else None


def _move_lists(item: Element, target: Element, outer_list: Element) -> None:
    """Put the lists of a point into another one; what they had from the list around them, they say themselves."""
    lists = list(outer_list.iterancestors(LIST))
    style_name = next(filter(None, (node.get(_STYLE_NAME) for node in (outer_list, *lists))), "")
    for inner_list in list(item):
        if style_name and not inner_list.get(_STYLE_NAME):
            inner_list.set(_STYLE_NAME, style_name)
        for name in _CONTINUES if item.getprevious() is None else ():
            if outer_list.get(name) and not inner_list.get(name):
                inner_list.set(name, outer_list.get(name))
        target.append(inner_list)
    outer_list.remove(item)


def _goes_on(element: Element) -> bool:
    """Whether the numbers of a list go on from a list above: it says so, or a list does that it only indents."""
    if element.get(f"{TEXT}continue-list") or element.get(f"{TEXT}continue-numbering") == "true":
        return True
    item = element.getparent()
    is_first = element.getprevious() is None and item.getprevious() is None
    return is_first and item.tag == ITEM and _goes_on(item.getparent())
