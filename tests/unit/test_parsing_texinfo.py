"""Texinfo sources become markdown with the manual's headings, definitions and examples (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.parser import File
from headwater.parsing.registry import parse_file, parser_for
from headwater.parsing.texinfo.parser import TexinfoParser

MANUAL = r"""\input texinfo   @c -*-texinfo-*-
@c %**start of header
@setfilename mend.info
@set UNIT metres
@settitle GNU Mend @value{VERSION}
@defcodeindex op
@macro opt{name, value}
@item @option{\name\}=@var{\value\}
@end macro
@macro exits
It exits with 0.
@end macro
@c %**end of header
@dircategory Tools
@direntry
* Mend: (mend).   Mend what is broken.
@end direntry
@ifhtml
Only for browsers.
@end ifhtml
@node Top
@top Mend
@menu
* Invoking::   How to run it.
@end menu

@node Invoking, Index, Top, Top
@chapter Invoking @command{mend}
@cindex running
@pindex mend
@command{mend} reads a @var{file}---never two@footnote{Or
three.}.  See @ref{Limits, , The limits}, @pxref{Top,,, make, GNU Make}
and @url{https://mend.example, the page}.  ``Na@"{@dotless{i}}ve'' is caf@'e @@ @{home@}.
@exits

@section Options
@table @samp
@item -a
@itemx --all
@opindex -a
Mend all.

@example
$ mend @var{file} @dots{} > <out> @c not this
  @{two@}
@end example
@opt{--depth, n}
Up to @var{n} @value{UNIT}.
@end table

@enumerate a
@item
First.
@itemize @bullet
@item
Nested @code{x`y}.
@end itemize
@item
Second.
@end enumerate

@multitable @columnfractions .5 .5
@headitem Size @tab Flow
@item small
@tab @code{40}
@end multitable

@deffn {Interactive Command} mend-file name &optional (depth 1)
@deffnx Command mend-buffer
This mends @var{name}.
@end deffn
@defun mend-p object
Whether it is broken.
@end defun
@verbatim
@item stays
@end verbatim
@quotation Note
Mend early.
@end quotation
@node Index
@unnumbered Index
@printindex cp
@bye
Not this.
"""


def parsed(text: str, uri: str = "doc/mend.texi") -> ParsedDocument:
    """What is made of a file."""
    return TexinfoParser().parse(File(content=text.encode(), uri=uri, root="doc"))


def test_a_manual_becomes_markdown() -> None:
    """Its sections, options, definitions, tables and examples; menus, indexes and settings are left out."""
    document = parsed(MANUAL)
    assert document.title == "GNU Mend"
    assert document.text == (
        "# GNU Mend\n\n"
        "## Invoking `mend`\n\n"
        "`mend` reads a *file*—never two (Or three.).  See The limits, see *GNU Make*\n"
        "and [the page](https://mend.example).  “Naïve” is café @ {home}.\n"
        "It exits with 0.\n\n"
        "### Options\n\n"
        "- `-a`, `--all`: Mend all.\n\n"
        "  ```\n  $ mend file ... > <out>\n    {two}\n  ```\n"
        "- `--depth=n`: Up to *n* metres.\n\n"
        "- a. First.\n\n  - Nested `` x`y ``.\n- b. Second.\n\n"
        "| Size | Flow |\n| --- | --- |\n| small | `40` |\n\n"
        "- `mend-file name &optional (depth 1)` (Interactive Command), `mend-buffer` (Command): "
        "This mends *name*.\n\n"
        "- `mend-p object` (Function): Whether it is broken.\n\n"
        "```\n@item stays\n```\n\n"
        "**Note:** Mend early.\n\n"
        "## Index"
    )


def test_its_lines_are_its_places() -> None:
    """Also below what was left out, and below what a macro wrote (SRC-4)."""
    document = parsed(MANUAL)
    assert document.places is not None
    lines = MANUAL.split("\n")
    for words, original in (
        ("### Options", "@section Options"),
        ("- Nested", "Nested"),
        ("$ mend file", "$ mend"),
    ):
        offset = document.text.index(words)
        mark = [mark for mark in document.places.marks if mark.offset <= offset][-1]
        assert lines[document.text.count("\n", 0, offset) + int(mark.first)].startswith(original)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("@chapter Pumps\nText.", "# Pumps\n\nText."),  # a part of a manual: its first heading names it
        ("@ifset A\nno\n@end ifset\n@ifclear A\nyes\n@end ifclear", "yes"),
        ("@ignore\nno\n@end ignore\n@iftex\nno\n@end iftex\n@ifnottex\nyes\n@end ifnottex", "yes"),
        ("@ignore\nnever ended", "never ended"),
        ("@macro two{a,b}\n\\b\\ \\a\\\n@end macro\n@two{x\\, y,\nz}.", "z x, y."),
        ("@macro none\nx\n@end macro\n@none a @none{} @none{b}", "x a x x"),
        ("@macro loop\n@loop a\n@end macro\n@loop", "a a a a a a a a"),
        ("@alias path=file\n@path{a/b} and @email{a@@b.example, me}", "`a/b` and me (a@b.example)"),
        ("a @unknown{b} @c{} d", "a b"),
        ("@unknown c d", "c d"),
        ("Of <b> and *x* and a_b", "Of \\<b> and \\*x* and a_b"),
        ("@itemize\n@item never ended\n@item b", "never ended\n\nb"),
        ("@lisp\n(a)\n@end lisp", "```lisp\n(a)\n```"),
        ("@verb{|@a{|} @w{a b} @key{RET} @kbd{C-x @key{RET}}", "`@a{` a b RET `C-x RET`"),
        ("@inlineifclear{a, x}@inlinefmt{html, no}@inlinefmtifelse{info, y, z}", "xy"),
        ("@defop Method pump start speed\nStarts.\n@end defop", "- `start speed` (Method on pump): Starts."),
        ("@quotation\na\n\nb\n@end quotation", "> a\n>\n> b"),
        ("@strong{a *} @emph{} } @{", "a *   {"),
        ("@U{00E9}@U{D800}@U{0}@U{0000}@U{10FFFD}@U{110000}", "é\U0010fffd"),
        ("a\n@cartouche\nb\n@end cartouche\nc", "a\n\nb\n\nc"),
        ("a\n@float Figure,x\nb\n@end float\n@flushright\nc\n@end flushright", "a\n\nb\n\nc"),
        ("@example\n@cartouche\na\n@group\nb\n@end group\n@end cartouche\n@end example", "```\na\nb\n```"),
        (
            "@multitable {a} {b}\n@headitem a@tab b\n@tab @samp{@@tab}\n@end multitable",
            "| a | b | `@tab` |\n| --- | --- | --- |",
        ),
        ("@display\n@multitable {wide} {b}\n@item a @tab b\n@end multitable\n@end display", "```\na  b\n```"),
    ],
)
def test_commands_are_what_a_reader_sees(source: str, text: str) -> None:
    """Conditions are those of Info, macros are written out, and what nobody knows keeps its words."""
    assert parsed(source).text.removeprefix("# Pumps\n\n# ").strip() == text


