"""Org files become markdown (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.org.parser import OrgParser
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for

NOTES = """#+TITLE: The /pump/
#+AUTHOR: me
# a comment
* TODO [#A] Parts :home:work:
:PROPERTIES:
:ID: 7
:END:
DEADLINE: <2026-11-27 Fri 10:00>
Some *bold* and /italic/, =a*b*= and ~c~; see [[https://pump.example][the shop]],
[[file:tank.org::*Valve][the
tank]] and [[*Limits]].[fn:1]

- Housing
  - Lid :: on top
- [X] Seal
  goes on

  second paragraph
1) Open
2) Close
** Code
#+begin_src sh :results output
  pump --on

  ,* not a heading
#+end_src
#+RESULTS:
: 42
#+begin_quote
Mend early.
#+end_quote
#+begin_comment
Not this.
#+end_comment
| size | flow |
|------+------|
| <l>  |      |
| small | 40  |
#+TBLFM: $2=1
Paths /usr/bin/x and 2*3*4 stay.
[fn:1] A note.
"""


def parsed(text: str) -> ParsedDocument:
    """What is made of a file."""
    return OrgParser().parse(File(content=text.encode(), uri="notes/pump.org", root="notes"))


def test_a_file_becomes_markdown() -> None:
    """Outline, lists, blocks, tables and links; keywords, drawers and comments are left out."""
    document = parsed(NOTES)
    assert document.title == "The pump"
    assert document.text == (
        "# The pump\n\n"
        "## Parts\n\n"
        "DEADLINE: 2026-11-27 10:00\n"
        "Some **bold** and *italic*, `a*b*` and `c`; see [the shop](https://pump.example),\n"
        "the\ntank and Limits.\n\n"
        "- Housing\n  - **Lid**: on top\n- [x] Seal goes on\n\n  second paragraph\n1. Open\n2. Close\n\n"
        "### Code\n\n"
        "```sh\npump --on\n\n* not a heading\n```\n\n"
        "```\n42\n```\n\n"
        "> Mend early.\n\n"
        "| size | flow |\n| --- | --- |\n| small | 40 |\n\n"
        "Paths /usr/bin/x and 2*3*4 stay.\nA note."
    )


def test_its_lines_and_links_are_known() -> None:
    """A citation opens the line, and links to files are references."""
    document = parsed(NOTES)
    assert document.references == ("notes/tank.org",)
    assert document.places is not None
    start = document.text.index("pump --on")
    place = document.places.between(start, start + 9, text=document.text)
    assert place is not None
    assert NOTES.split("\n")[int(place.first) - 1].strip() == "pump --on"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("* A\ntext", "# A\n\ntext"),
        ("*A* begins", "**A** begins"),
        ("a =b= c", "a `b` c"),
        ("+gone+ _under_", "~~gone~~ under"),
        ("[[./a.png]] [[./a.png][a]]", "a"),
        ("* Contents :TOC_2_gh:noexport:\n- [[#a][A]]\n* Stocks :tocks:\nkept", "# Stocks\n\nkept"),
        ("x [fn:: said there] y", "x  (said there) y"),
        ("#+begin_src\nopen", "open"),
        ("#+begin_src make\nall:\n\tcc a\n#+end_src", "```make\nall:\n\tcc a\n```"),
        ("1. a\n  - b\n      - c\n2. d\n\n   e", "1. a\n   - b\n     - c\n2. d\n\n   e"),
        ("- a\n\t- b", "- a\n  - b"),
        ("=a=b= and =c =d=", "`a=b` and =c `d`"),
        (":LOGBOOK:\nopen", "open"),
        (": code\n:\n: more", "```\ncode\n\nmore\n```"),
        ('# comment\n#+INCLUDE: "/etc/passwd"\nafter', "after"),
        ("|a|b|\n|c|d|", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"),
        ("******** deep", "###### deep"),
    ],
)
def test_pieces_of_markup(markup: str, text: str) -> None:
    """Also what is never closed."""
    assert parsed(markup).text == text


def test_blocks_in_blocks_have_a_depth() -> None:
    """They are read to a depth, without a stack overflow (SEC-1)."""
    count = 3000
    begins = "".join(f"#+begin_a{number}\n" for number in range(count))
    ends = "".join(f"#+end_a{number}\n" for number in reversed(range(count)))
    assert parsed(f"{begins}text\n{ends}").text == "text"


def test_files_are_read_by_their_names() -> None:
    """Whatever their first lines look like."""
    assert isinstance(parser_for(b"* A\n* B\n", "a.org"), OrgParser)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("* The pump label:sec:pump\nWater.\n", "# The pump\n\nWater."),
        ("It lifts [cite:@Ada1843], see autoref:fig:pump and cite:ada.", "It lifts, see fig:pump and ada."),
        (
            "Ask for =is:open label:bug= with ~git fetch ref:main~, is:open label:bug.",
            "Ask for `is:open label:bug` with `git fetch ref:main`, is:open label:bug.",
        ),
        ("See https://pump.example/ref:a and =ref:a=.", "See https://pump.example/ref:a and `ref:a`."),
    ],
)
def test_labels_and_citations_are_for_programs(text: str, read: str) -> None:
    """A reference is the name of what it leads to; a citation in brackets is left out."""
    document = OrgParser().parse(File(content=text.encode(), uri="pump.org"))
    assert document.text.strip() == read


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("* The pump\nWater.\n** Care\nOil.\n", "The pump"),
        ("* Water\nOne.\n* Oil\nTwo.\n", ""),
        ("It lifts.\n* The pump\nWater.\n", ""),
    ],
)
def test_the_heading_above_everything_is_the_title(text: str, title: str) -> None:
    """Of a file that names none; the first of several headings says too little."""
    assert OrgParser().parse(File(content=text.encode(), uri="notes.org")).title == title
