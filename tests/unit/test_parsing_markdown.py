"""Markdown and MDX files into documents.

Belongs here: front matter, JSX, titles, categories, links, and the time that hostile files take. Not here: chunks.
"""

import json
import subprocess
import sys
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.documents import ParsedDocument
from headwater.parsing.markdown.headings import plain_heading
from headwater.parsing.markdown.parser import parse_markdown, resolve_link
from headwater.parsing.plain_values import plain_value
from headwater.parsing.yaml_text import compose_yaml, load_yaml


def parse(text: str, uri: str = "docs/guide/page.md", root: str = "docs") -> ParsedDocument:
    return parse_markdown(text, uri=uri, root=root)


def front_matter(text: str) -> ParsedDocument:
    return parse(f"---\n{text}\n---\n# Heading\n\nBody.\n")


# Front matter


def test_front_matter_is_read_and_taken_off() -> None:
    """Title, category and language come from it, the rest is metadata, and the body begins after it (SRC-6)."""
    document = front_matter("title: The Page\ncategory: /how-tos/\nlang: en\ntags: [a, b]\ndraft: false\nweight: 1.5")
    assert (document.title, document.category, document.language) == ("The Page", "how-tos", "en")
    assert document.metadata["tags"] == ["a", "b"]
    assert document.metadata["draft"] is False
    assert document.metadata["weight"] == 1.5
    assert document.text == "# Heading\n\nBody.\n"


@pytest.mark.parametrize(
    "text", ["title: [", "a: b: c", "\ttab: x", "title: 'open", "!!python/object:os.system {}", "%bad"]
)
def test_broken_front_matter_costs_itself_only(text: str) -> None:
    """The document is read without it (SRC-6)."""
    document = front_matter(text)
    assert (document.title, document.text, dict(document.metadata)) == ("Heading", "# Heading\n\nBody.\n", {})


@pytest.mark.parametrize(
    "value",
    [
        "!!timestamp soon",
        "!!int ''",
        "!!float ''",
        "!!bool maybe",
        "!!int x",
        "2001-01-01 00:00:00 +99:99",
        "2001-13-01",
    ],
)
def test_values_that_do_not_fit_their_tag_cost_the_front_matter_only(value: str) -> None:
    """Errors that PyYAML raises for them are YAML errors here."""
    assert dict(front_matter(f"a: {value}").metadata) == {}
    with pytest.raises((yaml.YAMLError, AssertionError)):
        assert load_yaml(f"a: {value}") == {}


@pytest.mark.parametrize("text", ["- a\n- b", "just words", "42", "'quoted'"])
def test_text_between_thematic_breaks_is_no_front_matter(text: str) -> None:
    """Front matter that is not a mapping stays in the document."""
    assert front_matter(text).text == f"---\n{text}\n---\n# Heading\n\nBody.\n"


@pytest.mark.parametrize("text", ["---\n---\nBody.\n", "---\n\n---\nBody.\n", "---\n# comment\n---\nBody.\n"])
def test_empty_front_matter_is_taken_off(text: str) -> None:
    """Nothing between the marks is nothing said."""
    assert parse(text).text == "Body.\n"


@pytest.mark.parametrize(
    "text", ["Body.\n\n---\na: b\n---\n", " ---\na: b\n---\n", "---\na: b\n", "----\na: b\n----\n"]
)
def test_front_matter_is_at_the_very_beginning_and_closed(text: str) -> None:
    """Anything else is the document's own."""
    document = parse(text)
    assert document.text == text
    assert document.metadata == {}


def test_aliases_are_refused() -> None:
    """A short text cannot become a huge value."""
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert dict(front_matter(bomb).metadata) == {"a": ["x", "x"]}  # what needs no alias is read
    for load in (load_yaml, compose_yaml):
        with pytest.raises(yaml.YAMLError, match="aliases"):
            load(bomb)


@pytest.mark.parametrize("load", [load_yaml, compose_yaml])
def test_deep_yaml_is_a_yaml_error(load: Any) -> None:
    """Nesting beyond what can be read says so."""
    with pytest.raises(yaml.YAMLError, match="nested too deeply"):
        load("[" * 5_000 + "]" * 5_000)


