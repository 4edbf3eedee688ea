"""DocBook becomes markdown (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.errors import TooLargeError
from headwater.parsing.docbook.docbook_entities import replace_entities
from headwater.parsing.docbook.parser import DocBookParser
from headwater.parsing.file_types import DOCBOOK, media_type_of
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for

PAGE = """<?xml version="1.0"?>
<!DOCTYPE refentry PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd" [
  <!ENTITY % more SYSTEM "more.ent"> %more;
  <!ENTITY maker "Ida &amp; <b>Sons</b>">
  <!ENTITY firm "Ida &amp; Sons">
]>
<refentry id="pump">
  <refentryinfo><title>pumps</title><author><surname>Miller</surname></author></refentryinfo>
  <refmeta><refentrytitle>pump</refentrytitle><manvolnum>1</manvolnum></refmeta>
  <refnamediv><refname>pump</refname><refname>lift</refname><refpurpose>lift water</refpurpose></refnamediv>
  <refsynopsisdiv><cmdsynopsis>
    <command>pump</command><arg choice="opt" rep="repeat">OPTION</arg>
    <group choice="req"><arg choice="plain">on</arg><arg>off</arg></group>
  </cmdsynopsis></refsynopsisdiv>
  <refsect1><title>Description</title>
    <para>It is made by &firm;, see &config.file; and <xref linkend="opts"/>.<indexterm><primary>x</primary></indexterm>
      <itemizedlist><listitem><para>It lifts.</para></listitem>
        <listitem><simpara>It stops.</simpara></listitem></itemizedlist>
      Ask <citerefentry><refentrytitle>valve</refentrytitle><manvolnum>5</manvolnum></citerefentry>.</para>
    &more.text; &note.more;
    <note><para>Close the <filename>lid</filename> &amp; press
      <keycombo><keycap>Ctrl</keycap><keycap>L</keycap></keycombo>.</para></note>
    It is blue.
    <refsect2 id="opts"><title>Options</title>
      <variablelist>
        <varlistentry><term><option>-h</option></term><term><option>--help</option></term>
          <listitem><para>Show <emphasis role="bold">help</emphasis>.</para></listitem></varlistentry>
        <varlistentry><term><option>-q</option></term><listitem><para>Be quiet.</para></listitem></varlistentry>
      </variablelist>
      <example><title>Starting</title>&example.text;<programlisting language="sh"><![CDATA[
pump on  # &firm; <now>
]]></programlisting></example>
      <informaltable><tgroup cols="2"><thead><row><entry>Size</entry><entry>Flow</entry></row></thead>
        <tbody><row><entry>1</entry><entry>40</entry></row></tbody></tgroup></informaltable>
    </refsect2>
  </refsect1>
</refentry>
"""
METHOD = """<refentry xml:id="f" xmlns="http://docbook.org/ns/docbook">
 <refnamediv><refname>cut</refname><refpurpose>Cut it</refpurpose></refnamediv>
 <refsect1 role="description">&reftitle.description; &extension.core;
  <methodsynopsis><type>array</type><methodname>cut</methodname>
   <methodparam><type>int</type><parameter>at</parameter></methodparam>
   <methodparam choice="opt"><type class="union"><type>int</type><type>null</type></type><parameter>to</parameter>
    <initializer>&null;</initializer></methodparam>
  </methodsynopsis>
 </refsect1>
</refentry>
"""


def read(source: str, uri: str = "man/pump.xml") -> ParsedDocument:
    """A file as a document."""
    return DocBookParser().parse(File(content=source.encode(), uri=uri))


OPTIONS = """<refsect1 xmlns="http://docbook.org/ns/docbook">
 <title>Options</title>
 <variablelist>
  <varlistentry>
   <term><option>-b</option></term>
   <listitem>
    <para>
     Run all of it as one batch.
    </para>
   </listitem>
  </varlistentry>
  <varlistentry>
   <term><option>-U</option></term>
   <listitem>
    <para>
     Run once to convert a file
     with plain passwords.
    </para>
   </listitem>
  </varlistentry>
 </variablelist>
