"""Joining the remaining parts of a markdown text.

Belongs here: consecutive blank lines, the `:::` lines that open and close admonitions, lines for programs. Not here:
tags and comments of HTML (`markup`). Guarantee: fences stay as they are.
"""

import re
from collections.abc import Sequence
from typing import TypeAlias

from headwater.parsing.markdown.edits import Edits, new_step, substitute
from headwater.parsing.markdown.indentation import CodeSpan, PartKind

_BLANK_LINES = re.compile(r"\n[ \t]*\n[ \t\n]*\n")
# A line that opens or closes an admonition, or one for programs alone: kramdown's attributes, a comment and the name of
# a block in Obsidian, the place of a table of contents. Attributes have no commas between them, as tuples such as
# `{:ok, value}` have.
_DIRECTIVE = re.compile(
    r"^(?P<indent>[ \t]*):{3,}[ \t]*(?:(?P<type>[A-Za-z][\w-]*)[ \t]*(?P<title>[^\n{]*)[^\n]*)?$"
    r"|^ {0,3}(?:\{:(?!\w+,)[^{}\n]*\}|%%[^\n]*%%|\^[A-Za-z0-9][\w-]*|\[{1,2}_?(?i:toc)_?\]{1,2})[ \t]*$",
    re.MULTILINE,
)


Part: TypeAlias = tuple[str, PartKind]


def join_parts(parts: Sequence[Part], edits: Edits) -> tuple[str, list[CodeSpan]]:
    """The text of all parts, and the spans of those that are no prose; consecutive blank lines become one."""
    joined: list[str] = []
    code: list[CodeSpan] = []
    directives, blanks = new_step(), new_step()
    position, input_offset, within, prose = 0, 0, 0, []  # offsets in the result, in the input, and between both steps
    for text, kind in [*parts, ("", PartKind.FENCE)]:
        if kind == PartKind.PROSE:
            prose.append(text)
            continue
        prose_text = "".join(prose)
        told = substitute(_DIRECTIVE, _directive, prose_text, base=input_offset, step=directives)
        between = substitute(_BLANK_LINES, lambda _: "\n\n", told, base=within, step=blanks)
        input_offset += len(prose_text) + len(text)
        within += len(told) + len(text)
        joined += [between, text]
        position += len(between)
        code.append(CodeSpan(position, position + len(text), kind))
        position += len(text)
        prose = []
    edits.add(directives)
    edits.add(blanks)
    return "".join(joined), code[:-1]


def _directive(match: re.Match[str]) -> str:
    """The text that replaces a line: the words of an admonition, and else none."""
    title = (match["title"] or "").strip().strip("[]").strip()
    words = title or (match["type"] or "").capitalize()
    return f"{match['indent']}**{words}**\n" if words else ""
