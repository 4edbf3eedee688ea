"""Parsing reStructuredText, with the directives and roles of Sphinx (SRC-6).

Belongs here: the parser, and docutils with everything off that reads other files. Not here: Sphinx's names
(`sphinx`), markdown (`rst_markdown`). Guarantee: no file is included, nothing raw is kept, no configuration file
is read; what is wrong in a file costs only itself.
"""

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.line_documents import make_line_document
from headwater.parsing.parser import File, Limits, Parser
from headwater.parsing.text import decode
from headwater.parsing.title_fields import read_fields

if TYPE_CHECKING:
    from docutils import nodes

_SETTINGS: dict[str, Any] = {
    "_disable_config": True,
    "docinfo_xform": False,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "line_length_limit": 20_000,
    "output_encoding": "unicode",
    "raw_enabled": False,
    "report_level": 5,
    "sectsubtitle_xform": False,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "traceback": True,
    "warning_stream": False,
}
_MAX_PARAGRAPH_CHARS = 200_000
_MAX_DEPTH = 40
_DEFINITION = re.compile(r"^[ \t]*+\.\.[ \t]++\|", re.MULTILINE)
_USED = re.compile(r"\|[^|\s][^|]{0,200}\|")
_MAX_SUBSTITUTIONS = 1_000
_MARKS = re.compile(r"[*`|_]")
_UNKNOWN_HERE = ("version", "release", "today")  # Sphinx takes them from the settings of a project
_CONTINUED = re.compile(r"\n[ \t]++")
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+")
_MAX_MARKS = 4_000  # in one paragraph: docutils looks for the end of each up to the paragraph's end


class RstParser(Parser):
    """Reads reStructuredText."""

    media_types: ClassVar[tuple[str, ...]] = ("text/x-rst", "text/prs.fallenstein.rst")
    suffixes: ClassVar[tuple[str, ...]] = (".rst", ".rest", ".rst.inc", ".rst.in", ".rst.txt")
    version: ClassVar[str] = "rst-12"
    limits: ClassVar[Limits | None] = Limits(seconds=60, megabytes=1_000)

    def prepare(self) -> None:
        """Import docutils."""
        from headwater.parsing.rst import rst_markdown, sphinx  # noqa: F401 - they import docutils

    def parse(self, file: File) -> ParsedDocument:
        """Read a file; its lines are its places."""
        from headwater.parsing.rst.rst_markdown import RstMarkdown

        source = decode(file.content)
        _check(source)
        try:
            writer = RstMarkdown(_tree(_join_fields(source) + _define_missing(source)))
            text = writer.text()
        except RecursionError as error:
            raise DocumentError("The file is nested too deeply. Move its innermost parts out.") from error
        return make_line_document(file, source, title=writer.title, text=text, links=writer.links)


def _tree(source: str) -> "nodes.document":
    from docutils.core import publish_doctree

    from headwater.parsing.rst.sphinx import use_sphinx_names

    use_sphinx_names()
    try:
        return publish_doctree(source, settings_overrides=_SETTINGS)
    except RecursionError:
        raise
    except Exception as error:  # docutils raises whatever its parts raise on odd input
        raise DocumentError(f"The file cannot be read as reStructuredText ({error}).") from error


def _join_fields(source: str) -> str:
    """A source whose fields at its very beginning, as in a PEP, are on one line each; other lines stay."""
    fields = read_fields(source)
    is_apart = source[len(fields) :].startswith("\n") or len(fields) == len(source)
    return _CONTINUED.sub(" ", fields) + source[len(fields) :] if is_apart else source


def _read_substitutions(source: str) -> Iterator[tuple[str, str]]:
    """The name of each substitution, and the text that it stands for."""
    for definition in _DEFINITION.split(source)[1:]:
        name, _, text = definition.partition("|")
        yield name, text.partition("\n\n")[0]


def _define_missing(source: str) -> str:
    """Definitions of what other substitutions use and a project defines elsewhere, as its name; a break is a blank.

    docutils fails there (`KeyError`), and shows the name itself everywhere else.
    """
    from headwater.parsing.rst.sphinx import NOTHING

    substitutions = list(_read_substitutions(source))
    used_names = [used[1:-1] for _, text in substitutions for used in _USED.findall(text)]
    spellings = {" ".join(name.lower().split()): " ".join(name.split()) for name in reversed(used_names)}
    known_names = {" ".join(name.lower().split()) for name, _ in substitutions}
    meanings = {name: f"replace:: {spellings[name]}" for name in sorted(spellings.keys() - known_names)}
    meanings |= {"br": "unicode:: 0x20\n   :trim:"} if "br" in meanings else {}
    meanings |= {name: f"{NOTHING}::" for name in _UNKNOWN_HERE if f"|{name}|" in source and name not in known_names}
    return "".join(f"\n\n.. |{name}| {meaning}" for name, meaning in meanings.items())


def _check(source: str) -> None:
    """Refuse what takes docutils more than linear time: long paragraphs full of markup, nesting, and growing texts.

    Raises:
        DocumentError: there is some.
    """
    open_indents: list[int] = []
    for line in filter(None, map(str.rstrip, source.split("\n"))):
        indent = len(line) - len(line.lstrip())
        while open_indents and open_indents[-1] >= indent:
            open_indents.pop()
        open_indents.append(indent)
        if len(open_indents) > _MAX_DEPTH:
            raise DocumentError(f"The file is nested more than {_MAX_DEPTH} levels deep. Move its innermost parts out.")
    grown = math.prod(max(1, len(_USED.findall(text))) for _, text in _read_substitutions(source))
    if grown > _MAX_SUBSTITUTIONS:  # each may stand in the one before
        raise DocumentError("Its substitutions hold each other and would grow without bound. Write their text out.")
    for lines in source.split("\n\n"):
        for paragraph in _split_items(lines.strip("\n"), _MAX_DEPTH):
            if len(paragraph) > _MAX_PARAGRAPH_CHARS or len(_MARKS.findall(paragraph)) > _MAX_MARKS:
                raise DocumentError("A paragraph is too long to be read as reStructuredText. Add blank lines.")


def _split_items(lines: str, depth: int) -> Iterator[str]:
    """The items of a bullet list that stands in lines without a blank one, such as the cells of a table that is a list.

    Yields:
        What docutils reads as one paragraph, or more of it; `lines` themselves if they do not begin with a bullet. A
        line that is not indented ends the list, and all from there on is one paragraph.
    """
    bullet = _BULLET.match(lines)
    if not bullet or not depth:
        yield lines
        return
    items: list[list[str]] = []
    every_line = lines.split("\n")
    for line_number, line in enumerate(every_line):
        if not line.startswith((bullet[0], " " * len(bullet[0]))):
            yield "\n".join(every_line[line_number:])
            break
        if line.startswith(bullet[0]):
            items.append([])
        items[-1].append(line[len(bullet[0]) :])
    for item in items:
        yield from _split_items("\n".join(item), depth - 1)