</refsect1>
"""


def test_a_manual_page_is_markdown() -> None:
    """Its sections, options, lists, notes, code and tables; what is said of the file itself is left out."""
    assert read(PAGE).text == (
        "# pump(1)\n\n`pump, lift` – lift water\n\n## Synopsis\n\n```\npump [OPTION...] {on | off}\n```\n\n"
        "## Description\n\nIt is made by Ida & Sons, see config.file and Options.\n\n- It lifts.\n- It stops.\n\n"
        "Ask `valve(5)`.\n\n"
        "**Note**\n\nClose the `lid` & press Ctrl+L.\n\nIt is blue.\n\n### Options\n\n"
        "- **`-h`, `--help`**: Show **help**.\n- **`-q`**: Be quiet.\n\n"
        "**Starting**\n\n```sh\npump on  # &firm; <now>\n```\n\n| Size | Flow |\n| --- | --- |\n| 1 | 40 |"
    )


def test_lines_are_places() -> None:
    """Those of the file, also behind its document type."""
    document = read(PAGE)
    offset = document.text.index("Be quiet")
    assert document.title == "pump(1)"
    assert document.places is not None
    place = document.places.between(offset, offset + 9, text=document.text)
    assert place is not None
    assert place.first == PAGE[: PAGE.index("Be quiet")].count("\n") + 1


def test_a_method_is_written_as_it_is_called() -> None:
    """A section that another file names has the last word of that name."""
    assert read(METHOD).text == (
        "# cut\n\n`cut` – Cut it\n\n## Description\n\n```\narray cut(int $at, int|null $to = null)\n```"
    )


@pytest.mark.parametrize(
    ("content", "name", "is_docbook"),
    [
        (PAGE, "a.xml", True),
        (METHOD, "a.xml", True),
        ('<!-- a -->\n<sect1 id="x"><title>X</title></sect1>', "a.sgml", True),
        ('<chapter id="x"><title>X</title></chapter>', "a.docbook", True),
        ('<?xml version="1.0"?><article><title>X</title></article>', "a.xml", False),
        ('<?xml version="1.0"?>\n<!-- a -->\n<sect1 xml:id="x"><para>X</para></sect1>', "a.xml", True),
        ('<?xml version="1.0"?>\n<!DOCTYPE refentry>\n<refentry><para>X</para></refentry>', "a.xml", True),
        ('<!DOCTYPE part [\n<!ENTITY v SYSTEM "v.xml">\n]>\n<part><para>X &v;</para></part>', "a.xml", True),
        ("<varlistentry><term>x</term><listitem><para>X</para></listitem></varlistentry>", "a.xml", True),
        ('<?xml version="1.0"?><order><para>X</para></order>', "a.xml", False),
        ("<p>xmlns=</p>", "a.html", False),
    ],
)
def test_docbook_is_told_by_its_content(content: str, name: str, *, is_docbook: bool) -> None:
    """By its document type or namespace, or, in files for DocBook alone, by its root."""
    assert (media_type_of(content.encode(), name) == DOCBOOK) is is_docbook
    assert isinstance(parser_for(content.encode(), name), DocBookParser) is is_docbook


def test_entities_do_not_grow() -> None:
    """One that stands for others has their words at most once, and all of them together have a limit."""
    nested = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 20}">' for n in range(20))
    declared = f'<!DOCTYPE book [<!ENTITY e0 "{"x" * 100}">{nested}]><book><para>&e20;</para></book>'
    assert len(replace_entities(declared)) < 5_000
    with pytest.raises(TooLargeError):
        replace_entities(declared.replace("&e20;", "&e20;" * 2_000))


@pytest.mark.parametrize(
    "source",
    [
        "<book><para>",
        "<sect1><para>One</sect1><sect1>Two</sect1>",
        '<project xmlns:d="http://docbook.org/ns/docbook"><version>4</version></project>',
    ],
)
def test_what_only_looks_so_is_code(source: str) -> None:
    """A file that is cut off, one in SGML, and one that mentions DocBook."""
    document = read(source)
    assert (document.text, document.media_type) == (source, "text/x-code")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<para>A <glossterm>pump</glossterm> lifts.</para>", "A pump lifts."),
        ("<section><title>Pump<indexterm><primary>x</primary></indexterm></title><para>A</para></section>",
         "# Pump\n\nA"),
        ("<itemizedlist><listitem>Some <para>one</para> tail</listitem></itemizedlist>", "- Some\n\n  one\n\n  tail"),
        (("<article><title>Pump</title><qandaset><qandaentry><question><para>Does it <emphasis>stop</emphasis>?</para>"
         "</question><answer><para>No.</para></answer></qandaentry></qandaset></article>"),
         "# Pump\n\n## Does it stop?\n\nNo."),
        ("<section><note>Mind <emphasis>it</emphasis> well.</note></section>", "**Note**\n\nMind *it* well."),
        (("<para><menuchoice><shortcut><keycap>O</keycap></shortcut><guimenu>File</guimenu><guimenuitem>Open</guimenuitem>"
         "</menuchoice></para>"), "File > Open"),
        ("<section><programlisting><![CDATA[<!DOCTYPE html>\n<xi:include/>]]></programlisting></section>",
         "```\n<!DOCTYPE html>\n<xi:include/>\n```"),
        (('<!DOCTYPE section [<!-- <!ENTITY v "1"> --><!ENTITY v "2"><!ENTITY e ""><!ENTITY k "<b>K</b>">]>'
         "<section><para>&v;&e;&k;</para></section>"), "2K"),
        (("<informaltable><tgroup><colspec colname='a'/><colspec colname='b'/><thead><row><entry>X</entry>"
         "<entry>Y</entry></row></thead><tbody><row><entry morerows='1'>1</entry><entry>2</entry></row>"
         "<row><entry>3</entry></row><row><entry namest='a' nameend='b'>4</entry></row></tbody></tgroup>"
         "</informaltable>"),
         "| X | Y |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |\n| 4 |  |"),
        (("<section><cmdsynopsis><command>a</command><arg><option>--out=<replaceable>FILE</replaceable></option></arg>"
         "</cmdsynopsis></section>"), "```\na [--out=FILE]\n```"),
    ],
)  # fmt: skip
def test_what_stands_in_elements_is_kept(source: str, text: str) -> None:
    """Where it belongs, and only there."""
    assert read(source).text == text


def test_a_definition_stands_in_the_line_of_its_term() -> None:
    """Term and definition are lines of the file, and one of the text."""
    source = OPTIONS
    document = DocBookParser().parse(File(content=source.encode(), uri="a.xml"))
    assert document.places is not None
    lines = {}
    for option in ("-b", "-U"):
        start = document.text.index(f"**`{option}`**")
        place = document.places.between(start, start + 4, text=document.text, offset=0)
        assert place is not None
        lines[option] = source.split("\n")[int(place.first) - 1].strip()
    assert lines == {"-b": "<term><option>-b</option></term>", "-U": "<term><option>-U</option></term>"}
