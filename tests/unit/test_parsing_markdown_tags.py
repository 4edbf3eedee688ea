"""Tags of site generators in markdown: titles, kinds of notes, code, and what is for programs alone.

Belongs here: what a reader sees of Hugo's shortcodes and of Hexo's tags. Not here: HTML and MDX
(`test_parsing_markup`), front matter (`test_parsing_markdown`).
"""

import pytest

from headwater.parsing.markdown.parser import parse_markdown


def md(text: str) -> str:
    return parse_markdown(text, uri="docs/page.md").text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{{< tab name="Two mills" >}}\nGrind.\n{{< /tab >}}\n', "**Two mills**\n\nGrind.\n\n"),
        ('{{< qa question="How wide?" >}}\nTen feet.\n{{< /qa >}}\n', "**How wide?**\n\nTen feet.\n\n"),
        ('1. Open:\n   {{% box title="A" %}}\n   B.\n   {{% /box %}}\n', "1. Open:\n   \n   **A**\n\n   B.\n   \n"),
        ('{{< details "How it runs" >}}Fast.{{< /details >}}\n', "**How it runs**\n\nFast.\n"),
        ('{{< tabs name="for_programs" >}}\nText.\n{{< /tabs >}}\n', "Text.\n\n"),
        ('A {{< tip title="short" >}}word{{< /tip >}}.\n', "A shortword.\n"),
        ('{{< box name="no_end" >}}\nText.\n', "Text.\n"),
        ('{{< figure caption="The mill" alt="The mill" >}}\n', "The mill\n"),
    ],
)
def test_a_pair_of_shortcodes_has_its_title_above_its_text(text: str, expected: str) -> None:
    """Readers choose by it which tab to open, or which question is theirs."""
    assert md(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{{< admonition type="warning" >}}\nMind it.\n{{< /admonition >}}\n', "Warning"),
        ("{{% notice warning %}}\nMind it.\n{{% /notice %}}\n", "Warning"),
        ("{{< hint danger >}}\nMind it.\n{{< /hint >}}\n", "Danger"),
        ("{{< tip >}}\nMind it.\n{{< /tip >}}\n", "Tip"),
        ('{{< notice tip "A word" >}}\nMind it.\n{{< /notice >}}\n', "A word"),
        ("{% note warn %}\nMind it.\n{% endnote %}\n", "Warning"),
        ("{% note info For the night %}\nMind it.\n{% endnote %}\n", "For the night"),
        ('{% note warn "Mind!" %}\nMind it.\n{% endnote %}\n', "Mind!"),
        ("{% note default %}\nMind it.\n{% endnote %}\n", "Note"),
        ('{% hint style="danger" %}\nMind it.\n{% endhint %}\n', "Danger"),
    ],
)
def test_the_kind_of_a_note_stands_above_it(text: str, kind: str) -> None:
    """As in all other dialects of markdown; a title stands in its place."""
    assert md(text).rstrip() == f"**{kind}**\n\nMind it."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "{{< code-toggle file=hugo >}}\na = 'b'\n{{< /code-toggle >}}\n",
            "**hugo.toml**\n\n```toml\na = 'b'\n```\n\n",
        ),
        ("{{< code-toggle >}}\na:\n  - b\n{{< /code-toggle >}}\n", "```yaml\na:\n  - b\n```\n\n"),
        ('{{< code-toggle >}}\n{"a": 1}\n{{< /code-toggle >}}\n', '```json\n{"a": 1}\n```\n\n'),
        (
            "{{< code-toggle config=a />}}\n\nOn.\n\n{{< code-toggle >}}\n[a]\n{{< /code-toggle >}}\n",
            "On.\n\n```toml\n[a]\n```\n\n",
        ),
        ("{{< highlight md >}}\n```js\na\n```\n{{< /highlight >}}\n", "````md\n```js\na\n```\n````\n\n"),
        ("{{< clipboard >}}\n```js\na\n```\n{{< /clipboard >}}\n", "```js\na\n```\n\n"),
        ('A {{< highlight go "hl_inline=true" >}}a(){{< /highlight >}} b.\n', "A `a()` b.\n"),
        (
            "1. Run:\n\n   {{< text bash >}}\n   $ a\n     b\n   {{< /text >}}\n\n2. On.\n",
            "1. Run:\n\n   ```bash\n   $ a\n     b\n   ```\n\n2. On.\n",
        ),
        ("{{< text center >}}\nWords.\n{{< /text >}}\n", "Words.\n\n"),
    ],
)
def test_code_between_shortcodes_is_a_fence_in_its_language(text: str, expected: str) -> None:
    """Configuration and front matter say themselves in which language they are; code in a list stays there."""
    assert md(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{{< tabpane lang="sh" >}}\n{{< tab header="Unix" >}}\nls\n{{< /tab >}}\n{{< /tabpane >}}\n',
            "**Unix**\n\n```sh\nls\n```",
        ),
        (
            "{{% tab Unix %}}\nGrind.\n{{% /tab %}} {{% tab Win %}}\nMill.\n{{% /tab %}}\n",
            "**Unix**\n\nGrind.\n \n**Win**\n\nMill.",
        ),
        ('{{< tab name="kubectl" codelang="bash" >}}\na\n  b\n{{< /tab >}}\n', "**kubectl**\n\n```bash\na\n  b\n```"),
    ],
)
def test_tabs_have_their_titles_and_code_in_them_is_code(text: str, expected: str) -> None:
    """In a pane of Docsy, a tab is code unless it is said to be text; several may begin and end in one line."""
    assert md(text).strip() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- `a`: {{< new-in 0.153.0 />}}\n", "- `a`: New in 0.153.0\n"),
        ('{{< deprecated-in "v1.2" >}}\nUse b.\n{{< /deprecated-in >}}\n', "**Deprecated in v1.2**\n\nUse b.\n\n"),
        ('{{< feature-state for_k8s_version="v1.18" state="beta" >}}\n', "Feature state: beta (v1.18)\n"),
        (
            'A {{< tip text="pump"\nid="a" >}} of a {{< glossary_tooltip term_id="water-mill" >}}.\n',
            "A pump of a water mill.\n",
        ),
        ('## {{% heading "objectives" %}}\n\nMill.\n', "## Objectives\n\nMill.\n"),
        ('Apply:\n\n{{% code_sample file="pods/a.yaml" %}}\n', "Apply:\n\n`pods/a.yaml`\n"),
        ('{{% option\nname="a.b"\n%}}\nOn. {{%\n/option %}}\n', "**a.b**\n\nOn. \n"),
        ("{{< katex >}}x{{< /katex >}} is.\n", "x is.\n"),
        (
            'Write `{{</* toc */>}}`:\n\n```\n{{%/* a b="c"\n */%}}\n```\n',
            'Write `{{< toc >}}`:\n\n```\n{{% a b="c"\n %}}\n```\n',
        ),
        ('<?code-excerpt path="a"?>\n\nMill `<?b?>` and <?php c ?>.\n', "Mill `<?b?>` and <?php c ?>.\n"),
    ],
)
def test_a_shortcode_says_what_a_reader_sees_of_it(text: str, expected: str) -> None:
    """Versions, terms and headings are in its values; a page about Hugo shows shortcodes as comments."""
    assert md(text) == expected


