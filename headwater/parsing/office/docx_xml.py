"""The XML of Word files.

Belongs here: names, values, and the text of runs, hyperlinks, text boxes and formulas. Not here: paragraphs and their
styles (`docx`), numbers of lists (`docx_numbers`). Guarantee: deleted and hidden text is left out, inserted text is
not; a text box is read once.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_LEFT_OUT = frozenset(
    f"{W}{name}"
    for name in (
        "del", "moveFrom", "rPr", "pPr", "sdtPr", "sdtEndPr", "instrText", "delText", "delInstrText", "rt",
        "commentReference", "annotationRef", "footnoteRef", "endnoteRef", "softHyphen", "proofErr", "bookmarkStart",
        "bookmarkEnd", "tblPr", "tblGrid", "trPr", "tcPr",
    )
)  # fmt: skip
_APPLIED = "\u2061"  # an invisible sign between a function and its argument
_OFF = ("0", "false", "off", "none")


def child_value(element: Any, name: str) -> str:
    """The value of a child, such as `w:val` of `w:start`; empty if there is none."""
    found = element.find(f"{W}{name}")
    return (found.get(f"{W}val") or "") if found is not None else ""


def is_on(element: Any, name: str) -> bool:
    """Whether a property is set, which needs no value."""
    found = element.find(f"{W}{name}") if element is not None else None
    return found is not None and found.get(f"{W}val", "1").lower() not in _OFF


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
            f"{W}cr": lambda _: "\n",
            f"{W}noBreakHyphen": lambda _: "-",
            f"{W}br": lambda one: "\n" if one.get(f"{W}type", "textWrapping") == "textWrapping" else "",
            f"{_M}oMath": _formula,
        }
        self.boxes: list[Any] = []
        """The contents of text boxes that were found since this was emptied."""

    def text(self, element: Any) -> str:
        """The text of an element."""
        return "".join(self._parts(element)).replace("``", "")

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
                chosen = child.find(f"{_MC}Choice")
                yield from self._parts(chosen if chosen is not None else child)
            elif tag == f"{W}txbxContent":
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
        return f"`{text}`" if is_code and text.strip() and "`" not in text else text

    def _link(self, link: Any) -> str:
        text = "".join(self._parts(link))
        target = self._targets.get(link.get(f"{R}id", ""), "")
        is_address = target.startswith(("http://", "https://", "mailto:")) and not any(map(str.isspace, target))
        if not text.strip() or not is_address or target.removeprefix("mailto:").rstrip("/") == text.strip().rstrip("/"):
            return text
        return f"[{text.strip()}](<{target}>)" if "(" in target or ")" in target else f"[{text.strip()}]({target})"


def _formula(element: Any) -> str:
    """A formula on one line."""
    found = "".join(map(_term, element.iterchildren()))
    return found.strip()


def _term(element: Any) -> str:
    tag = element.tag if isinstance(element.tag, str) else ""
    if tag == f"{_M}t":
        return (element.text or "").replace(_APPLIED, " ")
    part = {child.tag: "".join(map(_term, child.iterchildren())) for child in element.iterchildren()}
    base = part.get(f"{_M}e", "")
    if tag == f"{_M}f":
        return f"{_grouped(part.get(f'{_M}num', ''))}/{_grouped(part.get(f'{_M}den', ''))}"
    if tag in (f"{_M}sSup", f"{_M}sSub", f"{_M}sSubSup"):
        below, above = part.get(f"{_M}sub"), part.get(f"{_M}sup")
        return base + (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")
    if tag == f"{_M}rad":
        degree = part.get(f"{_M}deg", "")
        return f"root({degree}, {base})" if degree else f"sqrt({base})"
    if tag == f"{_M}d":
        return f"({base})"
    if tag == f"{_M}nary":
        sign = element.find(f"{_M}naryPr/{_M}chr")
        sum_sign = sign.get(f"{_M}val", "∫") if sign is not None else "∫"
        return f"{sum_sign}_{_grouped(part.get(f'{_M}sub', ''))}^{_grouped(part.get(f'{_M}sup', ''))} {base}"
    if tag.endswith("Pr"):
        return ""
    return "".join(map(_term, element.iterchildren()))


def _grouped(text: str) -> str:
    return text if len(text) == 1 else f"({text})"
