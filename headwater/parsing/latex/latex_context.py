"""Commands and environments of LaTeX whose arguments the library does not know.

Belongs here: their names and arguments. Not here: what becomes of them (`latex_markdown`). Guarantee: code is taken
as it is, up to the end of its environment.
"""

from pylatexenc.latexwalker import LatexCharsNode, LatexWalker, get_default_latex_context_db
from pylatexenc.macrospec import EnvironmentSpec, MacroSpec, ParsedVerbatimArgs, VerbatimArgsParser, std_environment

BOXES = {
    "multicolumn": "{{{", "multirow": "[{[{[{", "raisebox": "{[[{", "parbox": "[[[{{", "resizebox": "{{{",
    "scalebox": "{[{", "rotatebox": "[{{", "makebox": "[[{", "framebox": "[[{",
}  # fmt: skip
"""Commands of which the last argument is text, and the others are sizes and places; with all of them."""
_SIZED = {"rule": "[{{", "color": "[{", "bibitem": "[{", "column": "{", "lstinputlisting": "[{"}
"""Commands that say nothing to readers, with arguments."""
UNSEEN = frozenset({"comment", "tikzpicture", "filecontents", "filecontents*"})
"""Environments that say nothing to readers: drafts, drawings, other files."""
CODE = frozenset({"verbatim", "verbatim*", "lstlisting", "minted", "Verbatim", "alltt"})
STATEMENTS = frozenset({
    "abstract", "theorem", "lemma", "definition", "proof", "corollary", "proposition", "remark", "example", "exercise",
})  # fmt: skip


class _Verbatim(VerbatimArgsParser):  # type: ignore[misc] # the library has no types
    """Takes all up to the end of an environment as it is: a `$` or a brace in code is none of TeX's."""

    def __init__(self, name: str) -> None:
        super().__init__("verbatim-environment")
        self._end = f"\\end{{{name}}}"

    def parse_args(self, w: LatexWalker, pos: int, parsing_state: object = None) -> tuple[object, int, int]:
        """What the library calls, which itself knows the environment `verbatim` alone."""
        end = w.s.find(self._end, pos)
        length = (len(w.s) if end < 0 else end) - pos  # a file that breaks off is code to its end
        chars = w.s[pos : pos + length]
        node = w.make_node(LatexCharsNode, parsing_state=parsing_state, chars=chars, pos=pos, len=length)
        return ParsedVerbatimArgs(verbatim_chars_node=node), pos, length


def make_context() -> object:
    """What the library knows, and commands whose arguments it does not know."""
    context = get_default_latex_context_db()
    context.add_context_category(
        "headwater",
        prepend=True,
        macros=[
            MacroSpec("caption", "[{"),
            *(MacroSpec(name, "*[{") for name in ("paragraph", "subparagraph")),
            MacroSpec("url", "{"),
            MacroSpec("href", "{{"),
            MacroSpec("hyperref", "[{"),
            *(MacroSpec(name, arguments) for name, arguments in (BOXES | _SIZED).items()),
        ],
        environments=[
            *(EnvironmentSpec(name, args_parser=_Verbatim(name)) for name in sorted(CODE | UNSEEN)),
            *(std_environment(name, "{") for name in ("tabulary", "longtable", "multicols", "thebibliography")),
            std_environment("minipage", "[[[{"),
            std_environment("wrapfigure", "[{[{"),
            *(std_environment(name, "[") for name in sorted(STATEMENTS - {"abstract"})),
        ],
    )
    return context