def test_markdown_that_a_shortcode_shows_is_referred_to() -> None:
    """It is a document itself if it is in the source."""
    text = 'Six:\n\n{{% include "/_common/six.md" %}}\n\n{{< include file="b.md" >}}\n'
    document = parse_markdown(text, uri="content/docs/a.md", root="content")
    assert document.references == ("content/_common/six.md", "content/docs/b.md")
    assert document.text == "Six:\n\n"


def test_the_colour_of_a_button_is_no_kind() -> None:
    """Its words say what it does."""
    assert md('{{< button style="danger" >}}\nOff\n{{< /button >}}\n').strip() == "Off"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\n{{< docs/ignore >}}\nNo.\n{{< /docs/ignore >}}\nTwo.\n", "One.\n\nTwo.\n"),
        ("{{< comment >}}No{{< /comment >}}On.\n", "On.\n"),
        ("{{< ignore >}}\nNever closed.\n", "Never closed.\n"),
        ("{{< mermaid >}}\na --> b\n{{< /mermaid >}}\n\nOn.\n", "```mermaid\na --> b\n```\n\nOn.\n"),
        ('{{< code lang="js" >}}\na()\n{{< /code >}}\n\nOn.\n', "```js\na()\n```\n\nOn.\n"),
        ('{{< code file="a.js" >}}\na()\n{{< /code >}}\n\nOn.\n', "**a.js**\n\n```\na()\n```\n\nOn.\n"),
        ("{% codeblock lang:js %}\na()\n{% endcodeblock %}\n\nOn.\n", "```js\na()\n```\n\nOn.\n"),
        ("{% codeblock The pump /a.js %}\na()\n{% endcodeblock %}\n", "**The pump**\n\n```\na()\n```\n\n"),
        ("{% code %}\na()\n{% endcode %}\n\nOn.\n", "```\na()\n```\n\nOn.\n"),
        ('{% code title="a.js" %}\n```js\na()\n```\n{% endcode %}\n', "**a.js**\n\n```js\na()\n```\n\n"),
        ("See {% post_link a/how-to-mill %} and {% post_link b 'The pump' %}.\n", "See how to mill and The pump.\n"),
        ("One.\n\n{% youtube abc %}\n\n{% asset_img a.png %}\n\nTwo.\n", "One.\n\nTwo.\n"),
        ("Write `{% raw %}{{ page.a }}{% endraw %}` or `{{ b }}`.\n", "Write `{{ page.a }}` or `{{ b }}`.\n"),
    ],
)
def test_code_and_links_between_tags_are_those_of_markdown(text: str, expected: str) -> None:
    """What the site leaves out is no text; the language of code is read."""
    assert md(text) == expected


def test_a_quotation_between_tags_keeps_its_lines() -> None:
    """Its author stands below it; a quotation in code, or without an end, stays as it is."""
    text = "One.\n{% blockquote Ann Miller, https://a.example Pumps %}\nGo *on*.\n\nOn.\n{% endblockquote %}\nTwo.\n"
    assert md(text) == "One.\n\n> Go *on*.\n>\n> On.\n>\n> — Ann Miller, Pumps\n\nTwo.\n"
    for other in ("```\n{% quote %}\na\n{% endquote %}\n```\n", "{% quote %}\na\n"):
        assert md(other) == other
