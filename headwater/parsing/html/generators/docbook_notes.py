"""Pages that DocBook's style sheets made: notes as tables beside a picture.

Belongs here: what stands in tables for its looks. Not here: DocBook's own files (`headwater.parsing.docbook`).
Guarantee: a table that holds anything but a picture, a title and the note stays as it is.
"""

from typing import Any

from headwater.parsing.html.generators.page_elements import find_class, label_note
from headwater.parsing.html.tables import cells_of

_NOTES = ("note", "tip", "warning", "caution", "important")


def restore_docbook_notes(tree: Any) -> None:
    """Make each note a paragraph behind its title, which a cell of a table may hold, too."""
    for name in _NOTES:
        for note in list(find_class(tree, name)):
            if note.tag == "div" and len(note) == 1 and note[0].tag == "table":
                _write_note(note)


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
