"""Web pages as markdown (SRC-1, SRC-4): what a reader of the page would read.

Belongs here: text, structure and metadata of one page. Not here: sites (`test_sources_website`).
"""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.html.parser import HtmlParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_of_name, parser_of_type

URI = "https://docs.example.com/guide/page.html"


def read(html: str | bytes, uri: str = URI, media_type: str = "") -> ParsedDocument:
    content = html if isinstance(html, bytes) else html.encode()
    return HtmlParser().parse(File(content=content, uri=uri, root="docs", media_type=media_type))


def text(body: str) -> str:
    """The text of a page whose content is marked."""
    return read(f"<html><body><main>{body}</main></body></html>").text


@pytest.mark.parametrize("name", ["a.html", "A.HTM", "b.xhtml"])
def test_the_parser_is_found(name: str) -> None:
    """By the ending of a name and by the types of servers."""
    assert isinstance(parser_of_name(name), HtmlParser)
    assert isinstance(parser_of_type("text/html; charset=utf-8"), HtmlParser)
    assert isinstance(parser_of_type("application/xhtml+xml"), HtmlParser)


PARAGRAPH = "Words of the book that go on for a while, so that they are a paragraph and not a label of something else."

BLOCKS = {
    "headings lose links and marks": (
        '<h1>Client<a class="headerlink" href="#client">¶</a></h1><h3><b>Use</b> <a href="x">it</a></h3>',
        "# Client\n\n### Use it",
    ),
    "emphasis": (
        "<p>A <b>bold </b>word, <em>two</em><em> words</em>, <code>x = `1`</code> and <del>gone</del>.</p>",
        "A **bold** word, *two words*, `` x = `1` `` and ~~gone~~.",
    ),
    "raised and lowered": ("<p>H<sub>2</sub>O, 10<sup>-3</sup>, the 5<sup>th</sup></p>", "H₂O, 10⁻³, the 5^th"),
    "line breaks": ("<p>One<br>two</p>", "One\ntwo"),
    "nested lists": (
        "<ul><li>One<ol><li>a</li><li>b</li></ol></li><li>Two</li></ul><ol start=3><li>c</li></ol>",
        "- One\n  1. a\n  2. b\n- Two\n\n3. c",
    ),
    "an item of several blocks": (
        '<ul><li><p>One</p><p>More</p><pre><code class="language-sh">make\n  all</code></pre></li></ul>',
        "- One\n\n  More\n\n  ```sh\n  make\n    all\n  ```",
    ),
    "definitions": (
        "<dl><dt>Chunk</dt><dd>A span.</dd><dt>Source</dt><dt>Origin</dt><dd><p>First.</p><p>Second.</p></dd></dl>",
        "- **Chunk**: A span.\n- **Source**, **Origin**: First.\n\n  Second.",
    ),
    "definitions with emphasis": (
        "<dl><dt><code>size*</code> <em>bytes</em></dt><dd><p>How large.</p><p>From 1.</p><p>Up to 9.</p></dd></dl>",
        "**`size*` bytes**\n\nHow large.\n\nFrom 1.\n\nUp to 9.",
    ),
    "documented objects": (
        ('<h2>API</h2><dl class="py class"><dt class="sig" id="lib.Client">class lib.Client(host)</dt><dd>'
        '<p>Connects.</p><dl class="py method"><dt class="sig" id="lib.Client.get">get(key)</dt><dd>'
        "<p>Reads.</p></dd></dl></dd></dl>"),
        ("## API\n\n### lib.Client\n\n`class lib.Client(host)`\n\nConnects.\n\n"
        "#### lib.Client.get\n\n`get(key)`\n\nReads."),
    ),
    "details": ("<details><summary>How?</summary><p>So.</p></details>", "**How?**\n\nSo."),
    "quotations": ("<blockquote><p>Words.</p><p>More.</p></blockquote>", "> Words.\n>\n> More."),
    "a table": (
        ("<table><caption>Lakes</caption><tr><th>Name<th>Area<br>km²</tr><tr><td rowspan=2>Superior<td>82 | 100"
        "<tr><td><ul><li>north</li><li>south</li></ul></table>"),
        "Lakes\n\n| Name | Area km² |\n| --- | --- |\n| Superior | 82 \\| 100 |\n| Superior | north; south |",
    ),
    "a table without a header": (
        "<table><tr><td>Baikal<td>1642<tr><td>Tanganyika<td>1470</table>",
        "|  |  |\n| --- | --- |\n| Baikal | 1642 |\n| Tanganyika | 1470 |",
    ),
    "two rows of headers and a wide cell": (
        "<table><thead><tr><th colspan=2>Size<th>Note<tr><th>x<th>y<th></thead><tr><td>1<td>2<td>big</table>",
        "| Size x | y | Note |\n| --- | --- | --- |\n| 1 | 2 | big |",
    ),
    "a table that arranges the page": (
        "<table><tr><td>Menu</td><td><h1>Old</h1><p>Words of the page.</p></td></tr></table>",
        "Menu\n\n# Old\n\nWords of the page.",
    ),
    "a note in a table": (
        ('<div class=note><table><tr><td rowspan=2><img alt="[Note]" src=note.png></td><th>Note</th></tr>'
        "<tr><td><p>First <b>word</b>.</p><p>Second.</p></td></tr></table></div>"),
        "**Note:** First **word**.\n\nSecond.",
    ),
    "a note beside its name": (
        "<table><tr><td class=icon><i></i><div>Tip</div></td><td><p>One.</p><ul><li>Two.</ul></td></tr></table>",
        "**Tip:** One.\n\n- Two.",
    ),
    "a picture with words of its own is no sign of a note": (
        "<table><tr><td><img alt='The crater' src=crater.png></td><td>Moon:</td><td><ul><li>It has craters.</table>",
        "**Moon:** ![The crater](crater.png)\n\n- It has craters.",
    ),
    "a number behind a formula is no note": (
        "<table><tr><td>E = mc<sup>2</sup></td><td>(1)</td></tr></table>", "E = mc² | (1)",
    ),
    "a table of one row": (
        "<table><tr><td>auto_thaw</td><td>Type: <i>time</i></td><td>Default: 0s</td></tr></table>",
        "auto_thaw | Type: *time* | Default: 0s",
    ),
    "a table of one column": (
        ("<table><tr><td><img src=1.png></td><td>Declare it.</td></tr><tr><td></td><td>Use it.</td></tr>"
        "<tr><td></td><td>End it.</td></tr></table>"),
        "- Declare it.\n- Use it.\n- End it.",
    ),
    "a table made of parts": (
        ('<div><div class="table-header col-first">Method</div><div class="table-header col-last">Description</div>'
        '<div class="col-constructor-name"><code>a(int x,\n int y)</code></div><div class="col-last"><div>Adds.</div>'
        '</div><div class="col-first"><code>b()</code></div>'
        '<div class="col-last">&nbsp;</div></div>'),
        "| Method | Description |\n| --- | --- |\n| `a(int x, int y)` | Adds. |\n| `b()` |  |",
    ),
    "parts below a title are no table": (
        '<div><span>See</span><div class="table-header">Prices</div><p>Low.</p><pre>a\nb</pre></div>',
        "See\n\nPrices\n\nLow.\n\n```\na\nb\n```",
    ),
    "cells without a head that begin like marks": (
        "<table><tr><td># a<td>b<td>c</table><table><tr><td># a<td></tr><tr><td>- b<td></tr><tr><td>c<td></tr></table>",
        "\\# a | b | c\n\n- \\# a\n- \\- b\n- c",
    ),
    "short sentences beside a translation": (
        ("<p>Contract 47/11 is valid. <a href=e rel=alternate hreflang=en>English</a></p>"
        "<ul><li><a href=f rel=alternate hreflang=fr>French</a></li><li>The German book is only printed.</li></ul>"),
        "Contract 47/11 is valid. [English](e)\n\n- [French](f)\n- The German book is only printed.",
    ),
    "a short page beside its translation": (
        "<div><h1>Gate</h1><p>The code is 47.</p><a href=e rel=alternate hreflang=en>English</a></div>",
        "# Gate\n\nThe code is 47.\n\n[English](e)",
    ),
    "links to other languages": (
        ('<p>Languages: <a href="../en/x" rel=alternate hreflang=en>en</a> | <a href="../fr/x">fr</a></p><p>Text.</p>'
        '<ul><li><a href="../de/x" rel="alternate" hreflang="de">Deutsch</a></li><li>English</li></ul>'), "Text.",
    ),
    "a paragraph that links to another language": (
        f'<p>{PARAGRAPH} It is also in <a href="../de/x" rel=alternate hreflang=de>German</a>.</p>',
        f"{PARAGRAPH} It is also in [German](/de/x).",
    ),
    "characters that look like marks": (
        "<p>2 * 3 * 4 is a_b and __init__ or &lt;int&gt; [x](y)</p><p># no heading</p><p>- no list</p>",
        "2 \\* 3 \\* 4 is a_b and `__init__` or \\<int> [x\\](y)\n\n\\# no heading\n\n\\- no list",
    ),
    "formulas": (
        ('<p>It is <math><semantics><mi>a</mi><annotation encoding="application/x-tex">a^2</annotation></semantics>'
        "</math>."),
        "It is $a^2$.",
    ),
    "hidden parts and tabs": (
        '<p hidden>no</p><p style="display: none">no</p><div role=tabpanel hidden><p>yes</p></div>', "yes",
    ),
    "frames around the content": (
        ('<nav>Menu</nav><div class="breadcrumbs">Home</div><p>Text.</p><button>Copy</button>'
        '<div class="edit-page"><a href="e">Edit</a></div><footer>© 2024</footer>'), "Text.",
    ),
    "a summary around a heading": (
        ("<details open><summary><a class=srclink href=s>source</a><h4>fn open(path)</h4></summary>"
        "<p>Opens it.</p></details>"), "#### fn open(path)\n\nOpens it.",
    ),
    "what a wiki writes below a page": (
        '<p>Text.</p><div class="printfooter">Retrieved from "x"</div><div class="catlinks">Category: Y</div>', "Text.",
    ),
    "a section about cookies is no banner": (
        '<section id="cookies"><h2>Cookies</h2><p>To set one, call it.</p></section>',
        "## Cookies\n\nTo set one, call it.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BLOCKS)
def test_blocks_read_as_on_the_page(case: str) -> None:
    """Headings, lists, tables, code and emphasis are markdown; buttons and menus are gone."""
    html, expected = BLOCKS[case]
    assert text(html) == expected


CODE = {
    "Sphinx": (('<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="k">'
               "def</span> f():\n\n    pass\n</pre></div></div>"), "python\ndef f():\n\n    pass"),
    "default of Sphinx": ('<div class="highlight-default"><pre>a = 1</pre></div>', "\na = 1"),
    "markdown": ('<pre><code class="language-js">a()\n  b()</code></pre>', "js\na()\n  b()"),
    "GitHub": ('<div class="highlight highlight-source-shell"><pre>npm i</pre></div>', "shell\nnpm i"),
    "Rouge": ('<div class="language-ruby highlighter-rouge"><pre class="highlight"><code>puts 1</code></pre></div>',
              "ruby\nputs 1"),
    "brush": ('<pre class="brush: java">class A {}</pre>', "java\nclass A {}"),
    "Pandoc": ('<pre class="sourceCode haskell"><code class="sourceCode haskell">main</code></pre>', "haskell\nmain"),
    "numbers in lines": (('<pre><code class="language-go"><span class="line"><span class="ln">1</span><span>a\n</span>'
                         '</span><span class="line"><span class="ln">2</span><span>b\n</span></span>'
                         "</code></pre>"), "go\na\nb"),
    "numbers in a column": (('<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
                            '<td class="code"><div class="highlight"><pre>x\ny</pre></div></td></tr>'
                            "</table>"), "\nx\ny"),
    "line elements": (('<pre class="prism-code language-jsx"><code><span>const x = 1;</span><br><div>y</div>'
                      "<div>z</div></code></pre>"), "jsx\nconst x = 1;\ny\nz"),
}  # fmt: skip


@pytest.mark.parametrize("case", CODE)
def test_code_keeps_its_lines_and_language(case: str) -> None:
    """However the page marks the language and numbers the lines."""
    html, expected = CODE[case]
    assert text(f"<p>See:</p>{html}") == f"See:\n\n```{expected}\n```"


def test_code_with_fences_in_it_gets_longer_ones() -> None:
    """So that it ends where it ends."""
    assert text("<pre>```\na\n```</pre>") == "````\n```\na\n```\n````"


def test_links_within_a_site_are_short_and_lead_to_the_same_page() -> None:
    """They are embedded and searched with the text; other sites keep their whole address; anchors are no links."""
    html = (
        '<p><a href="other.html#top">a</a> <a href="/api/x.html">b</a> <a href="https://else.example/y">c</a>'
        ' <a href="#here">d</a> <a href="javascript:alert(1)">e</a> <a href="../up (1).html">f</a></p>'
    )
    page = read(f"<main>{html}</main>")
    assert page.text == "[a](other.html#top) [b](/api/x.html) [c](https://else.example/y) d e [f](</up%20(1).html>)"
    assert page.references[:2] == (
        "https://docs.example.com/guide/other.html", "https://docs.example.com/api/x.html",
    )  # fmt: skip
    assert all(link.startswith("https://docs.example.com/") for link in page.references)


def test_links_of_a_file_stay_relative() -> None:
    """Its references are paths within the source."""
    page = read('<main><p><a href="b.html#x">b</a> <a href="../c.html">c</a></p></main>', uri="docs/sub/a.html")
    assert page.text == "[b](docs/sub/b.html#x) [c](docs/c.html)"
    assert (page.references, page.category) == (("docs/sub/b.html", "docs/c.html"), "sub")


ARTICLE = """<!doctype html><html lang="en-GB"><head><title>River floods town | Daily Post</title>
<meta property="og:site_name" content="Daily Post"><meta name="author" content="Jane Roe">
<meta property="article:published_time" content="2024-03-05T10:00:00+00:00">
<meta property="article:modified_time" content="2024-03-06T09:00:00Z">
<link rel="canonical" href="https://example.org/news/river"></head><body>
<div class="cookie-banner" role="dialog"><p>We use cookies. Accept?</p></div>
<header><a href="/">Daily Post</a><nav><ul><li><a href="/uk">UK</a></ul></nav></header>
<article><h1>River floods town</h1><p>The river rose by three metres overnight. Founded 1999-01-01.</p>
<aside><h3>Related</h3><ul><li><a href="/a">Another story</a></ul></aside></article>
<footer>© Daily Post</footer></body></html>"""


def test_an_article_says_who_wrote_it_when_and_where() -> None:
    """Title, language, author, site, dates and canonical address; a date in the text is not the page's (SRC-1)."""
    page = read(ARTICLE)
    assert page.text == "# River floods town\n\nThe river rose by three metres overnight. Founded 1999-01-01."
    assert (page.title, page.language) == ("River floods town", "en-GB")
    assert page.metadata == {
        "author": "Jane Roe", "site": "Daily Post", "date": "2024-03-05", "updated": "2024-03-06T09:00:00Z",
        "canonical": "https://example.org/news/river",
    }  # fmt: skip


def test_content_without_a_mark_is_found() -> None:
    """A page of plain `div` keeps its headings and table, and loses its menu."""
    page = read(
        '<html lang="de"><head><title>Urlaub – Firma</title></head><body><ul class="menu"><li><a href="/">Start</a>'
        "</ul><div id=inhalt><h1>Urlaub</h1><p>Jeder Mitarbeiter erhält dreißig Tage Urlaub im Jahr. Der Antrag wird"
        " spätestens zwei Wochen vorher gestellt.</p><h2>Übertrag</h2><p>Nicht genommene Tage verfallen am 31. März."
        "<table><tr><th>Stufe<th>Tage<tr><td>Azubi<td>28</table></div><div class=footer>Impressum</div>"
        "<div class=navfooter>Weiter</div></body></html>"
    )
    assert page.text.startswith("# Urlaub\n\nJeder Mitarbeiter")
    assert page.text.endswith("## Übertrag\n\nNicht genommene Tage verfallen am 31. März.\n\n"
                              "| Stufe | Tage |\n| --- | --- |\n| Azubi | 28 |")  # fmt: skip


def test_paragraphs_and_boxes_of_a_book_are_content() -> None:
    """Paragraphs that are `div` are found, and a box among them is no sidebar, whatever it is called."""
    page = read(
        '<body><div class="sidebar"><ul><li><a href="a">Contents</a></li></ul></div><div class="part"><h2>Quotas</h2>'
        f'<div class="para">{PARAGRAPH}</div><div class="sidebar"><p class="title"><b>Vocabulary</b></p>'
        f'<div class="para">A block is a part of a disk.</div></div><div class="para">Then {PARAGRAPH}</div>'
        f"<div><ul><li><div>{PARAGRAPH} One.</div></li><li><div>{PARAGRAPH} Two.</div></li></ul></div></div></body>"
    )
    assert page.text == (
        f"## Quotas\n\n{PARAGRAPH}\n\n**Vocabulary**\n\nA block is a part of a disk.\n\nThen {PARAGRAPH}\n\n"
        f"- {PARAGRAPH} One.\n- {PARAGRAPH} Two."
    )


@pytest.mark.parametrize(
    ("href", "title"),
    [
        ("http://example.org", "22. Routers"),
        ("/", "22. Routers"),
        ("index.html", "22. Routers"),
        ("/docs/routers.html", "Mailer"),
        ("/docs/other/", "Mailer"),
        ("#top", "Mailer"),
    ],
)
def test_the_name_of_a_site_is_no_title(href: str, title: str) -> None:
    """A first heading that leads to the beginning of the site is its name."""
    html = f'<title>22. Routers</title><h1><a href="{href}">Mailer</a></h1><h2>Chapter 22</h2><p>{PARAGRAPH}</p>'
    assert read(html, "https://docs.example.org/docs/routers.html").title == title


def test_a_heading_that_ends_the_title_of_a_page_is_the_name_of_its_site() -> None:
    """Books in HTML have it in their bar: it heads no page, and is no part of a title."""
    html = (
        f"<title>Ownership - The Book</title><nav><h1>The Book</h1></nav><main><h2>Rules</h2><p>{PARAGRAPH}</p></main>"
    )
    document = read(html)
    assert (document.title, document.text) == ("Ownership", f"## Rules\n\n{PARAGRAPH}")


@pytest.mark.parametrize(
    "html",
    [
        f"<title>The Site - Install</title><main><h1>Install</h1><p>{PARAGRAPH}</p></main>",
        f"<title>The Site | Guides | Install</title><h1>Install</h1><p>{PARAGRAPH}</p>",
        f"<title>Install - The Site</title><h1>The Site</h1><h1>Install</h1><p>{PARAGRAPH}</p>",
        f"<title>Install | The Site</title><h1>Install</h1><p>{PARAGRAPH}</p><footer><h1>The Site</h1></footer>",
        f"<title>The Site - Install</title><header><h1>Install</h1></header><main><p>{PARAGRAPH}</p></main>",
    ],
)
def test_a_page_that_ends_its_site_s_title_keeps_its_own(html: str) -> None:
    """Some sites name themselves first; then the heading that ends the title is the page's."""
    assert read(html).title == "Install"


def test_many_headings_and_names_in_a_title_take_no_time() -> None:
    """The work grows with their sum, not with their product."""
    title, headings = (" - ".join(f"a{index}" for index in range(20_000)), "".join(["<h1>b</h1>"] * 20_000))
    started = time.process_time()
    read(f"<title>{title}</title>{headings}<p>{PARAGRAPH}</p>")
    assert time.process_time() - started < 10


def test_a_page_in_another_language_than_it_says_is_in_that_of_its_text() -> None:
    """Generators write `en` unless they are told another language; short texts tell nothing."""
    german = (
        "Das Gerät wird neu gestartet, wenn der Schalter länger als zehn Sekunden gedrückt wird und die Lampe blinkt. "
    )
    languages = [
        read(f"<html lang={stated}><main><p>{words}</p></main></html>").language
        for stated, words in [("en", german * 2), ("en-US", PARAGRAPH * 2), ("fr", german * 2), ("en", "Das Gerät.")]
    ]
    assert languages == ["de", "en-US", "fr", "en"]


def test_a_title_on_two_lines_keeps_its_words_apart() -> None:
    """A line break divides words."""
    assert read("<h1>Uses of Package<br>org.example</h1><p>Text.</p>").title == "Uses of Package org.example"


def test_the_header_of_a_section_is_its_heading() -> None:
    """A page without `main` and `article` keeps the headings and subtitles of its sections, and loses its own menu."""
    story = (
        "<p>Phileas Fogg lived at number seven, and was seen at the club each evening, where he played whist.</p>" * 3
    )
    header = "<header><h2>II</h2><p>In which a servant finds his master.</p></header>"
    page = read(
        '<body><section id=all><header><h4>Shop</h4><a href="/a">Books and more</a> <a href="/b">Maps</a></header>'
        f"<section>{header}{story}</section></section></body>"
    )
    assert page.text.startswith("## II\n\nIn which a servant finds his master.\n\nPhileas Fogg lived")


def test_a_short_chinese_page_keeps_its_structure() -> None:
    """Extraction that counts words by spaces would take it for boilerplate."""
    page = read(
        "<html lang=zh><body><div class=doc><h1>安装指南</h1><p>请先下载安装包。</p><h2>要求</h2>"
        "<ul><li>内存八GB</li></ul></div>"
    )
    assert page.text == "# 安装指南\n\n请先下载安装包。\n\n## 要求\n\n- 内存八GB"


GERMAN = "<p>Straße für Bäume</p>"


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (GERMAN.encode(), ""),
        (GERMAN.encode(), "text/html; charset=iso-8859-1"),  # the server is wrong
        (GERMAN.encode("cp1252"), "text/html; charset=ISO-8859-1"),
        (b'<meta charset="windows-1252">' + GERMAN.encode("cp1252"), ""),
        (b'<meta http-equiv=Content-Type content="text/html; charset=latin1">' + GERMAN.encode("cp1252"), "text/html"),
        (GERMAN.encode("utf-16"), ""),
        (GERMAN.encode("utf-16-le"), "text/html; charset=utf-16le"),
        (b'<?xml version="1.0" encoding="iso-8859-15"?>' + GERMAN.encode("iso-8859-15"), "application/xhtml+xml"),
        (b"\xef\xbb\xbf" + GERMAN.encode(), "text/html; charset=nonsense"),
    ],
)
def test_the_encoding_is_found(content: bytes, media_type: str) -> None:
    """By the byte order mark, the header, the page's own words, or the bytes."""
    assert read(content, media_type=media_type).text == "Straße für Bäume"


