"""The styles of an RTF file, in the XML of today's Word files.

Belongs here: names, bases and outline levels of styles. Not here: what they mean (`docx_styles`). Guarantee: a style
sets no property of characters and no list, because a paragraph of RTF says all of its own.
"""

from typing import Any, NamedTuple

from headwater.parsing.office.doc_markup import add_element, clean_text, make_root
from headwater.parsing.office.doc_styles import RENAMED

_KINDS = {"s": "paragraph", "cs": "character", "ts": "table", "ds": "section"}
_MAX_NAME_CHARS = 200


class _Style(NamedTuple):
    kind: str = "s"
    id: int = 0
    base: int | None = None
    outline: int | None = None
    name: str = ""


class StyleTable:
    """Reads the stylesheet; a style ends with the semicolon behind its name."""

    def __init__(self) -> None:
        """Make an empty one."""
        self._styles: dict[tuple[str, int], _Style] = {}
        self._style = _Style()

    def read_word(self, word: str, number: int | None) -> None:
        """Read a control word of a style."""
        if word in _KINDS:
            self._style = self._style._replace(kind=word, id=number or 0)
        elif word == "sbasedon":
            self._style = self._style._replace(base=number)
        elif word == "outlinelevel":
            self._style = self._style._replace(outline=number)

    def read_text(self, text: str) -> None:
        """Read a text: a name or a stretch of it."""
        name, end, _ = text.partition(";")
        self._style = self._style._replace(name=(self._style.name + clean_text(name))[:_MAX_NAME_CHARS])
        if end:
            self._styles[self._style.kind, self._style.id] = self._style
            self._style = _Style()

    def make_root(self) -> Any:
        """The styles as the root of styles.xml."""
        root = make_root("styles")
        for style in self._styles.values():
            default = "1" if (style.kind, style.id) == ("s", 0) else "0"
            element = add_element(
                root, "style", type=_KINDS[style.kind], styleId=f"{style.kind}{style.id}", default=default
            )
            name = style.name.strip().partition(",")[0]  # its other names follow
            add_element(element, "name", val=RENAMED.get(name, name))
            if style.base is not None:
                add_element(element, "basedOn", val=f"{style.kind}{style.base}")
            if style.outline is not None:
                add_element(add_element(element, "pPr"), "outlineLvl", val=str(style.outline))
        return root
