"""POD becomes markdown with its headings, items and code (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.parser import File
from headwater.parsing.pod.parser import PodParser
from headwater.parsing.registry import parser_for

PAGE = """package Pump;
# code
=encoding utf8

=head1 NAME
X<pump>

Pump::Hand - a pump I<by hand>

=head1 DESCRIPTION

Reads C<< $pump->{rate} >>, F<pump.conf> and B<all E<lt>pumpsE<gt>>
of L<the shop|https://pump.example/a>, see L<Pump::Well/"Depth">, L</Valves>,
L<C<open>|perlfunc/open> and PUMP_RATE of <b>.

  use Pump::Hand;

  my $pump = Pump::Hand->new;
\tpump();

More.

=over 4

=item -a

=item B<--all>

Mend all.

=over

=item *

First.

=item * Second

    code

=back

=item 1st

A term.

=back

=over

=item 1.

One

=item 2

Two

=back

=over

=item Nothing

=item Below

=back

=begin html

<p>Not this.</p>

=end html

=for comment Not this.

=head2 Valves

S<Two  words>Z<>.

=cut

sub pump { }

=method open

Opens it.
"""


def parsed(text: str) -> ParsedDocument:
    """What is made of a file."""
    return PodParser().parse(File(content=text.encode(), uri="lib/Pump/Hand.pod", root="lib"))


def test_a_page_becomes_markdown() -> None:
    """Headings, links, items and code; what is for HTML, indexes and code around it are left out."""
    document = parsed(PAGE)
    assert document.title == "Pump::Hand"
    assert document.text == (
        "# Pump::Hand\n\n## NAME\n\nPump::Hand - a pump *by hand*\n\n## DESCRIPTION\n\n"
        "Reads `$pump->{rate}`, `pump.conf` and **all \\<pumps>**\n"
        "of [the shop](https://pump.example/a), see Depth in Pump::Well, Valves,\n"
        "`open` and PUMP_RATE of \\<b>.\n\n"
        "```\nuse Pump::Hand;\n\nmy $pump = Pump::Hand->new;\n      pump();\n```\n\n"
        "More.\n\n"
        "- -a, **--all**: Mend all.\n\n  - First.\n  - Second\n\n    ```\n    code\n    ```\n- 1st: A term.\n\n"
        "1. One\n2. Two\n\n"
        "- Nothing\n- Below\n\n"
        "### Valves\n\nTwo  words.\n\n"
        "### open\n\nOpens it."
    )


def test_its_lines_are_its_places() -> None:
    """Also below code that is left out (SRC-4)."""
    document = parsed(PAGE)
    assert document.places is not None
    offset = document.text.index("Opens it")
    mark = [mark for mark in document.places.marks if mark.offset <= offset][-1]
    line = PAGE.split("\n")[document.text.count("\n", 0, offset) + int(mark.first)]
    assert line == "Opens it."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("=head1 Pumps\n\nText.", "# Pumps\n\nText."),
        ("=pod\n\nC<$a-E<gt>b> C<<no>> I<never closed", "`$a->b` C<\\<no>> *never closed*"),
        ("=pod\n\nB<I<a>> E<eacute>E<0xe9>E<233>E<unknown> C<`>", "*a* éééunknown `` ` ``"),
        ("=pod\n\n# no heading\n\n* no item", "\\# no heading\n\n\\* no item"),
        ("=item a\n\ntext", "- a: text"),
        ("=over\n\ntext\n\n=back", "text"),
        ("=over\n\n=item a\n\n  code\n\n=back", "- a:\n\n  ```\n  code\n  ```"),
        ("=begin :pump\n\ntext\n\n=end :pump", "text"),
        ("=begin html\n\nnever ended", ""),
        ("=pod\n\n  =cut inside code\n\n=cut\n\nsub a { }", "```\n=cut inside code\n```"),
        ("no pod", ""),
    ],
)
def test_commands_are_what_a_reader_sees(source: str, text: str) -> None:
    """What is not closed, or not known, keeps its words."""
    assert parsed(source).text == text


def test_files_are_told_by_their_names() -> None:
    """A module of Perl is code (SRC-4)."""
    assert isinstance(parser_for(PAGE.encode(), "Hand.pod"), PodParser)
    assert not isinstance(parser_for(PAGE.encode(), "Hand.pm"), PodParser)