def test_metadata_can_be_stored_as_json() -> None:
    """Dates become text; numbers that JSON or Postgres cannot hold, and tagged values, become text too (SRC-6)."""
    document = front_matter(
        "day: 2024-05-01\ntime: 2024-05-01 10:00:00\nlimit: .inf\nnothing: .nan\nbytes: !!binary aGk=\n"
        "letters: !!set {b, a, c}\n1: one\nnull: none\nhuge: 0x" + "f" * 10_000
    )
    stored = json.loads(json.dumps(document.metadata, allow_nan=False))
    assert stored == document.metadata
    assert stored["day"] == "2024-05-01"
    assert stored["time"] == "2024-05-01T10:00:00"
    assert (stored["limit"], stored["nothing"]) == ("inf", "nan")
    assert stored["letters"] == ["a", "b", "c"]
    assert (stored["1"], stored["None"]) == ("one", "none")
    assert stored["huge"].startswith("0xfff")


def test_metadata_is_the_same_in_every_process() -> None:
    """A set's order does not depend on the process: else every sync would find a change."""
    program = "from headwater.parsing.plain_values import plain_value as p; print(p({'b', 'a', 'd', 'c', 'e'}))"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == str(plain_value({"e", "d", "c", "b", "a"}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner),
)


@given(JSON)
def test_plain_values_are_json(value: object) -> None:
    """Whatever goes in, JSON comes out, and stays as it is the next time."""
    plain = plain_value(value)
    assert plain_value(plain) == plain
    json.dumps(plain, allow_nan=False)


@pytest.mark.parametrize(
    "entry",
    [
        "bad: " + "9" * 20_000,
        "bad: 2024-99-99",
        "bad: !!timestamp soon",
        "bad: *unknown",
        "bad: [" + "[" * 3_000,
        "bad: a: b",
        "bad:\t- [",
        "9" * 20_000 + ": bad",
    ],
)
def test_a_bad_value_costs_itself_and_is_noted(entry: str) -> None:
    """The document keeps its title, its other values and its text."""
    document = front_matter(f"title: Kept\n{entry}\nweight: 1")
    assert (document.title, document.text) == ("Kept", "# Heading\n\nBody.\n")
    assert dict(document.metadata) == {"title": "Kept", "weight": 1}
    assert len(document.notes) == 1
    assert document.notes[0].startswith("A part of the front matter was left out, because it is not YAML: ")


def test_numbers_that_nobody_can_print_are_values() -> None:
    """A float beyond all bounds, and a name that is a huge number, are text (SRC-6)."""
    document = front_matter("a: 1.0e+999999\n? 0x" + "f" * 20_000 + "\n: b")
    assert document.metadata["a"] == "inf"
    assert document.text == "# Heading\n\nBody.\n"


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("[Install](x.md)", "Install"),
        ("[`run`](a.md) and ![a chart](b.png)", "run and a chart"),
        ("[A [b] c](x.md) [Unreleased]", "A b c Unreleased"),
        ("[![badge](i.png)](x.md) [![b][i]][x] _Very_ **bold** snake_case", "Very bold snake_case"),
        ("[![The product](i.png)](x.md)", "The product"),
        ("Name {: #id .wide}", "Name"),
        ("Notes[^1] on ~~old~~ arr[0]", "Notes on old arr[0]"),
    ],
)
def test_headings_are_words(heading: str, words: str) -> None:
    """Links, images, emphasis, footnotes and ids are markup, wherever a heading is shown."""
    assert plain_heading(heading) == words
    assert parse(f"# {heading}\n").title == words


@pytest.mark.parametrize(
    ("front", "text"),
    [
        ("description: A page about the pumps of the mill", "A page about the pumps of the mill\n\nBody.\n"),
        ("mission: 'Show the <b>way</b> to every pump'", "Mission: Show the way to every pump\n\nBody.\n"),
        ("description: >\n  Twice said\n  is said once more", "Twice said is said once more\n\nBody.\n"),
        ("title: A title is shown above the text anyway", "Body.\n"),
        ("description: body.", "Body.\n"),
        ("keywords: pump, mill, wheel, water, flour, stone", "Body.\n"),
        ("image: /pictures/of the mill and its many wheels.png", "Body.\n"),
        ("keywords: How the pumps run at night", "Keywords: How the pumps run at night\n\nBody.\n"),
        ("author: Ann Miller", "Body.\n"),
        (
            "title: Pump\npages:\n- title: Pump\n  words: It lifts the water of a mill",
            "Pages:\n\n- Pump\n  - **Words**: It lifts the water of a mill\n\nBody.\n",
        ),
        ("menuTitle: A title is shown above the text anyway", "Body.\n"),
        ("killercoda:\n  title: The pump\n  description: Run the pump of the mill here", "Body.\n"),
        (
            "title: Pump\nhero:\n  title: PUMP\n  level: 1\n  image: /a.png\n  words: It lifts the water of a mill",
            "Hero:\n\n- **Words**: It lifts the water of a mill\n\nBody.\n",
        ),
    ],
)
def test_sentences_of_front_matter_are_text(front: str, text: str) -> None:
    """Readers of the site see them; names, keywords, addresses and what only lays out a page are metadata alone."""
    assert parse(f"---\n{front}\n---\nBody.\n").text == text


