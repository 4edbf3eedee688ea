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
        ('{{< code file="a.js" >}}\na()\n{{< /code >}}\n\nOn.\n', "```\na()\n```\n\nOn.\n"),
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
