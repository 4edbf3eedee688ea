"""The styles of a Word file: which paragraphs are headings, code, quotations or a table of contents.

Belongs here: styles, with what they inherit. Not here: paragraphs (`docx_blocks`). Guarantee: a heading is found by its
outline level too, so localised and custom styles count; styles that inherit from each other in a circle end.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from headwater.parsing.office.docx_xml import W, child_value, is_on

_DEPTH = 20
_DEFAULT_SIZE = 20.0  # half points, of Word itself
_SIZE = re.compile(r"\d{1,4}(?:\.\d{1,3})?(?:pt)?")
_HEADING = re.compile(r"heading ([1-9])$")
_CODE = re.compile(
    r"\b(?:source ?code|code ?(?:block|sample|example|snippet|listing|box)?|(?:html )?preformatted(?: text)?|verbatim|"
    r"listing|macro(?: text)?|quell(?:text|code)|programm?code|computer code|console)\b"
    r"(?! ?(?:caption|heading|number|title))"
)
_CHARACTER_CODE = re.compile(r"\b(?:source ?code|code|verbatim|html (?:code|typewriter|keyboard|sample))\b")
_MONOSPACED = re.compile(r"\b(?:courier|consolas|menlo|monaco|mono|monospace|fixedsys|lucida console|source code)\b")
_CONTENTS = re.compile(r"(?:toc|table of figures|index)\b")
_LIST = re.compile(r"list (?:bullet|number)(?: ([2-5]))?$")
_QUOTE = re.compile(r"(?:intense )?quote$|block text$")


class Style(NamedTuple):
    """The properties of a paragraph style that matter here; `heading` counts from 1, and 0 means none."""

    heading: int = 0
    is_title: bool = False
    is_code: bool = False
    is_program: bool = False
    """Whether the style is called one for code, and not only preformatted."""
    is_quote: bool = False
    is_contents: bool = False
    is_caption: bool = False
    bold: bool | None = None
    """None if the style does not say."""
    size: float = 0
    """Half points; 0 if the style says none."""
    list: str = ""
    list_level: int | None = None
    bullet: int | None = None
    """The level of a style that is called a list."""


class Styles:
    """The paragraph styles of a document."""

    def __init__(self, root: Any) -> None:
        """Read the styles.

        Args:
            root: the root of styles.xml, or None.
        """
        self._elements = (
            {} if root is None else {element.get(f"{W}styleId", ""): element for element in root.iter(f"{W}style")}
        )
        self._found: dict[str, Style] = {}
        self._of: dict[Any, Style] = {}
        defaults = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self.text_size = read_size(defaults) or _DEFAULT_SIZE
        """The size of text whose style says none, in half points."""
        self._default = next(
            (
                name
                for name, element in self._elements.items()
                if element.get(f"{W}type") == "paragraph" and element.get(f"{W}default") in ("1", "true")
            ),
            "",
        )
        self.bold_text = is_on(defaults, "b")
        self.bold_characters = frozenset(
            name
            for name, element in self._elements.items()
            if element.get(f"{W}type") == "character" and _bold(element)
        )
        self.code_characters = frozenset(
            name
            for name, element in self._elements.items()
            if element.get(f"{W}type") == "character" and _CHARACTER_CODE.search(_name(element))
        )

    def of(self, paragraph: Any) -> Style:
        """The style of a paragraph, with the properties that it sets itself."""
        if paragraph not in self._of:
            self._of[paragraph] = self._read_paragraph(paragraph)
        return self._of[paragraph]

    def _read_paragraph(self, paragraph: Any) -> Style:
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            return self._style(self._default)
        style = self._style(child_value(properties, "pStyle") or self._default)
        heading_level = _outline(properties)
        if heading_level is not None and not style.is_contents:
            style = style._replace(heading=heading_level)
        numbering = properties.find(f"{W}numPr")
        if numbering is None:
            return style
        level = child_value(numbering, "ilvl")
        list_id = child_value(numbering, "numId") or style.list
        return style._replace(list=list_id, list_level=_level(level, style.list_level))

    def _style(self, name: str) -> Style:
        if name not in self._found:
            self._found[name] = self._read(name)
        return self._found[name]

    def _read(self, name: str) -> Style:
        heading: int | None = None
        style = Style()
        for element in self._iterate_bases(name):
            called, properties = _name(element), element.find(f"{W}pPr")
            if heading is None:
                heading = _outline(properties)
            if heading is None and (match := _HEADING.match(called)):
                heading = int(match[1])
            style = style._replace(
                is_title=style.is_title or called == "title",
                is_code=style.is_code or bool(_CODE.search(called)) or _has_code_font(element),
                is_program=style.is_program or bool(_CODE.search(called) and "preformatted" not in called),
                is_quote=style.is_quote or bool(_QUOTE.match(called)),
                is_contents=style.is_contents or bool(_CONTENTS.match(called)),
                is_caption=style.is_caption or called == "caption",
                bold=_bold(element) if style.bold is None else style.bold,
                size=style.size or read_size(element.find(f"{W}rPr")),
            )
            if style.bullet is None and (listed := _LIST.match(called)):
                style = style._replace(bullet=int(listed[1] or 1) - 1)
            numbering = properties.find(f"{W}numPr") if properties is not None else None
            if numbering is not None:
                level = child_value(numbering, "ilvl")
                style = style._replace(
                    list=style.list or child_value(numbering, "numId"),
                    list_level=_level(level, None) if style.list_level is None else style.list_level,
                )
        return style._replace(heading=0 if style.is_contents or style.is_title else heading or 0)

    def _iterate_bases(self, name: str) -> Iterator[Any]:
        for _ in range(_DEPTH):
            element = self._elements.get(name)
            if element is None:
                return
            yield element
            name = child_value(element, "basedOn")


def read_size(run_properties: Any) -> float:
    """The size of a font in half points; 0 if it is not set."""
    value = child_value(run_properties, "sz") if run_properties is not None else ""
    return float(value.removesuffix("pt")) * (2 if value.endswith("pt") else 1) if _SIZE.fullmatch(value) else 0


def has_code_font(run_properties: Any) -> bool:
    """Whether a run is in a font for code."""
    fonts = run_properties.find(f"{W}rFonts") if run_properties is not None else None
    return fonts is not None and is_code_font(fonts.get(f"{W}ascii") or "")


def is_code_font(name: str) -> bool:
    """Whether a font is one for code, by its name."""
    return bool(_MONOSPACED.search(name.lower()))


def _has_code_font(style: Any) -> bool:
    return style.get(f"{W}type") == "paragraph" and has_code_font(style.find(f"{W}rPr"))


def _bold(style: Any) -> bool | None:
    """Whether a style is bold; None if it does not say."""
    properties = style.find(f"{W}rPr")
    return None if properties is None or properties.find(f"{W}b") is None else is_on(properties, "b")


def _name(style: Any) -> str:
    return child_value(style, "name").lower()


def _level(value: str, default: int | None) -> int | None:
    return int(value) if value.isdecimal() and len(value) == 1 else default


def _outline(properties: Any) -> int | None:
    """The outline level from 1, 0 for body text, None if it is not set."""
    value = child_value(properties, "outlineLvl") if properties is not None else ""
    if not value.isdecimal():
        return None
    return int(value) + 1 if len(value) == 1 and value != "9" else 0