@pytest.mark.attacks
@pytest.mark.parametrize(
    "source",
    [
        "@set a x\n" + "@set a @value{a}@value{a}\n" * 60 + "@value{a}",
        "@set a " + "x" * 5_000 + "\n" + "@value{a}" * 5_000,
        "@macro a\n" + "@a " * 100 + "\n@end macro\n@a",
        "@macro a{x}\n" + "\\x\\" * 1_000 + "\n@end macro\n" + "@a{" * 7 + "b" * 1_000 + "}" * 7,
        "@macro a{x}\n" + "\\x\\" * 50_000 + "\n@end macro\n" + ("@a{" + "b" * 50_000 + "}\n") * 2 + "@a{}\n" * 9_000,
    ],
    ids=["values of values", "a long value", "macros of macros", "arguments of arguments", "a long argument"],
)
def test_what_macros_and_values_write_is_limited(source: str) -> None:
    """A few lines could write more than fits into memory (SEC-1)."""
    assert len(parsed(source).text) < 3_000_000


@pytest.mark.attacks
def test_a_table_has_at_most_100_columns() -> None:
    """Each row is filled up to the longest one; the rest stands in its last cell (SEC-1)."""
    source = "@multitable\n@item " + "a @tab " * 5_000 + "z\n" + "@item b\n" * 5_000 + "@end multitable"
    text = parsed(source).text
    assert len(text) < 3_000_000
    assert text.count("a") == 5_000


def test_files_are_told_by_their_names() -> None:
    """Those of automake, too; each is read in a process of its own (SRC-4, SEC-1)."""
    for name in ("a.texi", "a.texinfo", "a.txi", "a.texi.in"):
        file = File(content=MANUAL.encode(), uri=name)
        parser = parser_for(file.content, name)
        assert isinstance(parser, TexinfoParser)
        assert parse_file(parser, file).title == "GNU Mend"