def test_asian_encodings_are_read_as_browsers_read_them() -> None:
    """A page that says gb2312 uses characters of gb18030."""
    page = '<meta charset="gb2312"><p>镕基 説明</p>'
    assert read(page.encode("gb18030")).text == "镕基 説明"
    assert read('<meta charset="iso-2022-jp"><p>日本語</p>'.encode("iso-2022-jp")).text == "日本語"


def test_xhtml_closes_its_empty_elements() -> None:
    """`<a id="x"/>` does not contain the rest of the page."""
    page = read('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a"/></head>'
                '<body><h1><a id="x"/>One</h1><p>Two</p></body></html>')  # fmt: skip
    assert page.text == "# One\n\nTwo"


def test_a_page_made_by_scripts_says_so() -> None:
    """With what to do; a page that only mentions JavaScript is read (SRC-1)."""
    with pytest.raises(DocumentError, match=r"only with JavaScript.*Use another address"):
        read(
            '<body><noscript>You need to enable JavaScript.</noscript><div id="root"></div><script src="m.js"></script>'
        )
    long = "This page explains how a server renders its pages before a browser runs any script. " * 5
    assert read(f'<body><div id="root"><p>{long}</p></div><script src="m.js"></script>').text


@pytest.mark.parametrize("content", ["", " \n", "<!-- only a comment -->", "\x00\x00"])
def test_a_page_without_anything_says_so(content: str) -> None:
    """It is empty, or not HTML."""
    with pytest.raises(DocumentError, match="empty"):
        read(content)


