"""Pages that makers of documentation write: javadoc, rustdoc, erl_docgen, makeinfo, texi2html, DocBook, mailing lists.

Belongs here: what of such a page is content, and typed text. Not here: markup in general (`test_parsing_html`).
"""

import pytest
from lxml.html import fromstring

from headwater.errors import DocumentError
from headwater.parsing.html.preformatted import read_typed_text
from tests.unit.test_parsing_html import PARAGRAPH, read, text

WRAPPED = """<html><head><title>Print</title></head><body>
<div class="navheader"><table><tr><th>4.3. Print size</th></tr><tr><td><a href="p">Prev</a></td></tr></table></div>
<div class="sect2"><div class="titlepage"><h3>4.3. Print size</h3></div>
<p>As discussed before, pixels don't have a set size in the real world.
    When you set out to print an image on paper, the <span class="app">program</span>
    needs to know how big each pixel is. We use a parameter called resolution for that.</p>
<p>By default, most images open with the resolution set to 72. This
    number was chosen for historical reasons as it was the resolution of
    screens in the past.</p></div></body></html>"""


def test_paragraphs_that_are_broken_into_lines_are_content() -> None:
    """DocBook's pages for people: the text that the library finds keeps their line ends."""
    page_text = read(WRAPPED).text

    assert "pixels don't have a set size in the real world. When you set out" in page_text
    assert "By default, most images open with the resolution set to 72." in page_text


def test_articles_that_are_functions_do_not_hide_their_description() -> None:
    """erl_docgen makes an `article` of each function, below a description outside of them."""
    page = (
        "<html><body><div id=content><h1>slave</h1><section><h3>Description</h3><p>This module provides functions for"
        " starting slave nodes, which terminate automatically when the master terminates.</p></section>"
        "<div><article><h4>pseudo(List) -> ok</h4><p>Starts a number of pseudo servers, as many as are in the list."
        "</p></article><article><h4>stop(Node) -> ok</h4><p>Stops a node, whatever it does at the moment.</p></article>"
        "</div></div></body></html>"
    )

    assert "This module provides functions" in read(page).text


def test_a_class_that_says_what_an_element_has_leaves_it_in() -> None:
    """Rustdoc calls the section of a method `has-srclink`, and the link in it `srclink`."""
    method = (
        '<section class="method has-srclink"><span class="rightside"><span class="since">1.0.0</span> ·'
        ' <a class="srclink" href="s">source</a></span><h4>fn clone(&amp;self) -> Self</h4></section>'
        "<p>Returns a copy of the value, which is as good as the value itself.</p>"
    )

    assert text(method) == (
        "#### fn clone(&self) -> Self\n\nReturns a copy of the value, which is as good as the value itself."
    )


def test_definitions_of_makeinfo_are_documented_objects() -> None:
    """Several signatures of one function stand below one heading with its name."""
    rows = "".join(
        f'<dt id="index-true{n}"><span class="category">: </span><em>val =</em> <strong>true</strong> <em>({arguments})'
        "</em><a href='#x' class='copiable-anchor'> &para;</a></dt>"
        for n, arguments in (("", "x"), ("-1", "n, m"))
    )

    assert text(f"<h3>Values</h3><dl class='def'>{rows}<dd><p>Return ones.</p></dd></dl>") == (
        "### Values\n\n#### true\n\n`val = true (x)`\n\n`val = true (n, m)`\n\nReturn ones."
    )


def test_tables_and_links_that_turn_pages_are_left_out() -> None:
    """Those of texi2html have their links in brackets, those of LilyPond a class, those of Exim only links."""
    cells = "".join(f"<td>[<a href='x.html'> {name} </a>]</td>" for name in ("&lt;&lt;", "Up", "&gt;&gt;"))
    links = '<a class="previous_page" href="a">&lt;-previous</a><a rel="next" href="b">next-></a>'
    menu = '<table class="nav_table"><tr><td><a href="a">Piano</a></td><td><a href="b">Strings</a></td></tr></table>'

    assert text(f"<table><tr>{cells}</tr></table>{menu}{links}<p>Jobs run.</p>") == "Jobs run."
    assert "Piano" in text(menu.replace("nav_table", "instruments"))
    assert "[ 1 ]" in text("<table><tr><th>a</th><th>b</th></tr><tr><td>[ 1 ]</td><td>[ 2 ]</td></tr></table>")


