"""Directives and cells in markdown: those of MyST, which Sphinx and Jupyter Book read, and of Quarto and R Markdown.

Belongs here: what a reader of the rendered page sees of them. Not here: fences without braces (`fences`), inline roles
(`roles`), tags of other generators (`template_tags`), directives of reStructuredText (`headwater.parsing.rst`).
Guarantee: code stays as it is, without the options above it; what is unknown or never closed stays as it is; what
follows stays in its lines; the work is linear.
"""

import re
from itertools import takewhile
from typing import NamedTuple

from headwater.parsing.markdown.edits import Edits, new_step
from headwater.parsing.markdown.roles import ROLE_SIGN, RoleReader
from headwater.parsing.sphinx_names import CHANGES, CODE, INSIDE, LANGUAGES, NOTES, OBJECT, SILENT

_SIGNS = re.compile(rf"(?:```|~~~|:::)[ \t]*\{{|^\([\w:.-]+\)=[ \t]*$|{ROLE_SIGN}", re.MULTILINE)
_FENCE = re.compile(
    r"(?P<indent>[ \t]*+(?:[-*+][ \t]++|\d{1,9}[.)][ \t]++)?+)(?P<mark>`{3,}+(?=[^`]*\Z)|~{3,}+|:{3,}+)[ \t]*+"
    r"(?P<braces>\{[ \t]*+(?P<name>[.#]?+[\w:-]++(?!=))?+(?P<attributes>[^{}]*+)\})?+[ \t]*+(?P<argument>.*+)"
)
_CLOSING = re.compile(r"[ \t]*+(?P<mark>`{3,}+|~{3,}+|:{3,}+)[ \t]*+")
_ITEM = re.compile(r"[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]")
_CODE_INDENT = re.compile(r" {4}|\t")
_OPTION = re.compile(r"[ \t]*+:(?P<name>[\w-]++):(?:[ \t]++(?P<value>.*+))?")
_YAML_RULER = re.compile(r"[ \t]*+---[ \t]*+")
_CELL_OPTION = re.compile(r"[ \t]*+(?:#|//|--|%%)\|[ \t]?(?P<text>.*+)")
_HIDDEN = re.compile(r"\b(?:echo|include)[ \t]*[:=][ \t]*(?:false|F)\b", re.IGNORECASE)
_CAPTION = re.compile(
    r"(?:fig|tbl|lst)[.-]cap[ \t]*(?:=[ \t]*(?P<quote>[\"'])(?P<quoted>.*?)(?P=quote)"
    r"|:[ \t]*(?:[|>][-+]?[ \t]*$)?(?P<text>.*))"
)
_TARGET = re.compile(r"\([\w:.-]++\)=[ \t]*+")
_CALLOUT = re.compile(r"\.callout-(?P<name>\w+)")
_TITLE = re.compile(r"\b(?:title|name)=\"(?P<title>[^\"]+)\"")
_CLASS = re.compile(r"(?:^|\s)\.(?P<name>[\w+-]+)")
# Of Quarto and R Markdown, and what only MyST, Jupyter Book or bookdown has; the others are Sphinx's.
_ENGINES = frozenset([
    "r", "python", "julia", "sql", "bash", "sh", "zsh", "ojs", "js", "css", "stan", "rcpp", "perl", "ruby", "node",
    "octave", "powershell", "mermaid", "dot",
])  # fmt: skip
_OMITTED = SILENT | {"toctree", "tableofcontents", "bibliography", "footbibliography", "image", "automodule"}
_SILENT = INSIDE | {
    "grid-item", "margin", "epigraph", "figure", "pull-quote", "div", "button-ref", "button-link", "block", "block2",
    "asis",
}  # fmt: skip
_TITLED = frozenset(["admonition", "table", "list-table"])
_NOTES = frozenset([
    "note", "warning", "tip", "important", "caution", "danger", "attention", "hint", "error",
])  # fmt: skip
_NUMBERED = frozenset([
    "exercise", "solution", "example", "proof", "theorem", "lemma", "definition", "corollary", "proposition", "remark",
    "hypothesis", "conjecture", "algorithm",
])  # fmt: skip
_PROSE = (_SILENT | _TITLED | _NOTES | _NUMBERED | NOTES.keys() | CHANGES.keys()) - {"glossary"}
_WHOLE = CODE | _ENGINES | _OMITTED | {"glossary"}


