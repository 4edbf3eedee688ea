"""Work grows with the text and not with its square, whatever the text: counted, not timed (SEC-1, CHK-2).

Belongs here: texts that are hard on parsers, chunkers and the rules for questions, at a size and at twice that size.
Not here: what becomes of them (the tests of each module have the same texts at full length).
"""

import random
import re
from collections.abc import Callable
from functools import partial
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.chunking import (
    chunker,
    code_chunker,
    markdown_chunker,
    markdown_links,
    packer,
    prose_chunker,
    quality,
    sentences,
    snippets,
    syntax,
)
from headwater.chunking.chunker import chunk_text
from headwater.chunking.packer import Sizes, cut_lines, pack
from headwater.chunking.sentences import sentence_spans
from headwater.domain.documents import ChunkKind
from headwater.parsing import rfc_texts, vim_help_lines, vim_texts, yaml_text
from headwater.parsing.asciidoc import blocks as asciidoc_blocks
from headwater.parsing.asciidoc import cell_blocks as asciidoc_cells
from headwater.parsing.asciidoc import inline as asciidoc_inline
from headwater.parsing.asciidoc import lines as asciidoc_lines
from headwater.parsing.asciidoc import listings as asciidoc_listings
from headwater.parsing.asciidoc import lists as asciidoc_lists
from headwater.parsing.asciidoc import macros as asciidoc_macros
from headwater.parsing.asciidoc import tables as asciidoc_tables
from headwater.parsing.asciidoc.blocks import AsciiDoc
from headwater.parsing.docbook import docbook_entities
from headwater.parsing.dokuwiki import dokuwiki_html
from headwater.parsing.markdown import docc, edits, fence_directives, headings, hexo_tags, roles
from headwater.parsing.markdown import parser as markdown_files
from headwater.parsing.markdown.fence_directives import plain_directives
from headwater.parsing.markdown.parser import parse_markdown
from headwater.parsing.openapi import parser as openapi_parser
from headwater.parsing.org import org_inline, org_markdown
from headwater.parsing.org.org_markdown import OrgDocument
from headwater.parsing.parser import File
from headwater.parsing.pod import pod_inline, pod_markdown
from headwater.parsing.pod.pod_markdown import PodDocument
from headwater.parsing.rfc_texts import RfcTextParser
from headwater.parsing.texinfo import texinfo_inline, texinfo_markdown, texinfo_source
from headwater.parsing.texinfo.texinfo_markdown import TexinfoDocument
from headwater.parsing.troff import escapes, formatted_page, man, manual_page, mdoc, mdoc_words, requests
from headwater.parsing.troff.man import Man
from headwater.parsing.troff.mdoc import Mdoc
from headwater.parsing.vim_texts import VimTextParser
from headwater.parsing.wikitext import wikitext_html, wikitext_lines
from headwater.parsing.wikitext.wikitext_html import to_html
from headwater.quote import (
    block_reader,
    breadcrumbs,
    fragment_evidence,
    fragments,
    inline_cleanup,
    plain_blocks,
    quote_markdown,
    selection,
    stretches,
    windows,
)
from headwater.quote.breadcrumbs import breadcrumb_at
from headwater.quote.inline_cleanup import bold, clean_inline
from headwater.quote.quote_markdown import render
from headwater.retrieval import trust
from headwater.retrieval.excerpts import excerpt
from headwater.retrieval.trust import question_weights
from headwater.understanding import code_split, entities, intents, language_detector, words
from headwater.understanding import question as understanding
from headwater.understanding.question import understand
from tests.fragments import fragments as fragments_of
from tests.fragments import selections
from tests.passages import passage
from tests.work import Matcher, counted

