"""Pages that fpdoc made as markdown (SRC-1, SRC-4).

Belongs here: what fpdoc writes in its own way. Not here: what is the same on any page (`test_parsing_html`).
"""

from headwater.parsing.html.page import read_page
from headwater.parsing.html.parser import page_document

HEAD = '<head><title>Glow</title><link rel="stylesheet" href="../fpdoc.css" type="text/css"></head>'
BAR = """<table class="bar"><tr><td><b>[<a href="i.html">Overview</a>]</b></td>
<td><span class="bartitle">Reference for unit 'lamps' (<a href="x.html">#rtl</a>)</span></td></tr></table>"""


def read_text(body: str, head: str = HEAD) -> str:
    """The text of a page."""
    html = f"<html>{head}<body>{body}</body></html>"
    return page_document(read_page(html.encode(), "glow.html"), uri="glow.html").text


def make_row(code: str, comment: str = "") -> str:
    """A line of a declaration as fpdoc writes it."""
    cells = f'<td><p>&nbsp;&nbsp;</p></td><td><p class="cmt">{comment}</p></td>' if comment else ""
    return f'<tr><td><p><tt><span class="code">{code}</span></tt></p></td>{cells}</tr>'


def test_a_declaration_over_several_rows_is_one_block() -> None:
    """Its indents stay, overloads stand apart, and the bar leaves the name of the unit."""
    overload = '<span class="sym">):</span>int<span class="sym">;</span><span class="kw">function</span> Glow(x);'
    rows = make_row('<span class="kw">function</span> Glow(') + make_row("&nbsp;&nbsp;n: <a href='i.html'>int</a>")

    assert read_text(f"{BAR}<h1>Glow</h1><h2>Declaration</h2><table>{rows}{make_row(overload)}</table>") == (
        "# Glow\n\nReference for unit 'lamps' (#rtl)\n\n## Declaration\n\n"
        "```pascal\nfunction Glow(\n  n: int\n):int;\n\nfunction Glow(x);\n```"
    )


def test_members_of_a_class_are_lines_with_comments() -> None:
    """What is said about a member stands in a cell beside it."""
    rows = make_row('<span class="kw">type</span> TLamp = class') + make_row("&nbsp;&nbsp;procedure Glow;", "Glows.")

    assert "type TLamp = class\n  procedure Glow;  // Glows.\n" in read_text(f"<h1>TLamp</h1><table>{rows}</table>")


def test_links_to_other_pages_are_a_list_also_where_there_is_only_one() -> None:
    """A class and those that it is derived from have lines between them."""
    row = '<tr><td><p><a href="dim.html">Dim</a></p></td><td><p>&nbsp;</p></td><td><p class="cmt">dims it</p></td></tr>'
    line = '<tr><td align="center"><p>|</p></td></tr>'

    assert read_text(f"<h1>Glow</h1><table>{row}</table>") == "# Glow\n\n- [Dim](dim.html): dims it"
    assert read_text(f"<h1>Glow</h1><table>{make_row('TLamp')}{line}{make_row('TObject')}</table>") == (
        "# Glow\n\n- `TLamp`\n- `TObject`"
    )


def test_a_list_of_members_without_a_title_is_named_after_their_class() -> None:
    """It opens in a window of its own."""
    rows = make_row('<b><a href="t.html">TLamp</a></b>') + '<tr><td></td><td><p><a href="g.html">Glow</a></p></td></tr>'
    head = HEAD.replace("Glow", "")

    assert read_text(f"<table>{rows}</table>", head) == "# TLamp\n\n- `TLamp`\n- [Glow](g.html)"


def test_tables_of_other_pages_stay_as_they_are() -> None:
    """Only the style sheet says that a page is one of fpdoc."""
    row = make_row('<span class="kw">type</span> TLamp')

    assert "pascal" not in read_text(f"<h1>Glow</h1><table>{row}{row}</table>", "<head><title>Glow</title></head>")
