"""The lines of HTML's definition lists in markdown, moved to the left: indented, markdown would take them for code.

Belongs here: where such a list is, and its indentation. Not here: what replaces its tags (`markup`). Guarantee: code
stays as it is, fenced or preformatted; a list without an end stays; the work is linear in the text.
"""

import re

from headwater.parsing.edits import Edits, new_step
from headwater.parsing.fences import fence_end, has_mark, next_fence

_LIST = re.compile(r"^ {0,3}<dl(?=[\s>])|(?P<end></dl\s*>)", re.MULTILINE | re.IGNORECASE)
_INDENT_OR_CODE = re.compile(r"<pre(?=[\s>])[^\x00]*?</pre\s*>|^[ \t]+(?=\S)", re.MULTILINE | re.IGNORECASE)


def without_indents(text: str, edits: Edits) -> str:
    """Remove the indentation of each line in a definition list.

    Args:
        text: markdown.
        edits: records what is removed.
    """
    if "</dl" not in text.lower():
        return text
    step, parts, kept = new_step(), [], 0
    for start, end in _lists(text):
        for found in _INDENT_OR_CODE.finditer(text, start, end):
            if found[0].isspace():
                parts.append(text[kept : found.start()])
                step.extend((*found.span(), 0))
                kept = found.end()
    edits.add(step)
    return "".join([*parts, text[kept:]])


def _lists(text: str) -> list[tuple[int, int]]:
    """The outermost definition lists outside fenced code, in order."""
    spans: list[tuple[int, int]] = []
    begin = depth = 0
    fences, position = [], 0
    while has_mark(text) and (opening := next_fence(text, position)):
        position = fence_end(text, opening)
        fences.append((opening.start(), position))
    fences.reverse()
    for mark in _LIST.finditer(text):
        while fences and fences[-1][1] <= mark.start():
            fences.pop()
        if fences and fences[-1][0] <= mark.start():
            continue
        if not mark["end"]:
            begin = begin if depth else mark.end()
            depth += 1
        elif depth:
            depth -= 1
            spans += [] if depth else [(begin, mark.start())]
    return spans