class _Directive(NamedTuple):
    """A fence with braces; `name` is empty if they hold attributes alone."""

    indent: str
    mark: str
    name: str
    attributes: str
    argument: str

    @property
    def is_div(self) -> bool:
        """Whether it is written with colons."""
        return self.mark[0] == ":"


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
    """Replaces each line by what is read of it, which may be several lines, or an empty one."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._plain = list(lines)
        self._roles = RoleReader()
        self._open: list[str] = []  # the marks of directives whose text is prose
        self._unclosed: dict[str, int] = {}  # by sign, the shortest mark that nothing closes any more
        self._is_in_list = False

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
        if line[:1].strip():
            self._is_in_list = _ITEM.match(line) is not None
        if _CODE_INDENT.match(line) and not self._is_in_list:
            return position + 1
        fence = _FENCE.fullmatch(line)
        if fence is None:
            self._plain[position] = "" if _TARGET.fullmatch(line) else self._roles.read(line)
            return position + 1
        self._roles.read("")
        if fence["braces"] is None:
            end = None if fence["mark"][0] == ":" else self._find_end(position, fence["mark"])
            return position + 1 if end is None else end + 1
        values = (value or "" for value in fence.group("indent", "mark", "name", "attributes", "argument"))
        return self._read_directive(position, _Directive(*values))

    def _read_directive(self, position: int, directive: _Directive) -> int:
        """Read a fence with braces; returns the line behind it, or within it."""
        name = directive.name.lower()
        if directive.is_div and (not name or name[0] in ".#"):
            return self._open_div(position, directive)
        raw_format = "" if name else directive.attributes.strip()
        is_prose = name in _PROSE or name.startswith(("prf:", "proof:")) or OBJECT.fullmatch(name) is not None
        if (is_prose and name not in _OMITTED) or raw_format == "=html":
            return self._open_prose(position, directive)
        if directive.is_div and name not in _WHOLE:
            return self._open_div(position, directive)
        end = self._find_end(position, directive.mark)
        if end is None:
            return position + 1
        if name in _OMITTED or raw_format.startswith("="):
            return self._write(position, end, [])
        if name == "math":
            self._plain[position] = self._plain[end] = f"{directive.indent}$$"
            return end + 1
        if name == "glossary":
            return self._write_terms(position, end)
        is_code = name in CODE or name in _ENGINES or name[:1] in (".", "#")
        return self._read_code(position, end, directive) if is_code else end + 1

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
        """Put lines in the place of as many or more, the first in the place of the first; returns the line behind."""
        self._plain[first : last + 1] = [*lines, *[""] * (last + 1 - first - len(lines))]
        return last + 1

    def _open_div(self, position: int, directive: _Directive) -> int:
        """A fence of Pandoc: of a callout, its title or its kind is read."""
        attributes = directive.name + directive.attributes
        callout, title = _CALLOUT.search(attributes), _TITLE.search(attributes)
        words = title["title"] if title else callout["name"].capitalize() if callout else ""
        self._plain[position] = f"\n{directive.indent}**{words}**\n" if words and callout else ""
        self._open.append(directive.mark)
        return position + 1

    def _open_prose(self, position: int, directive: _Directive) -> int:
        """A directive whose text is prose: its title is read, and its options are not."""
        self._open.append(directive.mark)
        options = self._find_options(position + 1, len(self._lines))
        self._plain[position + 1 : position + 1 + options] = [""] * options
        title = _title_of(directive)
        gap = "" if directive.name.lower() in _NOTES and directive.argument.strip() else "\n"  # its text goes on
        self._plain[position] = f"\n{directive.indent}{self._roles.read(title)}{gap}" if title else ""
        return position + 1 + options

    def _find_options(self, first: int, limit: int) -> int:
        """How many lines of options begin there: `:name: value`, or YAML between two lines of `---`."""
        if first < limit and _YAML_RULER.fullmatch(self._lines[first]):
            for place in range(first + 1, min(limit, first + 50)):
                if _YAML_RULER.fullmatch(self._lines[place]):
                    return place + 1 - first
        return sum(1 for _ in takewhile(_OPTION.fullmatch, self._lines[first : min(limit, first + 50)]))

    def _write_terms(self, position: int, end: int) -> int:
        """The terms of a glossary as list items; what is indented below a term defines it."""
        for place in range(position + 1, end):
            line = self._lines[place]
            words = self._roles.read(line).strip()
            self._plain[place] = f"  {words}" if line[:1].isspace() else f"- **{words.strip('*_')}**:" if words else ""
        self._plain[position] = self._plain[end] = ""
        return end + 1

    def _read_code(self, position: int, end: int, directive: _Directive) -> int:
        """Code, of which the language is read, and its caption; of a cell that shows no code, the caption alone."""
        indent, is_myst = directive.indent, _is_of_sphinx(directive)
        options = self._read_options(position, end, directive)
        first = position + 1 + len(options)
        caption = _caption_of([directive.attributes, *options], is_myst=is_myst)
        is_cell = directive.name.lower() in _ENGINES
        if is_cell and any(map(_HIDDEN.search, [directive.attributes, *options])):
            return self._write(position, end, [f"\n{indent}{caption}\n"] if caption else [])
        mark = "````" if directive.is_div else directive.mark
        opening = f"{indent}{mark}{_language_of(directive)}"
        closing = f"{indent}{mark}" if directive.is_div else self._lines[end]
        if caption and is_myst:
            opening = f"{indent}{caption}\n\n{opening}"
        elif caption:
            closing = f"{closing}\n\n{indent}{caption}\n"
        blank = [""] * len(options)
        self._plain[position : end + 1] = [*blank, opening, *self._lines[first:end], closing]
        return end + 1

    def _read_options(self, position: int, end: int, directive: _Directive) -> list[str]:
        """The options above the code of a cell or a directive, a line each."""
        first = position + 1
        if _is_of_sphinx(directive):
            return self._lines[first : first + self._find_options(first, end)]
        matches = takewhile(bool, map(_CELL_OPTION.fullmatch, self._lines[first:end]))
        return [option["text"] for option in matches if option]


def _closes(mark: str, opened: str) -> bool:
    return mark[0] == opened[0] and len(mark) >= len(opened)


def _title_of(directive: _Directive) -> str:
    """What stands above the text of a directive, in bold; empty without words."""
    name, argument = directive.name.lower(), directive.argument.strip()
    if not name or name in _SILENT:
        return ""
    if name in CHANGES:
        return f"**{CHANGES[name].format(argument)}**"
    if name in _TITLED or name in NOTES:
        words = " ".join(filter(None, [NOTES.get(name, ""), argument]))
        return f"**{words}**" if words else ""
    if OBJECT.fullmatch(name):
        return f"**`{argument.strip('`')}`**" if argument else ""
    kind = name.rpartition(":")[2].capitalize()
    if name in _NOTES:  # its text may begin behind its name
        return f"**{kind}**" + (f"\n\n{directive.indent}{argument}" if argument else "")
    option = _TITLE.search(directive.attributes)
    words = argument or (option["title"] if option else "")
    return f"**{kind} {words}".rstrip() + "**"


def _is_of_sphinx(directive: _Directive) -> bool:
    """Whether code has options of Sphinx, and its language as its argument."""
    return directive.name in CODE and directive.name not in _ENGINES


def _language_of(directive: _Directive) -> str:
    if _is_of_sphinx(directive):
        return directive.argument.split(",")[0].strip() or LANGUAGES.get(directive.name, "")
    if directive.name[0] in ".#":
        language = _CLASS.search(directive.name + directive.attributes)
        return language["name"] if language else ""
    return directive.name


def _caption_of(options: list[str], *, is_myst: bool) -> str:
    """The caption among the options of code; that of a cell may go on in indented lines."""
    if is_myst:
        captions = (match["value"] for match in map(_OPTION.fullmatch, options) if match and match["name"] == "caption")
        return next(filter(None, captions), "").strip()
    for place, option in enumerate(options):
        if caption := _CAPTION.search(option):
            first = (caption["quoted"] or caption["text"] or "").strip().strip("\"'")
            indented = map(str.strip, takewhile(lambda line: line[:1].isspace(), options[place + 1 :]))
            return first or " ".join(indented)
    return ""
