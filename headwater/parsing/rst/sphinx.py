"""The directives and roles of Sphinx, for docutils.

Belongs here: names that docutils does not know, and those of its own that would read files. Not here: markdown
(`rst_markdown`). Guarantee: every directive and role has a reading, known or not; none reads a file or runs anything.
"""

import re
from collections.abc import Callable
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.statemachine import StringList

from headwater.parsing.sphinx_names import (
    CHANGES,
    CODE,
    INSIDE,
    JUDGEMENTS,
    LANGUAGES,
    NOTES,
    OBJECT,
    SILENT,
    SPELLED_ROLES,
    TITLED_ROLE,
    read_role,
)

NOTHING = "headwater-nothing"
"""The directive of a substitution that stands for nothing, so that the blank before it goes, too."""
_OTHER_FORMATS = {"latex", "man", "text", "epub", "texinfo", "not html"}
_TOKEN = re.compile(r"`(?:~[\w-]*+:)?([\w:-]++)`")
_INVENTORY = re.compile(r"[\w.+-]++:(?=[^\s:])")
_EXTERNAL = re.compile(r"external(?:\+[\w.-]++)?:")
_LABELS = {"ref", "numref", "std:ref", "std:numref"}
_LINKED = re.compile(r"(?:std:)?(?:ref|numref|term)|(?:py:)?(?:class|func|meth|attr|mod|data|exc|obj|const|deco)")
"""Roles that may name another project's inventory, as in `python:tuple`."""
_TERM = re.compile(r"(?!\.\.(?: |$))\S")
_BRACKETS = str.maketrans("()", "  ")
_RFC = "https://datatracker.ietf.org/doc/html/rfc"


class _AnyOption(dict[str, Callable[[str], str]]):
    """Accepts every option of a directive."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, _: str) -> Callable[[str], str]:
        return lambda value: value or ""


class _Any(Directive):  # type: ignore[misc]  # docutils has no types
    """A directive of any name: its argument and its content."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Callable[[str], str]]] = _AnyOption()

    @property
    def argument(self) -> str:
        """The words after the directive's name."""
        return self.arguments[0] if self.arguments else ""

    def inside(self, content: StringList | None = None) -> list[nodes.Node]:
        """What the content says, or another one."""
        parent = nodes.container()
        self.state.nested_parse(
            self.content if content is None else content, self.content_offset, parent, match_titles=True
        )
        return list(parent.children)

    def words(self, text: str) -> list[nodes.Node]:
        """Text with inline markup."""
        return list(self.state.inline_text(text, self.lineno)[0]) if text else []

    def mark_entry(self, paragraph: nodes.Element, *, is_object: bool = False) -> nodes.Element:
        """Mark what may be an entry of an index only, because it has neither content nor options."""
        if not self.content and not self.options:
            paragraph.attributes |= {"entry": self.argument, "entry_name": self.name, "is_object": is_object}
        return paragraph

    def make_bold(self, *words: nodes.Node) -> nodes.Node:
        """A paragraph in bold."""
        return nodes.paragraph("", "", nodes.strong("", "", *words))

    def run(self) -> list[nodes.Node]:
        """Read the argument as a title; without content, it needs the directive's name."""
        title = self.words(self.argument)
        if title and not self.content and not self.options:
            name = self.name.rpartition(":")[2]
            return [self.mark_entry(nodes.paragraph("", "", nodes.Text(f"{_to_words(name)}: "), *title))]
        return [*([self.make_bold(*title)] if title else []), *self.inside()]


class _Silent(_Any):
    def run(self) -> list[nodes.Node]:
        return []


class _Nothing(_Any):
    def run(self) -> list[nodes.Node]:
        if isinstance(self.state_machine.node, nodes.substitution_definition):
            self.state_machine.node["ltrim"] = 1
        return [nodes.inline()]


class _Only(_Any):
    """`only:: html and not draft`: what is for other formats is marked, in case that the document has some for pages.

    Tags of a project may hold or not; brackets are ignored.
    """

    def run(self) -> list[nodes.Node]:
        clauses = [clause.split(" and ") for clause in self.argument.translate(_BRACKETS).split(" or ")]
        conditions = [{" ".join(name.split()) for name in clause} for clause in clauses]
        if all(names & _OTHER_FORMATS for names in conditions):
            return [nodes.container("", *self.inside(), is_for_others=True)]
        if any("html" in names for names in conditions):
            self.state.document["has_pages"] = True
        return self.inside()


