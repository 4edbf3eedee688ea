"""Inline roles of MyST and spans of Pandoc, as a reader of the rendered page sees them.

Belongs here: what stands in a line. Not here: directives (`fence_directives`). Guarantee: code stays as it is, also
code that a line break parts; of a role, its text stays.
"""

import re

ROLE_SIGN = r"(?<![\w/.=`])\{[\w:+-]+\}`|(?<![\w!\]\\])\[[^\[\]\n]+\]\{[.#]"
"""What a text with roles or spans contains, for a regular expression."""
_ROLE = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`++)[^\n]{1,1000}?(?<!`)(?P=ticks)(?!`))"
    r"|(?<![\w/.=`])\{(?P<role>[\w:+-]{1,40})\}`(?P<text>[^`\n]{1,500})`"
    r"|(?<![\w!\]\\])\[(?P<span>[^\[\]\n]{1,300})\]\{[.#][^{}\n]{0,200}\}"
)
_LABELLED = re.compile(r"(?P<label>[^<>]+?)[ \t]*<[^<>]+>")
_CODE_ROLES = frozenset([
    "func", "meth", "class", "mod", "attr", "exc", "data", "obj", "const", "envvar", "option", "program", "command",
    "file", "code", "confval", "type", "literal",
])  # fmt: skip


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
    role, text = match["role"].rpartition(":")[2], match["text"]
    if match["role"].startswith(("cite", "footcite")) and role != "t":
        return ""  # a citation in brackets is a key of a bibliography
    if role == "math":
        return f"${text}$"
    labelled = _LABELLED.fullmatch(text)
    words = labelled["label"] if labelled else text.lstrip("~!")
    return f"`{words}`" if role in _CODE_ROLES and not labelled else words
