"""Definition lists in markdown: those of HTML, and terms above lines that begin with a colon.

Belongs here: where such a list is, its indentation, which markdown would take for code, and its terms as list items.
Not here: what replaces its tags (`markup`). Guarantee: code stays as it is, fenced or preformatted; a list without an
end stays; the work is linear in the text.
"""

import re

from headwater.parsing.markdown.edits import Edits, new_step, substitute
from headwater.parsing.markdown.fences import find_fences

_LIST = re.compile(r"^ {0,3}<dl(?=[\s>])|(?P<end></dl\s*>)", re.MULTILINE | re.IGNORECASE)
_INDENT_OR_CODE = re.compile(r"<pre(?=[\s>])[^\x00]*?</pre\s*>|^[ \t]+(?=\S)", re.MULTILINE | re.IGNORECASE)
# A term in a line of its own, and the beginning of its definition; or the beginning of another one.
_TERM = re.compile(
    r"(?:(?<=\n\n)|\A)(?P<term>(?![ \t>|#~:+*-]|\d+[.)]|`{3})[^\n]{1,200})\n(?:[ \t]*\n)?:[ \t]+(?=\S)"
    r"|(?<=\n)(?P<more>:[ \t]{1,3})(?=\S)"
)


def without_indents(text: str, edits: Edits) -> str:
    """Remove the indentation of each line in a definition list.

    Args:
        text: markdown.
        edits: records what is removed.
    """
    if "</dl" not in text.lower():
        return text
    step, texts, copied_end = new_step(), [], 0
    for start, end in _lists(text):
        for match in _INDENT_OR_CODE.finditer(text, start, end):
            if match[0].isspace():
                texts.append(text[copied_end : match.start()])
                step.extend((*match.span(), 0))
                copied_end = match.end()
    edits.add(step)
    return "".join([*texts, text[copied_end:]])


def definitions_as_items(text: str, edits: Edits) -> str:
    """Write each term with its definitions in the lines below, which begin with a colon, as a list item.

    Args:
        text: markdown.
        edits: records what is replaced.
    """
    if "\n:" not in text:
        return text
    step, texts, begin = new_step(), [], 0
    for start, end in [*find_fences(text), (len(text), len(text))]:
        texts.append(substitute(_TERM, _Items(text[begin:start]).write, text[begin:start], base=begin, step=step))
        texts.append(text[start:end])
        begin = end
    edits.add(step)
    return "".join(texts)


class _Items:
    """Writes the items of one stretch of text, from the front to the back."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = -1  # of the last beginning of a definition

    def write(self, match: re.Match[str]) -> str:
        """What stands for the beginning of a definition."""
        is_next = self._end >= 0 and "\n\n" not in self._text[self._end : match.start()]
        if not match["term"] and not is_next:
            return match[0]
        self._end = match.end()
        term = (match["term"] or "").strip()
        bold = term if set("*`[<") & set(term) else f"**{term}**"
        return f"- {bold}: " if term else "\n  "


def _lists(text: str) -> list[tuple[int, int]]:
    """The outermost definition lists outside fenced code, in order."""
    spans: list[tuple[int, int]] = []
    begin = depth = 0
    fences = find_fences(text)[::-1]
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
