"""Detecting MDX, whatever the file's name is.

Belongs here: lines that only MDX has. Not here: handling them (`markup`). Guarantee: code does not count; the
work is linear in the text.
"""

import re

from headwater.parsing.markdown.fences import outside_code

IMPORT = re.compile(
    r"import[ \t]++(?:[\w*$, \t]*(?:\{[^{}'\"`]*\}[ \t]*)?from[ \t]+)?(?:'[^'\n]+'|\"[^\"\n]+\")[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
_IMPORT_LINE = re.compile(r"^" + IMPORT.pattern, re.MULTILINE)
_HTML_IN_CAPITALS = "(?:B|BLOCKQUOTE|BODY|CENTER|CODE|DIV|DL|H[1-6]|HTML|LI|OL|P|PRE|SPAN|T[DHR]|TABLE|TBODY|THEAD|UL)"
_CLOSING_LINE = re.compile(rf"^[ \t]*</(?!{_HTML_IN_CAPITALS}>)[A-Z][\w.]*>[ \t]*$", re.MULTILINE)


def looks_like_mdx(text: str) -> bool:
    """Whether a text imports modules, or closes components on separate lines."""
    has_import = "import" in text and _IMPORT_LINE.search(text)
    has_closing = "</" in text and _CLOSING_LINE.search(text)
    if not has_import and not has_closing:
        return False
    signs: list[bool] = []
    outside_code(text, lambda prose: signs.append(bool(_IMPORT_LINE.search(prose) or _CLOSING_LINE.search(prose))))
    return any(signs)
