"""Which lines of its file a text comes from: what was quoted is found there."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.chunking.chunker import chunk_settings, cut_document
from headwater.domain.documents import ParsedDocument
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.domain.places import PlaceKind, PlaceRange, Places
from headwater.parsing.markdown import edits
from headwater.parsing.markdown.edits import Edits, new_step
from headwater.parsing.markdown.parser import MarkdownParser, MdxParser
from headwater.parsing.parser import File
from headwater.parsing.plain_text import PlainTextParser
from headwater.quote.block_reader import Kind, each_block, read_blocks

FRONT = ("", "---\ntitle: Pump\n---\n", "---\n# nothing\n\ntags:\n  - a\n---\n\n\n", "\n\n", "---\nbad: [\n---\n")
BLOCKS = (
    "Water number {} is lifted here.",
    "## Heading of {}\n\nWater number {} is lifted here.\nWater number {} goes on below.",
    "import Tabs from '@theme/Tabs';\nimport Item from '@theme/Item';",
    "export const names = [\n  'a',\n\n  'b',\n];",
    "<Tabs\n  items={{['a',\n    'b']}}\n>\n  <Item>\n\n    Water number {} is lifted here.\n\n  </Item>\n</Tabs>",
    "<!-- a comment\nof two lines -->\nWater number {} is lifted here.",
    "Water number {} <!-- a comment\nof lines --> is lifted here.",
    ":::note Mind this\nWater number {} is lifted here.\n:::",
    '!!! tip "Mind this"\n    Water number {} is lifted here.',
    "<details>\n<summary>More of it</summary>\n\nWater number {} is lifted here.\n</details>",
    "<p>Water number {} is lifted here.</p><p>Water number {} is lifted here.</p>",
    "<pre>\n<code>\nfirst {}\nsecond {}\n\n</code></pre>",
    "<div class='a'\n     id='b'>Water number {} is lifted here.</div>",
    "```py\nimport a\n\n\n# Water {}\n```",
    "- Water number {} is lifted here.\n\n\n\n  - Water number {} is lifted below.",
    "{{names.map((name) => (\n  <b>Water number {} is lifted here.</b>\n))}}",
    "{{`first {}\nsecond {}\n`}}",
    "| a | b |\n|---|---|\n| Water {} | is lifted |",
    "{% quote Ann %}\nWater number {} is lifted here.\n\nWater number {} is lifted below.\n{% endquote %}",
    "{% codeblock a lang:py %}\nfirst {}\nsecond {}\n{% endcodeblock %}",
    "{{{{< ignore >}}}}\nNothing.\n{{{{< /ignore >}}}}\nWater number {} is lifted here.",
    "@Options {\n  @Nothing\n}\n\n- term `a`: Water number {} is lifted here.",
    "[b]: https://x.org/\n\n<br/>\n<br/>\n&nbsp;",
)
CHUNK_SETTINGS = chunk_settings(KnowledgeBaseSettings(chunk_min=40, chunk_max=200, chunk_overlap=20))
NUMBER = re.compile(r"w\d+x")


@st.composite
def files(draw: st.DrawFn) -> tuple[str, str]:
    """A markdown file of numbered sentences, and what ends its lines."""
    blocks = draw(st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=12))
    between = draw(st.sampled_from(("\n\n", "\n\n\n\n", "\n \t\n\n")))
    numbers = iter(range(1000))
    filled = [
        re.sub(r"\{\}", lambda _: f"w{next(numbers)}x", block).replace("{{", "{").replace("}}", "}") for block in blocks
    ]
    return draw(st.sampled_from(FRONT)) + between.join(filled) + "\n", draw(st.sampled_from(("\n", "\r\n", "\r")))


def located(document: ParsedDocument) -> list[tuple[str, PlaceRange]]:
    """The chunks of a document and the blocks that an answer may show, each with its place."""
    assert document.places is not None
    found = []
    cut = cut_document(
        document.text, title=document.title, media_type=document.media_type, settings=CHUNK_SETTINGS, before=()
    )
    for chunk in cut.chunks:
        near = Places.from_json(document.places.to_json(), within=(chunk.start, chunk.end))
        spans = [
            (0, len(chunk.text)),
            *((block.start, block.end) for block in each_block(read_blocks(chunk.text)) if block.kind != Kind.HEADING),
        ]
        for start, end in spans:
            place = near.between(
                chunk.start + start, chunk.start + end, text=chunk.text, offset=chunk.start, line=chunk.line
            )
            assert place is not None
            found.append((chunk.text[start:end], place))
    return found


def check_is_there(quote: str, place: PlaceRange, lines: list[str]) -> None:
    """Every numbered word of a quote is in the lines of its place."""
    there = "\n".join(lines[int(place.first) - 1 : int(place.last)])
    assert [number for number in NUMBER.findall(quote) if number not in there] == []


@given(files(), st.booleans())
@example(("---\na: 1\n---\n\n<!-- x\n-->\n\nWater number w0x is lifted here.\n", "\r\n"), False)
def test_what_is_quoted_is_in_the_lines_of_the_file(file: tuple[str, str], is_mdx: bool) -> None:
    """A sentence, and a chunk, is found in the lines that it names, however much was stripped above it."""
    text, line_end = file
    parser = MdxParser() if is_mdx else MarkdownParser()
    document = parser.parse(File(content=text.replace("\n", line_end).encode(), uri="a.mdx" if is_mdx else "a.md"))
    lines = text.split("\n")
    for quote, place in located(document):
        assert 1 <= int(place.first) <= int(place.last) <= len(lines)
        check_is_there(quote, place, lines)


@given(files())
def test_a_sentence_of_one_line_names_that_line(file: tuple[str, str]) -> None:
    """No line more than it needs, where nothing within it was taken out."""
    text, _ = file
    lines = text.split("\n")
    for quote, place in located(MdxParser().parse(File(content=text.encode(), uri="a.mdx"))):
        numbers = NUMBER.findall(quote)
        if re.fullmatch(r"Water number w\d+x is lifted (?:here|below)\.", quote):
            (line,) = [at for at, line in enumerate(lines, start=1) if numbers[0] in line]
            is_part_of_more = "<!--" in lines[line - 1] or "<b>" in lines[line - 1]
            assert place.label == f"L{line}" or is_part_of_more


def test_front_matter_counts() -> None:
    """The first line below front matter is not line 1."""
    document = MarkdownParser().parse(
        File(content=b"---\ntitle: Pump\nowner: Ida\n---\n\n# Pump\n\nIt lifts water.\n", uri="a.md")
    )
    assert [place.label for _, place in located(document)] == ["L6–L8", "L8"]
    assert document.places is not None
    assert document.places.to_json() == {"kind": "line", "marks": [[0, 5]]}


def test_stripped_imports_and_tags_count() -> None:
    """Lines that MDX loses above and beside a sentence are counted; code stays in place."""
    text = (
        "import A from 'a';\nimport B from 'b';\n\n# Pump\n\n<A\n  size={2}\n>\n\n"
        "It lifts water from the well.\n\n</A>\n"
        "\n```sh\npump --up\n```\n\n<B>{`one\ntwo\n`}</B>\n\nIt is greased every seventh month.\n"
    )
    document = MdxParser().parse(File(content=text.encode(), uri="a.mdx"))
    found = {quote: place.label for quote, place in located(document)}
    assert found["It lifts water from the well."] == "L10"
    assert found["It is greased every seventh month."] == f"L{text[: text.index('It is greased')].count(chr(10)) + 1}"


def test_a_preformatted_element_keeps_its_lines() -> None:
    """Each line of code is where it was, though tags around it became a fence."""
    lines = [
        "# A",
        "",
        "Text of it here.",
        "<pre>",
        "<code>",
        "",
        *(f"code {n}" for n in range(30)),
        "</code>",
        "</pre>",
    ]
    document = MarkdownParser().parse(File(content="\n".join(lines).encode(), uri="a.md"))
    assert document.places is not None
    for n in range(30):
        start = document.text.index(f"code {n}\n")
        place = document.places.between(start, start + 7, text=document.text)
        assert place is not None
        assert place.label == f"L{lines.index(f'code {n}') + 1}"


@pytest.mark.parametrize(
    "content", [b"One.\r\nTwo.\r\n\r\nThree.", b"One.\rTwo.\r\rThree.", b"\xef\xbb\xbfOne.\nTwo.\n\nThree."]
)
def test_a_plain_file_needs_no_marks(content: bytes) -> None:
    """Its lines are its text's, whatever ends them; storing that takes a few bytes (no marks)."""
    document = PlainTextParser().parse(File(content=content, uri="a.txt"))
    assert document.places == Places(kind=PlaceKind.LINE)
    assert document.places.between(document.text.index("Three"), len(document.text), text=document.text) == PlaceRange(
        kind=PlaceKind.LINE, first=4, last=4
    )


def test_markdown_without_markup_needs_no_marks() -> None:
    """A file from which nothing is stripped is its own text."""
    document = MarkdownParser().parse(File(content=b"# Pump\n\nIt lifts *water*.\n\n```sh\npump\n```\n", uri="a.md"))
    assert document.places == Places(kind=PlaceKind.LINE)


def test_a_text_of_too_many_edits_has_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mapping that would take too much memory is left out; the document is still read."""
    monkeypatch.setattr(edits, "MAX_EDITS", 3)
    assert MarkdownParser().parse(File(content=b"a <b>b</b> c &lt; d\n", uri="a.md")).places == Places(
        kind=PlaceKind.LINE
    )
    assert MarkdownParser().parse(File(content=b"a <b>b</b> c &lt; d &lt; e\n", uri="a.md")).places is None


def test_a_text_of_too_many_marks_has_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """One edit may replace one line with many."""
    monkeypatch.setattr(edits, "MAX_EDITS", 3)
    for lines, is_known in ((4, True), (5, False)):
        written = Edits()
        written.add(new_step([(0, 1, 2 * lines)]))
        found = written.lines("\n\nx", "y\n" * lines)
        assert (found is not None) is is_known
