"""Markdown into chunks.

Belongs here: properties of the markdown chunker, breadcrumbs, code kept apart, and what an edit moves, on texts made
here and on real documents. Not here: parsing of files, packing by itself.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.chunking.chunker import (
    chunk_ids,
    chunk_settings,
    chunk_text,
    embedding_hash,
    embedding_text,
    settings_hash,
)
from headwater.chunking.markdown_blocks import Blocks
from headwater.chunking.markdown_chunker import MarkdownChunker
from headwater.chunking.packer import SNIPPET_LIMIT, Sizes
from headwater.domain.documents import Chunk, ChunkKind, ParsedDocument
from headwater.domain.knowledge_base_settings import KnowledgeBaseSettings
from headwater.parsing.markdown.parser import parse_markdown
from headwater.parsing.text import decode

SIZES = Sizes(maximum=1000, minimum=300, overlap=100)
DOCUMENT = UUID(int=7)
NEBARI = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "docs" / "nebari"

LINES = st.sampled_from([
    "", "", " ", "text of a line", "# One", "## Two", "### Three", "###### Six", "####### Seven", "#", "Setext",
    "===", "---", "```", "```python", "````", "~~~", "    indented", "\tindented", "- item", "  - nested", "1. one",
    "> quoted", "> ```", "- ```", "  ```", "| a | b |", "|---|---|", "| c | d |", "<div>", "</div>", "<!-- note",
    "-->", "[a]: /b", "***", "a sentence. Another one! " * 8, "word " * 60, "x" * 300, "\u2028", "\x0c", "\x85",
    "é\u0301", "\r", "\ud800", "\x00",
])  # fmt: skip
TEXTS = st.text() | st.lists(LINES, max_size=80).map("\n".join)
SMALL = st.builds(
    lambda maximum, minimum: Sizes(maximum=maximum, minimum=minimum, overlap=0),
    st.integers(200, 600),
    st.integers(1, 100),
)


def cut(text: str, title: str = "", sizes: Sizes = SIZES, before: Sequence[Chunk] = ()) -> list[Chunk]:
    pieces = [chunk.text for chunk in before]
    return chunk_text(text, title=title, media_type="text/markdown", settings=asdict(sizes), before=pieces)


def breadcrumbs(text: str, title: str = "", sizes: Sizes = SIZES) -> list[str]:
    return [" > ".join(chunk.breadcrumb) for chunk in cut(text, title, sizes)]


def sentence(number: int) -> str:
    return f"Rule {number} says that river {number * 7919 % 1000} feeds lake {number * 104729 % 997}."


def paragraph(number: int, sentences: int = 3) -> str:
    return " ".join(sentence(number * 10 + i) for i in range(sentences))


_LINES_OF_A_SNIPPET = 3  # ends of lines of a fence around two lines


def check(text: str, chunks: list[Chunk], sizes: Sizes) -> None:
    assert "".join(chunk.text for chunk in chunks) == (text if text.strip() else "")
    code = [span for span in Blocks(text).code if text[slice(*span)].strip("\n").count("\n") < _LINES_OF_A_SNIPPET]
    for position, chunk in enumerate(chunks):
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text.strip()
        assert chunk.kind is ChunkKind.MARKDOWN
        assert chunk.overlap == 0
        if chunk.parent is not None:
            above = chunks[chunk.parent].breadcrumb
            assert chunk.parent < position
            assert above == chunk.breadcrumb[: len(above)] != chunk.breadcrumb
        assert 0 <= chunk.quality <= 1
        assert chunk.token_count > 0
        # A line of code stays whole, up to SNIPPET_LIMIT times the maximum, and is prose.
        line_of_code = max((end - start for start, end in code if chunk.start <= start < chunk.end), default=0)
        assert len(" ".join(chunk.prose.split())) <= max(sizes.maximum, line_of_code)
        assert len(chunk.text.strip()) - len(chunk.prose.strip()) <= (SNIPPET_LIMIT + 1) * sizes.maximum


@given(TEXTS, SMALL)
@example("a\r# b\r\n# c\r", Sizes(maximum=200, minimum=100, overlap=0))
@example("\u2028\n# Title", Sizes(maximum=200, minimum=1, overlap=0))
@example("[a]: /b\n# Title\ntext", Sizes(maximum=200, minimum=100, overlap=0))
@example("```\n" + "a sentence. Another one! " * 7 + "a sentence. Another on", Sizes(maximum=200, minimum=1, overlap=0))
def test_chunks_laid_end_to_end_are_the_document(text: str, sizes: Sizes) -> None:
    """Any text gives chunks that tile it, none blank or too large, each with its own offsets (CHK-2)."""
    chunks = cut(text, "Title", sizes)
    check(text, chunks, sizes)
    assert cut(text, "Title", sizes) == chunks
    if len(chunks) > 1 and len(chunks[-1].prose) < sizes.minimum:
        joined = MarkdownChunker(text, "Title", sizes)
        assert not joined.fits(chunks[-2].start, chunks[-1].end)


@pytest.mark.parametrize("text", ["", " \n\t\n", "\u3000\n"])
def test_a_text_without_a_visible_character_has_no_chunks(text: str) -> None:
    """Blank text is nothing to search for."""
    assert cut(text, "Title") == []


def test_a_section_is_a_chunk() -> None:
    """Sections between minimum and maximum stay whole and apart, each with its line (CHK-1)."""
    text = f"# A\n\n{paragraph(1, 8)}\n\n## B\n\n{paragraph(2, 8)}\n\n## C\n\n{paragraph(3, 8)}\n"
    chunks = cut(text)
    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["# A", "## B", "## C"]
    assert [chunk.line for chunk in chunks] == [1, 5, 9]


def test_short_sections_join_the_one_before_and_bare_headings_the_one_below() -> None:
    """No chunk is a heading alone, or a sentence where its neighbour has room (CHK-2)."""
    text = f"# Guide\n\n## Install\n\n{paragraph(1, 8)}\n\n## Note\n\nShort.\n\n## Use\n\n{paragraph(2, 8)}\n"
    chunks = cut(text)
    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["# Guide", "## Use"]
    assert breadcrumbs(text) == ["Guide > Install", "Guide > Use"]


def test_a_heading_stays_with_what_follows_it() -> None:
    """However a long section is cut, no chunk ends with its heading."""
    text = "".join(f"## Part {i}\n\n" + "\n\n".join(paragraph(i * 10 + j) for j in range(8)) + "\n\n" for i in range(6))
    assert not any(chunk.text.rstrip().split("\n")[-1].startswith("#") for chunk in cut(text))


@pytest.mark.parametrize("introduction", ["**`option_{}`**", "**option {}:**", "To use number {}, run:"])
def test_what_introduces_a_block_stays_with_it(introduction: str) -> None:
    """However a long section is cut, no chunk ends with the name of an option in bold, or with a colon."""
    options = [[introduction.format(i), *(paragraph(i * 10 + j) for j in range(3))] for i in range(12)]
    chunks = cut("# Options\n\n" + "\n\n".join(block for option in options for block in option) + "\n")
    assert len(chunks) > 3
    assert not any(chunk.text.rstrip().endswith((":", "*")) for chunk in chunks)


def test_a_short_last_section_joins_the_one_before() -> None:
    """Whatever its level, the document does not end in a splinter (CHK-2)."""
    text = f"# A\n\n{paragraph(1, 8)}\n\n## B\n\n{paragraph(2, 8)}\n\n# C\n\nThe end.\n"
    assert [chunk.text.split("\n")[0] for chunk in cut(text)] == ["# A", "## B"]


def test_a_chunk_stands_under_the_nearest_heading_above() -> None:
    """Its parent's breadcrumb is the longest beginning of its own; parts of a section share a parent (CHK-3)."""
    marks = ["# A", "## B", "#### C", "## D", "# E", "## B"]
    text = "".join(f"{mark}\n\n{paragraph(number, 8)}\n\n" for number, mark in enumerate(marks))
    assert [chunk.parent for chunk in cut(text)] == [None, 0, 1, 0, None, 4]
    long = f"# A\n\n{paragraph(1, 8)}\n\n## B\n\n" + "\n\n".join(paragraph(n, 8) for n in range(2, 5))
    parents = [chunk.parent for chunk in cut(f"{long}\n\n### C\n\n{paragraph(9, 8)}")]
    assert parents[:2] == [None, 0]
    assert set(parents[2:-1]) == {0}
    assert parents[-1] == 1


