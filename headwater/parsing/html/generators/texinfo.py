"""Pages that makeinfo made of Texinfo: footnotes, links to other pages, indexes.

Belongs here: what surrounds the text of such a page, and notes below it. Not here: Info files
(`headwater.parsing.info`), definitions of functions (`blocks`). Guarantee: a page whose generator is another stays as
it is; a footnote stands in the element whose text refers to it.
"""

import re
from typing import Any

from headwater.parsing.html.generators.page_elements import drop_elements, find_class, rewrite
from headwater.parsing.html.tables import rows_of

_REFERENCE = re.compile(r"#FOOT-?[\w-]+$")
_INDEX = re.compile(r"(?:^|\s)(?:print)?index-\w+(?:-letters-\w+|-entries-\w+)?(?=\s|$)")
_NUMBER = re.compile(r"\w{1,8}")
_PROGRAMS = ("makeinfo", "texi2any")
_JUMP = "Jump to"


def restore_texinfo(tree: Any) -> None:
    """Leave out a page's menus and indexes, and put its footnotes into its text."""
    if not any(_is_sign(meta) for meta in tree.iter("meta")):
        return
    drop_elements([*list(find_class(tree, "header")), *list(find_class(tree, "nav-panel"))])
    drop_elements([table for table in tree.iter("table") if _is_index(table)])
    for reference in list(tree.iter("a")):
        is_reference = _REFERENCE.search(reference.get("href") or "") is not None
        note_number = _NUMBER.search("".join(reference.itertext())) if is_reference else None
        if note_number:
            rewrite(reference, "span", f"[^{note_number[0]}]")
    for notes in list(find_class(tree, "footnote"))[:1]:
        _write_footnotes(notes)


def _is_sign(meta: Any) -> bool:
    is_generator = (meta.get("name") or "").lower() == "generator"
    return is_generator and (meta.get("content") or "").startswith(_PROGRAMS)


def _is_index(table: Any) -> bool:
    """Whether a table is an index of the manual, or leads to its letters."""
    cells = next(rows_of(table), [])
    leads_to_letters = bool(cells) and (cells[0].text or "").strip().startswith(_JUMP)
    return leads_to_letters or _INDEX.search(table.get("class") or "") is not None


def _write_footnotes(notes: Any) -> None:
    """Put the number of each note in front of its first paragraph, and all of them into what they belong to."""
    drop_elements(list(find_class(notes, "footnotes-heading")))
    for heading in list(notes.iter("h5")):
        link, paragraph = heading.find(".//a"), heading.getnext()
        note_number = _NUMBER.search("" if link is None else "".join(link.itertext()))
        if note_number is None:
            continue
        mark = f"[^{note_number[0]}]: "
        if paragraph is None or paragraph.tag != "p":
            rewrite(heading, "p", mark)
        else:
            paragraph.text = f"{mark}{(paragraph.text or '').lstrip()}"
            drop_elements([heading])
    text = next((element for element in notes.itersiblings("div", preceding=True)), None)
    if text is not None:
        text.append(notes)
