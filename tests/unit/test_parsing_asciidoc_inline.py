"""The inline markup of AsciiDoc: macros, code, what is passed through."""

import pytest

from headwater.parsing.asciidoc.parser import AsciiDocParser
from headwater.parsing.parser import File


def _read(text: str) -> str:
    return AsciiDocParser().parse(File(content=text.encode(), uri="mill.adoc")).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Use xref:tools:mill.adoc[`mill`].", "Use `mill`."),
        ("Use https://mill.example/a_b--c[`add-wheel`].", "Use [`add-wheel`](https://mill.example/a_b--c)."),
        ("See <<wheels#oak,`oak`>> and link:a.html[*bold* `b`].", "See `oak` and [**bold** `b`](a.html)."),
        ("_See `a` and link:b[`c`]_", "*See `a` and [`c`](b)*"),
    ],
)
def test_labels_may_hold_code(source: str, expected: str) -> None:
    """A macro is read before the code in its label."""
    assert _read(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("`xref:a.adoc[turn]` and `https://a.example[stop]`", "`turn` and `stop`"),
        ("`/mill/__<name>__/_part_b_`, `-[.var]_x_`", "`/mill/<name>/_part_b_`, `-x`"),
        ("`1<<n,m>>2`, `cat <<EOF,x>>out`, `__init__`, `_x_`", "`1<<n,m>>2`, `cat <<EOF,x>>out`, `__init__`, `_x_`"),
        ("`option:[a]`, `a::run[0]`, `kbd:[x]`", "`option:[a]`, `a::run[0]`, `kbd:[x]`"),
        ("`+__{name}__+`, `a_b_c`, `snake_case_`", "`__{name}__`, `a_b_c`, `snake_case_`"),
        (r"`\https://<host>/x`, `[[a]]`", "`https://<host>/x`, `[[a]]`"),
        ("`((b))`, `items:string[]`", "`((b))`, `items:string[]`"),
        ("`&#95;default`", "`_default`"),
        (r"`(set https://a.example[\*wheel*])`", "`(set *wheel*)`"),
    ],
)  # fmt: skip
def test_markup_is_read_in_code_between_backticks(source: str, expected: str) -> None:
    """As a reader of the page sees it; with plus signs, and where code is more likely, it stays."""
    assert _read(source) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ('subs="+quotes"', "turn <name> xref:a.adoc[b] {wheel}-x f[*], g[*] -v"),
        ('subs="+macros,attributes"', "turn __<name>__ b oak-[.var]_x_ f[*], g[*] *-v*"),
        ("subs=normal", "turn <name> b oak-x f[*], g[*] -v"),
        ('subs="normal,-quotes"', "turn __<name>__ b oak-[.var]_x_ f[*], g[*] *-v*"),
        ("subs=verbatim", "turn __<name>__ xref:a.adoc[b] {wheel}-[.var]_x_ f[*], g[*] *-v*"),
    ],
)
def test_markup_is_read_in_blocks_of_code_that_say_so(options: str, expected: str) -> None:
    """Each of the option's names brings its marks; without it, all stay."""
    code = "turn __<name>__ xref:a.adoc[b] {wheel}-[.var]_x_ f[*], g[*] *-v*"
    assert _read(f":wheel: oak\n\n[source,sh,{options}]\n----\n{code}\n----\n") == f"```sh\n{expected}\n```"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("pass:[__init__] and `pass:[*ns*]`", "__init__ and `*ns*`"),
        (":u: https://a.example\n\n`pass:c,a,q[{u}]/x` pass:q[*b*]", "`https://a.example/x` **b**"),
        ("+++<del>x_y_</del>+++, +++<name>+++, $$a_b_$$", "x_y_, <name>, a_b_"),
        ("A wheel.footnote:[Of pass:[__oak__].]", "A wheel. (Of __oak__.)"),
        ("link:++https://a.example/x--y--z++[a]", "[a](https://a.example/x--y--z)"),
        ("Bare https://a.example/x--y_z_, C++ and D++.", "Bare https://a.example/x--y_z_, C++ and D++."),
        (r"pass:[a\]b]", "a]b"),
    ],
)
def test_what_is_passed_through_is_no_markup(source: str, expected: str) -> None:
    """Nor is the address of a link; tags go, and words between angle brackets stay."""
    assert _read(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The feature:wheels[display=Oak Wheels] and config:gate[display=\"Gate\"].", "The Oak Wheels and Gate."),
        ("The feature:wheels-2.0[], config:gate#open[].", "The feature:wheels-2.0[], config:gate#open[]."),
        ("At 12:30[a], 12:30[], host:80[]; https://a.example/b:c[]", "At 12:30[a], 12:30[], host:80[]; https://a.example/b:c"),
        ("kbd:[Ctrl], image:a.png[Mill], see footnote:a[].", "`Ctrl`, Mill, see ."),
        ("link:a.html[window=_blank] link:b.html[c,window=_blank] mill:stop[now]", "a.html [c](b.html) mill:stop[now]"),
    ],
)  # fmt: skip
def test_macros_of_a_site_are_their_words(source: str, expected: str) -> None:
    """The words that they display; times, addresses and macros with words are none."""
    assert _read(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Mill&rsquo;s &#8212; &#x2014; &nbsp;&#95; &unknown; &#3;0&#4;", "Mill’s — —  _ &unknown; 0"),
        ("[.var]`wheels`, [.ui]*Turn*, a[n]`b`", "`wheels`, **Turn**, a[n]`b`"),
        ("One +\ntwo{empty}+\nthree", "One\ntwo\nthree"),
        ("|===\n|a +\nb\n|c{empty}+\n|===", "|  |\n| --- |\n| a b |\n| c |"),
        ("xref:tools:wheels/oak-wheel.adoc[], xref:a.adoc#_the_gate[]", "oak wheel, the gate"),
        ("a{blank}xref:#a[1]", "a1"),
        ("_a_b_ and __c_d__s, _/opt/a_b/_", "*a_b* and *c_d*s, */opt/a_b/*"),
        (r"\xref:a[b] and \https://a.example[b]", "xref:a[b] and https://a.example[b]"),
    ],
)  # fmt: skip
def test_signs_of_the_page_are_not_in_the_text(source: str, expected: str) -> None:
    """Characters by name, roles, breaks of lines, file names and escapes become what a reader sees."""
    assert _read(source) == expected
