"""HTML, JSX and comments of markdown and MDX, and what is left of them.

Belongs here: what a reader would see, against what is markup. Not here: front matter, titles, links.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.chunking.chunker import chunk_settings, chunk_text
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.parsing.markdown.parser import parse_markdown


def mdx(text: str) -> str:
    return parse_markdown(text, uri="docs/page.mdx").text


def md(text: str) -> str:
    return parse_markdown(text, uri="docs/page.md").text


NESTED = """<Tabs>
    <TabItem value="linux" label="Linux">

        Open a terminal first.

        1. Install it:

           ```sh
           pip install it
               --with-indent
           ```

        2. Start it.
            - with a list

    </TabItem>
</Tabs>
"""


def test_text_in_components_is_text_however_deep_it_stands() -> None:
    """MDX has no indented code; lists and fences keep their shape (SRC-6)."""
    assert mdx(NESTED) == (
        "**Linux**\n\nOpen a terminal first.\n\n1. Install it:\n\n   ```sh\n   pip install it\n"
        "       --with-indent\n   ```\n\n2. Start it.\n    - with a list\n\n"
    )


def test_text_in_components_is_embedded() -> None:
    """Indented text is prose of its chunk, and the fence in it is not (CHK-4)."""
    document = parse_markdown("# Title\n\n" + NESTED, uri="a.mdx")
    chunks = chunk_text(
        document.text, title="", media_type="text/markdown", settings=chunk_settings(KnowledgeBaseSettings())
    )
    prose = "".join(chunk.prose for chunk in chunks)
    assert "Open a terminal first." in prose
    assert "with a list" in prose
    assert "pip install" not in prose


def test_markdown_that_imports_components_is_mdx() -> None:
    """Some sites read .md files as MDX too."""
    text = "import Tabs from '@theme/Tabs'\n\n<Tabs>\n\n    Words in {props.x}a tab.\n\n</Tabs>\n"
    assert md(text) == "Words in a tab.\n\n"


def test_indented_code_of_markdown_stays_as_it_is() -> None:
    """Outside MDX four spaces make code, whose tags stay, also in a list."""
    text = "Words:\n\n    <div>a<br/>b</div>\n\n- item\n\n      <b>code</b>\n\n  text &amp; <b>bold</b>\n"
    assert md(text) == text.replace("text &amp; <b>bold</b>", "text & bold")


@pytest.mark.parametrize(
    "comment",
    [
        "{/* hidden\n\n```sh\nsecret\n```\n\n*/}",
        "<!-- hidden\n\n```sh\nsecret\n```\n\n-->",
        "{/*\n    ~~~\n    {/* in it\n*/}",
        "{ /* a script's */ }",
    ],
)
def test_comments_go_with_the_code_in_them(comment: str) -> None:
    """Of a comment and code, the one that begins first contains the other."""
    assert mdx(f"Before.\n\n{comment}\n\nAfter.\n") == "Before.\n\nAfter.\n"


def test_tags_in_capitals_are_html() -> None:
    """In MDX they are components, and without an end or a value placeholders."""
    text = "First<BR>second, <B>bold</B> and Map<P> <INPUT FILE>.\n\n<DIV>\nText.\n</DIV>\n"
    assert md(text) == "First second, bold and Map<P> <INPUT FILE>.\n\nText.\n\n"
    assert mdx("a<BR />b\n") == "ab\n"
    assert md("<FAQ>\n\nText {value}.\n\n</FAQ>\n") == "Text .\n\n"
    assert md("<DETAILS>\n\nThe {name} stays.\n\n</DETAILS>\n") == "The {name} stays.\n\n"
    assert md("First.<BR>Second.\n\n<LI>use `x`\n<LI>two\n") == "First. Second.\n\n- use `x`\n- two\n"


def test_comments_in_code_stay() -> None:
    """A fence that begins before a comment holds it."""
    text = "```html\n<!-- shown -->\n{/* shown */}\n<br />\n```\n\nUse `<br />` and `{/* x */}`.\n"
    assert (mdx(text), md(text)) == (text, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("First<br />second<br>\nthird.\n", "First second\nthird.\n"),
        ("10<sup>6</sup>, a<sup>x</sup>, b<sup>[1]</sup>.\n", "10⁶, a^x, b[1].\n"),
        ("| a |\n|---|\n| <ul><li>x</li><li>y</li></ul> |\n", "| a |\n|---|\n|   x;  y   |\n"),
        ('<a href="{{ site.url }}/b.md">the guide</a>.\n', "[the guide](/b.md).\n"),
        ("| a | b |\n|---|---|\n| x<br/>y | <ul><li>z</li></ul> |\n", "| a | b |\n|---|---|\n| x y |   z   |\n"),
        ("<div align=\"center\">\n\n**Bold**\n\n</div>\n\nEnd.\n", "**Bold**\n\nEnd.\n"),
        ("<p>One.</p><p>Two.</p>\n", "One.\n\nTwo.\n"),
        ("Press <kbd>Enter</kbd>, H<sub>2</sub>O, <b>bold</b>.\n", "Press Enter, H2O, bold.\n"),
        ("Call <code>run()</code> now.\n", "Call `run()` now.\n"),
        ("| a | b |\n|---|---|\n| <code>x&#124;</code> | y |\n", "| a | b |\n|---|---|\n| `x\\|` | y |\n"),
        ("| a | b |\n|---|---|\n| <code>x\\|</code> | y |\n", "| a | b |\n|---|---|\n| `x\\|` | y |\n"),
        ('See <a href="b.md" target="_blank">the guide</a>.\n', "See [the guide](b.md).\n"),
        ('<a id="top"></a>\n\nWords.\n', "Words.\n"),
        ('<img src="a.png" alt="A chart" width="3" />\n', "![A chart](a.png)\n"),
        ("<details>\n<summary>More <b>words</b></summary>\n\nInside.\n\n</details>\n", "**More words**\n\nInside.\n\n"),
        ('<h2 align="center">Install <i>it</i></h2>\n\nWords.\n', "## Install it\n\nWords.\n"),
        ("<pre><code>a &lt; b\n  c\n</code></pre>\n\nEnd.\n", "```\na < b\n  c\n```\n\nEnd.\n"),
        ("a&nbsp;b &amp; c &mdash; d &copy; &#x41;\n", "a b & c — d © A\n"),
        ("&#42;no emphasis&#42; &lt;tag&gt; &unknown;\n", "\\*no emphasis\\* \\<tag> &unknown;\n"),
        ("<script>\nvar x = '<p>no</p>';\n</script>\n\nEnd.\n", "End.\n"),
        ("Words <svg viewBox='0'><path d='M0'/></svg> end.\n", "Words   end.\n"),
        (":::note[Read]\n\nInside.\n\n:::\n\n:::tip\nDo.\n:::\n", "**Read**\n\nInside.\n\n**Tip**\n\nDo.\n\n"),
        ("- a\n  - b\n\n    :::tip\n    Do.\n    :::\n\n    c\n", "- a\n  - b\n\n    **Tip**\n\n    Do.\n\n    c\n"),
    ],
)  # fmt: skip
def test_html_becomes_markdown(text: str, expected: str) -> None:
    """Tags go, what they mean to a reader stays, and words that they part stay apart."""
    assert md(text) == expected
    assert mdx(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Visit <https://example.org/a> or <me@example.org>.\n",
        "Clone <source> into <your-folder> and run Vec<T>, Map<Key, Value>.\n",
        "[angled](<a file.md>) and\n\n[ref]: <https://example.org>\n",
        "a < b and c > d, x<y, 1 <2.\n",
        "Text <!-- open\n\nText <b open\n",
        "{not} an {{ expression }} {% here %}\n",
    ],
)
def test_what_is_no_tag_stays_in_markdown(text: str) -> None:
    """Addresses, placeholders, comparisons and what is never closed are words."""
    assert md(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Version {props.version}{' '}of {\"it\"}.\n", "Version  of it.\n"),
        ("{`some\n<b>code</b>`}\n", "```\nsome\n<b>code</b>\n```\n\n"),
        ("{items.map((x) => <li key={x}>An item.</li>)}\n", "- An item.\n"),
        ("## It {#install}\n\nPut \\{braces\\} in ${HOME}.\n", "## It {#install}\n\nPut {braces} in ${HOME}.\n"),
        ("<Code text={`\n```js\nx < 1\n```\n`} />\n\nEnd.\n", "End.\n"),
        ("<Box\n  style={{\n    a: {b: 1},\n  }}\n  on={() => { if (a > 1) b() }}\n>\n  Hi.\n</Box>\n", "  Hi.\n\n"),
        ('<Card title="A &amp; B" description="It does.">\nMore.\n</Card>\n', "**A & B**\n\nIt does.\n\nMore.\n\n"),
        ('<ParamField name="limit" type="number">\n  How many.\n</ParamField>\n', "**limit**\n\n  How many.\n\n"),
        ("export const A = () => {\n  const x = '`';\n\n  return <b>no</b>;\n};\n\nWords.\n", "Words.\n"),
        ("export const meta = {\n  a: `{\n\n`,\n};\n\nWords.\n", "Words.\n"),
        ("import {\n  A,\n} from 'x';\nimport B from 'y'\n\nWords.\n", "Words.\n"),
        ("Words with <Icon name='x' /> and <My.Tag>inside</My.Tag>.\n", "Words with  and inside.\n"),
    ],
)  # fmt: skip
def test_scripts_and_components_of_mdx_leave_their_words(text: str, expected: str) -> None:
    """Expressions, properties over many lines, exports with blank lines in them, and templates (SRC-6)."""
    assert mdx(text) == expected


def test_admonitions_by_indentation_are_text() -> None:
    """MkDocs' boxes and tabs stand four spaces in, and may hold code of their own."""
    text = (
        '!!! note "Read this"\n    Inside.\n\n        code\n\n    - item\n\n'
        '=== "Linux"\n    ```sh\n    run\n    ```\n\nAfter.\n'
    )
    expected = "**Read this**\n\nInside.\n\n    code\n\n- item\n\n**Linux**\n\n```sh\nrun\n```\n\nAfter.\n"
    assert md(text) == expected