# Breadcrumbs


def test_breadcrumbs_follow_the_tree_of_headings() -> None:
    """A heading ends those of its level and below; levels may be skipped (CHK-1)."""
    body = paragraph(1, 8)
    marks = ["# A", "## B", "#### C", "## D", "### E", "# F"]
    text = "".join(f"{mark}\n\n{body} {mark[-1]}\n\n" for mark in marks)
    assert breadcrumbs(text) == ["A", "A > B", "A > B > C", "A > D", "A > D > E", "F"]


def test_the_title_leads_unless_the_first_heading_says_it() -> None:
    """A title is put before the headings, once."""
    text = f"# The Guide\n\n{paragraph(1, 8)}\n\n## Use\n\n{paragraph(2, 8)}\n"
    assert breadcrumbs(text, "the guide") == ["The Guide", "The Guide > Use"]
    assert breadcrumbs(text, "Handbook") == ["Handbook > The Guide", "Handbook > The Guide > Use"]
    assert breadcrumbs(paragraph(1), "Handbook") == ["Handbook"]


def test_a_table_of_contents_is_no_breadcrumb() -> None:
    """What stands below it, at a deeper level, does not belong to it."""
    text = f"# Table of Contents\n\n{paragraph(1, 8)}\n\n## Use\n\n{paragraph(2, 8)}\n"
    assert breadcrumbs(text, "Handbook") == ["Handbook", "Handbook > Use"]


