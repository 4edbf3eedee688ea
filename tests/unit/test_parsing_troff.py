"""Manual pages become markdown with headings (SRC-4)."""

import time

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.parser import File
from headwater.parsing.troff.parser import TroffParser

MAN = r"""'\" t
.\" A comment
.TH MEND 1 "May 2026" "mend 2.0"
.ds Mn \fBmend\fP
.SH NAME
mend, unmend \- mend what is broken
.SH SYNOPSIS
.B mend
.RI [ option ...]
.I file
.br
.B unmend
.SH DESCRIPTION
\*(Mn mends a
.IR file ,
see
.BR git (1).
It costs $5 \(em or less\&.
.PP
A second paragraph.\" said aside
.SS Options in general
.TP
.BR \-n ", " \-\-dry\-run
Only show.
.IP
And no more.
.TP
.B \-v
.TQ
.B \-\-verbose
Say more:
.RS
.IP \(bu 2
a point
.IP 2. 4
a number
.RE
.IP \(bu 2
outside
.nf
mend \-n \e
    \fIfile\fP
.fi
.SH EXIT STATUS
.TS
tab(;);
lb lb
l l.
Code;Meaning
0;fine
1;T{
not
fine
T}
.TE
.if t .B never
.if n shown
.de XX
hidden
..
.UR https://mend.example
the page
.UE .
"""
MDOC = r""".Dd May 1, 2026
.Dt MEND 8
.Os
.Sh NAME
.Nm mend
.Nd mend what is broken
.Sh SYNOPSIS
.Nm
.Op Fl nv
.Op Fl c Ar config
.Ar
.Nm
.Fl Fl help
.Sh DESCRIPTION
The
.Nm
utility reads
.Pa /etc/mend.conf ,
and sets
.Ev HOME Ns = Ns Ar path .
.Bl -tag -width Ds
.It Xo
.Fl L
.Sm off
.Oo Ar host : Oc
.Ar port
.Sm on
.Xc
Listen.
.It Fl n , Fl -dry-run
Only show
.Pq see Xr git 1 .
.Pp
No more.
.It Xo
.Fl c
.Ar config
.Xc
Read it.
.Bl -bullet
.It
one
.It
two
.El
.El
.Bd -literal -offset indent
mend -n \e
    file
.Ed
.Bl -column "Code" "Meaning"
.It Sy Code Ta Sy Meaning
.It 0 Ta fine
.El
"""


def read(text: str) -> ParsedDocument:
    """Read a page."""
    return TroffParser().parse(File(content=text.encode(), uri="man/mend.1"))


def test_a_page_of_man_has_headings_items_tables_and_code() -> None:
    """Each macro of man(7) becomes what a reader sees."""
    document = read(MAN)
    assert document.title == "mend, unmend(1)"
    assert document.text.split("\n\n") == [
        "# mend, unmend(1)",
        "## NAME",
        "mend, unmend - mend what is broken",
        "## SYNOPSIS",
        "**mend** [*option*...] *file*\n**unmend**",
        "## DESCRIPTION",
        "**mend** mends a *file*, see **git**(1). It costs $5 — or less.",
        "A second paragraph.",
        "### Options in general",
        "- **-n**, **--dry-run**: Only show.",
        "  And no more.",
        "- **-v**, **--verbose**: Say more:",
        "  - a point",
        "  2. a number",
        "- outside",
        "  ```\n  mend -n \\\n      file\n  ```",
        "## EXIT STATUS",
        "| Code | Meaning |\n| --- | --- |\n| 0 | fine |\n| 1 | not fine |",
        "shown the page (https://mend.example).",
    ]


def test_a_page_of_mdoc_has_headings_items_tables_and_code() -> None:
    """Each macro of mdoc(7) becomes what a reader sees, also where one calls another."""
    document = read(MDOC)
    assert document.title == "mend(8)"
    assert document.text.split("\n\n") == [
        "# mend(8)",
        "## NAME",
        "**mend** — mend what is broken",
        "## SYNOPSIS",
        "**mend** [**-nv**] [**-c** *config*] *file* ...\n**mend** **--help**",
        "## DESCRIPTION",
        "The **mend** utility reads */etc/mend.conf*, and sets HOME=*path*.",
        "- **-L** [*host*:]*port*: Listen.",
        "- **-n**, **--dry-run**: Only show (see git(1)).",
        "  No more.",
        "- **-c** *config*: Read it.",
        "  - one",
        "  - two",
        "```\nmend -n \\\n    file\n```",
        "| **Code** | **Meaning** |\n| --- | --- |\n| 0 | fine |",
    ]


def test_a_line_says_where_it_stands_in_the_file() -> None:
    """The place of a heading is the line of its macro."""
    document = read(MAN)
    assert document.places is not None
    at = document.text.index("## EXIT STATUS")
    place = document.places.between(at, at + 5, text=document.text)
    assert place is not None
    assert place.first == 1 + MAN.split("\n").index(".SH EXIT STATUS")


def test_a_font_that_is_never_closed_changes_nothing_below() -> None:
    """Only words between two changes of font on one line are marked."""
    text = '.TH a 1\n.SH D\nthe "--keep-\\fI" options\nare all\n"--keep-{x}\\fP" kept, \\fBn\\fR too\n'
    assert read(text).text.endswith('the "--keep-" options are all "--keep-{x}" kept, **n** too')


def test_nothing_is_included_and_nothing_grows_without_bound() -> None:
    """Requests that read files are left out; strings are replaced once."""
    grown = ".TH a 1\n.SH D\n" + ".ds A " + "x" * 500 + "\n" + "\\*A" * 100_000 + "\n.so /etc/passwd\n.pso ls\n"
    text = read(grown).text
    assert len(text) < 3_000_000
    assert "passwd" not in text


@pytest.mark.parametrize(
    "part",
    ["\\", "\\f", "\\(", ".", ".TP\n", ".RS\n", ".IP x\n", '"', ".B \"", "\\f[", ".if n \\{\n", ".TS\n", "T{\n", "\\*(",
     ".nf\n", "\\s", ".Bl -tag\n.It x\n", ".Op "],
)  # fmt: skip
@pytest.mark.parametrize("head", [".TH a 1\n.SH D\n", ".Dd a\n.Dt A 1\n.Sh D\n"])
def test_any_page_is_read_in_linear_time(head: str, part: str) -> None:
    """Twice the text takes about twice the time."""
    begin = time.process_time()
    read(head + part * 20_000)
    assert time.process_time() - begin < 5
