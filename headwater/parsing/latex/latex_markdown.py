"""LaTeX as markdown.

Belongs here: sections, lists, tables, code, formulas, emphasis, what is left out. Not here: parsing, and the names of
characters (pylatexenc does both), what it does not know (`latex_context`). Guarantee: no macro is expanded; a formula
stays as it is written; text in commands that are not known is kept; the text is the same on each day.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import (
    LatexCharsNode,
    LatexCommentNode,
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexMathNode,
    LatexNode,
    LatexSpecialsNode,
    LatexWalker,
)

from headwater.errors import DocumentError
from headwater.parsing.latex.latex_context import BOXES, CODE, STATEMENTS, UNSEEN, make_context
from headwater.parsing.markdown.writer import bold, fence_code, indent_block, item, pipe_table, plain_markdown

_DOCUMENT = re.compile(r"\\begin\s*\{document\}(?P<body>.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_TITLE = re.compile(r"\\title\b\s*(?:\[[^\]]{0,500}\]\s*)?(?=\{)")
_LEVELS = {
    "part": 0,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_SIGNS = {"emph": "*", "textit": "*", "textsl": "*", "textbf": "**", "texttt": "`", "verb": "`", "lstinline": "`"}
_DROPPED = re.compile(
    r"\w*index\w*|\w*cite\w*|label\w*|[vh]space|includegraphics|input|include|bibliography(?:style)?|use\w+"
    r"|documentclass|(?:re)?new\w+|\w*style|set\w+|addto\w+|hypersetup|title|author|date|tableofcontents|maketitle|hline"
    r"|(?:top|mid|bottom)rule|cline|centering|printbibliography|pagenumbering|noindent|clearpage|newpage|begingroup|endgroup"
    r"|today|rule|color|bibitem|column|lstinputlisting"
)
"""Commands that say nothing to readers of the text, with their arguments; and today, which is another one each day."""
_REFERENCE = re.compile(r"(?!href|hyperref)\w*ref\*?")
"""Commands that refer to a label; it stands in the text for the number, which only LaTeX knows."""
_LABEL = re.compile(r"\{[\w:.,+* /-]+\}")
_FORMULAS = frozenset({
    "equation", "align", "gather", "multline", "eqnarray", "displaymath", "math", "flalign", "alignat", "equation*",
    "align*", "gather*", "multline*", "eqnarray*", "flalign*", "alignat*",
})  # fmt: skip
_TABLES = frozenset({"tabular", "tabular*", "tabularx", "longtable", "tabulary"})
_NAMES = {"LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "TeX": "TeX", "S": "§", "P": "¶"}
_LISTINGS = re.compile(
    r"\\begin\{(?:(?:lstlisting|Verbatim)\}(?:\[(?:[^\[\]{}]|\{[^{}]*\})*+\])?"
    r"|minted\}(?:\[(?:[^\[\]{}]|\{[^{}]*\})*+\])?(?:\{(?P<language>[\w+#-]{1,30})\})?)"
)
_CODE_END = re.compile(r"\\end\s*\{[A-Za-z*]{1,20}\}\s*\Z")
_LANGUAGE = re.compile(r"language=\{?(?P<language>[\w+#-]{1,30})")
_LOOSE = re.compile(r" +([,.;])(?=\s|$)")  # behind a reference that is left out
_MAX_DEPTH = 60
_MAX_LEVEL = 6


class LatexDocument:
    """A LaTeX file as markdown, and its title."""

    def __init__(self, source: str) -> None:
        document = _DOCUMENT.search(source)
        self._body = document["body"] if document else source
        self._depth = 0
        self._top = min((level for name, level in _LEVELS.items() if re.search(rf"\\{name}\b", self._body)), default=2)
        self._characters = LatexNodes2Text(math_mode="verbatim", keep_comments=False)
        self.title = ""
        self.title = self._read_title(source)

    def _read_title(self, source: str) -> str:
        title = _TITLE.search(source)
        if title is None:
            return ""
        with suppress(RecursionError):  # what nests so deeply is no title, and the text says so, too
            group, _, _ = LatexWalker(source, tolerant_parsing=True).get_latex_expression(title.end())
            return re.sub(r"[*`]", "", " ".join(self._inline([group]).split()))
        return ""

    def text(self) -> str:
        """The whole text.

        Raises:
            DocumentError: it is nested too deeply.
        """
        self._depth = 0  # a title may have been given up within
        try:
            nodes, _, _ = LatexWalker(self._body, latex_context=make_context(), tolerant_parsing=True).get_latex_nodes()
            blocks = self._blocks(nodes)
        except RecursionError as error:
            raise DocumentError("The file is nested too deeply. Move its innermost parts out.") from error
        heading = [f"# {self.title}"] if self.title else []
        return "\n\n".join([*heading, *blocks])

    def _blocks(self, nodes: Sequence[LatexNode]) -> list[str]:
        """The blocks of some nodes: paragraphs, and what stands between them."""
        blocks: list[str] = []
        run: list[LatexNode] = []
        for node in nodes:
            if (write := self._writer_of(node)) is not None:
                blocks += [*self._paragraphs(run), *write(node)]
                run = []
            else:
                run.append(node)
        return [block for block in [*blocks, *self._paragraphs(run)] if block.strip()]

    def _writer_of(self, node: LatexNode) -> Callable[..., list[str]] | None:
        """What writes a node that is a block; None for what stands in a line."""
        if isinstance(node, LatexEnvironmentNode):
            return self._environment
        if isinstance(node, LatexMacroNode) and node.macroname in _LEVELS:
            return self._heading
        return self._caption if isinstance(node, LatexMacroNode) and node.macroname == "caption" else None

    def _paragraphs(self, nodes: Sequence[LatexNode]) -> Iterator[str]:
        for paragraph in re.split(r"\n[ \t]*\n\s*", self._inline(nodes)):
            if words := _LOOSE.sub(r"\1", " ".join(paragraph.split())):
                yield plain_markdown(words)

    def _heading(self, node: LatexMacroNode) -> list[str]:
        level = min(_LEVELS[node.macroname] - self._top + 1 + bool(self.title), _MAX_LEVEL)
        words = " ".join(self._inline(_arguments(node)[-1:]).split())
        return [f"{'#' * max(level, 1)} {words}"] if words else []

    def _caption(self, node: LatexMacroNode) -> list[str]:
        return list(self._paragraphs(_arguments(node)[-1:]))

    def _environment(self, node: LatexEnvironmentNode) -> list[str]:
        name = node.environmentname
        if name in UNSEEN:
            return []
        if name in CODE:
            return [self._code(node)]
        if name in _FORMULAS:
            return [f"$$\n{node.latex_verbatim().strip()}\n$$"]
        if name in _TABLES:
            return [self._table(node.nodelist)]
        if name in ("itemize", "enumerate", "description"):
            return ["\n".join(self._items(node))]
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise RecursionError
        blocks = self._blocks(node.nodelist)
        self._depth -= 1
        if name in ("quote", "quotation", "verse"):
            return [indent_block("\n\n".join(blocks), "> ").replace("\n\n", "\n>\n")]
        if name not in STATEMENTS:
            return blocks
        called = self._inline(_arguments(node)).strip().strip("[]")
        return [bold(f"{name.capitalize()}{f' ({called})' if called else ''}."), *blocks]

    def _code(self, node: LatexEnvironmentNode) -> str:
        source = node.latex_verbatim()
        begin = _LISTINGS.match(source)
        stated = begin["language"] if begin and begin["language"] else ""
        option = _LANGUAGE.search(begin[0]) if begin else None
        start = begin.end() if begin else source.index("}") + 1
        code = _CODE_END.sub("", source[start:])  # of a file that breaks off, it has none
        return fence_code(code, stated or (option["language"].lower() if option else ""))

    def _items(self, node: LatexEnvironmentNode) -> Iterator[str]:
        """The items of a list; what stands before the first is none."""
        items: list[tuple[str, list[LatexNode]]] = []
        for child in node.nodelist:
            if isinstance(child, LatexMacroNode) and child.macroname == "item":
                items.append((self._inline(_arguments(child)).strip().strip("[]"), []))
            elif items:
                items[-1][1].append(child)
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise RecursionError
        for ordinal, (term, nodes) in enumerate(items, 1):
            blocks = self._blocks(nodes)
            words = f"{bold(term)}: {blocks[0] if blocks else ''}".rstrip() if term else (blocks[0] if blocks else "")
            yield item("\n\n".join([words, *blocks[1:]]), f"{ordinal}." if node.environmentname == "enumerate" else "-")
        self._depth -= 1

    def _table(self, nodes: Sequence[LatexNode]) -> str:
        rows: list[list[list[LatexNode]]] = [[[]]]
        for node in nodes:
            if isinstance(node, LatexMacroNode) and node.macroname in ("\\", "tabularnewline"):
                rows.append([[]])
            elif isinstance(node, LatexSpecialsNode) and node.specials_chars == "&":
                rows[-1].append([])
            else:
                rows[-1][-1].append(node)
        cells = [[" ".join(self._inline(cell).split()) for cell in row] for row in rows]
        return pipe_table([row for row in cells if any(row)])

    def _inline(self, nodes: Sequence[LatexNode]) -> str:
        """What stands in lines."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise RecursionError
        texts: list[str] = []
        takes_groups = refers = False  # the library does not know that the groups behind such a command are arguments
        for node in nodes:
            is_label = isinstance(node, LatexGroupNode) and _LABEL.fullmatch(node.latex_verbatim()) is not None
            if takes_groups and isinstance(node, LatexGroupNode) and (is_label or not refers):
                texts.append(_read_label(node) if refers else "")
                continue
            name = node.macroname if isinstance(node, LatexMacroNode) else ""
            refers = _REFERENCE.fullmatch(name) is not None
            takes_groups = refers or _DROPPED.fullmatch(name) is not None
            if refers:
                texts.extend(map(_read_label, _arguments(node)))
            elif not takes_groups:
                texts.append(self._write(node))
        self._depth -= 1
        return "".join(texts)

    def _write(self, node: LatexNode) -> str:
        if isinstance(node, LatexCharsNode):
            return str(node.chars)
        if isinstance(node, LatexCommentNode):
            return ""
        if isinstance(node, LatexMathNode):
            return str(node.latex_verbatim())
        if isinstance(node, LatexGroupNode):
            return self._inline(node.nodelist)
        if isinstance(node, LatexMacroNode):
            return self._macro(node)
        if isinstance(node, LatexEnvironmentNode):
            return " ".join(self._environment(node))
        return "\n\n" if node.specials_chars == "\n\n" else self._read_characters(node)

    def _read_characters(self, node: LatexNode) -> str:
        """The characters that a command stands for; none if the library fails at arguments that are not there."""
        with suppress(AttributeError, IndexError, KeyError, ValueError):
            return str(self._characters.node_to_text(node))
        return ""

    def _macro(self, node: LatexMacroNode) -> str:
        name = node.macroname
        if name in _SIGNS:
            words = self._inline(_arguments(node)).strip()
            sign = _SIGNS[name]
            return "" if not words else bold(words) if sign == "**" else f"{sign}{words}{sign}"
        arguments = _arguments(node)
        if name in ("href", "url"):
            address, label = self._inline(arguments[:1]), self._inline(arguments[1:])
            return f"[{label}]({address})" if label else f"<{address}>" if address else ""
        if name == "hyperref":
            return self._inline(arguments[-1:])
        if name in ("footnote", "thanks"):
            return f" ({' '.join(self._inline(arguments[-1:]).split())})"
        if name in BOXES:
            return self._inline(arguments[-1:])
        if name in _NAMES:
            return _NAMES[name]
        if name in ("\\", "par", "newline"):
            return "\n\n" if name == "par" else " "
        characters = self._read_characters(node)
        return characters if characters.strip() or not arguments else self._inline(arguments)


def _read_label(argument: LatexNode) -> str:
    return str(argument.latex_verbatim()).strip("{} ")


def _arguments(node: LatexMacroNode | LatexEnvironmentNode) -> list[LatexNode]:
    """The arguments that are there; the star of a starred command is none."""
    arguments = node.nodeargd.argnlist if node.nodeargd is not None else ()
    return [argument for argument in arguments or () if argument is not None and argument.latex_verbatim() != "*"]
