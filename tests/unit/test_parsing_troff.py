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


BULLET = ".sp\n.RS 4\n.ie n \\{\\\n\\h'-04'\\(bu\\h'+03'\\c\n.\\}\n.el \\{\\\n.sp -1\n.IP \\(bu 2.3\n.\\}\n"


@pytest.mark.parametrize(
    ("page", "written"),
    [
        (".PP\n\\fBType=\\fR\n.RS 4\nHow it starts:\n" + BULLET + "at once\n.RE\n.sp\nOr later.\n.RE\n.PP\nBelow.\n",
         ["- **Type=**: How it starts:", "  - at once", "  Or later.", "Below."]),
        (".PP\n\\fBA=\\fR\n.RS 4\nOuter.\n.PP\n\\fBb\\fR\n.RS 4\nInner.\n.RE\n.RE\n.PP\n\\fBC=\\fR\n.RS 4\nC.\n.RE\n",
         ["- **A=**: Outer.", "  - **b**: Inner.", "- **C=**: C."]),
        (".sp\n.RS 4\n.ie n \\{\\\n\\h'-04' 2.\\h'+01'\\c\n.\\}\nSecond.\n.RE\n", ["2. Second."]),
        (".PP\nIF NOT EXISTS\n.RS 4\nNo error.\n.RE\n", ["- IF NOT EXISTS: No error."]),
        (".PP\nFor example:\n.RS\nmend -n\n.RE\n", ["For example:", "mend -n"]),
        (".PP\nThe command\n.RS\nmend -n\n.RE\n", ["The command", "mend -n"]),
        (".HP\n\\fB\\-n\\fR, \\fB\\-\\-dry\\fR\n.IP\nonly show\n.HP\n\\fB\\-q\\fR\n.IP\nsay less\n",
         ["- **-n**, **--dry**: only show", "- **-q**: say less"]),
        ('.IP "\\[ci]" 4\n\\fB\\-\\-seq\\fR:\n.IP\nSeparate them.\n.IP "" 0\n', ["- **--seq**: Separate them."]),
        (".P\n*Note* that it waits.\n.IP\nIndented.\n", ["*Note* that it waits.", "Indented."]),
        ("the ``Trust Settings'' section, the `l' command, don't\n",
         ["the “Trust Settings” section, the ‘l’ command, don't"]),
        ("For example:\n.PP\n.Vb 1\n\\& CA = TRUE\n\\&\n\\& CA = FALSE\n.Ve\n",
         ["For example:", "```\nCA = TRUE", "CA = FALSE\n```"]),
        ("For example:\n     mend \\-n\n.br\n       file\n\n     mend\nThen wait.\n",
         ["For example:", "```\nmend -n\n  file", "mend\n```", "Then wait."]),
        ("$ mend \\e\n     file\n", ["$ mend \\\nfile"]),
        (".ds L\" ``\n.ds R\" ''\nthe \\*(L\"hash\\*(R\" field\n", ["the “hash” field"]),
        (".TS\nallbox tab(:);\nlB lB.\nT{\nPrefix\nT}:T{\nEffect\nT}\n.T&\nl l\nl l.\n@:zero\n-:one\n.TE\n",
         ["| Prefix | Effect |\n| --- | --- |\n| @ | zero |\n| - | one |"]),
        (".TS\nl c\nl c\n____\nlB c.\nSignal\tx86\n\tmost others\nTERM\t15\n.TE\n",
         ["| Signal | x86 most others |\n| --- | --- |\n| TERM | 15 |"]),
        (".TS\nl l.\nName\tMeaning\n_\na\tfirst\n.TE\n", ["| Name | Meaning |\n| --- | --- |\n| a | first |"]),
        (".TS\nl l.\nKEY\tLONG\nc\tT{\nname (see\n.BR cmd ).\nT}\n.TE\n",
         ["| KEY | LONG |\n| --- | --- |\n| c | name (see cmd). |"]),
    ],
)  # fmt: skip
def test_a_tag_stays_with_its_text_and_a_header_with_its_table(page: str, written: list[str]) -> None:
    """Pages that DocBook, ronn, help2man and tbl made read as they do in a terminal."""
    assert read(f".TH a 1\n.SH D\n{page}").text.split("\n\n")[2:] == written


def test_the_items_of_a_numbered_list_are_counted() -> None:
    """mdoc(7) leaves the numbers to the reader."""
    lists = ".Bl -enum\n.It\none\n.It\ntwo\n.Bl -enum\n.It\ninner\n.El\n.It\nthree\n.El\n"
    assert read(f".Dd May 1\n.Dt A 1\n.Sh D\n{lists}").text.split("\n\n")[2:] == [
        "1. one", "2. two", "   1. inner", "3. three",
    ]  # fmt: skip


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


@pytest.mark.attacks
@pytest.mark.parametrize(
    "part",
    ["\\", "\\f", "\\(", ".", ".TP\n", ".RS\n", ".IP x\n", '"', ".B \"", "\\f[", ".if n \\{\n", ".TS\n", "T{\n", "\\*(",
     ".nf\n", "\\s", ".Bl -tag\n.It x\n", ".Op "],
)  # fmt: skip
@pytest.mark.parametrize("head", [".TH a 1\n.SH D\n", ".Dd a\n.Dt A 1\n.Sh D\n"])
def test_any_page_is_read_in_linear_time(head: str, part: str) -> None:
    """No depth is too much; that twice the text is twice the work is counted (`test_growth`)."""
    begin = time.process_time()
    read(head + part * 5_000)
    assert time.process_time() - begin < 5