class _Glossary(_Any):
    """Terms and definitions; several terms above a definition are one here, because docutils knows no other."""

    def run(self) -> list[nodes.Node]:
        lines: list[str] = []
        for line in self.content:
            if lines and _TERM.match(line) and _TERM.match(lines[-1]):
                lines[-1] += f", {line}"
            else:
                lines.append(line)
        return self.inside(StringList(lines, ""))


class _Role(_Any):
    """The declaration of a role: one that is based on a role for code is code in this document."""

    def run(self) -> list[nodes.Node]:
        name, _, base = self.argument.rstrip(") ").partition("(")
        if base.strip() in SPELLED_ROLES | {"literal"}:
            self.state.document.setdefault("code_roles", set()).add(name.strip().lower())
        return []


class _Inside(_Any):
    """`only`, `container`, `tabs`: the argument is no text."""

    def run(self) -> list[nodes.Node]:
        return self.inside()


class _Class(_Any):
    """`class:: wrong`: what it says of the block below it, which a reader of the page sees as a colour."""

    def run(self) -> list[nodes.Node]:
        words = [JUDGEMENTS[name] for name in self.argument.split() if name in JUDGEMENTS]
        return [*(self.make_bold(nodes.Text(f"{word}:")) for word in words), *self.inside()]


class _Code(_Any):
    def run(self) -> list[nodes.Node]:
        lines = list(self.content)
        language = LANGUAGES.get(self.name, self.argument.split()[0] if self.argument else "")
        if self.name == "math" and self.argument:
            lines.insert(0, self.argument)
        if self.name == "productionlist":
            lines, language = _read_rules(self.argument) + lines, ""
        caption = self.words(self.options.get("caption", ""))
        block = nodes.literal_block("\n".join(lines), "\n".join(lines), language=language)
        return [*([self.make_bold(*caption)] if caption else []), block]


def _read_rules(argument: str) -> list[str]:
    """The rules of a grammar, which may have a group's name in their first line; tokens are words."""
    first, *rules = argument.split("\n")
    return [_TOKEN.sub(r"\1", rule) for rule in ([first, *rules] if ":" in first else rules)]


class _Note(_Any):
    def run(self) -> list[nodes.Node]:
        title = self.words(self.argument) or ([nodes.Text(NOTES[self.name])] if NOTES[self.name] else [])
        if self.name == "seealso":  # its argument is a text, not a title
            inside = [nodes.paragraph("", "", *self.words(self.argument)), *self.inside()]
            return [self.make_bold(nodes.Text("See also")), *inside]
        return [*([self.make_bold(*title)] if title else []), *self.inside()]


class _Change(_Any):
    def run(self) -> list[nodes.Node]:
        version, text = (*self.argument.split(maxsplit=1), "", "")[:2]
        label = nodes.emphasis("", CHANGES[self.name].format(version) + ":")
        first = nodes.paragraph("", "", label, nodes.Text(" "), *self.words(text))
        inside = self.inside()
        if not text and inside and isinstance(inside[0], nodes.paragraph):
            first += inside.pop(0).children
        return [first, *inside]


class _Object(_Any):
    """A function, a class, an option: its signatures, then its description."""

    def run(self) -> list[nodes.Node]:
        match = OBJECT.fullmatch(self.name)
        kind = match["kind"] if match else ""
        signatures = [line.strip().rstrip("\\") for line in self.argument.split("\n") if line.strip()]
        paragraphs: list[nodes.Element] = []
        for signature in signatures:
            prefix = [] if kind in ("describe", "object", "option", "cmdoption") else [nodes.Text(f"{kind} ")]
            paragraphs.append(nodes.paragraph("", "", *prefix, nodes.strong("", "", nodes.literal("", signature))))
        if len(paragraphs) == 1:
            self.mark_entry(paragraphs[0], is_object=kind not in ("setting", "confval"))
        return [*paragraphs, *self.inside()]