def test_a_heading_that_a_template_should_have_filled_in_is_no_breadcrumb() -> None:
    """What stands below it belongs to the heading above."""
    text = f"# {{{{ page.title }}}}\n\n{paragraph(1, 8)}\n\n## Use\n\n{paragraph(2, 8)}\n"
    assert breadcrumbs(text, "Handbook") == ["Handbook", "Handbook > Use"]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("# Plain", "Plain"),
        ("#   Spaces  ##  ", "Spaces"),
        ("# C# and F#", "C# and F#"),
        ("# **Bold** and *slanted*", "Bold and slanted"),
        ("# The `--flag` option", "The --flag option"),
        ("# `<Tabs>` and `a*b`", "<Tabs> and a*b"),
        ("# A [link](https://example.org/a_(b)) here", "A link here"),
        ("# [![badge](b.svg)](https://example.org) Project ![new](n.svg)", "Project new"),
        ("# See [this][ref]", "See this"),
        ("# An <em>old</em> tag", "An old tag"),
        ("# 1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("# Anchored {#my-anchor}", "Anchored"),
        ("# snake_case and 2 \\* 3", "snake_case and 2 * 3"),
        ("Setext\n======", "Setext"),
        ("Setext in\ntwo lines\n===", "Setext in two lines"),
        ("Second level\n---", "Second level"),
        ("   # Indented a little", "Indented a little"),
        ("# Überschrift 日本", "Überschrift 日本"),
    ],
)
def test_a_breadcrumb_is_the_headings_words(heading: str, expected: str) -> None:
    """Marks, links and markup are left out; code keeps its content."""
    assert breadcrumbs(f"{heading}\n\nText.\n") == [expected]


@pytest.mark.parametrize("heading", ["# The `<Tabs>` tool", "# C#", "# A [link](b.md)", "Setext\n===", "# **B** {#b}"])
def test_the_title_made_from_a_heading_is_not_doubled(heading: str) -> None:
    """A file's title and its first heading's breadcrumb are the same words."""
    document = parse_markdown(f"{heading}\n\nText.\n", uri="a.md")
    (chunk,) = cut(document.text, document.title)
    assert chunk.breadcrumb == (document.title,)


