"""The markup of DokuWiki becomes markdown (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.dokuwiki.parser import DokuWikiParser
from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser
from headwater.parsing.text_structure import detect_structure

PAGE = """====== The pump ======
~~NOTOC~~
The **pump** lifts //water//, see [[tank|the tank]], [[parts:valve]], [[wp>Pump]] and [[https://pump.example|the shop]].
((Or a [[https://other.example|second]] shop.))
{{:pump.png?200|The pump, open}}
<box 40% right| **News** >
  * It runs
</box>

===== Parts =====
  * Housing
    * Lid
    * ''Seal''
  - Open it
  - Clean it, then \\\\ close it

^ Size ^ Flow ^ Owner ^
| [[small|Small one]] | 40 | <ida@pump.example> |
| large || [[tools:big_one]] |

<code bash>
pump --on  # **not** bold

pump --off
</code>
  indented   code
%%[[no link]]%% and http://a.example/b__c__d
"""


def parsed(text: str, uri: str = "wiki/pump.txt") -> ParsedDocument:
    """What is made of a page, whose name says only that it is text."""
    return PlainTextParser().parse(File(content=text.encode(), uri=uri, root="wiki"))


def test_a_page_becomes_markdown() -> None:
    """Headings, lists, code, tables and notes; the labels of links stay, and nothing of the markup is left."""
    document = parsed(PAGE)
    assert document.title == "The pump"
    assert document.text == (
        "# The pump\n\n"
        "The **pump** lifts *water*, see the tank, valve, Pump and [the shop](https://pump.example).\n\n"
        "The pump, open **News**\n\n"
        "- It runs\n\n"
        "## Parts\n\n"
        "- Housing\n  - Lid\n  - `Seal`\n\n"
        "1. Open it\n2. Clean it, then\n   close it\n\n"
        "| Size | Flow | Owner |\n| --- | --- | --- |\n"
        "| Small one | 40 | ida@pump.example |\n| large |  | big one |\n\n"
        "```bash\npump --on  # **not** bold\n\n"
        "pump --off\n```\n\n"
        "```\nindented   code\n```\n\n"
        "[[no link]] and http://a.example/b__c__d\n\n"
        "1. Or a [second](https://other.example) shop."
    )


def test_its_lines_and_links_are_known() -> None:
    """A citation opens the line; links to pages are references, below the root if they name a namespace."""
    document = parsed(PAGE)
    assert document.references == ("wiki/tank.txt", "wiki/parts/valve.txt", "wiki/small.txt", "wiki/tools/big_one.txt")
    assert document.places is not None
    start = document.text.index("pump --off")
    place = document.places.between(start, start + 10, text=document.text)
    assert place is not None
    assert PAGE.split("\n")[int(place.first) - 1] == "pump --off"


@pytest.mark.parametrize(
    ("text", "uri", "title"),
    [
        ("===== Tools =====\n  * a\n==== Saw ====\n", "wiki/our_saw.txt", "Tools"),
        ("===== Present =====\n  * Ida\n===== Notes =====\n", "wiki/meeting_2013.txt", "meeting 2013"),
        ("Some words.\n\n====== Later ======\n  * a\n", "wiki/parts/start.txt", "parts"),
    ],
)
def test_the_title_is_the_heading_above_all(text: str, uri: str, title: str) -> None:
    """If the page does not begin with it, or has others beside it, the page's name says more."""
    assert parsed(text, uri).title == title


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        (PAGE, "text/x-dokuwiki"),
        ("== Buying ==\n  * Ask first\n", "text/x-dokuwiki"),
        ("[[a|b]] and [[c]]\n\n[[https://a.example]]\n", "text/x-dokuwiki"),
        ("===== Goals ======\n  * Lift water\n", "text/x-dokuwiki"),
        ("See [[tank]]:\n  * Lid\n  * Seal\n", "text/x-dokuwiki"),
        ("^ Size ^ Flow ^\n| small | 40 |\n", "text/x-dokuwiki"),
        ("Dear {{ user.name }},\n\n  * {{ item.one }}\n  * {{ item.two }}\n", ""),
        ("Tags:\t\t*pump* [[a]]\n\t\t*tank*\n\t\t*valve*\n", ""),
        ("== Parts ==\n* Housing\n* Lid, see [[Valve]]\n\n== Use ==\n", "text/asciidoc"),
        ("= Guide =\n\n== Parts\n\n[source,sh]\n  * a\n\n== Use\n", "text/asciidoc"),
        ("if [[ -f a ]]; then\n  [[ -f b ]] && [[ -f c ]]\nfi\n", ""),
    ],
)
def test_what_is_a_page_of_dokuwiki(text: str, media_type: str) -> None:
    """Headings between `=` with a list or a link as it writes them; those of AsciiDoc and MediaWiki stay theirs."""
    assert detect_structure(text.encode()) == media_type


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("**open", "\\*\\*open"),
        ("<code>open", "\\<code>open"),
        ("((open", "((open"),
        ("{{open", "{{open"),
        ("[[tank", "[[tank"),
        ("<del>gone</del> <sub>2</sub>", "gone 2"),
        ("a <b c", "a \\<b c"),
        ("| a | ::: |", "a"),
        ("[[|x]]", "[[|x]]"),
        ("  * [[a|{{b.png|B}}]]", "- B"),
        ("<note>Mind it</note>", "Mind it"),
    ],
)
def test_pieces_of_markup(markup: str, text: str) -> None:
    """Also what is wrong or never closed."""
    file = File(content=markup.encode(), uri="wiki/pump.txt", root="wiki")
    assert DokuWikiParser().parse(file).text == text
