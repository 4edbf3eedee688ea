"""The formulas of Office files as TeX between dollar signs, as those of web pages are written.

Belongs here: what each element of Office's markup for mathematics becomes. Not here: where formulas stand (`docx_xml`).
Guarantee: every sign of a formula stays, in its order; letters of other alphabets stay as they are.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_APPLIED = "\u2061"  # an invisible sign between a function and its argument
_FUNCTIONS = frozenset(
    ["arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "csc", "deg", "det", "dim", "exp", "gcd", "inf", "ker",
     "lim", "ln", "log", "max", "min", "sec", "sin", "sinh", "sup", "tan", "tanh"]
)  # fmt: skip
_SIGNS = {"∑": r"\sum", "∏": r"\prod", "∐": r"\coprod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint", "∮": r"\oint",
          "⋃": r"\bigcup", "⋂": r"\bigcap", "⋁": r"\bigvee", "⋀": r"\bigwedge"}  # fmt: skip
_ACCENTS = {"\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0305": r"\overline", "\u0307": r"\dot",
            "\u0308": r"\ddot", "\u030c": r"\check", "\u0301": r"\acute", "\u0300": r"\grave", "\u20d7": r"\vec",
            "¯": r"\overline", "→": r"\vec"}  # fmt: skip
_BRACKETS = {"{": r"\{", "}": r"\}", "〈": r"\langle", "〉": r"\rangle", "⟨": r"\langle", "⟩": r"\rangle", "‖": r"\|",
             "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor", "": "."}  # fmt: skip
_WORDS = re.compile(r" *[^\W\d_]{2,} +[^\W\d_]{2,}(?: +[^\W\d_]+)* *")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_NAME = re.compile(r"\A[A-Za-z]{2,}(?=[_^]|\Z)")
_OPERATOR = re.compile(r"(?<=[^\s(\[{])\s*[-+−–±∓·⋅×÷*/=<>≤≥≠,]\s*(?=[^\s)\]}])")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}")
_NEXT_ROW = r" \\ "
_MARK = "\x01"  # around formulas; no text in XML has it
_ESCAPED = {"#": r"\#", "%": r"\%", "&": r"\&", "$": r"\$", "_": r"\_", "{": r"\{", "}": r"\}", "\\": r"\backslash "}


def write_formula(element: Any) -> str:
    """A formula on one line, between dollar signs; empty if it has no sign."""
    text = " ".join(_inside(element).split())
    return f"${text}$" if text else ""


def mark_formula(element: Any) -> str:
    """A formula in a text, until `part_formulas` knows what stands beside it."""
    formula = write_formula(element)
    return f"{_MARK}{formula}{_MARK}" if formula else ""


def part_formulas(text: str) -> str:
    """A text whose formulas are apart: two side by side would open another kind."""
    return text.replace(_MARK * 2, " ").replace(_MARK, "")


def _inside(element: Any) -> str:
    return "".join(_term(child) for child in element.iterchildren() if isinstance(child.tag, str))


def _term(element: Any) -> str:
    name = element.tag.removeprefix(M)
    if name == "t":
        return _text(element.text or "")
    if name == "r":
        return _run(element)
    if name.endswith("Pr"):
        return ""
    write = _WRITERS.get(name)
    return write(element) if write is not None else _inside(element)


def _text(text: str) -> str:
    words = text.replace(_APPLIED, "").strip()
    if words in _FUNCTIONS:
        return f"\\{words} "
    return "".join(_ESCAPED.get(sign, sign) for sign in text.replace(_APPLIED, " "))


def _run(element: Any) -> str:
    """A run; words in it keep their blanks."""
    text = _inside(element)
    typed = "".join(child.text or "" for child in element.iter(f"{M}t"))
    is_words = " " in typed and typed.strip() not in _FUNCTIONS and _LETTERS.search(typed)
    is_upright = is_words and element.find(f"{M}rPr/{M}nor") is not None
    return rf"\text{{{text}}}" if is_upright or _WORDS.fullmatch(text) else text


def _part(element: Any, name: str) -> str:
    child = element.find(f"{M}{name}")
    return "" if child is None else _inside(child).strip()


def _value(element: Any, path: str, default: str) -> str:
    child = element.find("/".join(f"{M}{name}" for name in path.split("/")))
    return default if child is None else str(child.get(f"{M}val", default))


def _parenthesize(text: str) -> str:
    if _WORDS.fullmatch(text):
        return rf"{{\text{{{text}}}}}"
    return text if len(text) == 1 else f"{{{text}}}"


def _scripts(element: Any) -> str:
    subscript, superscript = _part(element, "sub"), _part(element, "sup")
    return (f"_{_parenthesize(subscript)}" if subscript else "") + (
        f"^{_parenthesize(superscript)}" if superscript else ""
    )


def _base(element: Any) -> str:
    text = _part(element, "e")
    is_group = {"^", "_"} & set(text) or text.startswith(r"\frac") or _is_sum(element.find(f"{M}e"))
    return f"{{{text}}}" if is_group else text


def _is_sum(operand: Any) -> bool:
    """Whether an operand has an operator outside of brackets, so that what follows would stand with its end alone."""
    children = [] if operand is None else [child for child in operand if isinstance(child.tag, str)]
    signs = (
        "".join(text.text or "" for text in child.iter(f"{M}t")) if child.tag == f"{M}r" else "x"
        for child in children
        if not child.tag.endswith("Pr")
    )
    typed = "".join(signs).strip()
    return bool(_OPERATOR.search(typed)) and not _BRACKETED.fullmatch(typed)


def _fraction(element: Any) -> str:
    numerator, denominator = _part(element, "num"), _part(element, "den")
    if _value(element, "fPr/type", "") == "noBar":
        return rf"{{{numerator} \atop {denominator}}}"
    if _value(element, "fPr/type", "") == "lin":
        return f"{_parenthesize(numerator)}/{_parenthesize(denominator)}"
    return rf"\frac{{{numerator}}}{{{denominator}}}"


def _root(element: Any) -> str:
    degree = _part(element, "deg")
    return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"


def _is_binomial(brackets: Any, fraction: Any) -> bool:
    """Whether brackets hold nothing but two numbers above each other."""
    operands = [operand for child in brackets.findall(f"{M}e") for operand in child if operand.tag != f"{M}ctrlPr"]
    return operands == [fraction] and _value(fraction, "fPr/type", "") == "noBar"


def _convert_delimiters(element: Any) -> str:
    opening, closing = _value(element, "dPr/begChr", "("), _value(element, "dPr/endChr", ")")
    fraction = element.find(f"{M}e/{M}f")
    if (opening, closing) == ("(", ")") and fraction is not None and _is_binomial(element, fraction):
        return rf"\binom{{{_part(fraction, 'num')}}}{{{_part(fraction, 'den')}}}"
    between = _value(element, "dPr/sepChr", "|")
    inside = between.join(_inside(operand).strip() for operand in element.findall(f"{M}e"))
    first, last = _BRACKETS.get(opening, opening), _BRACKETS.get(closing, closing)
    if opening and closing and "\\" not in inside:
        return f"{first} {inside}{last}" if first.startswith("\\l") else f"{first}{inside}{last}"
    return rf"\left{first} {inside}\right{last}"


def _large(element: Any) -> str:
    sign = _value(element, "naryPr/chr", "∫")
    return f"{_SIGNS.get(sign, sign)}{_scripts(element)} {_part(element, 'e')}"


def _function(element: Any) -> str:
    name = _NAME.sub(r"\\operatorname{\g<0>}", _part(element, "fName"))
    return f"{name} {_part(element, 'e')}"


def _accent(element: Any) -> str:
    sign = _value(element, "accPr/chr", "\u0302")
    command = _ACCENTS.get(sign, r"\hat")
    return f"{command}{{{_part(element, 'e')}}}"


def _bar(element: Any) -> str:
    name = "overline" if _value(element, "barPr/pos", "bot") == "top" else "underline"
    return rf"\{name}{{{_part(element, 'e')}}}"


def _group(element: Any) -> str:
    name = "overbrace" if _value(element, "groupChrPr/pos", "bot") == "top" else "underbrace"
    return rf"\{name}{{{_part(element, 'e')}}}"


def _matrix(element: Any) -> str:
    rows = (" & ".join(_inside(cell).strip() for cell in row.findall(f"{M}e")) for row in element.findall(f"{M}mr"))
    return rf"\begin{{matrix}}{_NEXT_ROW.join(rows)}\end{{matrix}}"


def _array(element: Any) -> str:
    rows = (_inside(entry).strip() for entry in element.findall(f"{M}e"))
    return rf"\begin{{aligned}}{_NEXT_ROW.join(rows)}\end{{aligned}}"


_WRITERS: Mapping[str, Callable[[Any], str]] = {
    "f": _fraction,
    "rad": _root,
    "d": _convert_delimiters,
    "nary": _large,
    "func": _function,
    "acc": _accent,
    "bar": _bar,
    "groupChr": _group,
    "m": _matrix,
    "eqArr": _array,
    **dict.fromkeys(("sSup", "sSub", "sSubSup"), lambda element: _base(element) + _scripts(element)),
    "sPre": lambda element: f"{{}}{_scripts(element)}{_part(element, 'e')}",
    "limLow": lambda element: f"{_part(element, 'e')}_{_parenthesize(_part(element, 'lim'))}",
    "limUpp": lambda element: f"{_part(element, 'e')}^{_parenthesize(_part(element, 'lim'))}",
}
