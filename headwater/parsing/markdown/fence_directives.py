"""Directives and cells in markdown: those of MyST, which Sphinx and Jupyter Book read, and of Quarto and R Markdown.

Belongs here: what a reader of the rendered page sees of them. Not here: fences without braces (`fences`), tags of other
generators (`template_tags`), directives of reStructuredText (`headwater.parsing.rst`). Guarantee: a line stays a line;
code stays as it is, without the options above it; what only programs read is left out; the work is linear.
"""

import re
from itertools import takewhile
from typing import NamedTuple

from headwater.parsing.markdown.edits import Edits, new_step

_SIGNS = re.compile(r"(?:```|~~~|:::)[ \t]*\{|\{[\w:+-]+\}`|^\([\w:.-]+\)=[ \t]*$|\]\{[.#]", re.MULTILINE)
_FENCE = re.compile(
    r"(?P<indent>[ \t]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?)(?P<mark>`{3,}+|~{3,}+|:{3,}+)[ \t]*"
    r"(?:\{[ \t]*(?P<name>[.#]?[\w:-]+)(?P<attributes>[^{}\n]*)\})?[ \t]*(?P<argument>[^`\n]*)"
)
_CLOSING = re.compile(r"[ \t]*(?P<mark>`{3,}+|~{3,}+|:{3,}+)[ \t]*")
_OPTION = re.compile(r"[ \t]*:[\w-]+:(?:[ \t].*)?")
_CELL_OPTION = re.compile(r"[ \t]*(?:#|//|--|%%)\|[ \t]?(?P<text>.*)")
_HIDDEN = re.compile(r"\b(?:echo|include)[ \t]*[:=][ \t]*(?:false|F)\b", re.IGNORECASE)
_CAPTION = re.compile(r"(?:fig|tbl|lst)[.-]cap[ \t]*[:=][ \t]*(?:[|>][-+]?)?[ \t]*(?P<text>\"[^\"]*\"|.*)")
_ROLE = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`)[^\n]{1,1000}?(?<!`)(?P=ticks)(?!`))|\{(?P<role>[\w:+-]{1,40})\}`(?P<text>[^`\n]{1,500})`"
    r"|(?<!!)\[(?P<span>[^\[\]\n]{1,300})\]\{[.#][^{}\n]{0,200}\}"
)
_LABELLED = re.compile(r"(?P<label>[^<>]+?)[ \t]*<[^<>]+>")
_TARGET = re.compile(r"\([\w:.-]+\)=[ \t]*")
_CALLOUT = re.compile(r"\.callout-(?P<name>\w+)")
_TITLE = re.compile(r"\btitle=\"(?P<title>[^\"\n]+)\"")
_CODE = frozenset([
    "code", "code-block", "code-cell", "sourcecode", "parsed-literal",
])  # fmt: skip
_OMITTED = frozenset([
    "toctree", "contents", "tableofcontents", "bibliography", "footbibliography", "index", "include", "raw",
    "image", "meta", "literalinclude", "currentmodule", "module", "automodule", "autoclass", "autofunction",
    "automethod", "autosummary", "sectionauthor", "codeauthor",
])  # fmt: skip
_PROSE = frozenset([
    "note", "warning", "tip", "important", "caution", "danger", "attention", "hint", "error", "seealso", "todo",
    "exercise", "solution", "example", "admonition", "dropdown", "tab", "tab-item", "tab-set", "grid", "grid-item",
    "grid-item-card", "card", "margin", "sidebar", "topic", "epigraph", "figure", "table", "list-table",
    "csv-table", "versionadded", "versionchanged", "deprecated", "versionremoved", "only",
])  # fmt: skip
_NAMED = {
    "versionadded": "Added in version", "versionchanged": "Changed in version", "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version", "seealso": "See also",
}  # fmt: skip
_SILENT = frozenset([
    "tab-set", "grid", "grid-item", "margin", "epigraph", "figure", "only",
])  # fmt: skip
_LITERAL = ("math", "glossary")
_DOMAINS = ("py:", "js:", "c:", "cpp:", "prf:", "proof:")
_TITLED = frozenset([
    "admonition", "dropdown", "tab", "tab-item", "card", "grid-item-card", "sidebar", "topic", "table",
    "list-table", "csv-table",
])  # fmt: skip
_CODE_ROLES = frozenset([
    "func", "meth", "class", "mod", "attr", "exc", "data", "obj", "const", "envvar", "option", "program", "command",
    "file", "code", "confval", "type",
])  # fmt: skip


class _Directive(NamedTuple):
    """A fence with a name in braces."""

    indent: str
    mark: str
    name: str
    attributes: str
    argument: str


def plain_directives(text: str, edits: Edits) -> str:
    """A text in which directives are what a reader of the rendered page sees of them.

    Args:
        text: markdown without front matter.
        edits: records the replacements.
    """
    if not _SIGNS.search(text):
        return text
    lines = text.split("\n")
    plain_lines = _Reader(lines).read()
    step, offset = new_step(), 0
    for line, plain_line in zip(lines, plain_lines, strict=True):
        if line != plain_line:
            step.extend((offset, offset + len(line), len(plain_line)))
        offset += len(line) + 1
    edits.add(step)
    return "\n".join(plain_lines)


class _Reader:
    """Replaces lines by what is read of them."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._plain = list(lines)
        self._open: list[str] = []  # the marks of directives whose text is prose
        self._unclosed: dict[str, int] = {}  # by sign, the shortest mark that nothing closes any more

    def read(self) -> list[str]:
        """All lines."""
        position = 0
        while position < len(self._lines):
            position = self._read_line(position)
        return self._plain

    def _read_line(self, position: int) -> int:
        """Read what begins in a line; returns the next one."""
        line = self._lines[position]
        closing = _CLOSING.fullmatch(line)
        if closing and self._open and _closes(closing["mark"], self._open[-1]):
            self._open.pop()
            self._plain[position] = ""
            return position + 1
        fence = _FENCE.fullmatch(line)
        if fence is None:
            self._plain[position] = "" if _TARGET.fullmatch(line) else _ROLE.sub(_replace_role, line)
            return position + 1
        if fence["name"] is None:
            end = None if fence["mark"][0] == ":" else self._find_end(position, fence["mark"])
            return position + 1 if end is None else end + 1
        return self._read_directive(
            position, _Directive(*fence.group("indent", "mark", "name", "attributes", "argument"))
        )

    def _read_directive(self, position: int, directive: _Directive) -> int:
        """Read a fence with a name; one that nothing closes stays as it is. Returns the line behind it, or within."""
        name, is_div = directive.name.lower(), directive.mark[0] == ":"
        if is_div and name[0] in ".#":
            return self._open_div(position, directive)
        is_known = name in _PROSE or name.startswith(_DOMAINS)
        if is_known or (is_div and name not in (*_OMITTED, *_LITERAL)):
            return self._open_prose(position, directive)
        end = self._find_end(position, directive.mark)
        if end is None:
            return position + 1
        if name in _OMITTED:
            return self._write(position, end, [])
        if name == "math":
            self._plain[position] = self._plain[end] = f"{directive.indent}$$"
            return end + 1
        return self._write_terms(position, end) if name == "glossary" else self._read_code(position, end, directive)

    def _find_end(self, position: int, mark: str) -> int | None:
        """The line that closes a fence; None if none does."""
        if len(mark) >= self._unclosed.get(mark[0], len(mark) + 1):
            return None
        for place in range(position + 1, len(self._lines)):
            closing = _CLOSING.fullmatch(self._lines[place])
            if closing and _closes(closing["mark"], mark):
                return place
        self._unclosed[mark[0]] = len(mark)
        return None

    def _write(self, first: int, last: int, lines: list[str]) -> int:
        """Put lines in the place of others, as many or fewer; returns the line behind them."""
        self._plain[first : last + 1] = [*[""] * (last + 1 - first - len(lines)), *lines]
        return last + 1

    def _open_div(self, position: int, directive: _Directive) -> int:
        """A fence of Pandoc: of a callout, its title or its kind is read."""
        attributes = directive.name + directive.attributes
        callout, title = _CALLOUT.search(attributes), _TITLE.search(attributes)
        words = title["title"] if title else callout["name"].capitalize() if callout else ""
        self._plain[position] = f"{directive.indent}**{words}**\n" if words else ""
        self._open.append(directive.mark)
        return position + 1

    def _open_prose(self, position: int, directive: _Directive) -> int:
        """A directive whose text is prose: its title is read, and its options are not."""
        self._open.append(directive.mark)
        first = position + 1
        while first < len(self._lines) and _OPTION.fullmatch(self._lines[first]):
            self._plain[first] = ""
            first += 1
        title = _title_of(directive)
        self._plain[position] = f"{directive.indent}{title}\n" if title else ""
        return first

    def _write_terms(self, position: int, end: int) -> int:
        """The terms of a glossary as list items; what is indented below a term defines it."""
        for place in range(position + 1, end):
            line = self._lines[place]
            words = _ROLE.sub(_replace_role, line).strip()
            self._plain[place] = f"  {words}" if line[:1].isspace() else f"- **{words.strip('*_')}**:" if words else ""
        self._plain[position] = self._plain[end] = ""
        return end + 1

    def _read_code(self, position: int, end: int, directive: _Directive) -> int:
        """Code, of which the language is read; of a cell that shows no code, what stands below its output."""
        options, first = [directive.attributes], position + 1
        while first < end and (option := self._option(first, directive)) is not None:
            options.append(option)
            first += 1
        is_hidden = directive.name[0] not in ".#" and any(map(_HIDDEN.search, options))
        caption = [""] + [directive.indent + caption for caption in [_caption_of(options)] if caption]
        if is_hidden:
            return self._write(position, end, caption[1:])
        language = directive.argument.split(",")[0].strip() if directive.name in _CODE else directive.name.lstrip(".#")
        opening = f"{directive.indent}{directive.mark}{language}"
        closing = "\n".join([self._lines[end], *caption])
        return self._write(position, end, [opening, *self._lines[first:end], closing.rstrip("\n")])

    def _option(self, position: int, directive: _Directive) -> str | None:
        """The option that a line of code is; None if it is code."""
        line = self._lines[position]
        if directive.name in _CODE:
            return line if _OPTION.fullmatch(line) else None
        option = _CELL_OPTION.fullmatch(line)
        return option["text"] if option else None


def _closes(mark: str, opened: str) -> bool:
    return mark[0] == opened[0] and len(mark) >= len(opened)


def _title_of(directive: _Directive) -> str:
    """What stands above the text of a directive, in bold; empty without words."""
    name, argument = directive.name.lower(), directive.argument.strip()
    domain, _, kind = name.rpartition(":")
    if name in _SILENT:
        return ""
    if name in _TITLED:
        return f"**{argument}**" if argument else ""
    if domain in ("py", "js", "c", "cpp"):
        return f"**`{argument}`**" if argument else ""
    words = f"{_NAMED.get(name, kind.capitalize())} {argument}".strip()
    return f"**{words}**"


def _caption_of(options: list[str]) -> str:
    """The caption among the options of a cell; it may go on in indented lines."""
    for place, option in enumerate(options):
        if caption := _CAPTION.search(option):
            indented = map(str.strip, takewhile(lambda line: line[:1].isspace(), options[place + 1 :]))
            first = caption["text"].strip().strip('"')
            return " ".join(filter(None, [first, *([] if first else indented)]))
    return ""


def _replace_role(match: re.Match[str]) -> str:
    if match["code"]:
        return match["code"]
    if match["span"]:
        return match["span"]
    role, text = match["role"].rpartition(":")[2], match["text"]
    if match["role"].startswith(("cite", "footcite")):
        return ""
    labelled = _LABELLED.fullmatch(text)
    words = labelled["label"] if labelled else text.lstrip("~!")
    return f"`{words}`" if role in _CODE_ROLES and not labelled else words
