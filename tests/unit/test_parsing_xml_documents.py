"""Documents in XML of many vocabularies become markdown (SRC-4)."""

import pytest

from headwater.domain.documents import ParsedDocument
from headwater.parsing.file_types import DOCBOOK, XML_DOCUMENT, media_type_of
from headwater.parsing.parser import File
from headwater.parsing.registry import parser_for
from headwater.parsing.xml_documents.parser import XmlDocumentParser

DITA = """<?xml version="1.0"?>
<!DOCTYPE task PUBLIC "-//OASIS//DTD DITA Task//EN" "task.dtd">
<task id="prime">
  <title>Prime the <keyword keyref="names/pump"/></title>
  <titlealts><navtitle>Priming</navtitle></titlealts>
  <shortdesc>Fill it before the <term>first</term> start.</shortdesc>
  <prolog><metadata><keywords><indexterm>priming</indexterm></keywords></metadata></prolog>
  <taskbody>
    <context>You need <b>two litres</b> of water.
      <note type="warning">Never run it dry.</note></context>
    <steps>
      <step><cmd>Open the <uicontrol>lid</uicontrol>.</cmd>
        <info>It is stiff. <codeblock outputclass="language-sh">pump --open
pump --hold</codeblock></info></step>
      <step><cmd>Pour, see <xref href="https://pumps.test/pour">pouring</xref> and
        <xref href="water-quality.dita"/>.</cmd>
        <choices><choice>cold water</choice><choice>rain</choice></choices></step>
    </steps>
    <result><parml>
      <plentry><pt><parmname>--fill</parmname></pt><pd>How much it takes.</pd></plentry>
    </parml>
    <simpletable><sthead><stentry>Size</stentry><stentry>Litres</stentry></sthead>
      <strow><stentry>small</stentry><stentry>2</stentry></strow></simpletable>
    <p>The element <xmlelement>lid</xmlelement> has <xmlatt>state</xmlatt>.</p></result>
  </taskbody>
  <related-links><link href="other.dita"/></related-links>
</task>
"""
MALLARD = """<page xmlns="http://projectmallard.org/1.0/" type="topic" id="lid">
  <info><desc>About lids.</desc><credit><name>Ida</name></credit></info>
  <title>Open the lid</title>
  <p>Press <keyseq><key>Ctrl</key><key>L</key></keyseq> in <guiseq><gui>Pump</gui><gui>Lid</gui></guiseq>.</p>
  <steps><item><p>Pull.</p></item><item><p>Wait for <app>Pumper</app>.</p></item></steps>
  <terms><item><title>Dry</title><title>Empty</title><p>Without water.</p></item></terms>
  <list type="numbered"><item><p>One.</p></item></list>
  <code mime="text/x-python">lift()</code>
  <note style="tip"><title>Oil</title><p>A drop is enough. See <link xref="oil-kinds"/>.</p></note>
</page>
"""
ARTICLE = """<?xml version="1.0"?>
<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><journal-meta><journal-id>x</journal-id></journal-meta>
  <article-meta><article-id>10.1/2</article-id><title-group>
    <article-title>Pumps <italic>in vivo</italic></article-title></title-group>
    <contrib-group><contrib><name><surname>Miller</surname></name></contrib></contrib-group>
    <abstract><p>We lift water.</p></abstract></article-meta></front>
  <body><sec><label>1</label><title>Methods</title><p>As before <xref rid="r1">[1]</xref>, 10<sup>3</sup> times.</p>
    <fig id="f1"><label>Figure 1.</label><caption><title>A lid.</title><p>It is open.</p></caption></fig>
    <table-wrap><label>Table 1.</label><caption><p>Flows.</p></caption><table><thead><tr><th>Pump</th>
      <th colspan="2">Flow</th></tr></thead><tbody><tr><td>a</td><td>1</td><td>2</td></tr></tbody></table></table-wrap>
    <list list-type="order"><list-item><label>1.</label><p>Fill.</p></list-item></list></sec></body>
  <back><ref-list><title>References</title><ref id="r1"><label>1</label><mixed-citation>Miller. Lids. 1999.
    </mixed-citation></ref></ref-list></back></article>
"""
RFC = """<?xml version="1.0"?>
<rfc><front><title abbrev="Lids">The Lid Protocol</title><author fullname="Ida"/>
  <abstract><t>It opens lids.</t></abstract></front><middle><section anchor="open" title="Opening">
  <t>A lid <bcp14>MUST</bcp14> open, as <xref target="RFC2119"/>
  says; see <xref target="open"/>.</t>
  <figure><artwork>+---+
|lid|</artwork></figure>
  <t><list style="hanging"><t hangText="State:">open or shut.</t></list></t></section></middle>
  <back><references><reference anchor="RFC2119"/></references></back></rfc>
"""
LAW = """<?xml version="1.0"?>
<bill><meta><title>Act on Lids</title><congress>9</congress></meta><main>
  <section><num>SEC. 1.</num><heading>SHORT TITLE.</heading><content>This is the <ref href="/x">Lid</ref> Act.</content>
  </section><section><num>SEC. 2.</num><heading>DUTIES.</heading><chapeau>The owner shall—</chapeau>
  <paragraph><num>(1)</num><content>close it; and</content></paragraph>
  <paragraph><num>(2)</num><chapeau>report</chapeau><subparagraph><num>(A)</num><content>leaks.</content></subparagraph>
  </paragraph></section></main></bill>
"""
MODULE = """<?xml version="1.0"?>
<!DOCTYPE module [ <!ENTITY project SYSTEM "project.xml"> ]>
<module name="Module lids">&project;
 <section name="Contents"><toc/></section>
 <section name="Directives"><directive name="lid"><syntax><literal>on</literal> | <literal>off</literal></syntax>
   <default>off</default><context>http</context><context>server</context>
   <para>Opens the <c-def>LID</c-def>. <example>
lid on;
</example></para></directive>
 <subsection name="More">Some <code>words</code> stand alone.
   <attributes><attribute name="depth" required="true"><p>In metres.</p></attribute></attributes></subsection></section>
</module>
"""


