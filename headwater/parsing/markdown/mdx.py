"""Detecting MDX, whatever the file's name is, and the scripts in it.

Belongs here: lines that only MDX has, braces that begin a script. Not here: handling them (`markup`). Guarantee: code
does not count; the work is linear in the text.
"""

import re

from headwater.parsing.markdown.fences import outside_code
from headwater.parsing.markdown.html_tags import ELEMENTS

IMPORT = re.compile(
    r"import[ \t]++(?:[\w*$, \t]*(?:\{[^{}'\"`]*\}[ \t]*)?from[ \t]+)?(?:'[^'\n]+'|\"[^\"\n]+\")[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
_MATH = re.compile(r"(?:[_^}$\]]|\\[A-Za-z]+)\Z")  # before a brace that begins no expression
_HEADING_ID = re.compile(r"\{[#.:][^{}\n]*\}")
_IMPORT_LINE = re.compile(r"^" + IMPORT.pattern, re.MULTILINE)
_CLOSING_LINE = re.compile(r"^[ \t]*</([A-Z][\w.]*)>[ \t]*$", re.MULTILINE)


def looks_like_mdx(text: str) -> bool:
    """Whether a text imports modules, or closes components on separate lines."""
    has_import = "import" in text and _IMPORT_LINE.search(text)
    has_closing = "</" in text and _CLOSING_LINE.search(text)
    if not has_import and not has_closing:
        return False
    signs: list[bool] = []
    outside_code(text, lambda prose: signs.append(bool(_IMPORT_LINE.search(prose)) or _closes_component(prose)))
    return any(signs)


def _closes_component(prose: str) -> bool:
    names = (match[1] for match in _CLOSING_LINE.finditer(prose))
    return any(not name.isupper() or name.lower() not in ELEMENTS for name in names)


def begins_script(text: str, start: int) -> bool:
    """Whether a brace may begin a script, and neither a heading's id nor a template's tag."""
    return not (_HEADING_ID.match(text, start) or text.startswith(("{{", "{%"), start))


def follows_math(text: str, start: int) -> bool:
    """Whether a brace belongs to a formula or to a shell variable."""
    return _MATH.search(text, max(0, start - 20), start) is not None
