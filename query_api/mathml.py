"""Formulas in TeX as MathML, which browsers draw without a script.

Belongs here: where a formula begins and ends in markdown: between dollar signs or the signs of LaTeX. Not here: TeX
(latex2mathml reads that), the markdown around it, cleaning (`markdown_stream`). Guarantee: a formula with a command
that is not known stays the text that it was, so that nothing is shown wrong or left out.
"""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any, Literal
from xml.etree.ElementTree import tostring

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

TAGS = frozenset({
    "math", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub",
    "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
})  # fmt: skip
ATTRIBUTES: Mapping[str, set[str]] = {
    "math": {"display"}, "mi": {"mathvariant"}, "mo": {"stretchy", "fence", "form"}, "mspace": {"width"},
    "mover": {"accent"}, "mtd": {"columnalign"}, "mfrac": {"linethickness"},
}  # fmt: skip
_MAX_CHARS = 1000  # of a formula
_FORMULA = re.compile(r"[\\^_=+<>{}|]|\A[A-Za-z](?:\([A-Za-z,]+\))?\Z")
"""What a formula has, unless it is one letter or `f(x)`; what stands between brackets is usually none."""
_NOT_IN_FORMULAS = re.compile(r"(?<!\\)[#%$~]")  # TeX reads them otherwise: what has one is no formula
_ENDS: Mapping[str, str] = {"$$": "$$", "\\[": "\\]", "\\(": "\\)", "$": "$"}


def to_mathml(tex: str, *, is_block: bool = False) -> str | None:
    """A formula as MathML; None if it is wrong, or has a command that is not known."""
    from latex2mathml.converter import convert_to_element

    if not tex.strip() or len(tex) > _MAX_CHARS or _NOT_IN_FORMULAS.search(tex):
        return None
    display: Literal["block", "inline"] = "block" if is_block else "inline"
    try:
        element = convert_to_element(tex, display=display)
    except Exception:  # noqa: BLE001 - of ten kinds without a common one, on whatever stands between two dollar signs
        return None
    for node in element.iter():  # the library writes references such as &#x0003C; as text, and `<` in a text as it is
        node.text = unescape(node.text) if node.text else node.text
    mathml = tostring(element, encoding="unicode")
    return None if "\\" in mathml else mathml


def add_formulas(parser: MarkdownIt) -> None:
    """Let a parser of markdown read formulas."""
    parser.inline.ruler.before("escape", "formula", _read_formula)
    parser.add_render_rule("formula", _render)


def _read_formula(state: StateInline, silent: bool) -> bool:
    begins = next((begin for begin in _ENDS if state.src.startswith(begin, state.pos)), None)
    if begins is None:
        return False
    start = state.pos + len(begins)
    end = state.src.find(_ENDS[begins], start, min(start + _MAX_CHARS, state.posMax))
    tex, outside = state.src[start:end], state.src[: state.pos][-1:] + state.src[end + 1 : end + 2]
    if end < 0 or not _FORMULA.search(tex) or (begins == "$" and not _is_between_dollars(tex, outside)):
        return False
    if begins != _ENDS[begins] and begins in tex:  # else each of a thousand that never end is read up to the same end
        return False
    mathml = to_mathml(tex, is_block=begins in ("$$", "\\["))
    if mathml is None:
        return False
    if not silent:
        state.push("formula", "math", 0).content = mathml
    state.pos = end + len(_ENDS[begins])
    return True


def _is_between_dollars(tex: str, outside: str) -> bool:
    """Whether dollar signs around a text are not those of money or of variables: no blank within, no letter outside."""
    return tex == tex.strip() and not any(map(str.isalnum, outside))


def _render(_: Any, tokens: list[Token], position: int, *__: Any) -> str:
    return tokens[position].content