pytestmark = pytest.mark.attacks
Text = Callable[[int], str]
_MOST = 2.75
"""How many times as much work twice the text may be: a square makes it 4, sorting or halving a little more than 2."""
_LEAST = 5_000  # of work that says how it grows
PARSING = (markdown_files, headings, yaml_text, edits, fence_directives, roles, docc, hexo_tags)
DIRECTIVES = (fence_directives, roles)
ORG = (org_markdown, org_inline)
POD = (pod_markdown, pod_inline)
TEXINFO = (texinfo_source, texinfo_markdown, texinfo_inline)
WIKITEXT = (wikitext_html, wikitext_lines)
DOKUWIKI = (dokuwiki_html, wikitext_lines)
ASCIIDOC = (
    asciidoc_blocks,
    asciidoc_cells,
    asciidoc_inline,
    asciidoc_lines,
    asciidoc_listings,
    asciidoc_lists,
    asciidoc_macros,
    asciidoc_tables,
)
TROFF = (escapes, man, mdoc, mdoc_words, manual_page, requests)
CHUNKING = (
    chunker,
    code_chunker,
    markdown_links,
    markdown_chunker,
    packer,
    prose_chunker,
    quality,
    sentences,
    snippets,
    syntax,
    headings,
)
QUOTING = (
    block_reader,
    breadcrumbs,
    fragment_evidence,
    fragments,
    inline_cleanup,
    plain_blocks,
    quote_markdown,
    selection,
    stretches,
    sentences,
    windows,
)
ASKING = (understanding, code_split, entities, intents, language_detector, words)


def _growth(modules: tuple[ModuleType, ...], work: Callable[[str], object], text: Text, size: int = 40) -> float:
    """How many times as much work a text of twice the size is, from a size on at which that can be said."""
    work(text(1))  # what is made once
    once = _amount(modules, work, text(size))
    while True:
        twice = _amount(modules, work, text(2 * size))
        if once >= _LEAST or size >= 1_000:
            return twice / once
        size, once = 2 * size, twice


def _amount(modules: tuple[ModuleType, ...], work: Callable[[str], object], text: str) -> int:
    with counted(*modules) as done:
        work(text)
    return done.total


FILES: dict[str, Text] = {
    "attributes": lambda n: "<A" + ' a="b"' * n,
    "braced attributes": lambda n: "<A" + " a={b{c}d}" * n + " a={",
    "nested braces": lambda n: "<A a={" + "{}" * n,
    "tag and spaces": lambda n: "<A" + " " * n,
    "tag and newlines": lambda n: "<A" + "\n" * n,
    "tags": lambda n: "<A>" * n + "x",
    "open tags": lambda n: "<A b\n" * n,
    "braces": lambda n: "{" * n,
    "comments": lambda n: "<!--" * n,
    "braced comments": lambda n: "{/*" * n,
    "links": lambda n: "](" * n,
    "links and spaces": lambda n: "](a " * n,
    "links and brackets": lambda n: "[a](" * n,
    "link and newlines": lambda n: "](" + "\n" * n,
    "definitions": lambda n: "[a]:" * n,
    "open definitions": lambda n: "[a\n" * n,
    "rules": lambda n: "---\n" * n,
    "imports": lambda n: "import " * n,
    "import and spaces": lambda n: "import" + " " * n,
    "open imports": lambda n: "import {\n" * n,
    "exports": lambda n: "export const a\n\n" * n,
    "newlines": lambda n: "a" + "\n" * n + "x",
    "heading and spaces": lambda n: "# a" + " " * n + "b",
    "heading and marks": lambda n: "# a" + "#" * n + "x",
    "heading and ticks": lambda n: "# " + "``a```b " * n,
    "setext": lambda n: "a" * n + "\n" + "=" * n + "x",
    "ticks": lambda n: "`a " * n,
    "run of ticks": lambda n: "`" * n,
    "fences": lambda n: "```\n" * (2 * n + 1),
    "quoted fences": lambda n: "> ```\n> a\n" * n,
    "quotations": lambda n: "> " * n + "```",
    "numbers": lambda n: "1. " * n + "`",
    "edit and spaces": lambda n: "<!-- a -->b" + " " * n + "\nc",
    "quotations between tags": lambda n: "{% quote a %}\nb\n" * n,
    "directives of DocC": lambda n: "@Options {\n" * n,
    "directive of DocC and spaces": lambda n: "@Options" + " " * n,
    "terms of DocC": lambda n: "- term `a\n" * n,
    "raw code": lambda n: "`" + "{% raw %}" * n + "{% endraw `",
    "edits": lambda n: "a <!-- b\n--> c\n" * n,
}


@pytest.mark.parametrize("uri", ["a.md", "a.mdx"])
@pytest.mark.parametrize("name", FILES)
def test_reading_a_file_costs_its_length(name: str, uri: str) -> None:
    """Every expression takes steps in proportion to the text (SEC-1)."""
    assert _growth(PARSING, lambda text: parse_markdown(text, uri=uri), FILES[name]) < _MOST


