"""Which element of a page is its content, and what surrounds it (SRC-1)."""

from headwater.domain.documents import ParsedDocument
from headwater.parsing.html.parser import HtmlParser
from headwater.parsing.parser import File

PARAGRAPH = "Words of the book that go on for a while, so that they are a paragraph and not a label of something else."
LONG = f"<p>{PARAGRAPH}</p>" * 8


def read(html: str) -> ParsedDocument:
    return HtmlParser().parse(File(content=html.encode(), uri="docs/page.html", root="docs"))


def test_sections_beside_the_longest_one_are_content_too() -> None:
    """DocBook and Texinfo nest a section in an element of its own; the longest of them is not the page."""
    page = read(
        '<title>Pumps</title><body><div class="chapter"><div class="titlepage"><h2 class="title">Pumps</h2></div>'
        '<p>What pumps do.</p><div class="section"><h3>Small ones</h3><p>They are small, and that is all.</p></div>'
        f'<div class="section"><h3>Large ones</h3>{LONG}</div>'
        '<div class="section"><h3>Their oil</h3><p>Fill in two litres of oil each year, and clean its filter.</p></div>'
        "</div></body>"
    ).text
    assert page.startswith("# Pumps\n\nWhat pumps do.\n\n### Small ones")
    assert "### Large ones" in page
    assert page.endswith("clean its filter.")


def test_lists_of_links_beside_the_text_are_no_sections() -> None:
    links = "".join(f'<li><a href="{index}.html">Another page about oil {index}</a></li>' for index in range(9))
    page = read(
        f'<title>Pumps</title><body><div class="wrap"><div class="left"><h3>Categories</h3><ul>{links}</ul></div>'
        f"<div><h1>Pumps</h1>{LONG}</div><div><h3>Related</h3><ul>{links}</ul></div></div></body>"
    ).text
    assert page.startswith("# Pumps")
    assert "Categories" not in page
    assert "Related" not in page


def test_a_class_of_the_head_of_a_page_that_many_elements_have_means_parts() -> None:
    """Haddock puts each declaration in an element of the class `top`."""
    declarations = "".join(
        f'<div class="top"><p class="src">name{index} :: a</p><div class="doc"><p>{PARAGRAPH}</p></div></div>'
        for index in range(4)
    )
    page = read(f'<title>M</title><body><div id="content"><h1>Documentation</h1>{declarations}</div></body>').text
    assert all(f"name{index} :: a" in page for index in range(4))
    once = read(f'<title>M</title><body><div class="top"><p>Log in here</p></div><h1>M</h1>{LONG}</body>').text
    assert "Log in" not in once


def test_headings_that_lead_back_to_the_contents_stay() -> None:
    """Docutils links headings to the list of contents, which goes."""
    page = read(
        '<title>Find</title><main><h1><a class="toc-backref" href="#id5">Find</a><a class="headerlink" href="#f">¶</a>'
        '</h1><div class="contents local topic"><p>Contents</p><ul><li><a href="#f" id="id5">Find</a></li>'
        f'<li><a href="#m" id="id6">Modes</a></li></ul></div>{LONG}'
        f'<h2><a class="toc-backref" href="#id6">Modes</a></h2>{LONG}</main>'
    ).text
    assert page.startswith(f"# Find\n\n{PARAGRAPH}")
    assert "\n\n## Modes\n\n" in page


def test_a_page_that_only_leads_to_another_one_has_no_text() -> None:
    redirect = read(
        '<title>Redirection</title><meta http-equiv="refresh" content="0; url=new/page.html"><h1>Moved</h1>'
        '<p>Redirecting to <a href="new/page.html">new/page.html</a></p><script>location.replace("x")</script>'
    )
    assert redirect.text == ""
    assert redirect.references == ("docs/new/page.html",)
    assert PARAGRAPH in read(f'<meta http-equiv="refresh" content="5; url=page.html"><h1>Live</h1>{LONG}').text


def test_a_site_s_name_in_a_heading_goes_with_the_menu_around_it() -> None:
    page = read(
        '<title>Packages | Node.js v18 Documentation</title><body><header class="header"><h1>Node.js v18 documentation'
        f'</h1><ul><li><a href="a.html">Other versions</a></li></ul></header><h2>Packages</h2>{LONG}</body>'
    )
    assert page.title == "Packages"
    assert page.text.startswith(f"## Packages\n\n{PARAGRAPH}")


def test_links_of_menus_lead_a_crawl_though_the_menus_go() -> None:
    """A class of a reference may be linked from the menu alone."""
    page = read(
        '<title>A</title><link rel="stylesheet" href="stylesheet.css" title="Style"><body>'
        '<div class="topNav"><ul class="navList"><li><a href="index-all.html">Index</a></li>'
        f'</ul></div><div class="header"><h2 title="Class A" class="title">Class A</h2></div>{LONG}</body>'
    )
    assert "Index" not in page.text
    assert "docs/index-all.html" in page.references