@pytest.mark.parametrize(
    ("html", "message"),
    [
        ("<div>" * 5_000 + "x", "nested more than 2,000 levels deep"),
        ("<p " + " ".join(f"a{number}='>'" for number in range(2_000)) + ">x", "more than 1,000 attributes"),
        ("<p " + "".join(f'a{number} = "b c"' for number in range(2_000)) + ">x", "more than 1,000 attributes"),
        ('<p a=b="' + " ".join(f"a{number}" for number in range(2_000)) + '">x', "more than 1,000 attributes"),
        ("<p <1 " + " ".join(f"a{number}" for number in range(2_000)) + ">x", "more than 1,000 attributes"),
        ("<p " + "/".join(f"a{number}" for number in range(2_000)) + ">x", "more than 1,000 attributes"),
        ("<p>x" * 200_001, "more than 200,000 tags"),
    ],
)
def test_a_page_that_costs_too_much_is_refused(html: str, message: str) -> None:
    """Both would take the square of their size (SEC-1)."""
    with pytest.raises(DocumentError, match=message):
        read(html)


@pytest.mark.parametrize(
    "tag", ['<p id="a"">', f'<p data-words="{"word " * 2_000}">', "<p title=it's>", f"<p title={'a/' * 2_000}>"]
)
def test_a_long_value_and_a_slip_of_the_pen_are_no_attributes(tag: str) -> None:
    """Words of a value are none, and a quotation mark too many does not make one of the page."""
    assert read(f'{tag}Words of a page, and "its" end. {"More words. " * 1_500}</p>').text.startswith("Words of a page")