def parse(source: str, name: str = "lid.xml") -> ParsedDocument:
    return XmlDocumentParser().parse(File(content=source.encode(), uri=name))


@pytest.mark.parametrize(
    ("source", "name"),
    [(DITA, "a.dita"), (DITA, "a.xml"), (MALLARD, "lid.page"), (ARTICLE, "a.nxml"), (RFC, "a.xml"), (LAW, "a.xml"),
     (MODULE, "a.xml")],
)  # fmt: skip
def test_documents_in_xml_are_told_from_data(source: str, name: str) -> None:
    assert media_type_of(source.encode(), name) == XML_DOCUMENT
    assert isinstance(parser_for(source.encode(), name), XmlDocumentParser)


def test_other_xml_stays_what_it_is() -> None:
    docbook = (
        '<?xml version="1.0"?><article xmlns="http://docbook.org/ns/docbook"><para>a</para><para>b</para></article>'
    )
    data = '<?xml version="1.0"?><items><item><p>1</p><p>2</p></item></items>'
    assert media_type_of(docbook.encode(), "a.xml") == DOCBOOK
    assert media_type_of(b'<?xml version="1.0"?><project><name>x</name></project>', "pom.xml") == "application/xml"
    assert media_type_of(data.encode(), "a.svg") == "image/svg+xml"


def test_a_task_of_dita() -> None:
    document = parse(DITA)
    assert document.title == "Prime the pump"
    assert document.text.strip() == (
        "# Prime the pump\n\nFill it before the *first* start.\n\nYou need **two litres** of water.\n\n"
        "**Warning**\n\nNever run it dry.\n\n1. Open the lid.\n\n   It is stiff.\n\n   ```sh\n   pump --open\n"
        "   pump --hold\n   ```\n\n2. Pour, see [pouring](https://pumps.test/pour) and water quality."
        "\n   - cold water\n   - rain\n"
        "\n- **`--fill`**: How much it takes.\n\n| Size | Litres |\n| --- | --- |\n| small | 2 |\n\n"
        "The element `<lid>` has `@state`."
    )