@pytest.mark.parametrize(
    "block",
    [
        "```\n# no\n## no\n```",
        "~~~sh\n# no\n~~~",
        "    # no\n    # no",
        "> # no",
        "- # no",
        "<!--\n# no\n-->",
        "#no",
        "\\# no",
    ],
)
def test_what_only_looks_like_a_heading_is_none(block: str) -> None:
    """Comments in code, quotations and items make no breadcrumb."""
    assert breadcrumbs(f"# Yes\n\nText.\n\n{block}\n\nMore text.\n") == ["Yes"]


def test_definitions_before_the_first_heading_do_not_hide_it() -> None:
    """Link definitions are part of no block, yet of the document."""
    text = "[home]: /home\n\n# Title\n\nText.\n"
    assert breadcrumbs(text) == ["Title"]
    assert cut(text)[0].text == text


TABLE = "| Article | Net \\| Gross |\n|---|---|\n" + "".join(f"| Bolt {n} | {n} euros |\n" for n in range(60))


def test_every_chunk_of_a_long_table_has_its_header() -> None:
    """The header row ends the breadcrumb of the chunks after the first, so it is shown and embedded (CHK-3)."""
    text = f"# Prices\n\nFrom May.\n\n{TABLE}\nUntil June. {paragraph(1)}\n\n## More\n\n{paragraph(2, 15)}\n"
    chunks = cut(text, "List")
    check(text, chunks, SIZES)
    first, *later = [chunk for chunk in chunks if "| Bolt" in chunk.text]
    assert first.breadcrumb == ("List", "Prices")
    assert len(later) > 1
    for chunk in later:
        assert chunk.text.startswith("| Bolt")
        assert chunk.breadcrumb == ("List", "Prices", "Article | Net \\| Gross")
        assert chunk.parent == chunks.index(first)
        assert embedding_text(chunk.breadcrumb, chunk.prose).startswith("List > Prices > Article | Net")
    assert chunks[-1].breadcrumb == ("List", "Prices", "More")


@pytest.mark.parametrize(
    "text", [f"Before. {paragraph(1)}\n\n{TABLE[:150]}", f"| {'Wide ' * 300}|\n|---|\n| a |\n", "x\n\n" + TABLE[:50]]
)
def test_a_chunk_that_has_the_header_does_not_repeat_it(text: str) -> None:
    """Nothing changes for tables that fit into a chunk, nor before the first row."""
    assert {chunk.breadcrumb for chunk in cut(text, "T")} == {("T",)}


def test_the_header_is_repeated_from_the_first_row_on() -> None:
    """Not within the header or its rule, and not behind the table."""
    text = f"Text.\n\n{TABLE}\nText."
    blocks, rule, row = Blocks(text), text.index("|---"), text.index("| Bolt")
    assert [blocks.header_above(offset) for offset in (0, text.index("| Art"), rule - 5, rule, row - 1)] == [""] * 5
    assert blocks.header_above(row) == blocks.header_above(row + 9) == "Article | Net \\| Gross"
    assert blocks.header_above(text.rindex("Text")) == ""


def test_a_very_long_header_is_cut_at_a_cell() -> None:
    """The breadcrumb keeps whole names of columns."""
    names = " | ".join(f"Column {number}" for number in range(60))
    text = f"| {names} |\n{'|---' * 60}|\n" + f"| {' | '.join(['value'] * 60)} |\n" * 9
    (header,) = {chunk.breadcrumb[-1] for chunk in cut(text, "T")[1:] if chunk.text.startswith("| value")}
    assert names.startswith(f"{header} | Column")
    assert 250 < len(header) <= 300


def test_the_embedded_text_is_breadcrumb_and_prose() -> None:
    """Equal breadcrumbs and prose are embedded once, wherever they are (EMB-1)."""
    assert embedding_text(("Guide", "Use"), "\nText.\n") == "Guide > Use\n\nText."
    assert embedding_text((), "Text.") == "Text."
    assert embedding_text(("Guide",), "\n\n") == "Guide"
    assert embedding_hash(("Guide",), "Text.\n") == embedding_hash(("Guide",), "Text.")