def test_a_comparison_in_a_script_is_no_tag() -> None:
    """What follows `i<n` would be its attributes, and the page would be refused; too many words are, for safety."""
    script = "<script>for (i = 0; i<n; i++) {} data = [" + "1, " * 3_000 + "]</script>"
    assert text(f"{script}<p>{PARAGRAPH}</p>") == PARAGRAPH
    with pytest.raises(DocumentError, match="more than 1,000 attributes"):
        read(f"<!-- <script> --><p {'a1 ' * 11_000}>")


def test_spans_of_a_table_do_not_multiply_its_text() -> None:
    """A cell that claims a thousand rows and columns adds a bounded amount."""
    html = "<table>" + ("<tr><td rowspan=1000 colspan=1000>" + "x" * 300) * 20 + "<tr><td>a" * 3_000 + "</table>"
    assert len(text(html)) < 20 * len(html)


TAGS = st.sampled_from(
    ["<p>", "</p>", "<div>", "</div>", "<ul><li>", "</ul>", "<table><tr><td>", "</table>", "<th rowspan=3>", "<pre>",
     "</pre>", "<a href='x'>", "</a>", "<b>", "</b>", "<em>", "<h1>", "</h1>", "<dl><dt>", "<dd>", "<code>",
     "</code>", "<main>",
     "<article>", "<br>", "<img alt='x' src=y>", "<blockquote>", "<summary>", "<!--", "-->", "<script>", "</script>",
     "<sup>", "<math>", "<dt class=sig>", "<span role=heading>", "<![CDATA[", "&lt;", "&#0;", "<body>", "</html>",
     "<base href='::'>"]
)  # fmt: skip