KEPT = {
    "a link in a sentence": "<p>Go on with <a rel=next href=b>the second chapter</a>.</p>",
    "a function called next": "<ul><li><a class=next href=#n>next()</a> returns the next item</li></ul>",
    "a method called subscribe": '<div class="method subscribe"><h3>subscribe</h3><p>Registers.</p></div>',
    "a price at the right": "<ul><li>Coffee <span class=rightside>3.50</span></li></ul>",
    "a language in a sentence": "<p class=language-note>In <span class=lang>German</span> it is Haus.</p>",
    "a note above an article": '<div class="hatnote navigation-not-searchable">Main: <a href=h>History</a></div>',
    "labels of tabs": '<ul class="nav nav-tabs"><li><a href="#l">Linux</a></li><li><a href="#m">macOS</a></li></ul>',
    "references in brackets": "<table><tr><td>[<a href=#c>core</a>]</td><td>[http]</td><td>[user]</td></tr></table>",
    "a role of Sphinx": '<dl class=rst><dt class="sig" id="role-doc">:doc:</dt><dd>Leads to a document.</dd></dl>',
    "definitions": "<dl class=deflist><dt>Memory (ROM)</dt><dd>It is read.</dd></dl>",
    "the sign of a shell": "<p>It shows <code>\ue0b0</code> behind the name.</p>",
}


@pytest.mark.parametrize("name", KEPT)
def test_what_only_looks_like_a_frame_stays(name: str) -> None:
    """Words of content with the names of menus, links and icons."""
    words = " ".join(fromstring(KEPT[name]).itertext()).split()
    body = text(KEPT[name] + f"<p>{PARAGRAPH}</p>").replace("\\", "")

    assert [word for word in words if word not in body] == []


def test_short_lines_beside_sentences_are_content() -> None:
    """How much of the text an element holds does not depend on how long its lines are."""
    lines = "".join(f"<p>Maximum pressure {n}</p><p>sixteen bar gauge</p>" for n in range(12))
    sentences = "".join(f"<p>The pump number {n} is one that was built for a mine in the north.</p>" for n in range(24))
    page = f"<body><div><div class=intro>{lines}</div><div class=d><h1>Pump</h1>{sentences}</div></div></body>"

    assert "sixteen bar gauge" in read(page).text


def test_of_several_mains_the_first_large_one_is_the_content() -> None:
    """And what surrounds both is none."""
    first, second = (f"<main><h2>{name}</h2><p>{PARAGRAPH} {PARAGRAPH}</p></main>" for name in ("Pump", "Others"))

    assert read(f"<body><div class=menu>Shop, Basket</div>{first}{second}</body>").text.startswith("## Pump")
    assert "Shop" not in read(f"<body><div class=menu>Shop, Basket</div>{first}{second}</body>").text


def test_the_shell_of_an_application_needs_javascript() -> None:
    """A heading and a word are no content."""
    note = "<script>load()</script><noscript>You need to enable JavaScript to run this app.</noscript>"

    with pytest.raises(DocumentError, match="JavaScript"):
        read(f"<body>{note}<header><h1>My App</h1></header><div id=content>Loading...</div></body>")


def test_an_empty_list_of_javadoc_needs_no_javascript() -> None:
    """A note for browsers without scripts says nothing of a page with a heading of its own."""
    note = "<script>load()</script><noscript><div>JavaScript is disabled on your browser.</div></noscript>"

    page = read(f"<body>{note}<main><h1>Uses of Card</h1>No usage of Card</main></body>")

    assert page.text.endswith("No usage of Card")
    with pytest.raises(DocumentError, match="JavaScript"):
        read(f"<body>{note}<p>Loading</p></body>")


def test_a_title_without_the_name_of_the_manual() -> None:
    """The same heading twice, in a bar and above the text, is one heading."""
    body = "<div class=topbar><h1>slave</h1></div><h1>slave</h1><p>Words.</p>"

    assert read(f"<html><head><title>Erlang -- slave</title></head><body>{body}</body></html>").title == "slave"
    sharp = "<head><title>C# | Languages</title></head><h1>C#</h1><p>Words.</p>"
    assert read(sharp).title == "C#"
    assert read(sharp.replace("</h1>", '<a class=headerlink href="#c">\uf0c1</a></h1>')).title == "C#"
    made = '<meta name="Generator" content="makeinfo"><title>Strings (GNU Octave (version 7.3.0))</title>'
    assert read(f"<html><head>{made}</head><body><h3>5 Strings</h3><p>Words.</p></body></html>").title == "Strings"


