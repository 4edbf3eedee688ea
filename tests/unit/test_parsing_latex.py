r"""LaTeX becomes markdown (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.latex.parser import LatexParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for

PAPER = r"""\documentclass[11pt]{article}
\usepackage{amsmath} % a comment
\newcommand{\pump}[1]{the #1}
\title{The \emph{Pump}: a study}
\author{A. Author}
\begin{document}
\maketitle
\begin{abstract}
It costs 5\% more.
\end{abstract}
\section{Parts}\label{sec:parts}
It lifts \textbf{water}~\cite{a,b}, see \url{https://pump.example}.\index{pump!water}
M\"uller said ``yes'' --- at 5\,km.\footnote{Or \emph{so}.} Here $x^2$ is.

A second paragraph has \href{https://b.example}{a link}, \texttt{code}, \verb|a b| and \mine{kept}.
\subsection*{Lists}
\begin{itemize}
\item one
\item two
  \begin{enumerate}
  \item inner
  \end{enumerate}
\end{itemize}
\begin{description}\item[Flow] litres\item[\textbf{Head}] metres\end{description}
\begin{equation}
E = mc^2
\end{equation}
\begin{table}[ht]\centering
\caption{Limits}
\begin{tabular}{|l|r|}
\hline
size & flow \\ \hline
small & 40\% \\
\end{tabular}
\end{table}
\begin{lstlisting}[language=Python]
def f():
    return "$x$"
\end{lstlisting}
\begin{theorem}[Main]
All pumps leak.
\end{theorem}
\input{/etc/passwd}
\begin{mine}text in it\end{mine}
\end{document}
after it
"""


def parsed(text: str) -> ParsedDocument:
    """What is made of a file."""
    return LatexParser().parse(File(content=text.encode(), uri="papers/pump.tex", root="papers"))


def test_a_paper_becomes_markdown() -> None:
    """Sections, lists, tables, code, formulas; what only sets the page is left out."""
    document = parsed(PAPER)
    assert document.title == "The Pump: a study"
    assert document.text == (
        "# The Pump: a study\n\n"
        "**Abstract.**\n\nIt costs 5% more.\n\n"
        "## Parts\n\n"
        "It lifts **water**, see <https://pump.example>. Müller said “yes” — at 5 km. (Or *so*.) Here $x^2$ is.\n\n"
        "A second paragraph has [a link](https://b.example), `code`, `a b` and kept.\n\n"
        "### Lists\n\n"
        "- one\n- two\n\n  1. inner\n\n"
        "- **Flow**: litres\n- **Head**: metres\n\n"
        "$$\n\\begin{equation}\nE = mc^2\n\\end{equation}\n$$\n\n"
        "Limits\n\n"
        "| size | flow |\n| --- | --- |\n| small | 40% |\n\n"
        '```python\ndef f():\n    return "$x$"\n```\n\n'
        "**Theorem (Main).**\n\nAll pumps leak.\n\n"
        "text in it"
    )


def test_its_lines_are_known() -> None:
    """A citation opens the line."""
    document = parsed(PAPER)
    assert document.places is not None
    start = document.text.index("All pumps leak")
    place = document.places.between(start, start + 9, text=document.text)
    assert place is not None
    assert PAPER.split("\n")[int(place.first) - 1] == "All pumps leak."


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (r"\chapter{Pumps} text", "# Pumps\n\ntext"),
        (r"\section{A} a \paragraph{B} b", "# A\n\na\n\n#### B\n\nb"),
        (r"$open", "$open"),
        (r"\section{A} $\partial x$", "# A\n\n$\\partial x$"),
        (r"\begin{itemize} \item a", "- a"),
        (r"\textbf{open", "**open**"),
        ("\\begin{verbatim}\na % b\n\\end{verbatim}", "```\na % b\n```"),
        (r"\begin{tabular}{l}\end{tabular}", ""),
        (r"\begin{quote}a\end{quote}", "> a"),
        (r"a % gone", "a"),
        (r"\ref{a}{\em b} \hyperref[sec:a]{Part A} \crefrange{d}{e}", "ab Part A de"),
        (r"see \cref{sec:a} and Section~\ref{sec:b}, (\eqref{c}) \cite{d}", "see sec:a and Section sec:b, (c)"),
        (r"\# \& \{", "# & {"),
    ],
)
def test_pieces_of_markup(markup: str, text: str) -> None:
    """Also what is never closed."""
    assert parsed(markup).text.strip().replace("\\#", "#") == text


def test_a_chapter_is_the_title_of_its_file() -> None:
    """A file of a book has no title of its own."""
    assert parsed(r"\chapter{Pumps} text").title == "Pumps"


def test_nesting_without_end_is_refused() -> None:
    """A message, not a stack overflow (SEC-1)."""
    with pytest.raises(DocumentError, match="nested too deeply"):
        parsed(r"\title{" * 900)
    with pytest.raises(DocumentError, match="nested too deeply"):
        parsed(r"\begin{center}" * 90 + "a" + r"\end{center}" * 90)


def test_files_are_read_by_their_names() -> None:
    """Whatever their first lines look like."""
    assert isinstance(parser_for(rb"\section{A}", "a.tex"), LatexParser)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # Code is no TeX: a `$` or a brace in it made the rest of the file code.
        (r"""\begin{lstlisting}[language=bash,
caption={the [first]}]
echo $HOME { %d
\end{lstlisting}
After.""", "```bash\necho $HOME { %d\n```\n\nAfter."),
        ("\\begin{minted}[linenos]{py}\nd = {\n\\end{minted} after", "```py\nd = {\n```\n\nafter"),
        ("\\begin{Verbatim}[fontsize=\\small]\n$x\n\\end{Verbatim} after", "```\n$x\n```\n\nafter"),
        # Files that break off.
        ("Before.\n\n\\begin{verbatim}\nx $", "Before.\n\n```\nx $\n```"),
        (r"Here \href", "Here"),
        (r"\title{\begin{center}\section{A}\end{center}} Text", "# # A\n\nText"),
        # Sizes and places are no text.
        (r"\begin{tabular}{ll} a & b \\ \multicolumn{2}{c}{wide} \\ \multirow{2}{*}{x} & \rule{1cm}{2cm}z\end{tabular}",
         "| a | b |\n| --- | --- |\n| wide |  |\n| x | z |"),
        (r"\parbox[t]{3cm}{p} \raisebox{2pt}{r} \makebox[3cm]{m} \color{red}", "p r m"),
        (r"\begin{minipage}[t]{3cm}m\end{minipage}", "m"),
        (r"\begin{thebibliography}{9}\bibitem{k} Knuth.\end{thebibliography}", "Knuth."),
        # Drafts, drawings.
        (r"\begin{comment} secret { \end{comment}a \begin{tikzpicture}\draw (0,0);\end{tikzpicture}", "a"),
        (r"\LaTeX{} \S 5", "LaTeX \u00a75"),
        (r"\begin{theorem}[Euler] It holds.\end{theorem}", "**Theorem (Euler).**\n\nIt holds."),
    ],
)  # fmt: skip
def test_what_people_write_is_read(source: str, expected: str) -> None:
    """Without sizes, drafts and drawings, and however the file ends."""
    assert parsed(source).text.split() == expected.split()


def test_the_text_is_the_same_tomorrow() -> None:
    r"""`\today` gave the day of the sync, so that each full sync made a new version."""
    assert parsed(r"Printed on \today.").text == "Printed on."