# Code


@pytest.mark.parametrize(
    "code",
    [
        "```python\nfirst = 1\nsecond = 2\n```\n",
        "~~~\nfirst = 1\nsecond = 2\n~~~\n",
        "````\n```\nfirst = 1\nsecond = 2\n```\n````\n",
        "- item\n\n  ```\n  first = 1\n  second = 2\n  ```\n",
        "1. item\n   ~~~sh\n   first = 1\n   second = 2\n   ~~~\n",
        "- ```\n  first = 1\n  second = 2\n  ```\n",
        "> ```\n> first = 1\n> second = 2\n> ```\n",
        "    first = 1\n    second = 2\n",
        "```\nfirst = 1\nsecond = 2\n",
    ],
)
def test_code_of_several_lines_is_kept_out_of_the_prose(code: str) -> None:
    """It is in the text that is shown, and not in the text that is embedded (CHK-4)."""
    text = f"# Title\n\nBefore it.\n\n{code}\nAfter it.\n" if code[:9] != "```\nfirst" else f"Before it.\n\n{code}"
    (chunk,) = cut(text)
    assert chunk.text == text
    assert "first = 1" not in chunk.prose
    assert "second = 2" not in chunk.prose
    assert "```" not in chunk.prose
    assert "Before it." in chunk.prose


@pytest.mark.parametrize(
    "code", ["Run `make demo` now.", "```\nmake demo\n```", "    make demo", "~~~sh\nmake demo\n~~~"]
)
def test_one_line_code_stays_in_the_prose(code: str) -> None:
    """A command of one line is part of what a passage says (CHK-4)."""
    (chunk,) = cut(f"Before it.\n\n{code}\n\nAfter it.\n")
    assert "make demo" in chunk.prose
    assert chunk.prose == chunk.text


def test_code_stays_whole_up_to_its_limit() -> None:
    """A block of up to `SNIPPET_LIMIT` times the maximum is in one chunk; a longer one is cut at lines (CHK-4)."""
    line = "value = compute(value)\n"
    for count, pieces in ((150, [1]), (400, [3, 4])):
        code = f"```\n{line * count}```\n"
        text = f"# Title\n\n{paragraph(1)}\n\n{code}\n{paragraph(2)}\n"
        chunks = cut(text)
        holding = [chunk for chunk in chunks if line in chunk.text]
        assert len(holding) in pieces
        assert not any("compute" in chunk.prose for chunk in chunks)
        assert all(chunk.text.count("\n") == len(chunk.text.splitlines()) for chunk in chunks)


def test_many_snippets_in_one_section_do_not_pile_up() -> None:
    """A section of little prose and much code is cut, too: a chunk has to fit a model's prompt (CHK-4)."""
    snippet = "```\n" + "value = compute(value)\n" * 20 + "```\n\n"
    text = "# Recipes\n\n" + "".join(f"Recipe {i}:\n\n{snippet}" for i in range(60))
    chunks = cut(text)
    check(text, chunks, SIZES)
    assert max(len(chunk.text) for chunk in chunks) <= (SNIPPET_LIMIT + 1) * 1000
    assert all(chunk.text.count("```") % 2 == 0 for chunk in chunks)


# Edits


def changed_ids(text: str, edited: str) -> int:
    settings = settings_hash(chunk_settings(KnowledgeBaseSettings()))
    before, after = (set(chunk_ids(DOCUMENT, settings, cut(version))) for version in (text, edited))
    return len(after - before)