def test_a_page_of_mallard() -> None:
    document = parse(MALLARD, "lid.page")
    assert document.title == "Open the lid"
    assert document.text.strip() == (
        "# Open the lid\n\nPress Ctrl+L in Pump > Lid.\n\n1. Pull.\n2. Wait for Pumper.\n\n"
        "- **Dry, Empty**: Without water.\n\n1. One.\n\n```python\nlift()\n```\n\n**Oil**\n\n"
        "A drop is enough. See oil kinds."
    )


def test_an_article_of_a_journal() -> None:
    document = parse(ARTICLE)
    assert document.title == "Pumps in vivo"
    assert document.text.strip() == (
        "# Pumps in vivo\n\nWe lift water.\n\n## Methods\n\nAs before [1], 10³ times.\n\n**Figure 1.**\n\n"
        "**A lid.**\n\nIt is open.\n\n**Table 1.**\n\n"
        "Flows.\n\n| Pump | Flow |  |\n| --- | --- | --- |\n| a | 1 | 2 |\n"
        "\n1. Fill.\n\n## References\n\nMiller. Lids. 1999."
    )


def test_an_rfc() -> None:
    document = parse(RFC)
    assert document.title == "The Lid Protocol"
    assert document.text.strip() == (
        "# The Lid Protocol\n\nIt opens lids.\n\n## Opening\n\nA lid MUST open, as RFC2119 says; see Opening.\n\n"
        "```\n+---+\n|lid|\n```\n\n- **State:** open or shut."
    )


def test_a_law() -> None:
    document = parse(LAW)
    assert document.title == "Act on Lids"
    assert document.text.strip() == (
        "# Act on Lids\n\n## SEC. 1. SHORT TITLE.\n\nThis is the Lid Act.\n\n## SEC. 2. DUTIES.\n\n"
        "The owner shall—\n\n(1) close it; and\n\n(2) report\n\n(A) leaks."
    )


def test_the_manual_of_a_server() -> None:
    document = parse(MODULE)
    assert document.title == "Module lids"
    assert document.text.strip() == (
        "# Module lids\n\n## Directives\n\n### lid\n\nSyntax: on | off\n\nDefault: off\n\nContext: http, server\n\n"
        "Opens the `LID`.\n\n```\nlid on;\n```\n\n### More\n\nSome `words` stand alone.\n\n- **depth**: In metres."
    )


def test_places_are_lines_of_the_file() -> None:
    document = parse(LAW)
    offset = document.text.index("close it")
    assert document.places is not None
    place = document.places.between(offset, offset + 8, text=document.text)
    assert place is not None
    assert place.first == place.last == 5


def test_single_words_between_blocks_stay() -> None:
    """They are no names of files that would be included there, unless the file declares them so."""
    text = parse("<topic><title>Lids</title>Open<p>Pull it.</p><p>Hold it.</p></topic>").text
    assert text.strip() == "# Lids\n\nOpen\n\nPull it.\n\nHold it."


@pytest.mark.parametrize(
    "source",
    ["<mediawiki><page><title>Care</title><revision><text>== Care ==\n* clean it</text></revision></page></mediawiki>",
     "<quiz><question><name><text>Q1</text></name><answer fraction='100'><text>4</text></answer></question></quiz>",
     '<menu><item price="3.50"><text>Soup</text></item><item price="4"><text>Bread</text></item></menu>'],
)  # fmt: skip
def test_data_with_texts_stays_data(source: str) -> None:
    source = f'<?xml version="1.0"?>{source}'
    assert media_type_of(source.encode(), "a.xml") == "application/xml"
    assert parse(source).text.strip() == source


@pytest.mark.parametrize(
    "source",
    ['<?xml version="1.0"?><rows><row><p>1</p><value>a long text that is no paragraph</value><p>2</p></row></rows>',
     '<?xml version="1.0"?><page><p>Not</p><p>closed'],
)  # fmt: skip
def test_data_and_broken_files_are_read_as_code(source: str) -> None:
    assert parse(source).text.strip().startswith("<?xml")
