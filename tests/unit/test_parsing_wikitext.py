"""MediaWiki's markup becomes markdown (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import DocumentError
from headwater.parsing.parser import File
from headwater.parsing.registry import is_read_by, parser_for
from headwater.parsing.wikitext.parser import WikitextParser

PAGE = """<!-- {{draft}} -->
= The pump =
__NOTOC__
The '''pump''' lifts ''water''; see [[Tank.mediawiki|the tank]], [[Valve]] and [https://pump.example the shop].<ref>
Or a [https://other.example second] shop.</ref><ref name=a />

== Parts ==
* Housing
** Lid

** Seal

# Open it
# Clean it <code>gently</code>

; Flow : Litres per minute
; Head
: Height in metres

<source lang="sh">
pump --on  # '''not''' bold

pump --off
</source>
 indented   code
 text
{| class="wikitable"
|+ Limits
! Size !! Flow
|-
| rowspan=2 | small || 40
|-
| 45
|}
{{Infobox
| name = Mend
| licence = MIT
}}
Use {{key|Ctrl}} and <nowiki>[[no link]]</nowiki>. {{DEFAULTSORT:Pump}}
[[File:pump.png|thumb|200px|The pump, open]]
[[Category:Machines]]
"""


def parsed(text: str, uri: str = "wiki/Pump.mediawiki") -> ParsedDocument:
    """What is made of a page."""
    return WikitextParser().parse(File(content=text.encode(), uri=uri, root="wiki"))


def test_a_page_becomes_markdown() -> None:
    """Headings, lists, code, tables, templates and notes; nothing of the markup is left."""
    document = parsed(PAGE)
    assert document.title == "The pump"
    assert document.text == (
        "# The pump\n\n"
        "The **pump** lifts *water*; see the tank, Valve and [the shop](https://pump.example).\n\n"
        "## Parts\n\n"
        "- Housing\n  - Lid\n  - Seal\n\n"
        "1. Open it\n2. Clean it `gently`\n\n"
        "- **Flow**: Litres per minute\n- **Head**: Height in metres\n\n"
        "```sh\npump --on  # '''not''' bold\n\npump --off\n```\n\n"
        "```\nindented   code\ntext\n```\n\n"
        "Limits\n\n| Size | Flow |\n| --- | --- |\n| small | 40 |\n| small | 45 |\n\n"
        "|  |  |\n| --- | --- |\n| name | Mend |\n| licence | MIT |\n\n"
        "Use Ctrl and [[no link]]. The pump, open\n\n"
        "1. Or a [second](https://other.example) shop."
    )


def test_its_lines_and_links_are_known() -> None:
    """A citation opens the line, and links to files of the wiki are references."""
    document = parsed(PAGE)
    assert document.references == ("wiki/Tank.mediawiki",)
    assert document.places is not None
    start = document.text.index("pump --off")
    place = document.places.between(start, start + 10, text=document.text)
    assert place is not None
    assert PAGE.split("\n")[int(place.first) - 1] == "pump --off"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<pre>\n  Number: 7\n  Title: Open the pump\n</pre>\n\n==Why==\nIt leaks.", "Open the pump"),
        ("== Why ==\nIt leaks.", ""),
        ("It leaks.\n\n= Later =\n", ""),
    ],
)
def test_the_title_is_what_the_page_begins_with(text: str, title: str) -> None:
    """A heading of the first level, or a field; else the file's name says more."""
    assert parsed(text).title == title


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''''a''''' b", "**a** b"),
        ("'''open\nnext", "**open** next"),
        ("a<br/>b", "a\nb"),
        ("<math>x^2</math>", "`x^2`"),
        ("[https://a.example]", "https://a.example"),
        ("[[https://a.example|the site]]", "[the site](https://a.example)"),
        ("[[Main Page#Top|top]]", "top"),
        ("{{NOTE|Mind it}} [[RFC:12|the twelfth]] [[de:Pumpe]]", "Mind it the twelfth"),
        ("{{cite web|url=https://a.example|title=A book}}", "A book"),
        ("<div>\n* a\n</div>", "- a"),
        ("</code>a<small>b</small>", "ab"),
        ("&lt;b&gt; &amp;", "\\<b> &"),
        ("<script>alert(1)</script>a", "a"),
        ("<pre>open", "open"),
        ("<!-- open", "\\<!-- open"),
        ("{{open", "{{open"),
        ("{|\n|}", ""),
    ],
)
def test_pieces_of_markup(markup: str, text: str) -> None:
    """Also what is wrong or never closed."""
    assert parsed(markup).text.strip() == text


def test_nesting_without_end_is_refused() -> None:
    """A message, not a stack overflow (SEC-1)."""
    with pytest.raises(DocumentError, match="nested too deeply"):
        parsed("<div>a" * 90 + "</div>" * 90)


def test_files_are_read_by_their_names() -> None:
    """Whatever their first lines look like."""
    for name in ("a.mediawiki", "a.wiki", "a.wikitext"):
        assert isinstance(parser_for(b"== A ==\nText.\n\n== B ==\n", name), WikitextParser)


def test_what_was_plain_text_before_this_parser_is_read_again() -> None:
    """A home of an earlier release gets its headings with the next sync; a file that it cannot read stays as it is."""
    plain = parser_for(b"text", "a.txt").version
    assert not is_read_by(plain, media_type="text/plain", uri="a.mediawiki")
    assert not is_read_by(plain, media_type="text/markdown", uri="a.mediawiki")
    assert is_read_by(plain, media_type="text/plain", uri="a.txt")
    assert is_read_by(plain, media_type="text/plain", uri="a.pdf")
