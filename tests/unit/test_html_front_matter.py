"""HTML files of static site generators: front matter and tags of templates, and HTML without a page around it.

Belongs here: what such a file has beside its HTML. Not here: HTML (`test_parsing_html`), YAML and tags of templates in
general (`test_parsing_markdown`).
"""

import pytest

from headwater.domain.documents import ParsedDocument
from tests.unit.test_parsing_html import PARAGRAPH, read

PAGE = f"""<html lang="en"><head><title>Mills | Handbook</title></head><body><div class="menu">Home</div>
<main><h1>Mills</h1><p>{PARAGRAPH}</p></main></body></html>"""


def read_file(front_matter: str, html: str) -> ParsedDocument:
    return read(f"---\n{front_matter}---\n{html}", "docs/guides/mills.html")


def test_the_values_of_front_matter_count_as_in_markdown() -> None:
    """Title, language and category are used, all values are kept, and none is text."""
    document = read_file(
        "layout: default\ntitle: The mill {{ site.x }}\nlang: de\ncategory: /kitchen/\nnext: /mills/2\n",
        "<p>It turns.</p>",
    )

    assert (document.title, document.language, document.category) == ("The mill", "de", "kitchen")
    assert document.metadata == {
        "layout": "default", "title": "The mill {{ site.x }}", "lang": "de", "category": "/kitchen/", "next": "/mills/2"
    }  # fmt: skip
    assert document.text.strip() == "It turns."


def test_what_front_matter_does_not_say_comes_from_the_html() -> None:
    """The heading is the title, and the folder the category; a `name` is the last resort."""
    document = read_file("name: Mills of wind\nlayout: 404\n", "<h1>Wind</h1><p>It turns.</p>")
    nameless = read_file("name: Mills of wind\n", "<p>It turns.</p>")

    assert (document.title, document.category, document.text.strip()) == ("Wind", "guides", "# Wind\n\nIt turns.")
    assert nameless.title == "Mills of wind"


def test_sentences_of_front_matter_stand_above_the_text() -> None:
    """Only those that the text does not say, however its HTML marks their words."""
    values = "description: List all the gems in the bundle\nlead: It says which version of each is used.\n"
    document = read_file(
        values, "<p>List all the\n gems in the <a href=b>bundle</a></p><p><em>List all the gems in the bundle</em></p>"
    )

    assert document.text.startswith("Lead: It says which version of each is used.\n\nList all the")
    assert document.text.count("*List all the gems in the bundle*") == 1


def test_a_file_of_front_matter_alone_is_its_values() -> None:
    """A layout elsewhere shows them."""
    assert read_file("lead: It says which version of each is used.\n", "\n{% include lead.html %}\n").text == (
        "- **Lead**: It says which version of each is used.\n"
    )


def test_unreadable_front_matter_is_reported() -> None:
    """The other values and the HTML are read."""
    document = read_file("title: Mills\nlead: 'open\n", "<p>It turns.</p>")

    assert (document.title, document.text.strip()) == ("Mills", "It turns.")
    assert len(document.notes) == 1
    assert "lead" in document.notes[0]


@pytest.mark.parametrize("front_matter", ["", "layout: none\n"])
def test_a_page_below_front_matter_is_read_as_a_page(front_matter: str) -> None:
    """A file may have front matter only so that its tags are run; the page around its content is no content."""
    document = read_file(front_matter, PAGE)

    assert (document.title, document.language, document.text) == ("Mills", "en", f"# Mills\n\n{PARAGRAPH}")


TAGS = {
    "what only the site knows": ("<p>Get {{ site.version }} now.</p>{% include buttons.html %}", "Get now."),
    "a comment": ("{% comment %}<p>Old.</p>{% endcomment %}<p>New.</p>", "New."),
    "a link": ("<p><a href=\"{{ '/a' | relative_url }}\">A</a> {% if x %}and b{% endif %}</p>", "[A](/a) and b"),
    "code": ("{% highlight html %}\n<p>{{ site.x }}</p>\n{% endhighlight %}", "```\n<p>{{ site.x }}</p>\n```"),
    "a title": ('<p>A</p>{% tab title="One <two>" %}<p>B</p>', "A\n\n**One \\<two>**\n\nB"),
    "text as it is": ("<p>{% raw %}{{ site.x }}{% endraw %}</p>", "{{ site.x }}"),
    "a tag of Hugo": ('<p>Read {{< ref a >}}.</p>{{< figure src="b.png" caption="C" >}}', "Read a.\n\nC"),
    "what no generator has": ("<p>{{ item }}</p>", "{{ item }}"),
}  # fmt: skip


@pytest.mark.parametrize("case", TAGS)
def test_tags_of_liquid_go_as_in_markdown(case: str) -> None:
    """In files with front matter; elsewhere nothing runs them."""
    html, expected = TAGS[case]

    assert read_file("title: Tags\n", html).text.strip() == expected
    assert read("<main><p>{{ site.version }}</p></main>").text == "{{ site.version }}"


def test_all_of_a_file_without_a_page_is_content() -> None:
    """Its layout has the menus: what stands above the largest part of the file is said nowhere else."""
    document = read_file(
        "title: exec\n",
        "<em>Execute a command</em>\n<p>This reference was made by a program.</p>\n<div class=mp id=man>"
        + f"<h2>Description</h2><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p>" * 8
        + "</div><nav>Up</nav><script>run()</script>",
    )

    assert document.text.startswith("*Execute a command*\n\nThis reference was made by a program.\n\n## Description")
    assert "Up" not in document.text
    assert "run()" not in document.text