@pytest.mark.parametrize("edit", ["another-word", "sentence"])
def test_an_edit_of_one_paragraph_changes_the_chunks_that_hold_it(edit: str) -> None:
    """In a long section, the chunks without the paragraph keep text and id, nearly always (CHK-5)."""
    paragraphs = [paragraph(i) for i in range(60)]
    text = "# Title\n\n" + "\n\n".join(paragraphs) + "\n"
    changed = []
    for number in range(60):
        old = paragraphs[number]
        new = old.replace("feeds", "replenishes", 1) if edit == "another-word" else f"{old} This is new, and is short."
        edited = text.replace(old, new)
        outgrew = any(old in chunk.text and len(chunk.prose) + len(new) - len(old) > 1000 for chunk in cut(text))
        changed.append(changed_ids(text, edited) - outgrew)
    assert min(changed) >= 0
    assert sum(changed) <= 1.15 * len(changed)
    assert max(changed) <= 3


def test_an_edit_of_one_section_leaves_the_others_alone() -> None:
    """Sections are cut apart: nothing within one moves a border in another (CHK-5)."""
    sections = [f"## Part {i}\n\n" + "\n\n".join(paragraph(i * 100 + j) for j in range(12)) + "\n\n" for i in range(5)]
    chunks = {chunk.text for chunk in cut("".join(sections))}
    edited = [*sections[:2], "## Part 2\n\n" + paragraph(999, 40) + "\n\n", *sections[3:]]
    after = {chunk.text for chunk in cut("".join(edited))}
    assert all("Part 2" in text or "Rule 2" in text for text in chunks - after)
    assert len(after & chunks) >= len(chunks) * 0.75


def real_documents() -> Iterator[ParsedDocument]:
    for path in sorted(NEBARI.rglob("*.md*")):
        yield parse_markdown(decode(path.read_bytes()), uri=path.relative_to(NEBARI).as_posix())


def prose_paragraphs(text: str) -> list[tuple[int, int]]:
    """Where paragraphs of plain sentences are, outside code."""
    outside = re.sub(
        r"^([ \t]*)(```|~~~).*?^\1\2", lambda match: "#" * len(match[0]), text, flags=re.DOTALL | re.MULTILINE
    )
    spans = [match.span() for match in re.finditer(r"(?:^[A-Za-z*`\[][^\n]{60,}\n)+", outside, re.MULTILINE)]
    return [span for span in spans if len(re.findall(r"\b[a-z]{4,}\b", text[slice(*span)])) >= 8]