ASCIIDOC_PIECES = (
    "*", "_a ", "[", "[[a", "<<", "link:", "https://", "a::\n", "* a\n", "** a\n", ". a\n+\n", "+\n", "----\n",
    "-----\n", "====\na\n", "|===\n", "|a\n", "`a ", "``", "+++", "((a", "\\", "a;;\n", "[NOTE]\n", "a:: ", "image::",
    "\n", " a\n", "'`", "a\n", ".a\n", "=\n", "^a ", "{a}", "[.a]",
    "++", "`+", "a:b[", "_a_b", "https://a", "&#", "|===\na|", "* a\n\n+\n\n", "++++\n<b", ":a: b \\\n", '"`a',
    '[source,subs="', "++a+b", "* a\n\n b\n",
)  # fmt: skip
FORMATTED_PIECES = (
    "       -a\n              b\n\n", "       -a\n\n", "       -a     b\n", "       o      b\n\n", "   A\n",
    "       a b c\n           d\n", " ", "       a-\n", "              b\n\n", "       A(1)   ",
)  # fmt: skip
TROFF_PIECES = (
    "\\", "\\f", "\\f[", "\\(", "\\*(", "\\s", ".", ".TP\n", ".RS\n", ".IP x\n", '"', '.B "a" ', ".if n \\{\n",
    "T{\n", ".nf\n", ".TS\n", "\\fBa\\fI", ".Bl -tag\n.It x\n", ".Op Fl a\n", ".Nm a Ns ", "a\\\n", " a\n", ".Em a\n",
)  # fmt: skip


ORG_PIECES = (
    "*", "* a\n", "- a\n", " - a ::\n", "#+begin_src\n", "#+end_src\n", ":A:\n", "|a", "|-\n", "[[a]", "[[a][", "[fn:",
    "[fn::a ", "<2026-01-01", "=a ", "*a ", "/a", "_", "~", "+ ", "1. ", ": a\n", "#+A:", "#\n", "<<", "a\n",
)  # fmt: skip
RFC_PIECES = (
    "a\n", "\n", "1. A\n\n", "x [Page 1]\n\f\n", " ", "A  ", ". ", "Contents\n\n", "A\n\n", "[", "   a\n\n",
)  # fmt: skip
POD_PIECES = (
    "C<", "C<< ", "L<a|", "L<a/", "|", ">", " >>", "E<lt>", "B<a I<", "=over\n\n", "=item a\n\n", "=item *\n\n",
    "=back\n\n", "=begin a\n\n", "=head1 NAME\n\n", "=cut\n\n", " a\n\n", "a\n\n", "\n", " ", "=", "A", "a\n",
)  # fmt: skip
TEXINFO_PIECES = (
    "@", "@code{", "{", "}", "@m{", "@m{a}\n", "@m{\n", "@item a\n", "@table @x\n", "@itemize\n@item\n", "@ignore\n",
    "@ifset a\n", "@macro a{b}\n", "@verb{|", "@c", "@value{", "@deffn a b\n", "@deffn {a\n", "@multitable\n",
    "@tab ", "@end table\n", "@ref{a,", "@'", "@emph{a@strong{", "@alias a=b\n", " ", "``", "\n", "@chapter a\n",
)  # fmt: skip
WIKITEXT_PIECES = (
    "'''", "''", "*", "#", ";", ":", "<pre>", "<nowiki>", "<!--", "<source lang=a>\n", "<math>", "</b>", "__A", "\n",
    " a\n", "[[http://a|", "[[File:a|", "{|\n", "|-\n",
)  # fmt: skip


DOKUWIKI_PIECES = (
    "**", "**a", "//a", "://", "''a", "__", "<code>", "<box|", "</b", "<a ", "%%", "((a", "((a(b)", "{{a", "[[a",
    "[[a|", "== a", "== a ==\n", "  * a\n", "  ", "|a", "^", "|a\n", "\\\\ ", "~~A", "\n", "  a\n",
)  # fmt: skip


DIRECTIVE_PIECES = (
    "```{x}\n", "```{note}\n", "```{r}\n", "```{toctree}\n", ":::{note}\n", "::: {.a}\n", ":::\n", "````{r}\n```\n",
    "{a}`", "{a}`b`", "[a]{.", "`", "``", " ", "---\n", ":a: b\n", "#| a\n", "(a)=\n", "```{r, fig.cap='", "a\n", "\n",
)  # fmt: skip