def test_the_definition_of_a_heading_is_text() -> None:
    """Where the term is a heading, the text behind the colon and the lines four spaces in belong to it (SRC-6)."""
    text = (
        "# `PORT`\n\n: Where it listens,\nalso at night.\n\n    Defaults to 80.\n\n    !!! warning\n        Hot.\n\n"
        "            code\n\n: Or a socket.\n\n    See there.\n\n# Next\n\nWords.\n\n    code\n"
    )
    expected = (
        "# `PORT`\n\nWhere it listens,\nalso at night.\n\nDefaults to 80.\n\n**Warning**\n\nHot.\n\n    code\n\n"
        "Or a socket.\n\nSee there.\n\n# Next\n\nWords.\n\n    code\n"
    )
    assert md(text) == expected


@given(st.text(alphabet="ab <>/{}`\n\"'=*-# &;!:|", max_size=200), st.sampled_from([md, mdx]))
def test_fenced_code_survives_any_text_before_it(text: str, read: "object") -> None:
    """Whatever comes before, with a blank line between and nothing open, code is kept word by word."""
    code = "~~~~~\n<b>{x}</b> &amp;\n~~~~~"
    closed = text.replace("`", "").replace("<", "").replace("{", "")
    assert callable(read)
    assert code in read(f"{closed}\n\n{code}\n")