@pytest.mark.parametrize(
    ("front", "text"),
    [
        ("description: '``` opens nothing that the text would be in'", "\\``` opens nothing that the text would be in"),
        (
            "description: '<!-- opens nothing that the text would be in'",
            "\\<!-- opens nothing that the text would be in",
        ),
        ("description: 'Open no <script> that takes the text below'", "Open no \\<script> that takes the text below"),
        ("description: '{% raw %} opens nothing that takes the text'", "opens nothing that takes the text"),
        ("description: 'A {% comment %} opens nothing that takes the text'", "A opens nothing that takes the text"),
        ("description: '{/* opens nothing that the text would be in'", "\\{/* opens nothing that the text would be in"),
        ("description: '{ opens nothing that the text would be in'", "\\{ opens nothing that the text would be in"),
        ("description: 'Use `<script>` and {{ code }} in the text'", "Use `<script>` and {{ code }} in the text"),
        ("a: ['``` opens nothing that the text would be in']", "A:\n\n- \\``` opens nothing that the text would be in"),
        ("a: [b: '<script> takes nothing of the text below']", "A:\n\n- \\<script> takes nothing of the text below"),
        ("'# name': It is no heading of the text below", "\\# name: It is no heading of the text below"),
        ('"a\\n\\n# name": It is no heading of the text below', "A # name: It is no heading of the text below"),
        ("'<!-- name': It is no comment on the text below", "\\<! name: It is no comment on the text below"),
    ],
)
def test_markup_of_front_matter_ends_with_it(front: str, text: str) -> None:
    """A fence, a comment or an element that a value opens would take the text with it, and its title."""
    document = parse(f"---\n{front}\n---\n# Pumps\n\nBody --> </script> `end`.\n")
    assert document.title == "Pumps"
    assert document.text.startswith(f"{text}\n\n# Pumps\n\nBody -->")


def test_front_matter_says_nothing_twice() -> None:
    """What the text below says already is left out."""
    said = "The pumps run all night, said the *miller."
    text = "# Pumps\n\nThe pumps  run all\nnight, said the \\*miller.\n"
    for front in (f"description: {said}", f"notes:\n- {said}", f"notes:\n- about: {said}"):
        assert parse(f"---\n{front}\n---\n{text}").text == text


def test_a_list_of_front_matter_is_whole_or_left_out() -> None:
    """One sentence that the text says, too, takes no names and numbers with it."""
    front = "parameters:\n- name: flow-rate\n  default: 12\n  about: How much water flows in a minute"
    text = parse(f"---\n{front}\n---\nHow much water flows in a minute depends on the pump.\n").text
    assert text.startswith("Parameters:\n\n- flow-rate\n  - **Default**: 12\n  - **About**: How much water")


def test_a_file_of_front_matter_alone_is_read() -> None:
    """Its values are a list, on the lines of the front matter; without a sentence there is nothing to read."""
    document = parse(
        "---\nname: Construction\nphase_order: 5\nsteps: [build, test]\nabout: We build it and try it out.\n---\n"
    )
    assert document.title == "Construction"
    values = "- **Name**: Construction\n- **Phase order**: 5\n- **Steps**: build, test\n"
    assert document.text == f"{values}- **About**: We build it and try it out.\n"
    assert document.places is not None
    place = document.places.between(0, len(document.text), text=document.text)
    assert place is not None
    assert (place.first, place.last) == (1, 6)
    assert parse("---\nlayout: list\nname: Examples\n---\n").text == ""