class _Contents(_Any):
    """A table of contents: the documents that it leads to, and no text."""

    def run(self) -> list[nodes.Node]:
        matches = [TITLED_ROLE.fullmatch(line.strip()) for line in self.content]
        names = [match["target"] if match else line.strip() for match, line in zip(matches, self.content, strict=True)]
        return [nodes.comment("", "", target=name) for name in names if name and not any(c in name for c in "*:")]


_READINGS: dict[str, type[Directive]] = {
    "class": _Class, "cssclass": _Class, "role": _Role, "rst-class": _Class, "toctree": _Contents, "only": _Only,
    "glossary": _Glossary, NOTHING: _Nothing, "program": _Silent,
}  # fmt: skip


def _directive(name: str) -> type[Directive] | None:
    """The reading of a directive; None for those of docutils that are fine."""
    if name in CODE:
        return _Code
    if name in _READINGS:
        return _READINGS[name]
    if name in SILENT:
        return _Silent
    if name in CHANGES:
        return _Change
    if name in NOTES:
        return _Note
    if name in INSIDE:
        return _Inside
    return _Object if OBJECT.fullmatch(name) else None


def _role(name: str, _: str, text: str, __: int, inliner: Any, *___: Any) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """The reading of a role that docutils does not know."""
    if name in SPELLED_ROLES or name.lower() in inliner.document.get("code_roles", ()):
        return [nodes.literal("", nodes.unescape(text, restore_backslashes=True))], []
    external = _EXTERNAL.match(name)
    name = name[external.end() :] if external else name
    if name.endswith("token") and text.startswith("~"):
        text = text.rpartition(":")[2]
    label, is_code, is_titled = read_role(name, text)
    label, text = label.replace("\x00", ""), text.replace("\x00", "")
    if not is_titled and _LINKED.fullmatch(name) and (inventory := _INVENTORY.match(label)):
        label = label[inventory.end() :]
    if is_code:
        return [nodes.literal("", label)], []
    if name == "doc" and not external:
        titled = TITLED_ROLE.fullmatch(text)
        link = nodes.reference("", "", refuri=f"{titled['target'] if titled else text}.rst", is_document=True)
        link += nodes.Text(label if is_titled else label.removesuffix("/index").rpartition("/")[2])
        return [link], []
    if name in _LABELS and not is_titled:
        return [nodes.inline("", _to_words(label), label=nodes.fully_normalize_name(text))], []
    return [nodes.inline("", label)], []


def _to_words(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")


def _read_numbered_role(
    name: str, source: str, text: str, line: int, inliner: Any, *others: Any
) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """The reading of a PEP or an RFC, which may have words of its own in Sphinx: `the style guide <8>`."""
    titled = TITLED_ROLE.fullmatch(text.replace("\x00", ""))
    digits, _, anchor = (titled["target"] if titled else text).partition("#")
    if not digits.isdecimal() or len(digits) > 6:
        return _role(name, source, text, line, inliner, *others)
    page = f"https://peps.python.org/pep-{int(digits):04}" if name == "pep" else f"{_RFC}{int(digits)}"
    label = titled["title"] if titled else f"{name.upper()} {int(digits)}"
    return [nodes.reference("", label, refuri=f"{page}#{anchor}" if anchor else page)], []


def _find_directive(name: str, *arguments: Any) -> Any:
    own_directive = _directive(name.lower())
    if own_directive is not None:
        return own_directive, []
    directive, messages = _own_directive(name, *arguments)
    return (directive, messages) if directive is not None else (_Any, [])


def _find_role(name: str, *arguments: Any) -> Any:
    if name in ("pep", "rfc"):
        return _read_numbered_role, []
    role, messages = (None, []) if name in ("raw", "code", "class", "index") else _own_role(name, *arguments)
    return (role, messages) if role is not None else (_role, [])


def use_sphinx_names() -> None:
    """Let docutils find a reading for every directive and role; it has one table for the whole process."""
    directives.directive, roles.role = _find_directive, _find_role


_own_directive, _own_role = directives.directive, roles.role  # this module is loaded once
