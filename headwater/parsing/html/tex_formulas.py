r"""Formulas that stand in a page's text as TeX, such as `\(x^2\)`, as the elements that pages have for formulas.

Belongs here: pages on which a script sets formulas, and pictures of formulas with their TeX. Not here: how a formula is
written (`inline`). Guarantee: code, and pages that load no such script, stay as they are; the work is linear.
"""

import re
from typing import Any

_SETTERS = re.compile(r"mathjax|katex", re.IGNORECASE)  # in the addresses of scripts
_SETTINGS = re.compile(r"MathJax\s*=|MathJax\.Hub|renderMathInElement")  # in their text
_DOLLAR_SETTING = re.compile(r"\[\s*['\"]\$['\"]\s*,\s*['\"]\$['\"]\s*\]")
_FORMULA = re.compile(
    r"(?<!\\)\\\((?P<line>(?:\\[^()]|[^\\])*+)\\\)"
    r"|(?<!\\)\\\[(?P<block>(?:\\[^\[\]]|[^\\])*+)\\\]"
    r"|\$\$(?P<dollars>(?:\\.|[^\\$])++)\$\$"
    r"|(?P<environment>\\begin\{(?P<name>(?:equation|align|eqnarray|gather|multline)\*?)\}"
    r"(?:(?!\\(?:begin|end)\{(?P=name)\}).)*+\\end\{(?P=name)\})",
    re.DOTALL,
)
_IN_DOLLARS = re.compile(r"(?<![\\$])\$(?!\s)(?P<line>(?:\\.|[^\\$])++)(?<!\s)\$(?![\d$])", re.DOTALL)
_UNTOUCHED = frozenset({"script", "style", "textarea", "pre", "code", "kbd", "samp", "tt", "noscript", "template"})
_IGNORED = frozenset({"tex2jax_ignore", "mathjax_ignore"})  # classes whose text MathJax leaves as it is
_PROCESSED = frozenset({"tex2jax_process", "mathjax_process", "math"})  # in those; the last is what Sphinx sets
_PICTURES = frozenset({"formulaInl", "formulaDsp"})  # of Doxygen, with their TeX in place of words


def restore_formulas(tree: Any) -> None:
    """Make each formula an element that says so.

    Args:
        tree: the page; it is changed.
    """
    addresses = [script.get("src") or "" for script in tree.iter("script")]
    scripts = [script.text or "" for script in tree.iter("script")]
    is_set = any(map(_SETTERS.search, addresses)) or any(map(_SETTINGS.search, scripts))
    patterns = [_FORMULA, _IN_DOLLARS] if is_set and any(map(_DOLLAR_SETTING.search, scripts)) else [_FORMULA]
    body = tree.find("body")
    stack = [(tree if body is None else body, False)]
    while stack:
        element, is_ignored = stack.pop()
        if isinstance(element.tag, str) and element.tag not in _UNTOUCHED:
            is_ignored = _is_ignored(element, is_ignored)
            stack += [(child, is_ignored) for child in element]
            for pattern in patterns if is_set and not is_ignored else ():
                for child in (None, *element):
                    _divide(element, child, pattern)
            if element.tag == "img" and not _PICTURES.isdisjoint((element.get("class") or "").split()):
                _restore_picture(element)


def _is_ignored(element: Any, is_ignored: bool) -> bool:
    """Whether scripts leave out the text in an element: its classes say so, else it is as around it."""
    classes = (element.get("class") or "").split()
    return _PROCESSED.isdisjoint(classes) and (is_ignored or not _IGNORED.isdisjoint(classes))


def _divide(element: Any, child: Any, pattern: re.Pattern[str]) -> None:
    """Put an element into the place of each formula in the text behind a child, or before all of them."""
    text = (element.text if child is None else child.tail) or ""
    matches = list(pattern.finditer(text)) if "\\" in text or "$" in text else []
    if not matches:
        return
    ends = [*(match.start() for match in matches[1:]), len(text)]
    if child is None:
        element.text = text[: matches[0].start()]
    else:
        child.tail = None
    previous = child
    for match, end in zip(matches, ends, strict=True):
        formula = _make_formula(element, next(tex for tex in match.groups() if tex is not None))
        formula.tail = text[match.end() : end]
        if previous is None:
            element.insert(0, formula)
        else:
            previous.addnext(formula)
        previous = formula
    if child is not None:
        child.tail = text[: matches[0].start()]


def _make_formula(maker: Any, tex: str) -> Any:
    formula = maker.makeelement("script")
    formula.set("type", "math/tex")
    formula.text = tex.strip()
    return formula


def _restore_picture(picture: Any) -> None:
    """Make a picture of a formula the formula."""
    words = (picture.get("alt") or "").strip()
    match = _FORMULA.fullmatch(words) or _IN_DOLLARS.fullmatch(words)
    parent = picture.getparent()
    if match is not None and parent is not None:
        formula = _make_formula(picture, next(tex for tex in match.groups() if tex is not None))
        formula.tail, picture.tail = picture.tail, None
        parent.replace(picture, formula)
