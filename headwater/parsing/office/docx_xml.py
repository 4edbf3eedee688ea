"""The XML of Word files.

Belongs here: names, values, and the text of runs, hyperlinks and text boxes. Not here: pictures (`docx_pictures`),
formulas (`formulas`), paragraphs and their styles (`docx`), numbers of lists (`docx_numbers`). Guarantee: deleted and
hidden text is left out, inserted text is not; a text box is read once.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from headwater.parsing.office.charts import CHART, NEW_CHART
from headwater.parsing.office.docx_pictures import (
    describe_pictures,
    is_icon,
    link_picture,
    mark_icon,
    place_icons,
    write_link,
)
from headwater.parsing.office.formulas import M, mark_formula, part_formulas
from headwater.parsing.office.symbol_fonts import read_symbol

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_LEFT_OUT = frozenset(
    f"{W}{name}"
    for name in (
        "del", "moveFrom", "rPr", "pPr", "sdtPr", "sdtEndPr", "instrText", "delText", "delInstrText", "rt",
        "commentReference", "annotationRef", "footnoteRef", "endnoteRef", "softHyphen", "proofErr", "bookmarkStart",
        "bookmarkEnd", "tblPr", "tblGrid", "trPr", "tcPr",
    )
)  # fmt: skip
_TEXT = (f"{W}t", f"{W}tab", f"{W}ptab")
_CODE_MARK = "\x00"  # around runs in a style for code, until it is known what their paragraph is
_SYMBOL_CODE = re.compile(r"[0-9A-Fa-f]{1,4}")
_OFF = ("0", "false", "off", "none")


def child_value(element: Any, name: str) -> str:
    """The value of a child, such as `w:val` of `w:start`; empty if there is none."""
    child = element.find(f"{W}{name}")
    return (child.get(f"{W}val") or "") if child is not None else ""


def is_on(element: Any, name: str) -> bool:
    """Whether a property is set, which needs no value."""
    child = element.find(f"{W}{name}") if element is not None else None
    return child is not None and child.get(f"{W}val", "1").lower() not in _OFF


def run_text(run: Any) -> str:
    """The text of a run, without what it holds of notes, boxes and pictures."""
    texts = ((element.text or "") if element.tag == f"{W}t" else "\t" for element in run.iterchildren(*_TEXT))
    return "".join(texts)


class Inline:
    """Makes text of what a paragraph holds."""

    def __init__(
        self, targets: Mapping[str, str], note: Callable[[str, str], str], code_styles: frozenset[str]
    ) -> None:
        """Make one for a document.

        Args:
            targets: addresses of hyperlinks, by their ids.
            note: is called with `footnote` or `endnote` and its id; returns the mark in the text.
            code_styles: ids of character styles for code.
        """
        self._targets = targets
        self._note = note
        self._code_styles = code_styles
        self._readers: dict[str, Callable[[Any], str]] = {
            f"{W}r": self._run,
            f"{W}hyperlink": self._link,
            f"{W}footnoteReference": self._reference,
            f"{W}endnoteReference": self._reference,
            f"{W}tab": lambda _: "\t",
            f"{W}ptab": lambda _: "\t",
            f"{W}cr": lambda _: "\n",
            f"{W}noBreakHyphen": lambda _: "-",
            f"{W}sym": _symbol,
            f"{W}br": lambda element: "\n" if element.get(f"{W}type", "textWrapping") == "textWrapping" else "",
            f"{M}oMath": mark_formula,
        }
        self.boxes: list[Any] = []
        """The contents of text boxes, and the charts, that were met since this was emptied."""
        self.pictures: list[str] = []
        """What the pictures show that were found since this was emptied; icons are words of their sentence instead."""

    def text(self, element: Any) -> str:
        """The text of an element, with backticks around code."""
        text = "".join(self._parts(element)).replace(_CODE_MARK * 2, "").replace(_CODE_MARK, "`")
        return place_icons(part_formulas(text))

    def code(self, element: Any) -> str:
        """The text of an element that is code."""
        text = "".join(self._parts(element)).replace(_CODE_MARK, "").replace("\N{NO-BREAK SPACE}", " ")
        return place_icons(part_formulas(text)).rstrip()

    def _parts(self, element: Any) -> Iterator[str]:
        for child in element.iterchildren():
            tag = child.tag
            if tag in _LEFT_OUT or not isinstance(tag, str):
                continue
            if tag == f"{W}t":
                yield child.text or ""
            elif tag in self._readers:
                yield self._readers[tag](child)
            elif tag == f"{_MC}AlternateContent":
                choice = child.find(f"{_MC}Choice")
                yield from self._parts(choice if choice is not None else child)
            elif tag in (f"{W}drawing", f"{W}pict"):
                descriptions = describe_pictures(child, self._targets)
                if is_icon(child):
                    yield "".join(map(mark_icon, descriptions))
                else:
                    self.pictures += descriptions
                yield from self._parts(child)
            elif tag in (f"{W}txbxContent", CHART, NEW_CHART):
                self.boxes.append(child)
            else:
                yield from self._parts(child)

    def _reference(self, element: Any) -> str:
        kind = element.tag.removeprefix(W).removesuffix("Reference")
        return self._note(kind, element.get(f"{W}id", ""))

    def _run(self, run: Any) -> str:
        properties = run.find(f"{W}rPr")
        if properties is None:
            return "".join(self._parts(run))
        if is_on(properties, "vanish"):
            return ""
        text = "".join(self._parts(run))
        is_code = bool(self._code_styles) and child_value(properties, "rStyle") in self._code_styles
        return f"{_CODE_MARK}{text}{_CODE_MARK}" if is_code and text.strip() and "`" not in text else text

    def _link(self, link: Any) -> str:
        pictures = len(self.pictures)
        text = "".join(self._parts(link))
        target = self._targets.get(link.get(f"{R}id", ""), "")
        if text.strip():
            return write_link(text, target)
        self.pictures[pictures:] = [
            words if words.startswith("[") else link_picture(words, target) for words in self.pictures[pictures:]
        ]
        return text


def _symbol(element: Any) -> str:
    """A sign of a font such as Wingdings, which has a number in it."""
    code = element.get(f"{W}char", "")
    return read_symbol(element.get(f"{W}font", ""), int(code, 16)) if _SYMBOL_CODE.fullmatch(code) else ""