@pytest.mark.parametrize("piece", DIRECTIVE_PIECES)
@pytest.mark.parametrize("begin", ["```{x}\n```\n", "```{note}\n", "```{r}\n", "```"])
def test_reading_directives_costs_their_length(begin: str, piece: str) -> None:
    """Whatever is opened and never closed (SEC-1)."""
    read = lambda text: plain_directives(text, edits.Edits())  # noqa: E731
    assert _growth(DIRECTIVES, read, lambda n: f"{begin}{piece * n}`\n", size=200) < _MOST


@pytest.mark.parametrize("piece", ORG_PIECES)
def test_reading_org_costs_its_length(piece: str) -> None:
    """Whatever is opened and never closed (SEC-1)."""
    assert _growth(ORG, lambda text: OrgDocument(text).text(), lambda n: piece * n) < _MOST


@pytest.mark.parametrize(("begin", "end"), [("- a", "b"), ("1. [ ] a", ":: b")])
def test_reading_a_line_of_org_costs_its_length(begin: str, end: str) -> None:
    """However many blanks stand in it (SEC-1)."""
    assert _growth(ORG, lambda text: OrgDocument(text).text(), lambda n: begin + " " * n + end, size=200) < _MOST


@pytest.mark.parametrize(
    "piece",
    ["a\n", "\n", "1. A\n\n", "x [Page 1]\n\f\n", " ", "A  ", ". ", "Contents\n\n", "A\n\n", "A:  b\n\n  C d e\n\n"],
)
def test_reading_an_rfc_costs_its_length(piece: str) -> None:
    """Whatever repeats in it (SEC-1)."""

    def read(text: str) -> object:
        return RfcTextParser().parse(File(content=text.encode(), uri="a.txt"))

    assert _growth((rfc_texts, formatted_page, manual_page), read, lambda n: f"RFC: 1\n\n{piece * n}") < _MOST


@pytest.mark.parametrize(
    "piece",
    ["a\n", "\n", "*a*\n", "*a* ", "a  *b*\n\n", "=" * 20 + "\n", " ", "a   b\n", "a\t\tb\n\t\tc\n", "* a\n", "a >\n",
     "|a|", "`a", "<\n", "A~\n\n", "AA\n\n", "a..|b|\n"],
)  # fmt: skip
def test_reading_help_of_vim_costs_its_length(piece: str) -> None:
    """Whatever repeats in it (SEC-1)."""

    def read(text: str) -> object:
        return VimTextParser().parse(File(content=text.encode(), uri="a.txt"))

    modules = (vim_texts, vim_help_lines, formatted_page, manual_page)
    assert _growth(modules, read, lambda n: f"*a.txt* A\n\n{piece * n}") < _MOST


@pytest.mark.parametrize("piece", POD_PIECES)
def test_reading_pod_costs_its_length(piece: str) -> None:
    """Whatever is opened and never closed (SEC-1)."""
    assert _growth(POD, lambda text: PodDocument("=pod\n\n" + text).text(), lambda n: piece * n) < _MOST


@pytest.mark.parametrize("piece", TEXINFO_PIECES)
def test_reading_texinfo_costs_its_length(piece: str) -> None:
    """Whatever is opened and never closed, and whatever a macro writes (SEC-1)."""
    macro = "@macro m{a}\n\\a\\ @m{\\a\\\n@end macro\n"
    assert _growth(TEXINFO, lambda text: TexinfoDocument(macro + text).text(), lambda n: piece * n) < _MOST


@pytest.mark.parametrize("piece", WIKITEXT_PIECES)
def test_reading_wikitext_costs_its_length(piece: str) -> None:
    """Whatever is opened and never closed; what the library takes is bounded by the time that a file has (SEC-1)."""
    assert _growth(WIKITEXT, to_html, lambda n: piece * n) < _MOST


@pytest.mark.parametrize("piece", DOKUWIKI_PIECES)
def test_reading_dokuwiki_costs_its_length(piece: str) -> None:
    """Whatever is opened and never closed (SEC-1)."""
    assert _growth(DOKUWIKI, dokuwiki_html.to_html, lambda n: piece * n) < _MOST


