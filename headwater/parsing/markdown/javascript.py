"""Just enough JavaScript to find the end of an MDX expression.

Belongs here: brackets, texts, templates and comments of a script, the attributes of a tag. Not here: the use of
them. Guarantee: nothing recurses; the total work is linear in the text, however often it is called.
"""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"[\"'`{}()\[\]]|//|/\*|\\.|\n(?=[ \t]*(?:\n|\Z))", re.DOTALL)
_TEXT = {"'": re.compile(r"(?:[^'\\\n]|\\.)*+'", re.DOTALL), '"': re.compile(r'(?:[^"\\\n]|\\.)*+"', re.DOTALL)}
_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
_CLOSING = {"{": "}", "(": ")", "[": "]"}
_NAME = re.compile(r"</?(?:(?P<name>[A-Za-z][\w.-]*+)(?=[\s/>{])|(?=>))")
_ATTRIBUTE = re.compile(
    r"\s*+(?:(?P<end>/?>)|(?P<spread>\{)"
    r"|(?P<name>[A-Za-z_:@][\w:.@-]*+)(?:\s*+=\s*+(?P<value>[\"'{]|[^\s\"'{}<>=`]++))?)"
)


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag at `text[start:end]`; `attributes` hold plain texts, and an empty text for other values."""

    start: int
    end: int
    name: str
    is_closing: bool
    is_empty: bool
    attributes: dict[str, str]


class Scripts:
    """A text with scripts; unclosed brackets are tried only a limited number of times."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._budget = 8 * len(text) + 1_000  # characters that may be read in vain

    def braces_end(self, start: int) -> int | None:
        """The offset after the brace that closes the one at `start`; None if there is none."""
        return self._end(start, stops_at_blank=False)

    def statement_end(self, start: int) -> int | None:
        """The end of an import or export: the first blank line outside brackets."""
        return self._end(start, stops_at_blank=True)

    def tag(self, start: int, *, is_mdx: bool) -> Tag | None:
        """The tag that begins at an offset; in HTML, unlike MDX, it contains no braces and no blank line."""
        name_match = _NAME.match(self.text, start)
        if not name_match or self._budget < 0:
            return None
        attributes: dict[str, str] = {}
        position, is_closing = name_match.end(), self.text.startswith("</", start)
        while match := _ATTRIBUTE.match(self.text, position):
            position = match.end()
            if match["end"]:
                if not is_mdx and "\n\n" in self.text[start:position]:
                    break
                return Tag(start, position, name_match["name"] or "", is_closing, match["end"] == "/>", attributes)
            value, end = self._value(match)
            if end is None:
                break
            if match["name"]:
                attributes[match["name"].lower()] = value
            position = end
        self._budget -= position - start
        return None

    def _value(self, match: re.Match[str]) -> tuple[str, int | None]:
        """The text of an attribute, and its end."""
        sign = match["spread"] or match["value"]
        if sign in ('"', "'"):
            end = self.text.find(sign, match.end())
            if end < 0:
                self._budget -= len(self.text) - match.end()
                return "", None
            return self.text[match.end() : end], end + 1
        if sign == "{":
            end_of_braces = self.braces_end(match.end() - 1)
            script = self.text[match.end() : end_of_braces - 1].strip() if end_of_braces else ""
            return literal(script) or "", end_of_braces
        return sign or "", match.end()

    def _end(self, start: int, *, stops_at_blank: bool) -> int | None:
        if self._budget < 0:
            return None
        position, closing = start, [""]  # the marks that close the open brackets
        while token := _TOKEN.search(self.text, position):
            if stops_at_blank and token[0] == "\n" and len(closing) == 1:
                return token.start()
            position = self._read(token, closing)
            if position < 0:
                break
            if len(closing) == 1 and not stops_at_blank:
                return position
        if stops_at_blank and len(closing) == 1:
            return len(self.text)
        self._budget -= len(self.text) - start
        return None

    def _read(self, token: re.Match[str], closing: list[str]) -> int:
        """Open or close what a token does; returns the next position, -1 if a template does not end."""
        sign, position = token[0], token.end()
        if sign == "`":
            return self._template(position, closing)
        if sign in _TEXT:
            closed = _TEXT[sign].match(self.text, position)
            return closed.end() if closed else position
        if sign in ("//", "/*"):
            end = self.text.find("\n" if sign == "//" else "*/", position)
            return end + len(sign) - (sign == "//") * 2 if end >= 0 else len(self.text)
        if sign in _CLOSING:
            closing.append(_CLOSING[sign])
        elif sign == closing[-1]:
            closing.pop()
        elif sign == "}" and closing[-1] == "${":
            closing.pop()
            return self._template(position, closing)
        return position

    def _template(self, position: int, closing: list[str]) -> int:
        """The offset after a template, or after the mark that begins an expression in it."""
        match = _TEMPLATE.search(self.text, position)
        while match and match[0][0] == "\\":
            match = _TEMPLATE.search(self.text, match.end())
        if match and match[0] == "${":
            closing.append("${")
        return match.end() if match else -1


def literal(script: str) -> str | None:
    """The text of a script that is only a string or a template without expressions."""
    if len(script) < 2 or script[0] not in "\"'`" or script[-1] != script[0]:
        return None
    content = script[1:-1]
    if re.search(rf"(?<!\\){script[0]}", content):
        return None
    return re.sub(r"\\([\"'`\\$])", r"\1", content)
