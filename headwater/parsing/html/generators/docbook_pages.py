"""Pages that DocBook's style sheets made: questions with their answers, notes, and links between pages.

Belongs here: what they write in tables, also below the style sheets of Boost. Not here: what gtk-doc adds (`gtk_doc`),
files of DocBook (`headwater.parsing.docbook`). Guarantee: a page without their classes stays as it is.
"""

from typing import Any

from headwater.parsing.html.element_text import HEADINGS, is_longer, link_share
from headwater.parsing.html.generators.page_elements import (
    drop_elements,
    find_class,
    find_outermost,
    has_class,
    label_note,
    list_tables,
    make_element,
    move_content,
    replace_element,
)
from headwater.parsing.html.inline import plain_words
from headwater.parsing.html.tables import cells_of, rows_of

_SIGNS = ("titlepage", "spirit-nav", "qandaset", "navigation", "navheader")
_NOTES = ("note", "tip", "warning", "caution", "important")
_TURNING = ("spirit-nav", "navheader", "navfooter", "navigation")
_BAR_CHARS = 500  # of the bar that turns pages: their titles
_LINKED = 0.9  # share of the words of the bar above a page that leads elsewhere


def restore_docbook_pages(tree: Any) -> None:
    """Give questions headings, write notes as paragraphs, and remove the links that turn pages."""
    for name in _NOTES:
        for note in list(find_class(tree, name)):
            if note.tag == "div" and len(note) == 1 and note[0].tag == "table":
                _write_note(note)
    if not any(next(find_class(tree, sign), None) is not None for sign in _SIGNS):
        return
    _raise_title(tree)
    _drop_bar(tree)
    for name in _TURNING:
        drop_elements(element for element in find_class(tree, name) if _turns_pages(element))
    drop_elements(child for questions in find_class(tree, "qandaset") for child in questions if child.tag == "dl")
    for questions, level in _find_questions(tree):
        for table in list_tables(questions):
            if any(has_class(row[0].getparent(), "question") for row in rows_of(table) if row):
                replace_element(table, _read_questions(table, level))


def _raise_title(tree: Any) -> None:
    """Make the title of a section that is a page its first heading: its level is that in the book."""
    titles = find_outermost(tree, "titlepage")
    title = next(tree.iter(*HEADINGS), None)
    for author in (element for page in titles for element in find_class(page, "author")):
        author.tag = "p" if author.tag in HEADINGS else author.tag
    if not titles or title is None or next(tree.iter("h1"), None) is not None:
        return
    if has_class(title, "title") or next(find_class(title, "refentrytitle"), None) is not None:
        title.tag = "h1"


def _drop_bar(tree: Any) -> None:
    """Remove the links to the beginnings of Boost's site, a table above the links that turn pages."""
    turning = next(find_class(tree, "spirit-nav"), None)
    for element in [] if turning is None else list(turning.itersiblings(preceding=True)):
        if element.tag == "table" and link_share(element) >= _LINKED:
            drop_elements([element])


def _turns_pages(element: Any) -> bool:
    """Whether an element has the keys that lead to the pages before and behind this one."""
    is_bar = element.tag == "table" or (element.tag == "div" and not has_class(element, "navigation"))
    turns = is_bar and any(link.get("accesskey") for link in element.iter("a"))
    return turns and not is_longer(element, _BAR_CHARS) and next(element.iter("h1"), None) is None


def _find_questions(tree: Any) -> list[tuple[Any, int]]:
    """The sets of questions that are in no other, and the level that is below the heading before each."""
    outermost = frozenset(find_outermost(tree, "qandaset"))
    question_sets: list[tuple[Any, int]] = []
    level = 1
    for element in tree.iter("div", *HEADINGS):
        if element.tag != "div":
            level = int(element.tag[1])
        elif element in outermost:
            question_sets.append((element, min(level + 1, 6)))
    return question_sets


def _read_questions(table: Any, level: int) -> Any:
    """Each question as a heading above its answer; the list of them, which repeats them, is left out."""
    blocks = make_element(table, "div")
    for cells in rows_of(table):
        row = cells[0].getparent() if cells else None
        if row is None or has_class(row, "toc"):
            continue
        if has_class(row, "question"):
            words = " ".join(filter(None, map(plain_words, cells)))
            blocks.append(make_element(table, f"h{level}", words))
            continue
        title = None if has_class(row, "answer") else next(row.iter("h2", "h3", "h4", "h5"), None)
        level = level if title is None else int(title.tag[1]) + 1
        blocks.extend(make_element(table, "div", *move_content(cell)) for cell in cells)
    return blocks


def _write_note(note: Any) -> None:
    cells = list(cells_of(note[0]))
    title = next((cell for cell in cells if cell.tag == "th"), None)
    words = "" if title is None else (title.text or "").strip()
    if not words or len(cells) != 3 or title is not cells[1] or cells[0].find("img") is None:
        return
    content = cells[2]
    note.remove(note[0])
    content.tag = "div"
    note.append(content)
    label_note(content, words.rstrip(" :"))