@pytest.mark.parametrize("piece", ["&a;", " ", "<!DOCTYPE a [", '<!ENTITY a "', "<!--", "<![CDATA[", "<xi:", "&a"])
def test_reading_entities_costs_their_length(piece: str) -> None:
    """Whatever is opened and never closed (SEC-1)."""
    assert _growth((docbook_entities,), docbook_entities.replace_entities, lambda n: piece * n) < _MOST


@pytest.mark.parametrize("piece", ["/a:\n  get:\n", " " * 4 + '"', '"/', "get :", "/" * 9])
def test_finding_the_lines_of_an_api_costs_its_length(piece: str) -> None:
    """Whatever is opened and never closed (SEC-1)."""
    find = partial(openapi_parser.find_operations, paths={"/a"})
    assert _growth((openapi_parser,), find, lambda n: piece * n) < _MOST


def test_many_templates_in_a_line_cost_their_number() -> None:
    """Whether anything stands before one is not asked of the whole line."""
    assert _growth(WIKITEXT, to_html, lambda n: "{{t|a=1|b=2}} x" * n, size=400) < _MOST


@pytest.mark.parametrize("piece", ASCIIDOC_PIECES)
def test_reading_asciidoc_costs_its_length(piece: str) -> None:
    """Whatever is opened and never closed (SEC-1)."""
    assert _growth(ASCIIDOC, lambda text: AsciiDoc(text).text(), lambda n: piece * n) < _MOST


@pytest.mark.parametrize("piece", FORMATTED_PIECES)
def test_reading_formatted_manuals_costs_their_length(piece: str) -> None:
    """Whatever is indented (SEC-1)."""

    def read(text: str) -> str:
        page = manual_page.Page()
        formatted_page.read_formatted_page("NAME\n" + text, page)
        return page.text()

    assert _growth((formatted_page, manual_page), read, lambda n: piece * n) < _MOST


@pytest.mark.parametrize("reader", [Man, Mdoc])
@pytest.mark.parametrize("piece", TROFF_PIECES)
def test_reading_a_manual_page_costs_its_length(piece: str, reader: type[Man | Mdoc]) -> None:
    """Whatever is opened and never closed (SEC-1)."""
    assert _growth(TROFF, lambda text: reader(".SH A\n" + text).read().text(), lambda n: piece * n) < _MOST


TEXTS: dict[str, Text] = {
    "long line": lambda n: "word " * n,
    "long word": lambda n: "w" * n,
    "equal lines": lambda n: "the same line\n" * n,
    "equal paragraphs": lambda n: "the same paragraph\n\n" * n,
    "stops": lambda n: "." * n,
    "blank": lambda n: "x" + " \n" * n + "x",
    "carriage returns": lambda n: "a\r" * n,
    "heading tree": lambda n: "# a\n## b\n### c\n" * n,
    "heading of brackets": lambda n: "# " + "[" * n,
    "heading of tags": lambda n: "# " + "<a " * n,
    "heading of links": lambda n: "# " + "[a](" * n,
    "heading of ticks": lambda n: "# " + "``a```b " * n,
    "fences": lambda n: "```\n" * (2 * n + 1),
    "long code": lambda n: "```\n" + "x = 1\n" * n + "```\n",
    "many snippets": lambda n: "```\na\nb\n```\n" * n,
    "long table": lambda n: "| a | b |\n|---|---|\n" + "| c | d |\n" * n,
}


@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown"])
@pytest.mark.parametrize("name", TEXTS)
def test_cutting_a_text_costs_its_length(name: str, media_type: str) -> None:
    """Borders, sentences, snippets and scores of any text, in either form (CHK-2)."""
    settings = {"maximum": 200, "minimum": 60, "overlap": 20}  # so that a short text has many chunks

    def cut(text: str) -> object:
        return chunk_text(text, title="", media_type=media_type, settings=settings)

    size = 1_000 // (len(TEXTS[name](2)) - len(TEXTS[name](1)))  # for a text of some thousand characters
    assert _growth(CHUNKING, cut, TEXTS[name], size=size) < _MOST


def test_equal_units_cost_no_more_than_others() -> None:
    """Equal borders are cut in the middle: halving as often as the logarithm, not once for each."""

    def packed(text: str) -> object:
        units = list(cut_lines(text, 0, len(text), 1000, lambda start, end: end - start))
        return pack(text, units, Sizes(maximum=1000, minimum=300, overlap=0))

    assert _growth((packer,), packed, lambda n: "the same line\n" * n, size=500) < _MOST