def test_lists_of_front_matter_are_lists() -> None:
    """Some sites write what a page says there, and their templates lay it out: readers see the notes and parameters."""
    front = """brief: Wait
notes:
- With both `S` and `P`, the first one counts.
- '[`M0`](m0.md) can be interrupted at any time.'
parameters:
- tag: S
  optional: true
  description: The time to wait for, in seconds
  values: [{tag: time, type: int}, {tag: long, type: int}]
- tag: 5
  description: The time to wait for, in minutes
related: [M0, M1]
"""
    assert parse(f"---\n{front}---\nThe printer waits.\n").text == (
        "Notes:\n\n- With both `S` and `P`, the first one counts.\n- [`M0`](m0.md) can be interrupted at any time.\n\n"
        "Parameters:\n\n- S\n  - **Optional**: True\n  - **Description**: The time to wait for, in seconds\n"
        "  - **Values**: Tag: time, Type: int; Tag: long, Type: int\n"
        "- Tag: 5, Description: The time to wait for, in minutes\n\nThe printer waits.\n"
    )


def test_names_of_values_are_words() -> None:
    """However templates spell them."""
    text = parse("---\nobsoleteMessage: Nobody should use this pump any more.\n---\nBody.\n").text
    assert text == "Obsolete message: Nobody should use this pump any more.\n\nBody.\n"


def test_paragraphs_and_items_of_a_value_stay_apart() -> None:
    """A block of text in front matter is markdown, too; its headings would take the text below into their sections."""
    front = """summary: |
  The panel speaks of pumps and of mills.

  ### What they say

  - Pumps run at night, and at times by day.
  - Mills stand still.
steps:
- first: |
    Open the valve of the pump.

    Wait until the water is clear and cold.
"""
    assert parse(f"---\n{front}---\n# Pumps\n\nBody.\n").text == (
        "The panel speaks of pumps and of mills.\n\nWhat they say\n\n"
        "- Pumps run at night, and at times by day.\n- Mills stand still.\n\n"
        "Steps:\n\n- Open the valve of the pump. Wait until the water is clear and cold.\n\n# Pumps\n\nBody.\n"
    )


@pytest.mark.parametrize(
    "front",
    [
        "head:\n- - meta\n  - name: description\n    content: A page about the pumps of the mill",
        "tags: [why the pumps of the mill run, mills]",
        "parameters: [{name: S, type: int}]",
        "seo: {description: A page about the pumps of the mill}",
    ],
)
def test_lists_for_programs_are_no_text(front: str) -> None:
    """What browsers and search engines read, and lists without a sentence."""
    assert parse(f"---\n{front}\n---\nBody.\n").text == "Body.\n"


def test_lines_for_programs_are_left_out() -> None:
    """Attributes of kramdown, names of blocks and comments of Obsidian; code keeps them."""
    code = "```\n^id\n%% x %%\n```\n"
    text = (
        f"| a |\n|---|\n| b |\n{{:.wide}}\n\n| c |\n|---|\n^prices-1\n\n%% Begin list %%\n\nx^2\n\n{{:ok, x}}\n\n{code}"
    )
    assert parse(text).text == f"| a |\n|---|\n| b |\n\n| c |\n|---|\n\nx^2\n\n{{:ok, x}}\n\n{code}"


@pytest.mark.parametrize("line", ["[[toc]]", "[TOC]", "[[_TOC_]]"])
def test_the_place_of_a_table_of_contents_is_left_out(line: str) -> None:
    """As VuePress, Python-Markdown and wikis write it; a quote said "toc". A link that is called so stays."""
    assert parse(f"# Setup\n\n{line}\n\n## First\n\nSee [[toc]] and [toc].\n").text == (
        "# Setup\n\n## First\n\nSee [[toc]] and [toc].\n"
    )


