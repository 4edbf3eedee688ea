"""Pages of programs' manuals as markdown: what the programs that made them say by classes or by scripts alone.

Belongs here: one page, shortened, of each program. Not here: Doxygen (`test_parsing_doxygen`), what of a page is its
content (`test_html_of_generators`).
"""

import pytest

from tests.unit.test_parsing_html import PARAGRAPH, read, text


def _help(body: str) -> str:
    """A page of LibreOffice's help, without its heading."""
    frame = "<html><head><title>Keys</title></head><body><div id=DisplayArea><h1>Keys</h1>{}</div></body></html>"
    return read(frame.format(body)).text.removeprefix("# Keys\n\n")


def _switch(kind: str, **branches: str) -> str:
    shown = "".join(
        f"<span hidden='true' id='{name}x1' class='{'' if name == 'default' else name}'>{words}</span>"
        for name, words in branches.items()
    )
    return f"<span class='{kind}'>{shown}</span>"


SWITCHES = {
    "the branch for any system": (
        f"<p>Press {_switch('switchinline', MAC='Command', default='Ctrl')}+F3.</p>",
        "Press Ctrl+F3.",
    ),
    "all branches without it": (
        f"<p>Choose {_switch('switchinline', CALC='Sheet', DRAW='Page', MATH=' ')}.</p>",
        "Choose Sheet (Calc) / Page (Draw).",
    ),
    "a switch in a switch": (
        f"<p>Press {_switch('switchinline', WRITER=_switch('switchinline', MAC='F5', default='F6'))}.</p>",
        "Press F6 (Writer).",
    ),
    "blocks": (
        _switch("switch", WRITER="<p>Opens the text.</p>", CALC="", default="<p>Opens the sheet.</p>"),
        "**Writer:**\n\nOpens the text.\n\n**Otherwise:**\n\nOpens the sheet.",
    ),
    "one branch of blocks": (_switch("switch", WRITER="<p>Opens it.</p>", CALC=" "), "Opens it."),
    "a tip": (
        "<div class=tip><div class=noteicon><img alt=tip></div><div class=notetext><p>Press Esc.</p></div></div>",
        "**Tip:** Press Esc.",
    ),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_switches_of_libreoffice(name: str) -> None:
    """A script of the help shows one branch, so that all of them are hidden."""
    body, expected = SWITCHES[name]

    assert _help(body) == expected


def test_a_heading_of_libreoffice_with_a_switch_is_the_title() -> None:
    """Both names would be one word."""
    heading = f"<h1>{_switch('switchinline', WRITER='Move Item Up', default='Move Up')}</h1>"
    page = read(f"<html><head><title>Move</title></head><body><div id=DisplayArea>{heading}<p>Moves.</p></div></body>")

    assert (page.title, page.text) == ("Move Up", "# Move Up\n\nMoves.")


def test_pages_of_nodejs() -> None:
    """The menus around the content are left out, and versions are divided."""
    page = read(
        "<html><head><title>Timers | Node.js v18 Documentation</title></head><body>STYLES<div id=column1>"
        "<header><h1>Node.js v18 documentation</h1><div id=gtoc><ul><li>► Other versions</li></ul></div></header>"
        "<details id=toc open><summary>Table of contents</summary><ul><li><a href='#c'>clear()</a></li></ul></details>"
        "<div id=apicontent><h2>Timers</h2><p>They wait.</p><h3><code>clear()</code></h3><div class=api_metadata>"
        "<span>Added in: v10.0.0</span><span>Deprecated since: v14.0.0</span></div></div></div></body></html>"
    )

    assert page.text == "## Timers\n\nThey wait.\n\n### `clear()`\n\nAdded in: v10.0.0; Deprecated since: v14.0.0"


BANNER = "<div class=nosearch><img alt='SQLite' src='images/sqlite.gif'><div class=tagline>Small.</div></div>"


def test_pages_of_sqlite() -> None:
    """Their title is a heading, and diagrams leave no labels behind."""
    page = read(
        f"<html><head><title>ATTACH</title></head><body>{BANNER}<div class=fancy><div class=nosearch>"
        "<div class=fancy_title>ATTACH</div><div class=fancy_toc>Table Of Contents</div></div>"
        "<h1><span>1. </span>Overview</h1><p><b><a href='e.html'>expr:</a></b><button>hide</button></p>"
        f"<div class=imgcontainer><svg><text>NOT</text></svg></div><p>{PARAGRAPH}</p></div></body></html>"
    )

    assert page.text == f"# ATTACH\n\n## 1. Overview\n\n{PARAGRAPH}"


def test_a_heading_in_the_banner_of_sqlite_stays() -> None:
    """That of a function; the one above it leads to the list of them."""
    banner = "<div class=nosearch><img src='sqlite.gif'><a href=i><h2>C Interface</h2></a><h2>Open</h2></div>"

    assert read(f"<body>{BANNER}{banner}<p>{PARAGRAPH}</p></body>").text == f"# Open\n\n{PARAGRAPH}"


ERLANG = """<html><head><title>Erlang -- lists</title><link href="../doc/otp_doc.css"></head><body>
<div id=content><h1>lists</h1><section><h3><div
class=title-name>Description</div></h3><p>It has
<span class=code>[]</span> and what is in them, which is a lot of functions for many things.</p></section>
<div class=exports-body><article><h4 id="last-1"
class="title-link func-head"><div class=title-anchors><a href=x>e</a></div>
<span class=title-name>last(List) -&gt; <a href="javascript:x()">Last</a></span>
<div class=title-since><span class=since>OTP 17.0</span></div></h4>
<div><h3 class=func-types-title>Types</h3><div class="REFTYPES"><span>List = <br>    [T]</span>
</div><div class="REFTYPES"><span></span></div><div class="REFTYPES"><span>T = term()</span></div></div>
<div class=exports-tube><p>Returns one.</p><div class=note><div class=label>Note</div><div class=content><p><p>Not
none.</p></p></div></div></div></article>
<article><h4 id="type-opt" class="data-type-name"><div class=title-name><span>opt() = <br>    {timeout, Milliseconds ::
timeout()} |<br>    {debug, Debugging :: [sys:debug_option()]} | {hibernate_after, Milliseconds}</span></div></h4>
</article></div></div></body></html>"""


def test_pages_of_erlang() -> None:
    """Signatures, releases, types and notes; the description is none of the functions."""
    assert read(ERLANG).text == (
        "# lists\n\n### Description\n\n"
        "It has `[]` and what is in them, which is a lot of functions for many things.\n\n"
        "#### `last(List) -> Last`\n\nSince OTP 17.0\n\n**Types:**\n\n```erlang\nList =\n    [T]\nT = term()\n```\n\n"
        "Returns one.\n\n**Note:** Not none.\n\n"
        "#### `opt()`\n\n```erlang\nopt() =\n    {timeout, Milliseconds ::\ntimeout()} |\n"
        "    {debug, Debugging :: [sys:debug_option()]} | {hibernate_after, Milliseconds}\n```"
    )


TEXINFO = """<html><head><title>Calls (Linux x86) (Internals)</title><meta name="Generator" content="makeinfo"></head>
<body><div class=section><div class=header><p>Next: <a href=b>Heap</a>, Up: <a href=c>Top</a> [<a href=i>Index</a>]</p>
</div><h3>1 Calls</h3><p>They call<a id=DOCF7 href="#FOOT7"><sup>7</sup></a> back, which takes a while at times.</p>
</div><table><tr><th>Jump to:</th><td><a href="#A">A</a></td></tr></table>
<table class="index-cp"><tr><td><a href=a>calls</a></td><td><a href=b>1 Calls</a></td></tr></table>
<div class=footnote><hr><h4 class=footnotes-heading>Footnotes</h4><h5><a id=FOOT7 href="#DOCF7">(7)</a></h5>
<p>But not at night.</p><h5><a id=FOOT8 href="#DOCF8">(8)</a></h5><pre>x</pre></div></body></html>"""


def test_pages_of_texinfo() -> None:
    """Footnotes stay and refer to their places; links to other pages and indexes go."""
    page = read(TEXINFO)

    assert page.title == "Calls (Linux x86)"
    assert page.text == (
        "### 1 Calls\n\nThey call[^7] back, which takes a while at times.\n\n[^7]: But not at night.\n\n[^8]:\n\n"
        "```\nx\n```"
    )
    assert "Footnotes" in read(TEXINFO.replace("makeinfo", "a hand")).text


def test_lists_that_turn_chapters_of_yodl() -> None:
    """Another list of such words stays."""
    turns = "<ul><li><a href=f>Table of Contents</a><li><a href=g>Next Chapter</a></ul>"

    assert text(f"{turns}<p>Zsh.</p>{turns}") == "Zsh."
    assert "Chapter" in text(turns.replace("Table of Contents", "Next year"))


VIM = """<HTML><HEAD><TITLE>Vim documentation: move</TITLE></HEAD><BODY><H1>Vim documentation: move</H1>
<A HREF="index.html">main help file</A><HR><PRE>
*<A NAME="move"></A><B>move</B>*
The |<A HREF="a#w">w</A>| command moves the cursor one word, and
it can do so as long as there are any words in the text:
<B>	:normal w</B>
   The next one begins the paragraph after this one, which is long.

==============================================================================

*<A NAME="03.1"></A><B>03.1</B>*	Words				*<A NAME="words"></A><B>words</B>*

ALL OF THEM

<B><FONT COLOR="PURPLE">Short words </FONT></B>
:[n]w		Move [n] words.
Wide
		Yes.

- one
  goes on

==============================================================================
Copyright: see |<A HREF="c">copy</A>|  vim:tw=78:ts=8:
<A HREF="#top">top</A> - <A HREF="index.html">main help file</A>
</PRE></BODY></HTML>"""


def test_the_help_of_vim() -> None:
    """Sections are headings, sentences at the margin paragraphs, and columns stay as they are typed."""
    page = read(VIM)

    assert page.title == "move"
    assert page.text.split("\n\n") == [
        "# move",
        "`move`",
        ("The |w| command moves the cursor one word, and it can do so as long as there are any words in the text:"),
        "```\n\t:normal w\n```",
        "The next one begins the paragraph after this one, which is long.",
        "## 03.1 Words",
        "`words`",
        "### ALL OF THEM",
        "#### Short words",
        "```\n:[n]w\t\tMove [n] words.\nWide\n\t\tYes.",
        "- one\n  goes on\n```",
    ]


EXIM = """<html><head><title>24. Options</title></head><body><h1 id=header><a href="http://x">Exim Internet Mailer</a>
</h1><div id=content><div id=chapter class=chapter><h2><a href="ch24.html">Chapter 24 - Options</a></h2>
<h3>1. All of them</h3><p>Set <span class=docbook_option>body_only</span> to <span class=docbook_literal>true</span>,
if you want to.</p>
<table><tr><td><span class=docbook_option>body_only</span></td><td>Use: <span>transports</span></td>
<td>Type: <span>string</span>†</td><td>Default: <span>unset</span></td></tr></table><p>Leaves out the headers.</p>
</div></div></body></html>"""


def test_chapters_of_exim() -> None:
    """Each option is a heading, below that of its chapter."""
    assert read(EXIM).text == (
        "# Chapter 24 - Options\n\n## 1. All of them\n\nSet `body_only` to `true`, if you want to.\n\n"
        "### `body_only`\n\nUse: transports, Type: string†, Default: unset\n\nLeaves out the headers."
    )


NOTE = """<div class="note"><table border=0><tr><td rowspan=2><img src="note.png"></td><th>Note</th></tr>
<tr><td colspan=2><p>Only once.</p></td></tr></table></div>"""


def test_notes_of_docbook_in_a_cell() -> None:
    """They are tables themselves, which would make the one around them a frame."""
    table = f"<table><tr><th>Button</th><th>Does</th></tr><tr><td>Save</td><td><p>Saves.</p>{NOTE}</td></tr></table>"

    assert text(table).endswith("| Save | Saves. **Note:** Only once. |")
    assert text(NOTE) == "**Note:** Only once."


def test_the_title_of_an_admonition_begins_it() -> None:
    """As in the notes of other programs; a list or code stands below it."""
    title = "<p class=admonition-title>Note</p>"

    assert text(f"<div class='admonition note'>{title}<p>Mind it.</p></div>") == "**Note:** Mind it."
    assert text(f"<div class='admonition note'>{title}<ul><li>It</li></ul></div>") == "**Note**\n\n- It"


def test_code_of_erlang_that_is_broken_over_lines_stays_in_its_sentence() -> None:
    page = read(
        '<html><head><title>Notes</title><link href="../doc/otp_doc.css"></head><body><h1>Notes</h1>'
        '<p>Give <span class="code">+{feature,\n   Feature, enable}</span> to the compiler.</p></body></html>'
    )
    assert page.text == "# Notes\n\nGive `+{feature, Feature, enable}` to the compiler."


def test_columns_of_vim_may_begin_with_a_blank() -> None:
    """The generator puts one behind what it highlights."""
    page = read(
        "<HTML><HEAD><TITLE>Vim documentation: a</TITLE></HEAD><BODY><H1>Vim documentation: a</H1><PRE>\n"
        "\t\t\tmatching files.  Example:\n<B>\t\t\t\t:runtime! *.vim</B>\n \t\t\tThis is what Vim uses.\n"
        "</PRE></BODY></HTML>"
    )
    assert page.text.count("```") == 2


def test_numbered_sentences_of_vim_are_points() -> None:
    """Numbers before columns are those of lists of contents, which stay as they are typed."""
    points = (
        "There are two states:\n1. A complete match has been inserted into the text that\n   stands there.\n"
        "2. A cursor key has been used to select another match.\n"
    )
    head, foot = VIM.partition("<PRE>")[0] + "<PRE>\n", "</PRE></BODY></HTML>"

    assert read(f"{head}{points}{foot}").text.split("\n\n")[1:] == [
        "There are two states:",
        "1. A complete match has been inserted into the text that stands there.",
        "2. A cursor key has been used to select another match.",
    ]
    assert (
        "```\n1. Special keys\t\t|keys|" in read(f"{head}1. Special keys\t\t|keys|\n2. Modes\t\t|modes|\n{foot}").text
    )