SENTENCES: dict[str, Text] = {
    "stops": lambda n: "." * n + "a",
    "marks": lambda n: "!" * n,
    "stops and spaces": lambda n: ". " * n,
    "stops and quotes": lambda n: '."' * n,
    "blank lines": lambda n: "x" + "\n \n " * n + "x",
    "stop and newlines": lambda n: ".\n\n" * n,
    "abbreviations": lambda n: "e.g. " * n,
    "stop and many quotes": lambda n: "." + '"' * n + "x",
    "stop and many spaces": lambda n: "x." + " " * n + "X",
    "full-width stops": lambda n: "。" * n,
}


@pytest.mark.parametrize("name", SENTENCES)
def test_finding_sentences_costs_the_length(name: str) -> None:
    """Runs of stops, quotes and blank lines cost no more than other text."""
    assert _growth((sentences,), sentence_spans, SENTENCES[name]) < _MOST


# Not among them: a run of ticks alone, of which `code_split` takes steps by the square of a length that is limited.
_PIECES = (
    *(
        "a",
        "a.",
        "/a",
        "``a",
        "A ",
        "1.",
        "(",
        "a(",
        "_a",
        "aA",
        "'",
        "Traceback ",
        "~~~\n",
        "\n",
        "a=",
        "-",
        " at ",
    ),
)


@pytest.mark.parametrize("piece", _PIECES)
def test_reading_a_question_costs_its_length(piece: str) -> None:
    """For any repeated text (RET-3)."""
    assert _growth(ASKING, understand, lambda n: piece * n, size=60) < _MOST


def test_weighing_a_question_costs_its_length() -> None:
    """Also when all its words begin with one letter, as do the index's lexemes (RET-3)."""

    def weighed(question: str) -> object:
        idf = {f"{word}es": 1.0 for word in question.split()}
        return question_weights(question, idf)

    assert _growth((trust,), weighed, lambda n: " ".join(f"p{number:03}e" for number in range(n)), size=100) < _MOST


EXCERPTS: dict[str, Text] = {
    "short sentences": lambda n: "水温。" * n,
    "one long sentence": lambda n: "水温" * n,
    "short sentences of words": lambda n: "A pump. " * n,
}


@pytest.mark.parametrize("name", EXCERPTS)
def test_cutting_an_excerpt_costs_the_length(name: str) -> None:
    """However many sentences and matches a passage has."""
    weights = {"水温": 1.0, "pump": 1.0}
    assert _growth((), lambda text: excerpt(text, weights), EXCERPTS[name], size=100) < _MOST


_MARKS = (
    "[", "![", "[[", "[![", "](", "[a](", "![a](", "[`", "*", "**a", "_", "__a", "(", "{", "{#", "<", "<a ", "<a b='",
    "</", "<https://", "``a", "`a ", "``` ", "|", "\\|", "#", "1. ", "[1]", "a ", "\n", "[a\n", "***a** ",
)  # fmt: skip


@pytest.mark.parametrize("piece", _MARKS)
def test_cleaning_a_line_costs_its_length(piece: str) -> None:
    """Whatever markup is begun and never ended (SEC-1)."""
    assert _growth((inline_cleanup,), lambda text: bold(clean_inline(text)), lambda n: piece * n) < _MOST


@pytest.mark.parametrize("piece", ["`", "<!--", "[^", " "])
def test_cleaning_a_run_costs_its_length(piece: str) -> None:
    """Runs of ticks and blanks, comments and notes that are never ended (SEC-1)."""
    assert _growth((inline_cleanup,), clean_inline, lambda n: piece * n) < _MOST


# Not among them: brackets, of which `breadcrumbs` takes steps by the square of a length that is limited.
@pytest.mark.parametrize("piece", ["# a\n", "# ", "#", "# `", "# *", "# {#", "```\n", "~~~", " "])
def test_finding_the_headings_above_costs_the_length(piece: str) -> None:
    """However many headings a chunk has, and whatever is in them."""

    def headings_above(text: str) -> tuple[str, ...]:
        return breadcrumb_at(passage(f"# a\n{text}", breadcrumb=("a",)), 3)

    assert _growth((breadcrumbs,), headings_above, lambda n: piece * n) < _MOST