# Titles and categories


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Front\n---\n# Heading\n", "Front"),
        ("---\ntitle: ''\n---\n# Heading\n", "Heading"),
        ("---\ntitle: [a]\n---\n# Heading\n", "Heading"),
        ("Intro.\n\n# Later *heading* {#id}\n", "Later heading"),
        ("```\n# comment\n```\n\n# Heading\n", "Heading"),
        ("Setext\n===\n", "Setext"),
        ("## Second level only\n\nText.\n\n### Below\n", "Second level only"),
        ("## First part\n\nText.\n\n## Second part\n", "page"),
        ("## The page\n\nText.\n\n## Another part\n", "The page"),
        ("Text.\n\n## Second level only\n", "page"),
        ("Text.\n\n## Texts\n\n## Headings\n\n# An example\n", "page"),
        ("### Sponsors\n\n## Contents\n\n# The mill\n", "The mill"),
        ("---\nname: The agency\n---\nText.\n", "The agency"),
        ("Date: 2020-01-02\nTitle: The mill\n\nText.\n", "The mill"),
        ("Title: a word with a colon.\n\nText.\n", "page"),
        ("# {{ page.title }}\n\n# The guide\n", "The guide"),
        ("# {% include title.html %}\n", "page"),
        ("---\ntitle: '{{ $frontmatter.title }}'\n---\n# Heading\n", "Heading"),
        ("# Welcome to {{ site.name }}\n", "Welcome to"),
        ("# The `{{ page.title }}` tag and {{ with }}\n", "The {{ page.title }} tag and {{ with }}"),
        ("# C# and F#\n", "C# and F#"),
        ("# `<Tabs>` [link](b.md) ##\n", "<Tabs> link"),
        ("# Table of Contents\n\n# The guide\n", "The guide"),
        ("# v2.0.0 (2024-05-01)\n\nText.\n\n# v1.0.0\n", "page"),  # a change log without a title
        ("# [1.1](https://a.example) (2024-01-02)\n\n# [1.0](https://a.example)\n", "page"),
        ("2.1 - 2026-02-09\n===\n\nText.\n\n# Broker\n\n1.6.9 - 20200227\n===\n", "page"),
        ("# 2.0\n\n# Security\n\n# 1.0\n", "page"),
        ("# 1.0 is out\n\n# What is new\n", "1.0 is out"),
        ("# 1.1 Introduction\n\n# 1.2 Scope\n", "1.1 Introduction"),
        ("#NoHeading\n", "page"),
        ("No heading.\n", "page"),
        ("", "page"),
    ],
)
def test_the_title_is_the_front_matters_or_the_first_heading(text: str, title: str) -> None:
    """A heading of a lower level is one at the top, above all others or called like the file; code has none (SRC-6).

    A file without any is called like itself.
    """
    assert parse(text).title == title


@given(st.text())
def test_plain_headings_stay_on_one_line(text: str) -> None:
    """Any heading becomes words with single spaces between them."""
    words = plain_heading(text)
    assert words == " ".join(words.split())


@pytest.mark.parametrize(
    ("uri", "root", "category"),
    [
        ("docs/how-tos/git/page.md", "docs", "how-tos/git"),
        ("docs/page.md", "docs", ""),
        ("page.md", "", ""),
        ("how-tos/page.md", "", "how-tos"),
    ],
)
def test_the_category_is_the_folder(uri: str, root: str, category: str) -> None:
    """Without one in the front matter, the path within the root is the category (SRC-6)."""
    assert parse("Text.", uri=uri, root=root).category == category


# Links


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("other.md", "docs/guide/other.md"),
        ("./other.md", "docs/guide/other.md"),
        ("../other.md#part", "docs/other.md"),
        ("../../README.md", "README.md"),
        ("../../../outside.md", None),
        ("/start/here.md", "docs/start/here.md"),
        ("folder/", "docs/guide/folder"),
        ("other.md?plain=1", "docs/guide/other.md"),
        ("a%20b/caf%C3%A9.md", "docs/guide/a b/café.md"),
        ("%2e%2e/%2e%2e/%2e%2e/outside.md", None),
        ("#part", None),
        ("", None),
        (".", "docs/guide"),
        ("../..", None),
        ("https://example.org/a.md", None),
        ("//example.org/a.md", None),
        ("mailto:a@example.org", None),
        ("http://[broken", None),
    ],
)
def test_links_are_resolved_within_the_source(link: str, target: str | None) -> None:
    """Relative links start from the file, those with a slash from the root; others lead elsewhere (SRC-6)."""
    assert resolve_link(link, "docs/guide/page.md", "docs") == target


def test_references_are_the_links_outside_code_in_order() -> None:
    """Each target is named once; code, footnotes, the page itself and other sites are not named (SRC-6)."""
    text = (
        "[a](a.md) and [b]( <b c.md> 'title') and [again](a.md#x) and [self](page.md) and [site](https://example.org).\n"
        "![image](img/x.png) [paren](d_(1).md) `[code](no.md)` [^1]\n\n"
        "```\n[code](no.md)\n```\n\n> ```\n> [q](no.md)\n> ```\n"
        "[ref]: ./e.md 'Title'\n[angled]: <f.md>\n[^1]: Footnote text.\n[multi](\n  g.md\n)\n"
    )
    expected = ["a.md", "b c.md", "img/x.png", "d_(1).md", "e.md", "f.md", "g.md"]
    assert list(parse(text).references) == [f"docs/guide/{name}" for name in expected]