DEFINITIONS = """## Options

<dl class="configs">
    <dt id="port"><a href="#port"><code>PORT</code></a></dt>
    <dd>
        <p>Where it listens.</p>
        <p><em>Default is 80.</em></p>
    </dd>
    <dt>Code</dt>
    <dd>
        <pre>
    kept as it is</pre>
    </dd>
</dl>
"""


def test_a_definition_list_is_names_in_bold_with_their_text() -> None:
    """Its lines are not code although they are indented; those of code in it are."""
    text = md(DEFINITIONS)
    assert "\n\n**[`PORT`](#port)**\n\nWhere it listens.\nDefault is 80.\n\n**Code**\n\n" in text
    assert "```\n    kept as it is\n```" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("start_at\n: The *start*.\n: Or the end.\n\nend\n\n: It.\n  More.\n",
         "- **start_at**: The *start*.\n\n  Or the end.\n\n- **end**: It.\n  More.\n"),
        ("`key`\n: Opens it.\n", "- `key`: Opens it.\n"),
        ("```\na\n: b\n```\n", "```\na\n: b\n```\n"),
        ("- item\n: no\n\nA line.\nTime\n: no\n", "- item\n: no\n\nA line.\nTime\n: no\n"),
    ],
)  # fmt: skip
def test_a_term_above_a_colon_is_an_item(text: str, expected: str) -> None:
    """Its definition stands behind it; only a term in a line of its own has one."""
    assert md(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{<required>}} String\n", "required String\n"),
        (
            "{{{ .company }}} made [{{{ .plan-b }}}](b.md), not {{{ a b }}}\n",
            "company made [plan-b](b.md), not {{{ a b }}}\n",
        ),
        ('See [it]({{< relref "a/b#c" >}}) and [them]({{% ref `d` %}}).\n', "See [it](a/b#c) and [them](`d`).\n"),
        ('See [a](b.md){:target="_blank"}, [c](d.md){ .button #id width=30 }.\n', "See [a](b.md), [c](d.md).\n"),
        ("Let f(x){a=b} and [c](d.md){ or } be.\n", "Let f(x){a=b} and [c](d.md){ or } be.\n"),
        ("Commands:\n\n{{#include ./generated/commands.md}}\n\nEnd.\n", "Commands:\n\nEnd.\n"),
        ("Write `{{#include file}}` or \\{{#include file}}.\n", "Write `{{#include file}}` or \\{{#include file}}.\n"),
        ('{{< hint style="warning" >}}\nMind it.\n{{< /hint >}}\n', "**Warning**\n\nMind it.\n\n"),
        ('{{< figure src="a.png" caption="The pump" >}}\n', "The pump\n"),
        ("{{< toc >}}\n\nText.\n", "Text.\n"),
        ("{{< highlight go >}}\nx := 1\n{{< /highlight >}}\n\nEnd.\n", "```go\nx := 1\n```\n\nEnd.\n"),
        ('Before.\n\n<%= partial "a", locals: { b: 1 } %>\n\nIt is <% x %>on.\n', "Before.\n\nIt is on.\n"),
        ("Fixed ({{< issue 5 >}}), see [a]({{ site.url }}).\n", "Fixed , see [a]().\n"),
        (
            "Use {{ site.v }} [a]({{ '/b.md' | relative_url }}), {{ x }} and [c]({% link d.md %}).\n",
            "Use  [a](/b.md), {{ x }} and [c](d.md).\n",
        ),
        (
            '{% capture content %}\nMind it.\n{% endcapture %}{% include note.html content=content title="A" %}\n',
            "Mind it.\nA\n",
        ),
        ("{% comment %}No{% endcomment %}\n\nOn.{% comment %} never closed\n", "On. never closed\n"),
        ("{% highlight sh %}\npump {{ site.v }}\n{% endhighlight %}\n", "```sh\npump {{ site.v }}\n```\n\n"),
        (
            "{% raw %}{{ page.a }}{% endraw %} and {% if a %}one{% else %}two{% endif %}, {% trans %}\n",
            "{{ page.a }} and one / two, {% trans %}\n",
        ),
        (
            "With {% data variables.product.prodname_pump_house %}.\n\n{% data reusables.pump.start %}\n\nEnd.\n",
            "With pump house.\n\nEnd.\n",
        ),
        ("Write `{{< toc >}}` and `<%= x %>`, {{ x }}.\n", "Write `{{< toc >}}` and `<%= x %>`, {{ x }}.\n"),
        ("**Level 1**{:.light.big} and `a`{: #x}, a{:b}.\n", "**Level 1** and `a`, a{:b}.\n"),
        ("{% include a.html\n  text='The pump\n  runs'\n%}\n", "The pump runs\n"),
        (
            '{% tabs %}\n{% tab title="a.yaml" %}\n\nOne.\n\n{% endtab %}\n{% endtabs %}\n\nTwo.\n',
            "**a.yaml**\n\nOne.\n\nTwo.\n",
        ),
        (
            '{% hint style="info" %}\nOne.\n{% endhint %}\n',
            "**Info**\n\nOne.\n\n",
        ),
        ("Write `{%` or {% if.\n\nText.\n\n{% include a.html %}\n", "Write `{%` or {% if.\n\nText.\n\n"),
        ('{% alert "Mind it!", "warning" %}\nA.\n{% endalert %}\n', "**Mind it!**\n\nA.\n\n"),
        ("{% alert warning %}\nB.\n{% endalert %}\n", "**Warning**\n\nB.\n\n"),
        ("{% details How it runs %}\nFast.\n{% enddetails %}\n", "**How it runs**\n\nFast.\n\n"),
    ],
)
def test_tags_of_templates_leave_their_words(text: str, expected: str) -> None:
    """A site's generator would fill them in; those in code are the subject."""
    assert md(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| :white_check_mark: | :x: |\n", "| ✅ | ❌ |\n"),
        ("Yes :material-check: no :octicons-x-16:, :fontawesome-solid-car: drive\n", "Yes ✓ no ✗,  drive\n"),
        ("`:tada:` at 10:30:45, a::smile::b, :nothing_known:, :link:`x`, |:---:|\n",
         "`:tada:` at 10:30:45, a::smile::b, :nothing_known:, :link:`x`, |:---:|\n"),
    ],
)  # fmt: skip
def test_names_of_emoji_are_signs(text: str, expected: str) -> None:
    """As a reader sees them; in code, and without a sign, they stay."""
    assert md(text) == expected


@pytest.mark.parametrize("text", ["```html\n<dl>\n    <dt>A</dt>\n</dl>\n```\n", "<dl>\n    never closed\n"])
def test_definitions_in_code_and_without_an_end_keep_their_lines(text: str) -> None:
    """Only a whole list outside code is moved."""
    assert text.split("\n")[-3] in md(text)


def test_the_lines_of_definitions_are_known() -> None:
    """A citation of a definition leads to its lines in the file."""
    document = parse_markdown(DEFINITIONS, uri="docs/page.md")
    assert document.places is not None
    at = document.text.index("Where it listens")
    place = document.places.between(at, at + 16, text=document.text)
    assert place is not None
    assert (place.first, place.last) == (6, 6)