QUOTED: dict[str, Text] = {
    "long sentence": lambda n: "word " * n,
    "sentences": lambda n: "A pump. " * n,
    "items": lambda n: "- a\n" * n,
    "numbers": lambda n: "1. a\n" * n,
    "long item": lambda n: "- " + "A pump. " * n,
    "nested items": lambda n: "".join(f"{'  ' * (number % 8)}- a\n" for number in range(n)),
    "rows": lambda n: "| a | b |\n|---|---|\n" + "| c | d |\n" * n,
    "cells": lambda n: "|" + "a|" * n + "\n|" + "-|" * n + "\n|" + "b|" * n + "\n",
    "quotation": lambda n: "> A pump. B.\n" * n,
    "quotations": lambda n: "> " * n + "a",
    "lines of code": lambda n: "```\n" + "x = 1\n" * n + "```\n",
    "blank lines of code": lambda n: "```\n" + "\n" * n + "x\n```\n",
    "fences": lambda n: "```\n" * (2 * n + 1),
    "admonition": lambda n: "!!! note\n" + "    A pump.\n" * n,
    "bars": lambda n: "|" * n,
    "brackets": lambda n: "[" * n,
    "parentheses": lambda n: "(" * n,
    "asterisks": lambda n: "*" * n,
    "bullets": lambda n: "• a\n" * n,
    "definitions": lambda n: "def a():\n    pass\n" * n,
}


def quote(text: str, kind: ChunkKind) -> object:
    """Cut a text, choose from it, and write what is chosen."""
    return [render(one.fragments, one.positions).text for one in selections("a pump", text, kind=kind)]


@pytest.mark.parametrize("kind", list(ChunkKind))
@pytest.mark.parametrize("name", QUOTED)
def test_quoting_costs_the_length(name: str, kind: ChunkKind) -> None:
    """From a passage to the text of what is quoted (ANS-4, SEC-1)."""
    assert _growth(QUOTING, lambda text: quote(text, kind), QUOTED[name], size=60) < _MOST


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        ("a\n\n", ChunkKind.MARKDOWN),
        ("# a\n\nb\n\n", ChunkKind.MARKDOWN),
        ("**A**\n\nb\n\n", ChunkKind.MARKDOWN),
        ("A\n", ChunkKind.PROSE),
        ("a\n\n", ChunkKind.CODE),
    ],
)
def test_cutting_many_blocks_costs_their_number(piece: str, kind: ChunkKind) -> None:
    """Paragraphs, sections, labels, titles, definitions."""
    end = "and a much longer line of the text than that\n"
    assert _growth(QUOTING, lambda text: fragments_of(text, kind=kind), lambda n: piece * n + end, size=100) < _MOST


# The measure itself


@pytest.mark.parametrize("expression", [r"a*b", r"(?:a|aa)*c", r"\s+$", r"(?:x+x+)+y"])
def test_a_square_is_seen(expression: str) -> None:
    """Expressions that are known to be slow on some text fail the same bound."""
    module = ModuleType("slow")
    module.PATTERN = re.compile(expression)  # type: ignore[attr-defined]
    letter = {"a*b": "a", r"(?:a|aa)*c": "a", r"\s+$": " ", r"(?:x+x+)+y": "x"}[expression]
    size = 8 if "+)+" in expression or "|" in expression else 100

    def totals(n: int) -> int:
        with counted(module) as work:
            module.PATTERN.search(letter * n + "-")
        return work.steps

    assert totals(2 * size) > _MOST * totals(size)


_KNOWN = [
    (module, name, value)
    for module in (*PARSING, *CHUNKING, *QUOTING, *ASKING)
    for name, value in vars(module).items()
    if isinstance(value, re.Pattern)
]


@given(st.text(alphabet="`~<>{}/*[]()#=-.:aA1 \n\"'|!_", max_size=40), st.randoms())
def test_the_matcher_that_counts_finds_what_re_finds(text: str, chooser: random.Random) -> None:
    """Else its steps would be those of another expression."""
    _, name, pattern = chooser.choice(_KNOWN)
    matcher = Matcher(pattern)
    matcher.read(text)
    for start in range(len(text) + 1):
        assert matcher.matches(start) is (pattern.match(text, start) is not None), name