# MDX

CODE = """```jsx title="a"
import Tabs from '@theme/Tabs';

export default Tabs;


<Tabs label="x">{/* stays */}</Tabs> <!-- stays -->
```
"""


def test_jsx_is_stripped_and_its_words_stay() -> None:
    """Tags, imports, exports and comments go; what is between tags, and their labels, stay (SRC-6)."""
    text = (
        "import Tabs from '@theme/Tabs';\nimport {\n  A,\n  B,\n} from \"x\";\nimport './style.css';\n\n"
        "export const items = [\n  {a: 1},\n];\n\n# Title\n\n{/* hidden */}\n<!-- hidden\ntoo -->\n"
        '<Tabs groupId="os" values={[{a: {b: 1}}]}>\n<TabItem value="a" label="Linux">\n\nRun <Kbd>make</Kbd> now.\n\n'
        "</TabItem>\n</Tabs>\n<>\n<Box {...props} />\n</>\n\nThe end.\n"
    )
    document = parse(text, uri="docs/page.mdx")
    assert document.text == "# Title\n\n**Linux**\n\nRun make now.\n\nThe end.\n"
    assert document.title == "Title"


@pytest.mark.parametrize("name", ["page.md", "page.mdx"])
@pytest.mark.parametrize(
    "code",
    [
        CODE,
        CODE.replace("```", "~~~"),
        CODE.replace("```", "`````"),
        "- item\n\n" + "".join(f"  {line}" for line in CODE.splitlines(keepends=True)),
        "- ```\n  <Tabs />\n  ```\n",
        "> ```\n> <Tabs />\n> ```\n",
        "Use `<Tabs>` and `{/* x */}` and ``<!-- y -->`` here.\n",
    ],
)
def test_code_is_left_as_it_is(code: str, name: str) -> None:
    """Nothing within code is stripped, in blocks, items, quotations or lines (SRC-6)."""
    document = parse(f"# Title\n\n{code}\nAfter <!-- gone -->it.\n", uri=name)
    assert document.text == f"# Title\n\n{code}\nAfter it.\n"


@pytest.mark.parametrize(
    "text",
    [
        "You can now\nexport your work to a file\nand import 'it' again.\n",
        "export your work\n\nimport data from a file\n",
        "The ```inline``` mark\n```is no fence``` here <!-- gone -->.\n",
        "a < b and c > d, 1 <2, x<y.\n",
        "Visit <https://example.org/a> or <me@example.org>.\n",
        "Write to the ${HOME} folder, $x_{i}$ and \\frac{a}{b}.\n",
    ],
)
def test_ordinary_words_are_not_taken_for_jsx(text: str) -> None:
    """Sentences that begin like module lines, comparisons, addresses and formulas stay."""
    for uri in ("a.md", "a.mdx"):
        assert parse(text, uri=uri).text == text.replace(" <!-- gone -->", " ")


def test_component_names_in_markdown_lines_stay() -> None:
    """Outside MDX, only lines of tags alone are stripped: within a line, `<Name>` may be a placeholder."""
    text = "Run `make` with <Name> set.\n\n<Tabs>\n\nText.\n"
    assert parse(text, uri="a.md").text == "Run `make` with <Name> set.\n\nText.\n"
    assert parse(text, uri="a.mdx").text == "Run `make` with  set.\n\nText.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Pressing <Key mod="cmd" k="z" /> will undo.\n', "Pressing cmd z will undo.\n"),
        ('- <Key k="a" /> Set it.\n<Key k="f" /> shows it.\n', "- a Set it.\nf shows it.\n"),
        ('See <Icon name="x"/><Pic src="/a.png" alt="The cat"/>.\n', "See The cat.\n"),
        ('It is <Since v="1.2" aria-hidden="true" data-id="x1" /> there.\n', "It is 1.2 there.\n"),
        ('<Card title="Hello" />\n\nText.\n', "**Hello**\n\nText.\n"),
        ('Press <Key k="&lt;b&gt;" m="a&#10;# b" n="&amp;" />.\n', "Press &.\n"),  # an entity is its character
    ],
)
def test_a_component_in_a_sentence_leaves_its_short_values(text: str, expected: str) -> None:
    """Without them, the reader does not learn which key to press; addresses, icons and styles say nothing."""
    assert parse(text, uri="a.mdx").text == expected


