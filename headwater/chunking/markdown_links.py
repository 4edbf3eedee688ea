"""The links of a markdown text (CHK-3).

Belongs here: finding links. Not here: which documents they name (`headwater.linking`). Guarantee: targets are returned
as written; images and code have none; the work is linear in the text.
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence

LINK_LIMIT = 5_000
"""The most links that are kept for one document."""

_TARGET_LIMIT = 2_000  # characters; anything longer is data
# Each alternative begins with a different letter: then `re` skips other positions, four times as fast.
_PART = re.compile(
    r"\\.|`+|!\[|\[|<(?P<address>[a-zA-Z][\w+.-]{1,31}:[^\s<>]*)>"
    r"|\]\([ \t\n]*+(?:<(?P<angled>[^<>\n]*)>|(?P<target>(?:[^\s()<\\]++|\\.|\((?:[^\s()\\]++|\\.)*+\))*+))"
    r"(?:\s++(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?+\s*+\)"
    r"|\](?:\[(?P<label>[^\[\]]*)\])?(?P<colon>:)?"
)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<label>[^\[\]\n^][^\[\]\n]*)\]:[ \t]*+(?:\n[ \t]*+)?(?:<([^<>\n]+)>|(\S+))", re.MULTILINE
)
_NESTING_LIMIT = 100  # levels of nested brackets
_MAX_TICKS = 32


def markdown_links(text: str, code: Sequence[tuple[int, int]]) -> tuple[tuple[int, str], ...]:
    """Find the links of a text: the offset of each, and its target as written, at most `LINK_LIMIT`.

    Args:
        text: a document in markdown.
        code: the spans of its code blocks, in order.
    """
    definitions = {
        _plain(match["label"]): match[2] or match[3]
        for match in reversed(list(_DEFINITION.finditer(text) if "]:" in text else ()))  # the first counts
    }
    return tuple(_find_targets(text, code, definitions)[:LINK_LIMIT])


def _find_targets(text: str, code: Sequence[tuple[int, int]], definitions: dict[str, str]) -> list[tuple[int, str]]:
    """The offset of each link, and its target."""
    links: list[tuple[int, str]] = []
    position = 0
    for start, end in [*code, (len(text), len(text))]:
        if definitions or text.find("](", position, start) >= 0 or text.find("<", position, start) >= 0:
            links += _links_between(text, position, start, definitions)
        position = max(position, end)
    return sorted(link for link in links if 0 < len(link[1]) <= _TARGET_LIMIT)


def _links_between(text: str, start: int, end: int, definitions: dict[str, str]) -> Iterator[tuple[int, str]]:
    ticks = _Ticks(text, end)
    open_brackets: deque[re.Match[str]] = deque(maxlen=_NESTING_LIMIT)
    position = start
    while match := _PART.search(text, position, end):
        position = match.end()
        sign = text[match.start()]
        if sign == "`":
            position = ticks.code_end(match.start(), position)
        elif sign == "<":
            yield match.start(), match["address"]
        elif sign in "![":
            open_brackets.append(match)
        elif sign == "]" and open_brackets:
            begin = open_brackets.pop()
            target = _target(text, begin, match, definitions)
            if target and begin[0] == "[":
                yield begin.start(), target


def _target(text: str, begin: re.Match[str], part: re.Match[str], definitions: dict[str, str]) -> str:
    address: str | None = part["angled"] if part["angled"] is not None else part["target"]
    if address is not None:
        return address
    if part["colon"] and not part["label"]:
        return ""  # this is the definition of a target
    label = part["label"] or text[begin.end() : part.start()]
    return definitions.get(_plain(label), "") if len(label) < _TARGET_LIMIT else ""


def _plain(label: str) -> str:
    return " ".join(label.split()).casefold()


class _Ticks:
    """The ends of inline code; must be queried in order."""

    def __init__(self, text: str, end: int) -> None:
        self._text = text
        self._end = end
        self._next: dict[int, int] = {}  # by length: the next run of backticks of that length

    def code_end(self, start: int, stop: int) -> int:
        """The offset after the run of backticks that closes the one at `text[start:stop]`; `stop` if there is none."""
        length = stop - start
        if length > _MAX_TICKS:
            return stop
        if self._next.get(length, -1) < stop:
            match = re.compile(rf"(?<!`)`{{{length}}}(?!`)").search(self._text, stop, self._end)
            self._next[length] = match.start() if match else self._end
        closing = self._next[length]
        return closing + length if closing < self._end else stop
