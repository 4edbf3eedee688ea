"""Inline roles of MyST and spans of Pandoc, as a reader of the rendered page sees them.

Belongs here: what stands in a line. Not here: directives (`fence_directives`). Guarantee: code stays as it is, also
code that a line break parts; of a role, its text stays.
"""

import re

from headwater.parsing.sphinx_names import read_role

ROLE_SIGN = r"(?<![\w/.=`])\{[\w:+-]+\}`|(?<![\w!\]\\])\[[^\[\]\n]+\]\{[.#]"
"""What a text with roles or spans contains, for a regular expression."""
_ROLE = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`++)[^\n]{1,1000}?(?<!`)(?P=ticks)(?!`))"
    r"|(?<![\w/.=`])\{(?P<role>[\w:+-]{1,40})\}`(?P<text>[^`\n]{1,500})`"
    r"|(?<![\w!\]\\])\[(?P<span>[^\[\]\n]{1,300})\]\{[.#][^{}\n]{0,200}\}"
)


class RoleReader:
    """Reads the lines of a text in their order: code may begin in one line of a paragraph and end in the next."""

    def __init__(self) -> None:
        self._is_in_code = False

    def read(self, line: str) -> str:
        """A line without marks of roles and spans; an empty one ends what was open."""
        if not line.strip():
            self._is_in_code = False
            return line
        is_odd = _ROLE.sub("", line).count("`") % 2 == 1
        was_in_code, self._is_in_code = self._is_in_code, self._is_in_code != is_odd
        return line if was_in_code else _ROLE.sub(_replace, line)


def _replace(match: re.Match[str]) -> str:
    if match["code"]:
        return match["code"]
    if match["span"]:
        return match["span"]
    name, text = match["role"], match["text"]
    if name.startswith(("cite", "footcite")) and not name.endswith(":t"):
        return ""  # a citation in brackets is a key of a bibliography
    if name == "math":
        return f"${text}$"
    role = read_role(name, text)
    return f"`{role.words}`" if role.is_code and not role.is_titled else role.words