SENTENCE = (
    "We have moved the meeting of the working group to Thursday, because the room is taken on Tuesday by the people who"
    " test the new release of it."
)
LETTER = """Hello everyone,

we have moved the meeting of the working group to Thursday, because the
room is taken on Tuesday by the people who test the new release.

> Can those who travel take part from home, as they did the last time,
> or do they have to be in the room?

Yes, they can, and the address for that is the same as before.

    join --room 42
    join --mute

5.  Security Considerations

-----------------------------------------

See you there.
"""


def test_typed_text_is_read_as_text() -> None:
    """Paragraphs, what they quote, headings with numbers; what is no sentence stays as it is typed."""
    body = text(f"<h1>Meeting</h1><pre>{LETTER}</pre>")

    assert body.split("\n\n")[1:] == [
        "Hello everyone,",
        (
            "we have moved the meeting of the working group to Thursday, because the room is taken on Tuesday by the"
            " people who test the new release."
        ),
        "> Can those who travel take part from home, as they did the last time, or do they have to be in the room?",
        "Yes, they can, and the address for that is the same as before.",
        "```\n    join --room 42\n    join --mute\n```",
        "## 5. Security Considerations",
        "See you there.",
    ]


TYPED = {
    "line breaks are spaces": (
        f"{SENTENCE}<br>And here it goes on in the second line, which is long enough for that.",
        f"{SENTENCE} And here it goes on in the second line, which is long enough for that.",
    ),
    "an answer below what it quotes": (
        f"On Monday Anna wrote:\n&gt; Where is File -> Settings?\n{SENTENCE}",
        f"On Monday Anna wrote:\n\n> Where is File -> Settings?\n\n{SENTENCE}",
    ),
    "a list": (
        f"{SENTENCE}\n\n - Close the valve and\n   wait until nothing moves in it any more.\n - Open it.",
        f"{SENTENCE}\n\n- Close the valve and wait until nothing moves in it any more.\n- Open it.",
    ),
    "sections of a manual page": (
        f"DESCRIPTION\n       {SENTENCE}\n\nAUTHOR\n       Written by somebody who knows all of that.",
        f"## DESCRIPTION\n\n{SENTENCE}\n\n## AUTHOR\n\nWritten by somebody who knows all of that.",
    ),
    "a line in capitals": (f"MOVING THE MEETING\n\n{SENTENCE}", f"## MOVING THE MEETING\n\n{SENTENCE}"),
    "a number is no heading": (
        f"{SENTENCE}\n\n{SENTENCE}\n\n3 files changed, 20 insertions(+)\n\n12 January 2024",
        f"{SENTENCE}\n\n{SENTENCE}\n\n3 files changed, 20 insertions(+)\n\n12 January 2024",
    ),
    "lines that are meant": (
        "The pump is old,\nand the well is cold,\nbut water that is told\nto come up will come up.\n\n" + SENTENCE,
        "The pump is old,\nand the well is cold,\nbut water that is told\nto come up will come up.\n\n" + SENTENCE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPED)
def test_typed_text_keeps_its_parts(name: str) -> None:
    """Lists, quotations, sections and verses."""
    typed, expected = TYPED[name]

    assert text(f"<pre>{typed}</pre>") == expected


CODE = {
    "output": (LETTER, "<pre class=screen><samp>{}</samp></pre>"),
    "a class around it": (LETTER, "<div class='highlight-none'><pre>{}</pre></div>"),
    "comments of SQL": ("-- The table of all the pumps that we have.\n" * 9, "<pre>{}</pre>"),
    "a language": (LETTER, "<pre class='language-sh'>{}</pre>"),
    "an element": (LETTER, "<pre><code>{}</code></pre>"),
    "statements": ("for name in names:\n    print(name)\n\n# Say good-bye to all.\n" * 9, "<pre>{}</pre>"),
    "options": ("usage: join [options]\n\n  --room N   the room that you want to join today.\n" * 5, "<pre>{}</pre>"),
    "a short line": ("The file was written to the disk.", "<pre>{}</pre>"),
}


@pytest.mark.parametrize("name", CODE)
def test_code_stays_code(name: str) -> None:
    """What says what it is, and what is typed without sentences."""
    content, element = CODE[name]

    assert text(element.format(content.replace(">", "&gt;"))).startswith("```")


def test_printed_pages_lose_their_numbers() -> None:
    """RFCs end each page with a line."""
    blocks = read_typed_text(
        "1.2.  Scope\n\n" + "A word of the text goes on. " * 9 + "\n\nBradner   Practice  [Page 2]\n"
    )

    assert [(block.kind, block.level) for block in blocks] == [("heading", 2), ("text", 0)]