def edits(paragraph: str) -> Iterator[str]:
    """The paragraph with another word in its middle, and with a sentence more."""
    words = list(re.finditer(r"(?<=\s)[a-z]{4,}(?=\s)", paragraph))
    if words:
        word = words[len(words) // 2]
        yield paragraph[: word.start()] + "reconsidered" + paragraph[word.end() :]
    yield paragraph.rstrip() + " Another sentence of sixty characters was put in here now.\n"


@pytest.mark.skipif(not NEBARI.is_dir(), reason="the real documents are not beside this project")
def test_edits_of_real_documents_embed_only_what_holds_them() -> None:
    """On real documents, an edited paragraph embeds only the chunks that contain it again (CHK-5)."""
    tried = 0
    for document in list(real_documents())[::3]:
        old = cut(document.text, document.title)
        known = {embedding_hash(chunk.breadcrumb, chunk.prose) for chunk in old}
        for start, end in prose_paragraphs(document.text)[:4]:
            for paragraph in edits(document.text[start:end]):
                edited = document.text[:start] + paragraph + document.text[end:]
                new = [
                    chunk
                    for chunk in cut(edited, document.title, before=old)
                    if embedding_hash(chunk.breadcrumb, chunk.prose) not in known
                ]
                stop = start + len(paragraph)
                assert all(chunk.start < stop and chunk.end > start for chunk in new), (document.uri, paragraph)
                tried += 1
    assert tried > 80


@pytest.mark.skipif(not NEBARI.is_dir(), reason="the real documents are not beside this project")
def test_real_documents_are_tiled() -> None:
    """Chunks of real documents tile them, and few are small (CHK-2)."""
    sizes = []
    for document in real_documents():
        chunks = cut(document.text, document.title)
        check(document.text, chunks, SIZES)
        sizes += [len(chunk.prose) for chunk in chunks]
    assert 450 < sum(sizes) / len(sizes) < 750
    assert sum(size < 300 for size in sizes) < 0.06 * len(sizes)


# Odd texts

HOSTILE = {
    "equal lines": "the same line\n" * 20_000,
    "equal paragraphs": "the same paragraph\n\n" * 8_000,
    "equal items": "- item\n" * 10_000,
    "equal headings": "# Heading\n\n" * 5_000,
    "short sections": "".join(f"# a{i}\n\nb\n\n" for i in range(8_000)),
    "heading tree": "# a\n## b\n### c\n#### d\n" * 2_000,
    "long line": "word " * 60_000,
    "long word": "w" * 300_000,
    "deep quotation": ">" * 5_000 + " x",
    "deep list": "\n".join("  " * depth + "- x" for depth in range(500)),
    "brackets": "[" * 20_000,
    "heading of brackets": "# " + "[" * 20_000,
    "heading of tags": "# " + "<a " * 20_000,
    "heading of links": "# " + "[a](" * 20_000,
    "heading of ticks": "# " + "``a```b " * 5_000,
    "fences": "```\n" * 10_001,
    "growing fences": "".join("`" * length + "\n" for length in range(3, 600)),
    "long code": "```\n" + "x = 1\n" * 20_000 + "```\n",
    "many snippets": "```\na\nb\n```\n" * 5_000,
    "long table": "| a | b |\n|---|---|\n" + "| c | d |\n" * 10_000,
    "wide table": "|" + "a|" * 3_000 + "\n|" + "-|" * 3_000 + "\n" + ("|" + "b|" * 3_000 + "\n") * 2,
    "stops": "." * 100_000,
    "carriage returns": "# a\r\rb\r" * 5_000,
    "NUL": "a\x00b\n\n" * 5_000,
}


@pytest.mark.attacks
@pytest.mark.parametrize("name", HOSTILE)
def test_odd_texts_lose_nothing(name: str) -> None:
    """Whatever the text is, it is cut, and nothing is lost (CHK-2); `test_growth` counts the work."""
    chunks = cut(HOSTILE[name])
    assert "".join(chunk.text for chunk in chunks) == HOSTILE[name]


@pytest.mark.parametrize("before", ["", "- ", "> "])
def test_code_is_cut_only_if_it_alone_is_too_large(before: str) -> None:
    """A fence in a long item or quotation stays whole, and lines of code are no prose (CHK-4)."""
    code = "```sh\n" + "run the command --with-option\n" * 20 + "```\n"
    words = "Words of a sentence that goes on. " * 40 + "\n\n"
    block = (words + code + "\n" + words + code).rstrip("\n")
    inner = before if before == "> " else " " * len(before)
    text = "# Title\n\n" + before + block.replace("\n", f"\n{inner}") + "\n"
    settings = chunk_settings(KnowledgeBaseSettings())
    chunks = chunk_text(text, title="", media_type="text/markdown", settings=settings)
    assert len(chunks) > 2
    assert "".join(chunk.text for chunk in chunks) == text
    assert all(chunk.text.count("```") % 2 == 0 for chunk in chunks)
    assert not any("--with-option" in chunk.prose for chunk in chunks)
    # An earlier version's border within the code is given up.
    middle = text.index("run the command", text.index("run the command") + 100)
    again = chunk_text(
        text, title="", media_type="text/markdown", settings=settings, before=[text[:middle], text[middle:]]
    )
    assert all(chunk.text.count("```") % 2 == 0 for chunk in again)


def test_code_that_is_too_large_is_cut_at_line_ends_and_stays_code() -> None:
    """Its parts have no prose either (CHK-4)."""
    text = "# Title\n\n```sh\n" + "run the command --with-option\n" * 400 + "```\n"
    settings = chunk_settings(KnowledgeBaseSettings())
    chunks = chunk_text(text, title="", media_type="text/markdown", settings=settings)
    assert len(chunks) > 2
    assert all(chunk.text.endswith("\n") for chunk in chunks)
    assert not any("--with-option" in chunk.prose for chunk in chunks)