@given(st.lists(st.one_of(TAGS, st.text(max_size=8)), max_size=40).map("".join))
def test_any_soup_of_tags_is_read_or_refused(soup: str) -> None:
    """The same soup gives the same text, and its letters are not invented."""
    content = soup.encode("utf-8", "replace")
    try:
        first = read(content)
    except DocumentError:
        return
    assert read(content) == first


def test_notes_stay_and_what_is_beside_the_text_goes() -> None:
    """Of a page that does not say what its content is (SRC-1)."""
    paragraph = f"<p>{'The pump lifts water from the well into the bucket. ' * 4}</p>"
    page = read(
        f"<body><h1>Pumps <a href='#top'>top</a></h1>{paragraph}<aside class='note'><p>Never run it dry.</p></aside>"
        "<dl><dt>lid</dt><dd><p>A cover.</p><aside>Such as a door.</aside></dd></dl>"
        "<h2><a href='#top'>Topology</a></h2><p>{% extends 'base.html' %}</p>"
        "{% # more follows %}{% include 'list.html' %}<p>Write <code>{% if %}</code> there.</p>"
        "<aside><ul><li><a href='/a'>Other pumps</a></li></ul></aside><p><a href='#page-top'>Back to top</a></p></body>"
    )
    assert page.text.startswith("# Pumps\n\nThe pump")
    assert "Never run it dry." in page.text
    assert "Such as a door." in page.text
    assert "## Topology" in page.text
    assert "extends" in page.text
    assert "Write `{% if %}` there." in page.text
    assert not any(words in page.text for words in ("include", "Other pumps", "Back to top"))