def test_unclosed_marks_cost_nothing() -> None:
    """An open comment, tag or fence leaves the text as it is."""
    for text in ("Text <!-- open\n\nmore\n", "Text {/* open\n\nmore\n", "Text <Tabs open\n\nmore\n", "```\n<Tabs>\n"):
        assert parse(text, uri="a.mdx").text == text


PIECES = st.sampled_from([
    "---\n", "```", "~~~", "\n", "\n\n", " ", "<", ">", "/", "A", "a=", '"', "'", "{", "}", "{/*", "*/}", "<!--",
    "-->", "[", "]", "(", ")", "](", "]:", "#", "# ", "import ", "export ", " from ", "const ", "`", "title: ",
    "- ", "> ", "1. ", "!", "=", "\\", "word", "\x00", "\ud800", "\u2028", "%", "://", "//[",
])  # fmt: skip


@given(st.text() | st.lists(PIECES).map("".join), st.sampled_from(["a.md", "b/c.mdx"]))
def test_any_text_is_a_document(text: str, uri: str) -> None:
    """No text makes the parser raise."""
    document = parse_markdown(text, uri=uri)
    json.dumps(document.metadata, allow_nan=False)
    assert uri not in document.references


HOSTILE = {
    "attributes": "<A" + ' a="b"' * 5_000,
    "braced attributes": "<A" + " a={b{c}d}" * 3_000 + " a={",
    "nested braces": "<A a={" + "{}" * 20_000,
    "tag and spaces": "<A" + " " * 50_000,
    "tag and newlines": "<A" + "\n" * 50_000,
    "tags": "<A>" * 20_000 + "x",
    "open tags": "<A b\n" * 20_000,
    "braces": "{" * 50_000,
    "lists of HTML": "<ul>" * 20_000,
    "nested lists of HTML": "<ul>" * 3_000 + "</ul>" * 3_000,
    "lists of HTML and markdown": "<ul>\n\na\n\n" * 3_000 + "</ul>" * 3_000,
    "rows of HTML": "<table><tr>" * 5_000 + "</table>",
    "elements and indented code": "<div>\n\n    <p>\n\n" * 5_000,
    "shortcodes without an end": "{{< highlight x >}}" * 5_000,
    "comments": "<!--" * 100_000,
    "braced comments": "{/*" * 50_000,
    "brackets": "[" * 20_000,
    "links": "](" * 20_000,
    "links and spaces": "](a " * 20_000,
    "links and brackets": "[a](" * 20_000,
    "link and newlines": "](" + "\n" * 50_000,
    "definitions": "[a]:" * 20_000,
    "open definitions": "[a\n" * 20_000,
    "rules": "---\n" * 5_000,
    "long front matter": "---\n" + "a: b\n" * 50_000,
    "deep flow": "---\na: " + "[" * 60_000 + "\n---\n",
    "deep map": "---\n" + "{" * 60_000 + "\n---\n",
    "imports": "import " * 20_000,
    "import and spaces": "import" + " " * 50_000,
    "open imports": "import {\n" * 20_000,
    "exports": "export const a\n\n" * 20_000,
    "newlines": "a" + "\n" * 100_000 + "x",
    "blank lines": ("\n" + " " * 500) * 300,
    "heading and spaces": "# a" + " " * 50_000 + "b",
    "heading and marks": "# a" + "#" * 50_000 + "x",
    "heading and ticks": "# " + "``a```b " * 10_000,
    "setext": "a" * 50_000 + "\n" + "=" * 50_000 + "x",
    "ticks": "`a " * 20_000,
    "run of ticks": "`" * 100_000,
    "fences": "```\n" * 20_001,
    "growing fences": "".join("`" * length + "\n" for length in range(3, 600)),
    "quoted fences": "> ```\n> a\n" * 10_000,
    "quotations": "> " * 30_000 + "```",
    "numbers": "1. " * 20_000 + "`",
}


@pytest.mark.attacks
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_documents(name: str) -> None:
    """At full length: nothing is added, and nothing raises; `test_growth` counts the steps (SEC-1)."""
    for uri in ("a.md", "a.mdx"):
        document = parse_markdown(HOSTILE[name], uri=uri)
        assert len(document.text) <= len(HOSTILE[name])
