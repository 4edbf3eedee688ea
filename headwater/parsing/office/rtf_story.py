"""A text of an RTF file, in the XML of today's Word files: the body, a note, a text box.

Belongs here: paragraphs, runs, links. Not here: control words (`rtf_tree`), tables of paragraphs (`doc_tables`).
Guarantee: hidden and deleted text is left out; a character that XML does not allow, too.
"""

import re
from typing import Any, NamedTuple

from headwater.parsing.office.doc_markup import add_element, add_text, clean_text, make_root
from headwater.parsing.office.doc_tables import Body
from headwater.parsing.office.docx_styles import is_code_font
from headwater.parsing.office.docx_xml import R
from headwater.parsing.office.rtf_group import Group, Values, Words
from headwater.parsing.office.rtf_lists import ListTable, is_number

_TYPED_BULLET = re.compile(r"[ \t]*(?:[•·▪◦‣]|o(?=\t))[ \t]+(?=\S)")
_MAY_BE_BULLET = re.compile(r"[ \t]*[•·▪◦‣o]?[ \t]*")
_MAX_BULLET_CHARS = 20
_HIDDEN = ("v", "deleted", "mvf")
_DEFAULT_SIZE = 24  # half points
_MAX_LEVEL = 8
_OUTLINES = range(10)


class Place(NamedTuple):
    """Where a paragraph is: in how many tables, and whether it ends a cell."""

    depth: int = 0
    ends_cell: bool = False


class Story:
    """Makes the elements of a text."""

    def __init__(self, container: Any, lists: ListTable, targets: dict[str, str]) -> None:
        """Make one.

        Args:
            container: the element for its paragraphs.
            lists: the lists of the file.
            targets: the ids of the addresses of links; those of this text are added.
        """
        self.body = Body(container)
        self._lists = lists
        self._targets = targets
        self._label: Words | None = None
        self._begin_paragraph()

    def begin_label(self) -> Words:
        """What reads the label that the file types before the paragraph."""
        self._label = Words()
        return self._label

    def add_run(self, text: str, group: Group, font: str) -> None:
        """Add a text.

        Args:
            text: the text, with its tabs and the breaks of its lines.
            group: the group that it stands in.
            font: the name of its font.
        """
        if _is_hidden(group):
            return
        if self._label is None and self._run is None:
            text = self._drop_bullet(text, font)
        if text:
            add_text(self._find_run(group, font), text)

    def add_note(self, name: str, group: Group) -> None:
        """Add the reference to a note."""
        if not _is_hidden(group):
            self._add_beginning(group)
            add_element(self._find_run(group, ""), "footnoteReference", id=name)

    def add_box(self, group: Group) -> Any:
        """Add a text box; its text belongs into the element that is returned."""
        self._add_beginning(group)
        return add_element(self._find_run(group, ""), "txbxContent")

    def add_instruction(self, instruction: str, group: Group) -> None:
        """Add what a field says of itself, which is not shown."""
        self._add_beginning(group)
        add_element(self._find_run(group, ""), "instrText").text = clean_text(instruction)

    def end_paragraph(self, group: Group, place: Place) -> None:
        """End a paragraph, with the properties that hold there; one without a text counts only in a table."""
        self._add_beginning(group)
        if self._run is not None or place.depth or place.ends_cell:
            self._paragraph.insert(0, self._make_properties(group.paragraph))
            self.body.add_paragraph(self._paragraph, place.depth, ends_cell=place.ends_cell)
            self._begin_paragraph()
        self._label = None

    def has_text(self) -> bool:
        """Whether the paragraph has begun."""
        return self._run is not None or bool(self._beginning.strip())

    def _begin_paragraph(self) -> None:
        self._paragraph = make_root("p")
        self._parent = self._paragraph
        self._target = ""
        self._look: object = None
        self._run: Any = None
        self._beginning = ""

    def _find_run(self, group: Group, font: str) -> Any:
        """The run for a text; a new one if it looks different than the one before it."""
        if group.target != self._target:
            self._target, self._parent, self._look = group.target, self._paragraph, None
            if group.target:
                self._parent = add_element(self._paragraph, "hyperlink")
                self._parent.set(f"{R}id", self._targets.setdefault(group.target, f"l{len(self._targets)}"))
        look = (font, *(group.characters.get(word) for word in ("fs", "b", "cs")))
        if look != self._look:
            self._look = look
            self._run = add_element(self._parent, "r")
            _add_run_properties(self._run, font, group.characters)
        return self._run

    def _make_properties(self, values: Values) -> Any:
        properties = make_root("pPr")
        add_element(properties, "pStyle", val=f"s{values.get('s', 0)}")
        list_name, level = self._choose_list(values)
        if list_name:
            numbering = add_element(properties, "numPr")
            add_element(numbering, "ilvl", val=str(level))
            add_element(numbering, "numId", val=list_name)
        if values.get("li", 0) > 0:
            add_element(properties, "ind", left=str(values["li"]))
        if values.get("outlinelevel") in _OUTLINES:
            add_element(properties, "outlineLvl", val=str(values["outlinelevel"]))
        return properties

    def _choose_list(self, values: Values) -> tuple[str, int]:
        """The list of a paragraph and its level; a number that the file shows before it counts more than its list."""
        level = min(max(values.get("ilvl", 0), 0), _MAX_LEVEL)
        use, label = values.get("ls", 0), str(self._label or "")
        if self._lists.has(use, level) and not is_number(label):
            return str(use), level
        return self._lists.name_label(label, level), level

    def _drop_bullet(self, text: str, font: str) -> str:
        """The text that begins a paragraph, without a bullet that is typed; empty as long as it may be one."""
        text = self._beginning + text
        self._beginning = ""
        bullet = _TYPED_BULLET.match(text)
        if bullet and not is_code_font(font):
            self.begin_label().read_text(bullet[0])
            return text[bullet.end() :]
        if len(text) < _MAX_BULLET_CHARS and _MAY_BE_BULLET.fullmatch(text):
            self._beginning = text
            return ""
        return text

    def _add_beginning(self, group: Group) -> None:
        """Add the text that might have been a bullet."""
        beginning, self._beginning = self._beginning, ""
        if beginning.strip():
            add_text(self._find_run(group, ""), beginning)


def _is_hidden(group: Group) -> bool:
    return any(group.characters.get(word) for word in _HIDDEN)


def _add_run_properties(run: Any, font: str, characters: Values) -> None:
    properties = add_element(run, "rPr")
    if "cs" in characters:
        add_element(properties, "rStyle", val=f"cs{characters['cs']}")
    if font:
        add_element(properties, "rFonts", ascii=font)
    add_element(properties, "sz", val=str(characters.get("fs", _DEFAULT_SIZE)))
    add_element(properties, "b", val="1" if characters.get("b") else "0")
